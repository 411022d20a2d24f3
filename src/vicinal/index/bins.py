"""Where the bins of a feature begin.

Any edges give exact answers; good ones let the bounds rule out more rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native

Floats = NDArray[np.float64]

EDGES: int = _native.BINS - 1
#: Rows the edges are chosen from.
_SAMPLE = 1 << 14


def choose_edges(values: Floats) -> Floats:
    """Return the ascending edges of each column, shape (columns, 14); unused ones are infinite.

    A bin holds the values from its edge up to the next one.
    """
    step = max(1, len(values) // _SAMPLE)
    edges = np.full((values.shape[1], EDGES), np.inf)
    for column, sample in enumerate(np.asarray(values[::step].T)):
        chosen = _edges(sample[~np.isnan(sample)])
        edges[column, : len(chosen)] = chosen
    return edges


def _edges(sample: Floats) -> Floats:
    distinct, counts = np.unique(sample, return_counts=True)
    if len(distinct) <= EDGES + 1:
        return distinct[1:]
    # Equal parts of what is left, cut anew after each bin: a value as common as several bins
    # takes one, and the others share the rest.
    reached = np.cumsum(counts)
    edges: list[float] = []
    done = 0.0
    while len(edges) < EDGES:
        part = (reached[-1] - done) / (EDGES + 1 - len(edges))
        place = int(np.searchsorted(reached, done + part))
        if place + 1 >= len(distinct):
            break
        edges.append(distinct[place + 1])
        done = reached[place]
    return np.array(edges)
