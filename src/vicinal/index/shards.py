"""Shards of a table, and how they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vicinal.index.exact import BLOCK
from vicinal.index.shard import Shard
from vicinal.index.shard_floors import Box
from vicinal.index.shard_jobs import run_job
from vicinal.typing import Arrays, Floats, Ints


class Shards(Protocol):
    """Shards by number, and a way to run jobs on them; see `vicinal.index.shard_jobs`."""

    def __len__(self) -> int:
        """Count the shards."""

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards, each with its arguments; answers come in any order."""

    def hide(self, shard: int, numbers: Ints) -> None:
        """Take cases out of everything."""

    def copied(self) -> Shards:
        """Return a copy that changes on its own."""

    def rebuilt(self, make: Callable[[Floats], Floats], kinds: NDArray[np.uint8]) -> Shards:
        """Return shards of the same cases with other columns, made of their values."""


class LocalShards:
    """Shards of this process, asked one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.shard import Shard
    >>> from vicinal.index.shards import LocalShards
    >>> kinds = np.zeros(1, dtype=np.uint8)
    >>> shards = LocalShards([Shard.of(np.array([0, 2]), np.array([[1.0], [5.0]]), kinds)])
    >>> [answer["values"].tolist() for _, answer in shards.run("rows", [(0, {"numbers": [2]})])]
    [[[5.0]]]
    """

    def __init__(self, shards: Iterable[Shard]) -> None:
        self.shards = list(shards)

    def __len__(self) -> int:
        return len(self.shards)

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards."""
        for shard, arguments in tasks:
            yield shard, run_job(job, self.shards[shard], **arguments)

    def hide(self, shard: int, numbers: Ints) -> None:
        """Take cases out of everything."""
        self.shards[shard].hide(numbers)

    def copied(self) -> LocalShards:
        """Return a copy that changes on its own."""
        return LocalShards(shard.copied() for shard in self.shards)

    def rebuilt(self, make: Callable[[Floats], Floats], kinds: NDArray[np.uint8]) -> LocalShards:
        """Return shards of the same cases with other columns."""
        return LocalShards(rebuilt_shard(shard, make, kinds) for shard in self.shards)


def rebuilt_shard(
    shard: Shard, make: Callable[[Floats], Floats], kinds: NDArray[np.uint8]
) -> Shard:
    """Return a shard of the same cases with other columns."""
    numbers = shard.numbers
    rows = shard.rows_of(numbers)
    blocks = [make(shard.values_at(rows[at : at + BLOCK])) for at in range(0, len(rows), BLOCK)]
    values = np.concatenate([np.empty((0, len(kinds))), *blocks])
    return Shard.of(numbers, values, kinds, shard.weights)


def shard_boxes(shards: Shards) -> list[Box]:
    """Return the range of the values of each shard."""
    count = len(shards)
    answers = dict(shards.run("box", [(shard, {}) for shard in range(count)]))
    return [
        Box(one["low"], one["high"], one["lacking"] != 0)
        for one in (answers[shard] for shard in range(count))
    ]
