"""How far out the values of cases are, one column at a time."""

from __future__ import annotations

import numpy as np

from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric
from vicinal.typing import Floats


def tail_surprisals(values: Floats, metric: Metric, masses: Floats) -> Floats:
    """Return the surprisal of each value, in nats: that of one as far out in its column.

    A number is as far out as the smaller share of the cases that are at most, or at least, as
    large; a category as the share of the cases whose category is no more frequent.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    metric : Metric
        The kinds of the columns, and which of them count.
    masses : ndarray of shape (n,)
        How many cases each stands for.

    Returns
    -------
    ndarray of shape (n, d)
        NaN for missing cells, and for columns that do not count or, like angles, have no ends.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.column_tails import share_as_far_out
    >>> share_as_far_out(np.array([1.0, 2.0, 3.0, 9.0]), np.ones(4)).tolist()
    [0.25, 0.5, 0.5, 0.25]
    """
    surprisals = np.full(values.shape, np.nan)
    for i in np.flatnonzero((metric.weights > 0) & (metric.kinds != CYCLIC)):
        there = ~np.isnan(values[:, i])
        if not masses[there].any():
            continue
        shares = share_as_rare if metric.kinds[i] == NOMINAL else share_as_far_out
        surprisals[there, i] = -np.log(shares(values[there, i], masses[there]))
    return surprisals


def share_as_far_out(column: Floats, masses: Floats) -> Floats:
    """Return the mass of the values at most as large, or at least: the smaller share."""
    each, which = np.unique(column, return_inverse=True)
    mass = np.bincount(which, weights=masses, minlength=len(each))
    below = np.cumsum(mass)
    above = np.cumsum(mass[::-1])[::-1]
    return np.asarray((np.minimum(below, above) / mass.sum())[which])


def share_as_rare(column: Floats, masses: Floats) -> Floats:
    """Return the share of the cases whose category is no more frequent.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.column_tails import share_as_rare
    >>> share_as_rare(np.array([0.0, 0.0, 1.0, 2.0]), np.ones(4)).tolist()
    [1.0, 1.0, 0.5, 0.5]
    """
    each, which = np.unique(column, return_inverse=True)
    mass = np.bincount(which, weights=masses, minlength=len(each))
    order = np.argsort(mass, kind="stable")
    # Categories of the same frequency are as rare as each other, but for rounding.
    last = np.searchsorted(mass[order], mass * (1 + 1e-12), side="right") - 1
    return np.asarray((np.cumsum(mass[order])[last] / mass.sum())[which])
