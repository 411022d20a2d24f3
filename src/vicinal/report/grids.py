"""Values that a feature is set to, to see how predictions depend on it."""

from __future__ import annotations

import numpy as np

from vicinal.fitted import Fitted
from vicinal.report.scales import Axis, placed
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats


def is_ordered(fitted: Fitted, name: str) -> bool:
    """Say whether the values of a feature have an order, so that a line may join them."""
    return fitted.schema[name].kind is not Kind.NOMINAL


def grid_of(fitted: Fitted, name: str, most: int) -> Floats:
    """Return values that occur: the most frequent categories, or quantiles of numbers."""
    found = fitted.distribution(fitted.schema.column(name))
    distinct, counts = found["values"], found["counts"]
    if len(distinct) <= most:
        return distinct
    if not is_ordered(fitted, name):
        return np.sort(distinct[np.argsort(-counts, kind="stable")[:most]])
    wanted = np.linspace(0.02, 0.98, most) * counts.sum()
    return np.unique(distinct[np.searchsorted(np.cumsum(counts), wanted)])


def places_of(grid: Floats, ordered: bool) -> tuple[float, ...]:
    """Return where values stand from 0 to 1; a missing one stands before the others."""
    n = len(grid)
    if not ordered:
        return tuple((at + 0.5) / n for at in range(n))
    known = grid[~np.isnan(grid)]
    gap = 0.15 * (len(known) < n)
    axis = Axis(float(known[0]), float(known[-1]), ())
    places = tuple(gap + (1 - gap) * placed(float(value), axis) for value in known)
    return (0.0, *places) if gap else places


def with_margin(values: Floats) -> Floats:
    """Return values with a margin on both sides, so that no flat line is drawn on the frame."""
    room = 0.06 * float(np.ptp(values)) if len(values) else 0.0
    return np.concatenate([values, values - room, values + room])
