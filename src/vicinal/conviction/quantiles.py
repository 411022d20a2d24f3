"""Quantiles of cases with weights, which equal those of repeated cases."""

from __future__ import annotations

import numpy as np

from vicinal.typing import Floats


def lower_quantile(values: Floats, masses: Floats, share: float) -> float:
    """Return the smallest value such that those up to it have this share of the mass.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.quantiles import lower_quantile
    >>> lower_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 0.5)
    2.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(masses[order])
    return float(values[order[np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))]])


def with_ranks_of(values: Floats, ranked: Floats, masses: Floats) -> Floats:
    """Return the same values, handed out in the order of others: the lowest to the lowest.

    What is tied there gets the mean of the values of these ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.quantiles import with_ranks_of
    >>> with_ranks_of(np.array([0.1, 0.2, 0.6]), np.array([5.0, 9.0, 5.0]), np.ones(3)).round(6)
    array([0.15, 0.6 , 0.15])
    """
    order = np.argsort(values, kind="stable")
    reached = np.concatenate([[0.0], np.cumsum(masses[order])])
    total = np.concatenate([[0.0], np.cumsum(masses[order] * values[order])])
    _, which = np.unique(ranked, return_inverse=True)
    mass = np.bincount(which, weights=masses)
    ends = np.cumsum(mass)
    sums = np.diff(np.interp(np.concatenate([[0.0], ends]), reached, total))
    # A tie without mass has the value at its place.
    alone = values[order[np.minimum(np.searchsorted(reached[1:], ends), len(values) - 1)]]
    return np.asarray(np.where(mass > 0, sums / np.where(mass > 0, mass, 1.0), alone)[which])
