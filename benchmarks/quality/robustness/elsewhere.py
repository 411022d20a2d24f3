"""Rows that do not come from where the training rows do, in four ways.

All arrays are in standard deviations of the training columns.
"""

from __future__ import annotations

import numpy as np

from benchmarks.quality.robustness.evasion import Floats, Predict, minimum_norm

#: Adversarial rows go a little beyond the point at which the prediction flips.
BEYOND = 1.1
SHIFT = 1.0


def other_table(rows: Floats, others: list[Floats], rng: np.random.Generator) -> Floats | None:
    """Rows of another table, as many columns of it, each with mean 0 and variance 1 like ours."""
    wide = [other for other in others if other.shape[1] >= rows.shape[1]]
    if not wide:
        return None
    other = wide[rng.integers(len(wide))]
    columns = rng.permutation(other.shape[1])[: rows.shape[1]]
    return other[rng.permutation(len(other))[: len(rows)]][:, columns]


def permuted(rows: Floats, rng: np.random.Generator) -> Floats:
    """The same values, every column in another order: each is ordinary, the rows are not."""
    return np.stack([rng.permutation(column) for column in rows.T], axis=1)


def shifted(rows: Floats, rng: np.random.Generator) -> Floats:
    """All rows, moved by one standard deviation up or down in every column."""
    return rows + SHIFT * rng.choice([-1.0, 1.0], rows.shape[1])


def adversarial(
    predict: Predict, rows: Floats, train: Floats, labels: np.ndarray, seed: int
) -> Floats:
    """Rows moved just across the boundary of a classifier."""
    changes, costs = minimum_norm(predict, rows, train, labels, seed)
    return (rows + BEYOND * changes)[np.isfinite(costs)]
