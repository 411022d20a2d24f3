"""Case weights: how many of the nearest places each case takes."""

from __future__ import annotations

import numpy as np

from vicinal.index.protocol import Index
from vicinal.typing import Floats, Ints


def counted_weights(
    index: Index, indices: Ints, k: int, exclude: Ints | None = None
) -> Floats | None:
    """Return how many of the k places each case found takes; None where all weigh 1.

    Nearest first, each case takes as many places as it weighs, until the k are taken. The case
    left out takes one place less.
    """
    there = indices >= 0
    found = index.weights_of(indices[there])
    if found is None:
        return None
    weights = np.zeros(indices.shape)
    weights[there] = found
    if exclude is not None:
        weights -= there & (indices == np.asarray(exclude)[:, None])
    before = np.cumsum(weights, axis=1) - weights
    return np.clip(k - before, 0.0, weights)
