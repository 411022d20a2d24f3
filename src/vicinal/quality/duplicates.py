"""Cases that are there twice, or nearly; and rows of a test that training has seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.typing import Floats, Ints, Places

#: Distances of identical cases may differ from 1.5 by as much as this.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Duplicate:
    """A row and the case it repeats.

    Parameters
    ----------
    row : int
        Case number, or place among the rows of a test.
    case : int
        Number of the case it repeats.
    nearness : float
        Excess of their distance in units of what is usual between nearest cases: 0 for equal.
    differs : tuple of int
        Columns in which they differ.
    expected : float
        How many rows are expected to be as near to a case by chance.
    """

    row: int
    case: int
    nearness: float
    differs: tuple[int, ...]
    expected: float


@dataclass(frozen=True)
class Usual:
    """How near nearest cases usually are.

    Parameters
    ----------
    excess : float
        Median excess between distinct cases and their nearest; 0 where being near says nothing.
    dimension : float
        How fast small distances become rare: of n cases :math:`n/2 (r/r_0)^D` are expected to
        have their nearest within r, :math:`r_0` the usual distance.
    """

    excess: float
    dimension: float

    def expected(self, excess: Floats, n: int) -> Floats:
        """Return how many of n rows are expected to be as near to a case by chance.

        Examples
        --------
        >>> from vicinal.quality.duplicates import Usual
        >>> Usual(excess=1.0, dimension=2.0).expected(0.01, 100)
        0.5
        """
        if not self.excess:
            return np.where(excess > _ROUNDING, np.inf, 0.0)
        # The excess of near cases grows with the square of what is between them.
        with np.errstate(over="ignore"):  # cases so far apart that any number is as near
            return 0.5 * n * (excess / self.excess) ** (self.dimension / 2)


def usual_nearness(index: ExactIndex, metric: Metric, *, threads: int | None = None) -> Usual:
    """Learn how near nearest cases usually are, equal ones apart."""
    numbers = index.numbers
    excess = _nearest(index, metric, index.values, numbers, threads)[1]
    apart = excess[excess > _ROUNDING]
    # Where most cases are repeated, being close says nothing.
    if 2 * len(apart) < len(excess) or len(apart) < 4:
        return Usual(0.0, 1.0)
    quarter, half = np.quantile(apart, [0.25, 0.5])
    halvings = np.log(np.sqrt(half / quarter)) if half > quarter else 0.0
    return Usual(float(half), float(max(np.log(2.0) / halvings, 1.0)) if halvings else 1.0)


def find_duplicates(
    index: ExactIndex,
    metric: Metric,
    rows: Floats,
    usual: Usual,
    *,
    exclude: Ints | None = None,
    by_chance: float = 0.05,
    threads: int | None = None,
) -> list[Duplicate]:
    """Find rows that equal a stored case, or are much closer to one than cases usually are.

    Parameters
    ----------
    index, metric
        The cases and what distance means.
    rows : ndarray of shape (m, d)
        Encoded rows.
    usual : Usual
        From `usual_nearness`.
    exclude : ndarray of int64, optional
        Number of the case that each row is, for stored cases; a pair is then listed once.
    by_chance : float
        Rows are nearly equal to a case where so few of them are expected to be as near by
        chance.
    """
    nearest, excess = _nearest(index, metric, rows, exclude, threads)
    expected = usual.expected(excess, len(rows))
    found = []
    for place in np.flatnonzero((expected <= by_chance) & (nearest >= 0)):
        row = int(place if exclude is None else exclude[place])
        case = int(nearest[place])
        if exclude is not None and case > row and _mutual(exclude, nearest, case, row):
            continue
        differs = _differing(rows[place], index.case_values([case])[0], metric.active)
        if differs and not usual.excess:
            continue
        nearness = float(excess[place] / usual.excess) if differs else 0.0
        found.append(Duplicate(row, case, nearness, differs, float(expected[place])))
    return sorted(found, key=lambda twin: (twin.nearness, twin.row))


def _nearest(
    index: ExactIndex,
    metric: Metric,
    rows: Floats,
    exclude: Ints | None,
    threads: int | None,
) -> tuple[Ints, Floats]:
    """The nearest case of each row, and the excess of the distance."""
    found = index.search(rows, metric, 2, exclude=exclude, threads=threads)
    nearest, distances = found.indices[:, 0], found.distances[:, 0]
    if exclude is not None:
        # A case of weight 2 stays when one unit is left out; it is no duplicate of itself.
        itself = nearest == exclude
        nearest = np.where(itself, found.indices[:, 1], nearest)
        distances = np.where(itself, found.distances[:, 1], distances)
    return nearest, np.maximum(distances - SAME, 0.0)


def _mutual(exclude: Ints, nearest: Ints, case: int, row: int) -> bool:
    """Whether the other case names this one as its nearest; then that pair will do."""
    return bool(nearest[np.searchsorted(exclude, case)] == row)


def _differing(one: Floats, other: Floats, columns: Places) -> tuple[int, ...]:
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return tuple(int(i) for i in columns if not same[i])
