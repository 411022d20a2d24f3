"""Every feature of a case predicted from its other features, in one native pass.

The pass adds up powers of terms as integers, so that one feature can be taken away exactly. Large
powers leave too few bits to distinguish near cases; there, every feature has a search of its own.
"""

from __future__ import annotations

import numpy as np

from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index.case_weights import counted_weights
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.threads import thread_count
from vicinal.typing import Floats, Ints

#: The largest power whose sums have bits enough.
LARGEST_POWER = 4.0

#: The kernel counts places in 32 bits.
MOST_PLACES = 2**31 - 1


def predict_each_feature(
    columns: Floats,
    metric: Metric,
    queries: Ints,
    k: int,
    *,
    weights: Floats | None = None,
    threads: int | None = None,
    path: str | None = None,
) -> Floats:
    """Predict every feature of some cases, leave-one-out, from all their other features.

    Parameters
    ----------
    columns : ndarray of shape (d, n)
        Encoded cases, column by column.
    metric : Metric
        Columns of weight 0 are neither used nor predicted.
    queries : ndarray of int64
        Positions of the cases to leave out and predict.
    k : int
        Nearest cases that contribute, with influence ∝ 1/distance. A case of weight w counts as
        w cases.
    weights : ndarray of shape (n,), optional
        Case weights. Leaving out a case takes away one unit of its weight.

    Returns
    -------
    ndarray of shape (len(queries), d)
        The predicted value; for nominal features the total influence of the true category.
        NaN if the feature is missing or no case can contribute.
    """
    k = min(k, _all_places(weights, columns.shape[1]), MOST_PLACES)
    if metric.p > LARGEST_POWER:
        return _by_search(columns, metric, np.asarray(queries), k, weights, threads)
    return _native.sweep(
        metric.native,
        columns=np.ascontiguousarray(columns, dtype=np.float64),
        case_weights=None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        queries=np.ascontiguousarray(queries, dtype=np.int64),
        k=k,
        threads=thread_count(threads),
        path=path,
    )


def _by_search(
    columns: Floats,
    metric: Metric,
    queries: Ints,
    k: int,
    weights: Floats | None,
    threads: int | None,
) -> Floats:
    """Predict every feature by a search without it."""
    values = np.ascontiguousarray(columns.T, dtype=np.float64)
    index = ExactIndex(values, metric.kinds, weights)
    predictions = np.full((len(queries), values.shape[1]), np.nan)
    for column in metric.active.tolist():
        at = np.flatnonzero(~np.isnan(values[queries, column]))
        alone, kept = queries[at], np.arange(values.shape[1]) != column
        others = metric.with_weights(np.where(kept, metric.weights, 0.0))
        places = k if len(others.active) else _all_places(weights, len(values))
        found = index.search(
            values[alone], others, places, exclude=alone, required=column, threads=threads
        )
        there = found.indices >= 0
        counts = counted_weights(index, found.indices, places, alone)
        near = np.where(there, np.maximum(found.distances, SAME), 1.0)
        influence = np.where(there, 1.0 if counts is None else counts, 0.0) / near
        outcomes = np.where(there, values[np.maximum(found.indices, 0), column], 0.0)
        predictions[at, column] = _means(
            outcomes,
            influence,
            values[alone, column],
            metric.kinds[column],
            metric.periods[column],
        )
    return predictions


def _all_places(weights: Floats | None, count: int) -> int:
    return count if weights is None else max(count, int(np.ceil(weights.sum())))


def _means(outcomes: Floats, influence: Floats, truth: Floats, kind: int, period: float) -> Floats:
    """Return mean outcomes by influence, for categories the influence of the true one."""
    total = influence.sum(axis=1)
    shares = influence / np.where(total > 0, total, 1.0)[:, None]
    if kind == NOMINAL:
        means = (shares * (outcomes == truth[:, None])).sum(axis=1)
    elif kind == CYCLIC:
        turns = (shares * np.exp(2j * np.pi * outcomes / period)).sum(axis=1)
        means = np.angle(turns) / (2 * np.pi) % 1.0 * period
        total = np.where(np.abs(turns) < 1e-9, 0.0, total)
    else:
        means = (shares * outcomes).sum(axis=1)
    return np.where(total > 0, means, np.nan)
