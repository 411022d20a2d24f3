"""How far neighbours lie from their query, in which direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.metric import NOMINAL, Metric
from vicinal.index.threads import thread_count

Floats = NDArray[np.float64]

#: Directions in which influences are centred, at most: the ones that matter most. With more, the
#: few neighbours would be balanced in what is mostly noise.
MOST_DIRECTIONS = _native.MOST_DIRECTIONS


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
        heaviest = np.argsort(-metric.weights[active], kind="stable")[:MOST_DIRECTIONS]
        active = np.sort(active[heaviest])
    contrasts = np.where(metric.kinds[active] == NOMINAL, metric.residuals[active], 1.0)
    return _native.offsets(
        metric.native,
        queries=np.ascontiguousarray(queries, dtype=np.float64),
        cases=np.ascontiguousarray(cases, dtype=np.float64),
        columns=np.ascontiguousarray(active, dtype=np.int64),
        factors=np.sqrt(contrasts * metric.weights[active]),
        threads=thread_count(threads),
    )
