"""Pairs of categories that occur together."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from vicinal.typing import Bools, Floats, Places


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
        self._columns = columns.tolist()
        self._sizes = {
            i: int(np.fmax.reduce(cases[:, i], initial=-1.0)) + 2 for i in self._columns
        }
        self._pairs = {
            pair: np.unique(self._codes(cases, *pair)) for pair in combinations(self._columns, 2)
        }

    def permit(self, rows: Floats) -> Bools:
        """Return whether each row has only pairs that were seen; missing values go with all."""
        permitted = np.ones(len(rows), dtype=bool)
        for pair, seen in self._pairs.items():
            codes = self._codes(rows, *pair)
            permitted &= (codes < 0) | np.isin(codes, seen)
        return permitted

    def _codes(self, rows: Floats, first: int, second: int) -> Places:
        one, other = (np.nan_to_num(rows[:, i], nan=-1.0).astype(np.intp) for i in (first, second))
        # All categories that no case has share one code, which no pair that was seen has.
        other = np.minimum(other, self._sizes[second] - 1)
        return np.where((one < 0) | (other < 0), -1, one * self._sizes[second] + other)
