"""Pairs of categories that occur together."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import numpy as np

from vicinal.typing import Bools, Floats, Places

#: A column determines another if, of the cases that share their category in it with others, at
#: least this share have the most frequent category of the other column.
_DETERMINED = 0.95


class SeenPairs:
    """The pairs of categories that some case has in two nominal columns.

    Parameters
    ----------
    cases : ndarray of shape (n, d)
        Encoded cases.
    columns : ndarray of int
        The nominal columns.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.density.seen_pairs import SeenPairs
    >>> seen = SeenPairs(np.array([[0.0, 0.0], [1.0, 1.0], [np.nan, 2.0]]), np.array([0, 1]))
    >>> seen.permit(np.array([[0.0, 0.0], [0.0, 1.0], [np.nan, 1.0]]))
    array([ True, False,  True])
    """

    def __init__(self, cases: Floats, columns: Places) -> None:
        self._cases, self._columns = cases, columns.tolist()
        self._sizes = {
            i: int(np.fmax.reduce(cases[:, i], initial=-1.0)) + 2 for i in self._columns
        }
        self._pairs = {
            pair: np.unique(self._codes(cases, *pair)) for pair in combinations(self._columns, 2)
        }

    def permit(self, rows: Floats, *, rare: bool = False) -> Bools:
        """Return whether each row has only pairs that were seen; missing values go with all.

        Parameters
        ----------
        rare : bool
            Whether to permit also pairs of categories so rare that less than one case with both
            is expected by chance, unless one of the columns determines the other.
        """
        permitted = np.ones(len(rows), dtype=bool)
        for pair, seen in self._pairs.items():
            codes = self._codes(rows, *pair)
            allowed = (codes < 0) | np.isin(codes, seen)
            if rare and pair not in self._determined:
                places = np.flatnonzero(~allowed)
                allowed[places] = self._by_chance(rows[places], *pair)
            permitted &= allowed
        return permitted

    def _by_chance(self, rows: Floats, first: int, second: int) -> Bools:
        """Return whether known categories are too rare to expect both in any case."""
        counts = [self._counts[i][self._places(rows, i)] for i in (first, second)]
        expected = counts[0] * counts[1] / len(self._cases)
        return (expected > 0) & (expected < 1)

    @cached_property
    def _counts(self) -> dict[int, Places]:
        """How many cases have each category of a column; the last are those that none has."""
        known = {i: self._cases[:, i][~np.isnan(self._cases[:, i])] for i in self._columns}
        return {i: np.bincount(known[i].astype(np.intp), minlength=self._sizes[i]) for i in known}

    @cached_property
    def _determined(self) -> set[tuple[int, int]]:
        """The pairs of columns of which one determines the other."""
        return {
            pair
            for pair in self._pairs
            if self._determines(*pair) or self._determines(*pair[::-1])
        }

    def _determines(self, first: int, second: int) -> bool:
        codes = self._codes(self._cases, first, second)
        pairs, counts = np.unique(codes[codes >= 0], return_counts=True)
        most, total = (np.zeros(self._sizes[first], dtype=np.intp) for _ in range(2))
        np.maximum.at(most, pairs // self._sizes[second], counts)
        np.add.at(total, pairs // self._sizes[second], counts)
        shared = total > 1
        return bool(most[shared].sum() >= _DETERMINED * total[shared].sum())

    def _places(self, rows: Floats, column: int) -> Places:
        # All categories that no case has share the last place.
        return np.minimum(rows[:, column], self._sizes[column] - 1).astype(np.intp)

    def _codes(self, rows: Floats, first: int, second: int) -> Places:
        one, other = (np.nan_to_num(rows[:, i], nan=-1.0).astype(np.intp) for i in (first, second))
        # All categories that no case has share one code, which no pair that was seen has.
        other = np.minimum(other, self._sizes[second] - 1)
        return np.where((one < 0) | (other < 0), -1, one * self._sizes[second] + other)
