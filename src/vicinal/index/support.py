"""A feature's observed distribution in a few points, for expectations over a missing value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Numbers with more distinct values than this are stood for by as many quantiles.
MOST_POINTS = 32


class Support(NamedTuple):
    """Points and their shares, which sum to one; both are empty when nothing was observed.

    For a nominal feature the points are the category codes 0, 1, 2, ….
    """

    points: Floats
    shares: Floats


def observed_support(column: Floats, weights: Floats | None = None, *, nominal: bool) -> Support:
    """Sum up one encoded column.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Encoded values, NaN where missing.
    weights : ndarray of shape (n,), optional
        Case weights; an integer weight counts as so many rows.
    nominal : bool
        Whether the values are category codes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index import observed_support
    >>> observed_support(np.array([2.0, 5.0, 2.0, np.nan]), nominal=False)
    Support(points=array([2., 5.]), shares=array([0.66666667, 0.33333333]))
    """
    seen = ~np.isnan(column)
    values = column[seen]
    mass = np.ones(len(values)) if weights is None else weights[seen]
    if mass.sum() == 0:
        return Support(np.empty(0), np.empty(0))
    if nominal:
        shares = np.bincount(values.astype(np.intp), weights=mass) / mass.sum()
        return Support(np.arange(len(shares), dtype=np.float64), shares)
    points, place = np.unique(values, return_inverse=True)
    shares = np.bincount(place, weights=mass) / mass.sum()
    if len(points) <= MOST_POINTS:
        return Support(points, shares)
    levels = (np.arange(MOST_POINTS) + 0.5) / MOST_POINTS
    middle = np.searchsorted(np.cumsum(shares), levels)
    return Support(points[np.minimum(middle, len(points) - 1)], np.full(MOST_POINTS, 1 / MOST_POINTS))
