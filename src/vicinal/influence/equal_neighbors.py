"""Merge neighbors that no rule can distinguish."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats, Places


@dataclass(frozen=True, eq=False)
class Ties:
    """Groups of neighbors with the same position.

    A rule gets the first of each group, with the weight of all, so that repeated rows give exactly
    the same sums, including rounding, as one row of that weight.

    Parameters
    ----------
    counts : ndarray of shape (m, k)
        The weight of its group for the first of each, 0 for the others.
    group : ndarray of int of shape (m, k)
        Position of the first neighbor of each neighbor's group.
    part : ndarray of shape (m, k)
        The share that each neighbor has in its group.
    """

    counts: Floats
    group: Places
    part: Floats

    def apart(self, shares: Floats) -> Floats:
        """Divide the influence of each group among its members."""
        return np.take_along_axis(shares, self.group, axis=1) * self.part


def find_ties(
    distances: Floats, offsets_of: Callable[[Places], Floats] | None, counts: Floats | None
) -> Ties | None:
    """Find neighbors that repeat the position of the one before; None if there are none.

    Parameters
    ----------
    offsets_of : callable, optional
        Returns the offsets of the neighbors of some queries, (m', k, d'). Without it, neighbors at
        the same distance are ties, as for rules that use only the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.influence.equal_neighbors import find_ties
    >>> offsets = np.array([[[0.0], [1.0], [1.0]]])
    >>> ties = find_ties(np.array([[1.5, 2.0, 2.0]]), lambda rows: offsets[rows], None)
    >>> ties.counts, ties.apart(np.array([[0.2, 0.8, 0.0]]))
    (array([[1., 2., 0.]]), array([[0.2, 0.4, 0.4]]))
    """
    equal = distances[:, 1:] == distances[:, :-1]
    if not equal.any():
        return None
    same = np.zeros(distances.shape, dtype=bool)
    same[:, 1:] = equal & np.isfinite(distances[:, 1:])
    tied = np.flatnonzero(same.any(axis=1))
    if offsets_of is not None and len(tied):
        offsets, (row, place) = offsets_of(tied), np.nonzero(same[tied])
        same[tied[row], place] = (offsets[row, place] == offsets[row, place - 1]).all(axis=1)
        tied = np.flatnonzero(same.any(axis=1))
    if not len(tied):
        return None
    weights = np.isfinite(distances).astype(np.float64) if counts is None else counts
    group = np.maximum.accumulate(np.where(same, 0, np.arange(distances.shape[1])), axis=1)
    cells = np.arange(len(group))[:, None] * group.shape[1] + group
    added = np.bincount(cells.ravel(), weights=weights.ravel(), minlength=cells.size)
    sums = np.asarray(added, dtype=np.float64).reshape(distances.shape)
    whole = np.take_along_axis(sums, group, axis=1)
    part = np.divide(weights, whole, out=np.zeros_like(weights), where=whole > 0)
    return Ties(sums, group, part)
