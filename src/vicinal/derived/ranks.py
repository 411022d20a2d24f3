"""Numbers by their ranks, which skewed and heavy-tailed columns need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.index.cells import interpolate
from vicinal.typing import Floats, Ints, Places

#: Ranks at which the distribution of a column with more points is kept, and where it jumps by
#: more than the step between them.
MOST_POINTS = 256

#: Of more columns and cells than these, only the columns that are bent most have ranks, and only
#: so many cells of them: the ranks of all would fill memory, and where numbers lie evenly they say
#: the same.
MANY_COLUMNS, MANY_CELLS, MOST_CELLS = 1000, 1 << 20, 1 << 21
#: Of many columns none has ranks whose `bend` is below this: that of normal numbers is 0.045,
#: that of exponential ones 0.25.
BENT = 0.1


@dataclass(frozen=True, eq=False)
class Ranks:
    """The share of the cases below a number, with half of those that equal it.

    Parameters
    ----------
    column : int
        Encoded column.
    points : ndarray
        Distinct values, ascending; ranks between them are interpolated.
    shares : ndarray
        The rank of each, from 0 to 1.
    """

    column: int
    points: Floats
    shares: Floats

    @classmethod
    def of(cls, column: int, cells: Floats, weights: Floats) -> Ranks:
        """Learn the ranks of a column.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.derived.ranks import Ranks
        >>> ranks = Ranks.of(0, np.array([1.0, 10.0, 1.0, 1000.0]), np.ones(4))
        >>> ranks.values(np.array([[1.0], [10.0], [505.0], [9999.0], [np.nan]])).tolist()
        [0.25, 0.625, 0.75, 0.875, nan]
        """
        known = ~np.isnan(cells)
        points, place = np.unique(cells[known], return_inverse=True)
        mass = np.bincount(place, weights=weights[known], minlength=len(points))
        shares = (np.cumsum(mass) - mass / 2) / max(float(mass.sum()), 1e-300)
        if len(points) > MOST_POINTS:
            levels = np.linspace(shares[0], shares[-1], MOST_POINTS)
            kept = np.searchsorted(shares, levels)
            jumps = kept[np.diff(shares, prepend=0.0)[kept] > levels[1] - levels[0]]
            # Interpolation must not begin to climb a jump before the point below it.
            kept = np.unique(np.concatenate([kept, np.maximum(jumps - 1, 0)]))
            points, shares = points[kept], shares[kept]
        return cls(column, points, shares)

    def values(self, rows: Floats) -> Floats:
        """Return the rank of each encoded row; NaN where the number is missing."""
        return RankColumns.of((self,)).values(rows)[:, 0]


@dataclass(frozen=True, eq=False)
class RankColumns:
    """The ranks of several columns, laid out one after the other; see `interpolate`."""

    columns: Ints
    starts: Ints
    points: Floats
    shares: Floats

    @classmethod
    def of(cls, ranks: tuple[Ranks, ...]) -> RankColumns:
        """Lay out the ranks of several columns."""
        sizes = [0, *(len(one.points) for one in ranks)]
        return cls(
            np.array([one.column for one in ranks], dtype=np.int64),
            np.cumsum(sizes, dtype=np.int64),
            np.concatenate([np.empty(0), *(one.points for one in ranks)]),
            np.concatenate([np.empty(0), *(one.shares for one in ranks)]),
        )

    def values(self, rows: Floats) -> Floats:
        """Return the ranks of each encoded row, (m, columns); NaN where a number is missing."""
        return interpolate(rows, self.columns, self.starts, self.points, self.shares)


def ranked_columns(values: Floats, columns: Places, weights: Floats) -> Places:
    """Return which columns of numbers are to have ranks: all, unless they are very many."""
    if len(columns) <= MANY_COLUMNS or len(columns) * len(values) <= MANY_CELLS:
        return columns
    # In single precision, because rounding must not choose.
    bends = np.array([bend(values[:, one], weights) for one in columns], dtype=np.float32)
    most = np.argsort(-bends, kind="stable")[: MOST_CELLS // max(len(values), 1)]
    return np.sort(columns[most[bends[most] > BENT]])


def bend(cells: Floats, weights: Floats) -> float:
    """Return the share of the variance of ranks that no line through the numbers explains.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.derived.ranks import bend
    >>> even = np.linspace(0, 1, 1000)
    >>> [round(bend(cells, np.ones(1000)), 2) for cells in (even, np.exp(even), np.exp(9 * even))]
    [0.0, 0.02, 0.48]
    """
    known = ~np.isnan(cells)
    points, place = np.unique(cells[known], return_inverse=True)
    if len(points) < 2:
        return 0.0
    mass = np.bincount(place, weights=weights[known])
    # Halved first, because a difference of huge numbers would overflow.
    numbers = (points / 2 - points[0] / 2) / (points[-1] / 2 - points[0] / 2)
    both = np.stack([numbers, np.cumsum(mass) - mass / 2])
    both -= (both @ mass / mass.sum())[:, None]
    (numbers_alone, common), (_, ranks_alone) = (both * mass) @ both.T
    return float(1 - common**2 / max(numbers_alone * ranks_alone, 1e-300))
