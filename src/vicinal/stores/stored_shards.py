"""Shards in files, asked one after the other in this process: tables larger than its memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vicinal.index.shard import Shard
from vicinal.index.shard_jobs import run_job
from vicinal.index.shards import rebuilt_shard
from vicinal.stores.shard_files import ShardFile, open_shard, write_shard
from vicinal.stores.split_tree import SplitTree
from vicinal.typing import Arrays, Floats, Ints


class StoredShards:
    """Shards in files. They are opened when first needed, and their values stay on disk.

    Parameters
    ----------
    files : sequence of ShardFile
        The files.
    hidden : dict of int to ndarray, optional
        For each shard the numbers of cases that are gone.
    tree : SplitTree, optional
        Which shard a case belongs to.
    engine : optional
        Who answers, if not this process; shards made of these have the same.
    """

    def __init__(
        self,
        files: Sequence[ShardFile],
        hidden: dict[int, Ints] | None = None,
        tree: SplitTree | None = None,
        engine: Any = None,
    ) -> None:
        self.files, self.tree, self.engine = tuple(files), tree, engine
        self.hidden = dict(hidden or {})
        self._opened: dict[int, Shard] = {}
        self._used, self._uses = dict[int, int](), 0  # when each shard was used last

    def __len__(self) -> int:
        return len(self.files)

    def shard(self, number: int) -> Shard:
        """Return a shard, without the cases that are gone."""
        if number not in self._opened:
            self._opened[number] = visible(open_shard(self.files[number]), self.hidden.get(number))
        return self._opened[number]

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards."""
        for shard, arguments in self.last_used_first(tasks):
            yield shard, run_job(job, self.shard(shard), **arguments)

    def last_used_first(
        self, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> list[tuple[int, dict[str, Any]]]:
        """Return tasks in the order in which they are to be run.

        Of more shards than fit into memory, those used last are still there. In the same order
        every time, each would be gone when it is needed again.
        """
        ordered = sorted(tasks, key=lambda task: -self._used.get(task[0], 0))
        for shard, _ in ordered:
            self._uses += 1
            self._used[shard] = self._uses
        return ordered

    def hide(self, shard: int, numbers: Ints) -> None:
        """Take cases out of everything."""
        before = self.hidden.get(shard, np.empty(0, dtype=np.int64))
        self.hidden[shard] = np.union1d(before, numbers)
        if shard in self._opened:
            self._opened[shard].hide(numbers)

    def copied(self) -> Self:
        """Return a copy that changes on its own."""
        return self._with(self.files, self.hidden)

    def rebuilt(self, make: Callable[[Floats], Floats], kinds: NDArray[np.uint8]) -> Self:
        """Return shards of the same cases with other columns, in files that go with them."""
        folder = _scratch(self.files[0].path.parent if self.files else None)
        files = []
        for number in range(len(self)):
            made = rebuilt_shard(self.shard(number), make, kinds)
            files.append(write_shard(folder / f"{number}.vicinal", made))
        shards = self._with(files, {})
        weakref.finalize(shards, shutil.rmtree, folder, ignore_errors=True)
        return shards

    def _with(self, files: Sequence[ShardFile], hidden: dict[int, Ints]) -> Self:
        return type(self)(files, hidden, self.tree, self.engine)


def visible(shard: Shard, hidden: Ints | None) -> Shard:
    """Hide the cases of a shard that are gone."""
    if hidden is not None and len(hidden):
        shard.hide(hidden)
    return shard


def _scratch(beside: Path | None) -> Path:
    """Make a folder for files that are not kept, on the disk of the store if it can be written."""
    if beside is not None and os.access(beside, os.W_OK):
        return Path(tempfile.mkdtemp(prefix=".derived-", dir=beside))
    return Path(tempfile.mkdtemp(prefix="vicinal-"))
