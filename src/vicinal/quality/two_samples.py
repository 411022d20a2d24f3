"""Two samples of rows: whether they are of one distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.formulas import cyclic_gap
from vicinal.index.exact import ExactIndex
from vicinal.index.leave_one_out import predict_each_feature
from vicinal.index.metric import CYCLIC, NOMINAL, Metric
from vicinal.index.sampling import distinct_cases
from vicinal.index.weights import counted_weights
from vicinal.quality.permutation import (
    adjusted,
    distribution_gaps,
    neighbor_agreement,
    neighbor_graph,
    p_values_of_all,
    shuffled,
)
from vicinal.typing import Bools, Floats, Places


@dataclass(frozen=True, eq=False)
class Compared:
    """What `compare_samples` found; arrays run over the columns compared."""

    p_value: float
    amount: float
    together: float
    gap: Floats
    p_own: Floats
    p_given_others: Floats
    p_adjusted: Floats


def compare_samples(
    values: Floats,
    is_new: Bools,
    metric: Metric,
    columns: Places,
    *,
    k: int,
    shuffles: int = 999,
    seed: int = 0,
    threads: int | None = None,
) -> Compared:
    """Test whether two samples of rows are of one distribution.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded rows of both samples, in an order that does not depend on the sample.
    is_new : ndarray of bool of shape (n,)
        Which are of the second sample.
    columns : ndarray of int
        The columns to compare; among them may be some that the metric does not count.
    k : int
        Neighbors of each row.
    shuffles : int
        Random labelings to compare with.
    seed : int
        Random seed of the shuffling.

    Notes
    -----
    Neighbors and predictions are found without looking at the labels, so under no change every
    labeling is as likely as any other, and all p-values are exact.
    """
    labels = shuffled(is_new, shuffles, seed)
    places, which, repeats = distinct_cases(values)
    distinct = ExactIndex(values[places], metric.kinds, repeats)
    itself = np.arange(len(places))
    found = distinct.search(values[places], metric, k, exclude=itself, threads=threads)
    counts = counted_weights(distinct, found.indices, k, itself)
    taken = (found.indices >= 0).astype(np.float64) if counts is None else counts
    graph, mass = neighbor_graph(found.indices, taken, which)
    kept, told = neighbor_agreement(graph, mass, which, labels)
    nominal, cyclic = metric.kinds == NOMINAL, metric.kinds == CYCLIC
    own = np.column_stack(
        [
            distribution_gaps(
                values[:, i], labels, nominal=bool(nominal[i]), cyclic=bool(cyclic[i])
            )
            for i in columns
        ]
    )
    errors = unexplained(values, metric, k, threads)
    given = np.column_stack(
        [distribution_gaps(errors[:, i], labels, nominal=False, cyclic=False) for i in columns]
    )
    statistics = np.column_stack([own, given, kept])
    p = p_values_of_all(statistics)
    together, each = adjusted(statistics)
    d = len(columns)
    chance = float(told[1:].mean()) if len(told) > 1 else 0.0
    return Compared(
        p_value=together,
        amount=float(np.clip((told[0] - chance) / (1.0 - chance), 0.0, 1.0)),
        together=float(p[0, -1]),
        gap=own[0],
        p_own=p[0, :d],
        p_given_others=p[0, d : 2 * d],
        p_adjusted=np.minimum(each[:d], each[d : 2 * d]),
    )


def unexplained(values: Floats, metric: Metric, k: int, threads: int | None) -> Floats:
    """Return how far each value is from what the row's other features lead to expect, signed.

    Nominal: the probability not given to the value. NaN where it is missing.
    """
    n = len(values)
    columns = np.ascontiguousarray(values.T)
    expected = predict_each_feature(columns, metric, np.arange(n), k, threads=threads)
    errors: Floats = np.where(metric.kinds == NOMINAL, 1.0 - expected, values - expected)
    for i in np.flatnonzero(metric.kinds == CYCLIC):
        period = metric.periods[i]
        size = cyclic_gap(values[:, i], expected[:, i], period)
        ahead = np.mod(values[:, i] - expected[:, i], period) < period / 2
        errors[:, i] = np.where(ahead, size, -size)
    # Differences of equal numbers may differ by rounding; as errors they are the same.
    scale = np.where(metric.kinds == NOMINAL, 1.0, metric.residuals)
    return np.round(errors / scale, 9)
