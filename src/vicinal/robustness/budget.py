"""Bounds where the costs of all changes add up to the radius.

Let g_i(c) be what column i can gain at cost c. The most that all columns gain at costs that sum to
R is, for any price λ ≥ 0, at most Σ max_c (g_i(c) − λ c) + λ R. The best of a few prices counts: a
price of 0 grants every column the whole radius, and at the steepest slope of all columns no change
pays, so that λ R is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.derived.ranks import Ranks
from vicinal.robustness.perturbation import ROUNDING, Box, Perturbation
from vicinal.typing import Bools, Floats, Places

#: Prices that are tried, as parts of the steepest slope.
PRICES = (1.0, 0.6, 0.3, 0.12)


@dataclass(frozen=True, eq=False)
class Budget:
    """What the columns of extended rows cost, if costs add up.

    Parameters
    ----------
    radius : float
        What all changes may cost together.
    units : ndarray of shape (d,)
        How far a cost of 1 moves each column; 0 for columns that are not limited.
    free : ndarray of shape (d,)
        A column moves by its unit times its cost and this, at most: ranks climb in steps.
    sources : ndarray of int of shape (d,)
        The column whose change is paid for: the column itself, or that of which it is the rank.
    most : float
        The largest part of the radius that one column takes, at least a half.
    """

    radius: float
    units: Floats
    free: Floats
    sources: Places
    most: float = 1.0

    @classmethod
    def of(
        cls, derived: DerivedColumns | None, changes: Perturbation, radius: float
    ) -> Budget | None:
        """Return the budget of a radius; None where costs do not add up."""
        if changes.norm != "sum":
            return None
        if derived is None:
            d = len(changes.units)
            return cls(radius, changes.paid_units, np.zeros(d), np.arange(d), changes.most)
        more = derived.count
        units = np.concatenate([changes.paid_units, np.zeros(more)])
        free, box, sources = np.zeros(len(units)), changes.box(radius), np.arange(len(units))
        for place, ranks in zip(derived.groups["ranks"].tolist(), derived.ranks, strict=True):
            units[place], free[place] = _climb(ranks, changes, box, radius)
            sources[place] = ranks.column
        return cls(radius, units, free, sources, changes.most)

    def limited(self, columns: Places) -> Bools:
        """Return which of some columns are limited: no change may be paid for twice."""
        first = np.zeros(len(columns), dtype=bool)
        first[np.unique(self.sources[columns], return_index=True)[1]] = True
        return first & (self.units[columns] > 0)

    def without(self, column: int, own: float, low: float, high: float) -> Budget:
        """Return what is left for the others if a column lies between two values."""
        gap = max(low - own, own - high, 0.0)
        spent = max(gap / float(self.units[column]) - float(self.free[column]), 0.0)
        units = self.units.copy()
        units[column] = 0.0
        left = max(self.radius - spent, 0.0) + ROUNDING * self.radius
        return replace(self, radius=left, units=units, most=1.0)

    def best_parts(self, gains: Floats) -> Floats:
        """Return the most of Σ gains · part over columns, (columns, n), if parts sum to 1."""
        if self.most >= 1 or len(gains) < 2:
            return np.asarray(gains.max(axis=0, initial=0.0))
        second, first = np.partition(gains, -2, axis=0)[-2:]
        return np.asarray(self.most * first + (1 - self.most) * second)


def _climb(ranks: Ranks, changes: Perturbation, box: Box, radius: float) -> tuple[float, float]:
    """Return b and a/b, if a rank moves by a + b · cost at most; b is 0 if it is not limited."""
    column = ranks.column
    if changes.paid_units[column] <= 0 or radius <= 0 or changes.periods[column] > 0:
        return 0.0, 0.0
    ends = np.array([box.lower[column], box.upper[column]])
    inside = ranks.points[(ranks.points > ends[0]) & (ranks.points < ends[1])]
    # Ranks are interpolated between points, so that the largest excess is at one of these.
    points = np.concatenate([ends, inside, changes.row[[column]]])
    rows = np.full((len(points), column + 1), np.nan)
    rows[:, column] = points
    found = ranks.values(rows)
    climbs = np.abs(found - found[-1])
    slope = float(climbs[:2].max()) / (changes.most * radius)
    if slope <= 0:
        return 0.0, 0.0
    costs = np.abs(points - changes.row[column]) / changes.units[column]
    excess = float((climbs - slope * costs).max(initial=0.0))
    return slope, (excess / slope) * (1 + 1e-9) + ROUNDING


def most_gained(
    gains: Floats,
    costs: Floats,
    free: Floats,
    slack: Floats,
    steepest: Floats,
    jumps: Floats,
    dear: Floats,
    radius: float,
) -> Floats:
    """Return what cases gain at most, if all columns share one radius, (n,).

    Parameters
    ----------
    gains : ndarray of shape (columns, points, n)
        What each case gains at points of a grid over each column, but for the row itself, where
        it is 0: the better of the two on either side.
    costs : ndarray of shape (columns, points)
        What these points cost at least, but for `free`: linear on either side of the row.
    free : ndarray of shape (columns,)
        By how much they may cost less.
    slack : ndarray of shape (columns, n)
        How far gains may lie above those at points of the grid.
    steepest : ndarray of shape (columns, n)
        The largest gain per cost.
    jumps, dear : ndarray of shape (categories, n) and (categories,)
        What categories gain, and what they cost.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.budget import most_gained
    >>> gains, slopes = np.array([[[3.0]], [[1.0]]]), np.array([[3.0], [1.0]])
    >>> none = np.zeros((2, 1))
    >>> found = most_gained(
    ...     gains, np.ones((2, 1)), none[:, 0], none, slopes, none[:0], none[:0, 0], 1.0
    ... )
    >>> found.round(4)
    array([3.])
    """
    widest = np.maximum(gains.max(axis=1, initial=0.0), 0.0) + slack
    least = widest.sum(axis=0) + np.maximum(jumps, 0.0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        per_cost = np.where(jumps > 0, jumps / dear[:, None], 0.0)
    top = np.maximum(steepest.max(axis=0, initial=0.0), per_cost.max(axis=0, initial=0.0))
    top, steepest, radius = top * (1 + 1e-6), steepest * (1 + 1e-9), radius * (1 + 1e-9)
    for part in PRICES:
        price = part * top
        net = np.zeros_like(widest)  # no change costs nothing
        # At the steepest slope, no change pays.
        for point in range(gains.shape[1] if part < 1 else 0):
            paid = costs[:, point, None] * price
            np.maximum(net, np.subtract(gains[:, point], paid, out=paid), out=net)
        net += slack
        net[price >= steepest] = 0.0
        if free.any():
            net += free[:, None] * price
        total = np.minimum(net, widest, out=net).sum(axis=0) + price * radius
        if len(jumps):
            total += np.maximum(jumps - dear[:, None] * price, 0.0).sum(axis=0)
        np.minimum(least, total, out=least)
    return least
