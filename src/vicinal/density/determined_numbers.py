"""Numbers that a category determines: the interest rate of a grade, the fare of a class."""

from __future__ import annotations

import numpy as np

from vicinal.typing import Bools, Floats, Places

#: A category determines a number if at most this share of its variance is left within categories.
_LEFT = 0.05


class DeterminedNumbers:
    """The range of each number that a nominal column determines, category by category.

    Categories with one case do not show whether a column determines another: at least half of the
    cases must share theirs.

    Parameters
    ----------
    cases : ndarray of shape (n, d)
        Encoded cases.
    nominal, numbers : ndarray of int
        The nominal columns, and those of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.density.determined_numbers import DeterminedNumbers
    >>> cases = np.array([[0.0, 5.1], [0.0, 5.3], [1.0, 9.0], [1.0, 9.2]])
    >>> found = DeterminedNumbers(cases, np.array([0]), np.array([1]))
    >>> found.outside(np.array([[0.0, 5.2], [1.0, 5.2]]), 1)
    array([False,  True])
    """

    def __init__(self, cases: Floats, nominal: Places, numbers: Places) -> None:
        self._ranges: dict[int, list[tuple[int, Floats, Floats]]] = {}
        for i in numbers.tolist():
            for c in nominal.tolist():
                known = ~np.isnan(cases[:, [c, i]]).any(axis=1)
                codes, values = cases[known, c].astype(np.intp), cases[known, i]
                if known.any() and _determines(codes, values):
                    low = np.full(codes.max() + 1, np.inf)
                    high = -low
                    np.minimum.at(low, codes, values)
                    np.maximum.at(high, codes, values)
                    self._ranges.setdefault(i, []).append((c, low, high))

    @property
    def columns(self) -> list[int]:
        """The numbers that some category determines."""
        return list(self._ranges)

    def outside(self, rows: Floats, column: int) -> Bools:
        """Return whether the number of each row is not one of its categories."""
        return self._clipped(rows, column) != np.nan_to_num(rows[:, column])

    def restore(self, rows: Floats, column: int, lenders: tuple[Floats, ...]) -> None:
        """Give numbers that are outside, in place, the value of the first lender that fits.

        If none does, they become the closest that is inside.
        """
        for lent in lenders:
            left = np.flatnonzero(self.outside(rows, column) & ~np.isnan(lent))
            tried = rows[left].copy()
            tried[:, column] = lent[left]
            fits = ~self.outside(tried, column)
            rows[left[fits], column] = lent[left[fits]]
        left = np.flatnonzero(self.outside(rows, column))
        rows[left, column] = self._clipped(rows[left], column)

    def _clipped(self, rows: Floats, column: int) -> Floats:
        """Return the closest numbers of the categories of each row; 0 for missing ones."""
        numbers = np.nan_to_num(rows[:, column])
        for c, low, high in self._ranges.get(column, ()):
            known = ~np.isnan(rows[:, column]) & (rows[:, c] < len(low))
            codes = rows[known, c].astype(np.intp)
            # No case may have a category: then its range is empty, and nothing is known of it.
            some = low[codes] <= high[codes]
            places = np.flatnonzero(known)[some]
            numbers[places] = np.clip(numbers[places], low[codes[some]], high[codes[some]])
        return numbers


def _determines(codes: Places, values: Floats) -> bool:
    counts = np.bincount(codes)
    shared = counts[codes] > 1
    if 2 * shared.sum() < len(codes):
        return False
    codes, values = codes[shared], values[shared]
    sums = np.bincount(codes, values - values.mean())
    means = sums / np.maximum(np.bincount(codes), 1)
    apart = values - values.mean()
    within, total = ((apart - means[codes]) ** 2).sum(), (apart**2).sum()
    return bool(within <= _LEFT * total) and bool(total > 0)
