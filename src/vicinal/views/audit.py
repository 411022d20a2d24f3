"""An audit: one table of findings for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vicinal.formatting.sheet import Grid, Sheet, Words, bars, left_out
from vicinal.formatting.values import format_count, format_value

_MOST = 6


def audit_view(found: Any, kinds: Mapping[str, str]) -> Sheet:
    """Show an `Audit`; `kinds` describes the kinds of findings."""
    about = f", target {format_value(found.target)}" if found.target else ""
    fewer = found.n_stored is not None and found.n_cases < found.n_stored
    sample = f" (a sample of {found.n_stored})" if fewer else ""
    title = f"Audit of {format_count(found.n_cases, 'case')}{sample}{about}"
    tables = [(kind, found.of(kind)) for kind in found.looked_for]
    none = [kinds[kind].split(",")[0] for kind, findings in tables if not findings]
    notes = (f"Not found: {', '.join(none)}.",) if none else ()
    return Sheet(title, notes, tuple(_grid(kinds[kind], one) for kind, one in tables if one))


def _grid(caption: str, findings: tuple[Any, ...]) -> Grid:
    shown = findings[:_MOST]
    is_feature = findings[0].case is None
    word = "feature" if is_feature else "row" if findings[0].kind == "leak" else "case"
    names = [_name(one) for one in shown]
    columns: list[tuple[str, Any]] = [
        (word, names),
        ("score", bars([one.score for one in shown])),
        ("evidence", [Words(one.evidence) for one in shown]),
    ]
    note = left_out(len(findings) - len(shown), "finding")
    return Grid(f"{caption[:1].upper()}{caption[1:]}: {len(findings)}", columns, note=note)


def _name(one: Any) -> str:
    if one.case is None:
        return format_value(one.feature)
    name = one.case if one.label is None else one.label
    return f"#{name}" if isinstance(name, int) else format_value(name)
