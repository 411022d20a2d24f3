"""How far cases are from those around them that are not equal, in a large table."""

from __future__ import annotations

import numpy as np

from vicinal.formulas import SAME
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.typing import Floats, Ints

#: Cases whose nearest ones are searched at a time, which bounds memory, and how many of these.
_SEARCHED, _NEAREST = 4096, 10
#: Distances up to this one are those of equal cases.
EQUAL = SAME * (1.0 + 1e-9)


class Spreads:
    """The spread around cases, by number."""

    def __init__(self) -> None:
        self._numbers, self._values = np.empty(0, dtype=np.int64), np.empty(0)

    def learn(
        self, numbers: Ints, index: Index, metric: Metric, threads: int | None = None
    ) -> None:
        """Search the nearest cases of those that are new."""
        new = np.setdiff1d(numbers, self._numbers, assume_unique=True)
        if len(new):
            numbers = np.concatenate([self._numbers, new])
            values = np.concatenate([self._values, spread_around(index, metric, new, threads)])
            order = np.argsort(numbers)
            self._numbers, self._values = numbers[order], values[order]

    def around(self, numbers: Ints) -> Floats:
        """Return the spread around cases that were learned."""
        return self._values[np.searchsorted(self._numbers, numbers)]


def spread_around(
    index: Index, metric: Metric, numbers: Ints, threads: int | None = None
) -> Floats:
    """Return the local spread around cases, as in `spreads`, by the nearest that are not equal.

    NaN where all of the nearest are equal to a case.
    """
    found = np.empty(len(numbers))
    for start in range(0, len(numbers), _SEARCHED):
        some = numbers[start : start + _SEARCHED]
        near = index.search(index.rows(some), metric, _NEAREST, exclude=some, threads=threads)
        other = np.isfinite(near.distances) & (near.distances > EQUAL)
        excess = np.where(other, near.distances - SAME, 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            found[start : start + _SEARCHED] = np.sqrt(excess / other.sum(axis=1))
    return found


def distance_to_others(
    index: Index, metric: Metric, numbers: Ints, threads: int | None = None
) -> Floats:
    """Return the excess distance of cases to the closest one that is not equal.

    0 where all of the nearest are equal.
    """
    found = np.zeros(len(numbers))
    for start in range(0, len(numbers), _SEARCHED):
        some = slice(start, start + _SEARCHED)
        rows = index.rows(numbers[some])
        near = index.search(rows, metric, _NEAREST, exclude=numbers[some], threads=threads)
        other = np.where(near.distances > EQUAL, near.distances, np.inf).min(axis=1)
        found[some] = np.where(np.isfinite(other), other - SAME, 0.0)
    return found
