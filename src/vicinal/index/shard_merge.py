"""The nearest cases of queries, merged from those of several shards."""

from __future__ import annotations

import numpy as np

from vicinal.typing import Arrays, Floats, Ints, Places

_LAST = np.iinfo(np.int64).max


class Merged:
    """The k nearest so far of some queries; by key, then by case number.

    Not by distance: different keys may have the same root.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.shard_merge import Merged
    >>> merged = Merged(1, 2)
    >>> for number, key in [(7, 2.0), (3, 2.0), (5, 1.0)]:
    ...     merged.add(
    ...         np.array([0]),
    ...         {
    ...             "indices": np.array([[number]]),
    ...             "distances": np.array([[key]]),
    ...             "keys": np.array([[key]]),
    ...             "evaluated": np.array(1),
    ...         },
    ...     )
    >>> merged.indices, merged.evaluated
    (array([[5, 3]]), 3)
    """

    def __init__(self, count: int, k: int) -> None:
        self.indices: Ints = np.full((count, k), -1, dtype=np.int64)
        self.keys: Floats = np.full((count, k), np.inf)
        self.distances: Floats = np.full((count, k), np.inf)
        self.evaluated = 0

    def add(self, rows: Places, answer: Arrays) -> None:
        """Take in what a shard has found for some of the queries."""
        self.evaluated += int(answer["evaluated"])
        indices = np.concatenate([self.indices[rows], answer["indices"]], axis=1)
        keys = np.concatenate([self.keys[rows], answer["keys"]], axis=1)
        keys[indices < 0] = np.inf
        order = _order(keys, indices)[:, : self.keys.shape[1]]
        distances = np.concatenate([self.distances[rows], answer["distances"]], axis=1)
        for kept, whole in (
            (self.indices, indices),
            (self.keys, keys),
            (self.distances, distances),
        ):
            kept[rows] = np.take_along_axis(whole, order, axis=1)


def _order(keys: Floats, indices: Ints) -> Places:
    """Return the order by key and then by case number; what is no case comes last."""
    return np.lexsort((np.where(indices < 0, _LAST, indices), keys), axis=1)
