"""Where the bins of a feature begin, and what counts as a large difference in it.

Any edges and scales give exact answers; good ones let the bounds rule out more rows.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.kinds import NOMINAL
from vicinal.index.shared_rows import StoredValues, values_at
from vicinal.typing import Floats

EDGES: int = _native.BINS - 1
#: Power of the density that the bins follow.
_POWER = 0.7
#: Rows the edges are chosen from.
_SAMPLE = 1 << 14


def choose_edges(values: Floats) -> Floats:
    """Return the ascending edges of each column, shape (columns, 14); unused ones are infinite.

    A bin holds the values from its edge up to the next one.
    """
    step = max(1, len(values) // _SAMPLE)
    edges = np.full((values.shape[1], EDGES), np.inf)
    # A copy, because rows that are on disk would be read again for every column.
    for column, sample in enumerate(np.array(values[::step]).T):
        chosen = _edges(sample[~np.isnan(sample)])
        edges[column, : len(chosen)] = chosen
    return edges


def _edges(sample: Floats) -> Floats:
    distinct, counts = np.unique(sample, return_counts=True)
    if len(distinct) <= EDGES + 1:
        return distinct[1:]
    # A bin blurs its values by about its width; the mean blur, Σ share · width, is least when the
    # bins follow the square root of the density. Nearest cases lie where the density is high, so
    # a higher power of it rules out more rows: 0.7 measured best on Gaussian and skewed columns.
    speech = counts[:-1] ** _POWER * np.diff(distinct) ** (1 - _POWER)
    reached = np.cumsum(np.minimum(speech, _share_of_one(speech))).tolist()
    edges: list[float] = []
    done = 0.0
    while len(edges) < EDGES:
        part = (reached[-1] - done) / (EDGES + 1 - len(edges))
        place = bisect_left(reached, done + part)
        if place >= len(speech):
            break
        edges.append(distinct[place + 1])
        done = reached[place]
    return np.array(edges)


def _share_of_one(speech: Floats) -> float:
    """Return what gaps are cut back to, so that none has more than the share of one bin.

    A wide gap needs one edge, not all of them.

    Examples
    --------
    Of 15 bins in all one is for the wide gap, and 14 are for the others:

    >>> import numpy as np
    >>> from vicinal.index.bins import _share_of_one
    >>> _share_of_one(np.append(np.ones(28), 1000.0))
    2.0
    """
    widest, left = np.sort(speech)[::-1][:EDGES].tolist(), float(speech.sum())
    for place, one in enumerate(widest):
        if one <= left / (EDGES + 1 - place):
            return left / (EDGES + 1 - place)
        left = max(left - one, 0.0)
    return left


def usual_scales(values: StoredValues, kinds: NDArray[np.uint8]) -> Floats:
    """Half the mean absolute deviation of a column; 1 where that says nothing."""
    sample = values_at(values, np.arange(0, len(values), max(1, len(values) // 4096)))
    known = ~np.isnan(sample)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, sample, 0.0).sum(axis=0) / counts
    spread = np.where(known, np.abs(sample - means), 0.0).sum(axis=0) / counts / 2
    return np.where((kinds == NOMINAL) | (spread == 0), 1.0, spread)
