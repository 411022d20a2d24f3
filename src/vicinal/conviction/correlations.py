"""How far cases break the correlations of the columns, as most of the table has them."""

from __future__ import annotations

import numpy as np

from vicinal.conviction.quantiles import lower_quantile
from vicinal.index.kinds import NUMERIC
from vicinal.index.metric import Metric
from vicinal.typing import Bools, Floats

#: Share of the cases that is trusted: those that break the correlations least.
TRUSTED = 0.75
#: How often correlations and trusted cases are learned in turn, at most.
_ROUNDS = 8
#: More columns than this are not compared: the matrix of their correlations is too large.
MOST_COLUMNS = 1000
#: The least variance that a column has, so that trusted cases may all be equal in it.
_LEAST = 1e-6


def correlation_parts(values: Floats, metric: Metric, masses: Floats) -> Floats | None:
    r"""Return what each numeric column adds to the squared distance from the center.

    With z the standardized values and C the covariances of the trusted three quarters, the parts
    are :math:`z_i (C^{-1} z)_i / d`. They add up to the squared Mahalanobis distance by column;
    one of them may be negative where others explain its column. C and the trusted cases are
    learned in turn. Covariances are shrunk by d ÷ (d + n), so C can be inverted for any d.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases; a missing number counts as the median.
    metric : Metric
        The kinds of the columns, and which of them count.
    masses : ndarray of shape (n,)
        How many cases each stands for.

    Returns
    -------
    ndarray of shape (n, d) or None
        None if there are fewer than two numeric columns that vary, or too many.
    """
    columns = np.flatnonzero((metric.weights > 0) & (metric.kinds == NUMERIC))
    # In an order of the values, sums do not depend on the order of the cases.
    order = np.lexsort(values.T[::-1]) if len(columns) else np.arange(len(values))
    given, mass = values[np.ix_(order, columns)], masses[order]
    scaled = np.column_stack([np.empty((len(given), 0)), *(_scaled(c, mass) for c in given.T)])
    varies = scaled.any(axis=0)
    if not 2 <= varies.sum() <= MOST_COLUMNS:
        return None
    parts = np.zeros(values.shape)
    parts[np.ix_(order, columns[varies])] = _parts(scaled[:, varies], mass)
    return parts


def _scaled(column: Floats, mass: Floats) -> Floats:
    """Return a column in units of its standard deviation, from its median; 0 where missing."""
    there = ~np.isnan(column)
    if not mass[there].any():
        return np.zeros(len(column))
    known, weights = column[there], mass[there] / mass[there].sum()
    center = lower_quantile(known, weights, 0.5)
    # The largest difference first becomes 1: squares of any numbers are finite then.
    most = float(np.abs(known - center).max())
    if not most > 0:
        return np.zeros(len(column))
    away = np.where(there, (column - center) / most, 0.0)
    mean = weights @ away[there]
    return np.asarray(away / np.sqrt(weights @ (away[there] - mean) ** 2))


def _parts(scaled: Floats, mass: Floats) -> Floats:
    trusted: Bools = mass > 0
    parts = np.empty(scaled.shape)
    for _ in range(_ROUNDS):
        center, covariance = _covariance(scaled[trusted], mass[trusted])
        away = scaled - center
        parts = away * np.linalg.solve(covariance, away.T).T / scaled.shape[1]
        squared = parts.sum(axis=1)
        limit = lower_quantile(squared, mass, TRUSTED)
        before, trusted = trusted, (squared <= limit * (1 + 1e-9)) & (mass > 0)
        if np.array_equal(before, trusted):
            break
    return parts


def _covariance(scaled: Floats, mass: Floats) -> tuple[Floats, Floats]:
    total, d = mass.sum(), scaled.shape[1]
    center = mass @ scaled / total
    away = scaled - center
    covariance = (away * mass[:, None]).T @ away / total
    variance = np.diag(covariance).copy()
    shrunk = total / (total + d) * covariance
    shrunk[np.diag_indices(d)] = variance + _LEAST * max(float(variance.mean()), _LEAST)
    return center, shrunk
