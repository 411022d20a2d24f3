"""The mean of boosted trees of several shapes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.typing import Floats, Ints, Words


class Trees(NamedTuple):
    """Trees grown in several runs, (runs, trees, width, nodes); see `TreeScores`."""

    nodes: Ints
    sets: Words
    leaves: Floats


def mean_trees(several: list[Trees], weights: list[float] | None = None) -> Trees:
    """Return trees whose sum is the mean of several sums, weighted or not.

    Examples
    --------
    Of two trees that are a single leaf each, the values 2 and 4 become 1 and 2, whose sum is 3:

    >>> import numpy as np
    >>> from vicinal.derived.mean_trees import Trees, mean_trees
    >>> shape = (1, 1, 1, 1)
    >>> nodes, sets = np.full(shape, -1), np.zeros(shape, dtype=np.uint64)
    >>> one, other = (Trees(nodes, sets, np.full(shape, value)) for value in (2.0, 4.0))
    >>> mean_trees([one, other]).leaves.ravel().tolist()
    [1.0, 2.0]
    """
    size = max(one.nodes.shape[3] for one in several)
    weights = weights or [1.0] * len(several)
    parts = [one.leaves * (w / sum(weights)) for one, w in zip(several, weights, strict=True)]
    return Trees(
        np.concatenate([_padded(one.nodes, size, -1) for one in several], axis=1),
        np.concatenate([_padded(one.sets, size, 0) for one in several], axis=1),
        np.concatenate([_padded(part, size, 0) for part in parts], axis=1),
    )


def _padded(part: NDArray[Any], size: int, nothing: int) -> NDArray[Any]:
    """Append nodes that no tree reaches."""
    spare = [(0, 0)] * 3 + [(0, size - part.shape[3])]
    return np.pad(part, spare, constant_values=nothing)
