"""Shards that are read into the memory of this process, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from vicinal.index.shard import Shard
from vicinal.stores.shard_files import ShardFile
from vicinal.stores.split_tree import SplitTree
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import Answering
from vicinal.typing import Ints


class HeldShards(StoredShards):
    """Shards in files, asked one after the other in this process, which reads what it needs.

    Engines that count mapped files as memory end workers that map too many of them.
    """

    def __init__(
        self,
        files: Sequence[ShardFile],
        hidden: dict[int, Ints] | None = None,
        tree: SplitTree | None = None,
        *,
        answering: Answering,
    ) -> None:
        super().__init__(files, hidden, tree)
        self.answering = answering

    def shard(self, number: int) -> Shard:
        """Return a shard, without the cases that are gone."""
        return self.answering.shard(self.files[number], self.hidden.get(number))

    def _with(self, files: Sequence[ShardFile], hidden: dict[int, Ints]) -> Self:
        return type(self)(files, hidden, self.tree, answering=self.answering)
