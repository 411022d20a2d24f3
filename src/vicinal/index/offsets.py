"""How far neighbours lie from their query, in which direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.metric import NOMINAL, Metric
from vicinal.index.threads import thread_count

Floats = NDArray[np.float64]

#: Directions in which influences are centred, at most: the ones that matter most.
MOST_DIRECTIONS = 64
#: Offsets end here. A query so far from a neighbour is as far from the others, so rounding alone
#: would decide how they are balanced; with equal offsets they keep the shares of the kernel.
FARTHEST = 1e4


def scaled_offsets(
    queries: Floats, cases: Floats, metric: Metric, *, threads: int | None = None
) -> Floats:
    """Return how far each neighbour lies from its query, feature by feature, with sign.

    Parameters
    ----------
    queries : ndarray of shape (m, d)
        Encoded rows.
    cases : ndarray of shape (m, k, d)
        Encoded values of their neighbours.
    metric : Metric
        Offsets are in residuals, times the square root of the feature's weight.
    threads : int, optional
        The answer does not depend on it.

    Returns
    -------
    ndarray of shape (m, k, d')
        One column per feature that counts (the heaviest `MOST_DIRECTIONS`). Nominal features
        have the square root of their contrast where the categories differ; 0 stands for missing.
    """
    active = metric.active
    if len(active) > MOST_DIRECTIONS:
        active = np.sort(active[np.argsort(-metric.weights[active])[:MOST_DIRECTIONS]])
    contrasts = np.where(metric.kinds[active] == NOMINAL, metric.residuals[active], 1.0)
    return _native.offsets(
        metric.native,
        queries=np.ascontiguousarray(queries, dtype=np.float64),
        cases=np.ascontiguousarray(cases, dtype=np.float64),
        columns=np.ascontiguousarray(active, dtype=np.int64),
        factors=np.sqrt(contrasts * metric.weights[active]),
        farthest=FARTHEST,
        threads=thread_count(threads),
    )
