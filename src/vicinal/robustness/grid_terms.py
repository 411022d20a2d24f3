"""Terms of cases at the points of a grid over one column."""

from __future__ import annotations

import numpy as np

from vicinal.formulas import SAME, cyclic_gap, laplace_term
from vicinal.index.metric import Metric
from vicinal.typing import Floats


def grid_slopes(points: Floats, values: Floats, unit: Floats | float) -> Floats:
    """Return the slopes of terms, by how much points exceed values in residuals."""
    t = (points - values) / unit
    near = np.minimum(np.abs(t), 700.0)
    return np.sign(t) * (1.0 - 0.5 * np.exp(-near) * (2.0 + near))


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
