"""Divide cases into shards in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index.checks import checked_case_weights, checked_cases
from vicinal.index.shard import Shard
from vicinal.index.sharded import NOWHERE, ShardedIndex
from vicinal.index.shards import LocalShards
from vicinal.typing import Floats, Ints


def divide_cases(
    values: Floats,
    kinds: NDArray[np.uint8],
    weights: Floats | None = None,
    *,
    parts: Ints | None = None,
    pilot: Ints | None = None,
    scales: Floats | None = None,
) -> ShardedIndex:
    """Make an index of cases that are divided into shards.

    Parameters
    ----------
    values, kinds, weights, scales
        As in `ExactIndex`.
    parts : ndarray of int, optional
        The shard of each case; by default all are in one.
    pilot : ndarray of int64, optional
        The numbers of cases to search first.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.divide import divide_cases
    >>> values = np.array([[1.0], [2.0], [4.0], [9.0]])
    >>> index = divide_cases(values, np.zeros(1, dtype=np.uint8), parts=np.array([0, 1, 0, 1]))
    >>> len(index), len(index.shards), index.rows([3, 0]).tolist()
    (4, 2, [[9.0], [1.0]])
    """
    kinds = np.ascontiguousarray(kinds, dtype=np.uint8)
    rows = checked_cases(values, kinds)
    mass = None if weights is None else checked_case_weights(weights, len(rows))
    of_rows = np.zeros(len(rows), dtype=np.int64) if parts is None else np.asarray(parts)

    def shard(numbers: Ints) -> Shard:
        own = None if mass is None else mass[numbers]
        return Shard.of(numbers, rows[numbers], kinds, own)

    shards = [shard(np.flatnonzero(of_rows == at)) for at in np.unique(of_rows)]
    home = np.full(len(rows), NOWHERE)
    for at, one in enumerate(shards):
        home[one.numbers] = at
    return ShardedIndex(
        LocalShards(shards),
        kinds,
        home,
        [one.box for one in shards],
        pilot=None if pilot is None else shard(np.sort(pilot)),
        weighted=mass is not None,
        scales=scales,
    )
