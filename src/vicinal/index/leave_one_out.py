"""Every feature of a case predicted from its other features, in one native pass."""

from __future__ import annotations

import numpy as np

from vicinal.index import _native
from vicinal.index.metric import Metric
from vicinal.index.threads import thread_count
from vicinal.typing import Floats, Ints


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
    return _native.sweep(
        metric.native,
        columns=np.ascontiguousarray(columns, dtype=np.float64),
        case_weights=None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        queries=np.ascontiguousarray(queries, dtype=np.int64),
        k=k,
        threads=thread_count(threads),
        path=path,
    )
