"""Drift: the verdict, and the features that changed."""

from __future__ import annotations

from typing import Any

from vicinal.formatting.sheet import Grid, Marked, Sheet, Words, bars, left_out
from vicinal.formatting.values import format_count, format_value

_MOST = 10
_ALPHA = 0.05


def drift_view(found: Any) -> Sheet:
    """Show `Drift`: strongest evidence of change first; significant p-values are marked."""
    verdict = "changed" if found.changed() else "no sign of change"
    rows, cases = format_count(found.n_new, "new row"), format_count(found.n_stored, "case")
    title = f"Drift of {rows} from {cases}: {verdict}"
    said = (
        f"p = {found.p_value:.2g} for all tests together. Amount {found.amount:.2g}: how well the "
        "nearest rows tell whether a row is new (0: not at all, 1: always)."
    )
    n = min(len(found), _MOST)
    columns: list[tuple[str, Any]] = [
        ("feature", list(found.features[:n])),
        ("gap", bars(found.gap[:n], [f"{one:.2f}" for one in found.gap[:n]])),
        ("adjusted p", [_p_value(one) for one in found.p_adjusted[:n]]),
        ("change", [Words(one) for one in found.changes[:n]]),
        ("p alone", [format_value(float(one)) for one in found.p_own[:n]]),
        ("p given others", [format_value(float(one)) for one in found.p_given_others[:n]]),
    ]
    note = left_out(len(found) - n, "feature")
    return Sheet(title, (said, *found.remarks), (Grid("", columns, note=note),) if n else ())


def _p_value(p: float) -> Any:
    text = format_value(float(p))
    return Marked(text, f"significant at {_ALPHA}") if p <= _ALPHA else text
