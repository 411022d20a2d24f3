"""Columns cut into bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vicinal.index.cells import bin_codes
from vicinal.index.trees import ALL_BINS, MISSING_BIN
from vicinal.typing import Bools, Floats, Ints

#: Bin of missing values, and of categories that have none of their own.
MISSING = MISSING_BIN
OTHERS = MISSING - 1
#: Number of bins.
ALL = ALL_BINS
#: Part of a bin by which sums of masses may differ from whole bins: rounding must not cut.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of some columns.

    Parameters
    ----------
    columns : ndarray of int64
        Encoded columns.
    nominal : ndarray of bool
        Whether each of them is nominal.
    starts : ndarray of int64
        Where the edges of each begin; one more than there are columns.
    edges : ndarray
        Numbers: ascending cuts between bins. Categories: the codes with a bin of their own.
    """

    columns: Ints
    nominal: Bools
    starts: Ints
    edges: Floats

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
            else _cuts(values[:, column], weights, most)
            for column, named in zip(columns.tolist(), nominal.tolist(), strict=True)
        ]
        starts = np.cumsum([0, *map(len, edges)]).astype(np.int64)
        return cls(columns, nominal, starts, np.concatenate([np.empty(0), *edges]))

    def codes(self, rows: Floats) -> NDArray[np.uint8]:
        """Return the bin of each cell of encoded rows, of shape (m, columns)."""
        return bin_codes(rows, self.columns, self.nominal, self.starts, self.edges, others=OTHERS)

    def edges_of(self, place: int) -> Floats:
        """Return the edges of one of the columns."""
        return self.edges[self.starts[place] : self.starts[place + 1]]


def _masses(cells: Floats, weights: Floats) -> tuple[Floats, Floats]:
    known = ~np.isnan(cells)
    points, place = np.unique(cells[known], return_inverse=True)
    masses = np.bincount(place, weights=weights[known], minlength=len(points))
    return points, masses.astype(np.float64, copy=False)


def _commonest(cells: Floats, weights: Floats) -> Floats:
    codes, masses = _masses(cells, weights)
    return np.sort(codes[np.argsort(-masses, kind="stable")[:OTHERS]])


def _cuts(cells: Floats, weights: Floats, most: int) -> Floats:
    points, masses = _masses(cells, weights)
    if len(points) < 2:
        return np.empty(0)
    last = np.arange(len(points) - 1)  # the last point of each bin but the final one
    if len(points) > most:
        # Zeros are most of many columns: counted whole, they would leave few bins to the others.
        share = _fair_share(masses, most)
        reached = np.cumsum(np.minimum(masses, share)) / share
        last = np.unique(np.searchsorted(reached, np.arange(1, most) - ROUNDING))
        last = last[last < len(points) - 1]
    return points[last] / 2 + points[last + 1] / 2


def _fair_share(masses: Floats, most: int) -> float:
    """Return the mass of each of so many bins, if no value counts for more than one of them.

    Values that exceed it have a bin each, and the others share what bins remain.
    """
    ascending = np.sort(masses)
    heaviest = ascending[::-1][:most]
    without_heavier = np.cumsum(ascending)[::-1][:most]
    shares = without_heavier / np.arange(most, 0, -1)
    # Some value may have no mass at all, where cases have weights.
    return max(float(shares[np.argmax(heaviest <= shares)]), 1e-300)
