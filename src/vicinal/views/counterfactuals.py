"""Counterfactuals: the row, and what to change in it."""

from __future__ import annotations

from typing import Any

from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.sheet import Grid, Marked, Sheet, Words
from vicinal.formatting.values import format_count, format_percent, format_value


def counterfactuals_view(found: Any) -> Sheet:
    """Show `Counterfactuals`: the row above the changed rows, changes marked."""
    title = f"Counterfactuals of {format_value(found.target)}: {found.message}"
    items = [one for one in found.items if one.changes]
    if not items:
        return Sheet(title)
    names = list(dict.fromkeys(name for one in items for name in one.changes))
    own = {
        name: next(one.changes[name][0] for one in items if name in one.changes) for name in names
    }
    columns: list[tuple[str, Any]] = [
        ("", ["this row", *(str(1 + at) for at in range(len(items)))]),
        (found.target, [Words(""), *(whole_seconds(one.prediction) for one in items)]),
    ]
    if items[0].probabilities is not None:
        shares = [format_percent(one.probabilities[one.prediction]) for one in items]
        columns.append(("probability", [Words(""), *shares]))
    columns += [(name, [own[name], *(_after(one, name) for one in items)]) for name in names]
    columns += [
        ("conviction", [Words(""), *(f"{one.conviction:.3g}" for one in items)]),
        ("like case", [Words(""), *(one.case_text for one in items)]),
    ]
    same = len(items[0].row) - len(names)
    note = f"{format_count(same, 'other feature')} unchanged." if same else ""
    return Sheet(title, grids=(Grid("", columns, own=frozenset({0}), note=note),))


def _after(one: Any, name: str) -> Any:
    return Marked(one.changes[name][1]) if name in one.changes else one.row[name]
