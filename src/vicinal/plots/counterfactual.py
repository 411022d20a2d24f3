"""Counterfactuals as a table: the row above the changed rows."""

from __future__ import annotations

from typing import Any

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_value
from vicinal.plots.neighbors import NeighborsDisplay


def draw_counterfactuals(found: Any, ax: Any = None) -> Any:
    """Draw what changes in `Counterfactuals`, changes highlighted; return the axes."""
    items = [one for one in found.items if one.changes]
    if not items:
        raise ParameterError(f"There is nothing to draw: {found.message}")
    names = list(dict.fromkeys(name for one in items for name in one.changes))
    before = {name: one.changes[name][0] for one in items for name in one.changes}
    rows = [["this row", "", "", *(format_value(before[name]) for name in names)]]
    marked = set()
    for at, one in enumerate(items):
        marked |= {(at + 1, 3 + names.index(name)) for name in one.changes}
        values = [format_value(one.row[name]) for name in names]
        rows.append([str(at + 1), format_value(one.prediction), one.case_text, *values])
    display = NeighborsDisplay(
        ["", found.target, "like case", *names],
        rows,
        marked,
        title="Counterfactuals; highlighted: what changes",
    )
    return display.plot(ax=ax).ax_
