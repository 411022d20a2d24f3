"""Where numbers are cut into bins."""

from __future__ import annotations

import numpy as np

from vicinal.typing import Floats

#: Part of a bin by which sums of masses may differ from whole bins: rounding must not cut.
ROUNDING = 1e-6


def masses_of(cells: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the distinct values, ascending, and the weight of each; missing ones do not count."""
    known = ~np.isnan(cells)
    points, place = np.unique(cells[known], return_inverse=True)
    masses = np.bincount(place, weights=weights[known], minlength=len(points))
    return points, masses.astype(np.float64, copy=False)


def cuts(cells: Floats, weights: Floats, most: int) -> Floats:
    """Return the ascending cuts between at most so many bins of the same weight.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.derived.cuts import cuts
    >>> cuts(np.array([1.0, 2.0, 3.0, 4.0, np.nan]), np.ones(5), 2).tolist()
    [2.5]
    """
    points, masses = masses_of(cells, weights)
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
