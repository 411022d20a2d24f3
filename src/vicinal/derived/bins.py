"""Columns cut into bins."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.category_groups import CategoryGroups
from vicinal.derived.cuts import cuts, masses_of
from vicinal.index.cells import bin_codes
from vicinal.index.trees import ALL_BINS, MISSING_BIN
from vicinal.typing import Bools, Floats, Ints

#: Bin of missing values, and of categories that have none of their own.
MISSING = MISSING_BIN
OTHERS = MISSING - 1
#: Number of bins.
ALL = ALL_BINS


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of some columns.

    Parameters
    ----------
    columns : ndarray of int64
        Encoded columns; then those of the groups, once for each run.
    nominal : ndarray of bool
        Whether each of them is nominal.
    starts : ndarray of int64
        Where the edges of each begin; one more than there are columns.
    edges : ndarray
        Numbers: ascending cuts between bins. Categories: the codes with a bin of their own.
    groups : tuple of CategoryGroups
        Categories in groups with similar outcomes; more columns, in which these are the bins.
    """

    columns: Ints
    nominal: Bools
    starts: Ints
    edges: Floats
    groups: tuple[CategoryGroups, ...] = ()

    @classmethod
    def of(
        cls, values: Floats, columns: Ints, nominal: Bools, weights: Floats, *, most: int
    ) -> Bins:
        """Cut numbers at quantiles into at most so many bins; the commonest categories get one.

        So does a number that is commoner than a bin: quantiles are those of the others.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.derived.bins import Bins
        >>> values = np.array([[1.0], [2.0], [4.0], [np.nan]])
        >>> bins = Bins.of(values, np.array([0]), np.array([False]), np.ones(4), most=3)
        >>> bins.edges.tolist(), bins.codes(values).ravel().tolist()
        ([1.5, 3.0], [0, 1, 2, 63])
        """
        edges = [
            _commonest(values[:, column], weights)
            if named
            else cuts(values[:, column], weights, most)
            for column, named in zip(columns.tolist(), nominal.tolist(), strict=True)
        ]
        starts = np.cumsum([0, *map(len, edges)]).astype(np.int64)
        return cls(columns, nominal, starts, np.concatenate([np.empty(0), *edges]))

    def codes(self, rows: Floats) -> NDArray[np.uint8]:
        """Return the bin of each cell of encoded rows, of shape (m, columns)."""
        some = self.features
        found = bin_codes(
            rows, self.columns[:some], self.nominal[:some], self.starts, self.edges, others=OTHERS
        )
        if not self.groups:
            return found
        return np.concatenate([found, *(one.codes(rows) for one in self.groups)], axis=1)

    @property
    def features(self) -> int:
        """Number of columns before those of the groups."""
        return len(self.starts) - 1

    @property
    def owners(self) -> Ints:
        """Which of the first columns, which ascend, each column is made of."""
        return np.searchsorted(self.columns[: self.features], self.columns).astype(np.int64)

    def with_groups(self, groups: tuple[CategoryGroups, ...]) -> Bins:
        """Return the same with more columns, those of groups of categories."""
        more = [np.full(len(one.bins), one.column) for one in groups]
        columns = np.concatenate([self.columns, *more])
        nominal = np.append(self.nominal, np.ones(len(columns) - len(self.columns), dtype=bool))
        return replace(self, columns=columns, nominal=nominal, groups=groups)

    def edges_of(self, place: int) -> Floats:
        """Return the edges of one of the columns."""
        return self.edges[self.starts[place] : self.starts[place + 1]]


def _commonest(cells: Floats, weights: Floats) -> Floats:
    codes, masses = masses_of(cells, weights)
    return np.sort(codes[np.argsort(-masses, kind="stable")[:OTHERS]])
