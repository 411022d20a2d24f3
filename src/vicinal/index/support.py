"""A feature's observed distribution in a few points, for expectations over a missing value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vicinal.typing import Floats

#: Numbers with more distinct values than this are stood for by as many quantiles.
MOST_POINTS = 32
#: The shares of these, of thousands of features the same array.
_EVEN = np.full(MOST_POINTS, 1 / MOST_POINTS)
_EVEN.setflags(write=False)


class Support(NamedTuple):
    """Points and their shares, which sum to one; both are empty when nothing was observed.

    For a nominal feature the points are the category codes 0, 1, 2, ….
    """

    points: Floats
    shares: Floats


def observed_support(column: Floats, weights: Floats | None = None, *, nominal: bool) -> Support:
    """Summarize one encoded column of numbers or categories.

    An integer weight counts as so many rows.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.support import observed_support
    >>> observed_support(np.array([2.0, 5.0, 2.0, np.nan]), nominal=False)
    Support(points=array([2., 5.]), shares=array([0.66666667, 0.33333333]))
    """
    seen = ~np.isnan(column) if weights is None else ~np.isnan(column) & (weights > 0)
    values = column[seen]
    if not len(values):
        return Support(np.empty(0), np.empty(0))
    mass = None if weights is None else weights[seen]
    total = len(values) if mass is None else mass.sum()
    if nominal and _are_codes(values):
        masses = np.bincount(values.astype(np.intp), weights=mass)
        return Support(np.arange(len(masses), dtype=np.float64), masses / total)
    if mass is None:  # counting is faster than finding which one each is
        points, masses = np.unique(values, return_counts=True)
    else:
        points, place = np.unique(values, return_inverse=True)
        masses = np.bincount(place, weights=mass)
    if nominal or len(points) <= MOST_POINTS:
        return Support(points, masses / total)
    # Sums of whole weights are exact, so the quantiles do not depend on rounding.
    reached = np.cumsum(masses)
    levels = (np.arange(MOST_POINTS) + 0.5) / MOST_POINTS * reached[-1]
    return Support(points[np.searchsorted(reached, levels)], _EVEN)


def _are_codes(values: Floats) -> bool:
    """Whether the values are category codes, not numbers that are read as categories."""
    few = values.min() >= 0 and values.max() < 2 * len(values) + 1024
    return bool(few and (values == np.floor(values)).all())
