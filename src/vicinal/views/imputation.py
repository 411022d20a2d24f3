"""Imputed cells: the least certain first."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.sheet import Grid, Sheet, Words, left_out
from vicinal.formatting.values import format_count, format_value
from vicinal.views.convictions import surprise_bars

_MOST = 10


def imputation_view(found: Any) -> Sheet:
    """Show an `Imputation`: each cell with its value, interval or set, and conviction."""
    title = f"Imputation of {format_count(len(found), 'cell')}"
    if not len(found):
        return Sheet(title)
    order = np.argsort(found.conviction, kind="stable")[:_MOST].tolist()
    sure = f"{100 * (1 - found.alpha):.4g} % sure"
    columns: list[tuple[str, Any]] = [
        ("row", [format_value(name) for name in found.row_names(order)]),
        ("feature", [found.features[at] for at in order]),
        ("value", [found.values[at] for at in order]),
        (sure, [_limits(found, at) for at in order]),
        ("conviction", surprise_bars(found.conviction[order])),
    ]
    note = left_out(len(found) - len(order), "cell")
    note += ", more certain" * bool(note)
    counts = [
        f"{format_value(name)} {found.features.count(name)}"
        for name in dict.fromkeys(found.features)
    ]
    return Sheet(title, (f"By feature: {', '.join(counts)}.",), (Grid("", columns, note=note),))


def _limits(found: Any, at: int) -> Words:
    if found.classes[at]:
        listed = [format_value(one) for one in found.classes[at][:5]]
        more = ["…"] * (len(found.classes[at]) > 5)
        return Words("one of " * (len(listed) > 1) + ", ".join([*listed, *more]))
    lower, upper = (format_value(whole_seconds(end[at])) for end in (found.lower, found.upper))
    return Words(f"{lower} to {upper}")
