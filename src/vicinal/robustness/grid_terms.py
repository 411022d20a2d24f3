"""Terms of cases at the points of a grid over one column."""

from __future__ import annotations

import numpy as np

from vicinal.formulas import SAME, cyclic_gap, laplace_term
from vicinal.index.metric import Metric
from vicinal.typing import Floats, Places


def grid_slopes(points: Floats, values: Floats, unit: Floats | float) -> Floats:
    """Return the slopes of terms, by how much points exceed values in residuals."""
    t = (points - values) / unit
    near = np.minimum(np.abs(t), 700.0)
    return np.sign(t) * (1.0 - 0.5 * np.exp(-near) * (2.0 + near))


def grid_slopes_of(metric: Metric, columns: Places, points: Floats, cases: Floats) -> Floats:
    """Return the slopes of the terms of cases at points of columns: (columns, points, n)."""
    values, units = cases[:, columns].T[:, None], metric.residuals[columns]
    found = grid_slopes(points[:, :, None], values, units[:, None, None])
    for at in np.flatnonzero(np.isnan(values).any(axis=(1, 2))).tolist():
        column = int(columns[at])
        support, masses = metric.supports[column]
        own = np.zeros(points.shape[1])
        if len(support) and not metric.distinct[column]:
            own = grid_slopes(points[at][:, None], support, units[at]) @ masses
        found[at][:, np.isnan(values[at, 0])] = own[:, None]
    return found


def highest(references: Floats, terms: Floats, scale: Floats) -> Floats:
    """Return the maximum over the grid of reference − scale · term, (columns, cases)."""
    found = np.full((terms.shape[0], terms.shape[2]), -np.inf)
    for point in range(terms.shape[1]):
        np.maximum(found, references[:, point, None] - terms[:, point] * scale, out=found)
    return found


def gaps(points: Floats, values: Floats, period: float) -> Floats:
    """Return the differences of points and values, the shorter way round a cycle."""
    return cyclic_gap(points, values, period) if period else np.abs(points - values)


def expected_terms(
    metric: Metric, column: int, points: Floats, period: float, single: Floats
) -> Floats:
    """Return the terms of values against a missing one."""
    if not np.isnan(single[column]):
        return np.full(len(points), single[column])
    support, shares = metric.supports[column]
    if not len(support):
        return np.full(len(points), SAME)
    return laplace_term(gaps(points[:, None], support, period), metric.residuals[column]) @ shares
