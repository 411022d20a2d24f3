"""Shards that are read into the memory of this process, as many as fit."""

from __future__ import annotations

from vicinal.index.shard import Shard
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import Answering


class HeldShards(StoredShards):
    """Shards in files, asked one after the other in this process, which reads what it needs.

    Engines that count mapped files as memory end workers that map too many of them.
    """

    engine: Answering

    def shard(self, number: int) -> Shard:
        """Return a shard, without the cases that are gone."""
        return self.engine.shard(self.files[number], self.hidden.get(number))
