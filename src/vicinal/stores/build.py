"""Shards of encoded cases that are on disk, made one after the other in bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vicinal.index.shard import Shard
from vicinal.index.sharded import NOWHERE, ShardedIndex
from vicinal.progress import track
from vicinal.stores.manifest import new_name
from vicinal.stores.shard_files import write_shard
from vicinal.stores.split_tree import SplitTree
from vicinal.stores.stored_shards import StoredShards
from vicinal.typing import Floats, Ints, Places

#: Bytes that the values of a shard may take in memory while it is made, and its least rows.
_BYTES, _LEAST_ROWS = 1 << 29, 1 << 14
#: The pilot is this share of the cases, and at most so many of them.
_PILOT_SHARE, _MOST_PILOT = 32, 1 << 17
_BLOCK = 1 << 16


def default_rows(columns: int) -> int:
    """Return how many cases a shard has, at most, unless told otherwise."""
    return max(_LEAST_ROWS, _BYTES // (24 * max(columns, 1)))


def pilot_size(count: int) -> int:
    """Return how many of so many cases the pilot has."""
    return min(_MOST_PILOT, -(-count // _PILOT_SHARE))


def build_shards(
    folder: Path,
    values: Floats,
    kinds: NDArray[np.uint8],
    weights: Floats | None,
    *,
    scales: Floats,
    edges: Floats,
    splitting: Floats,
    shard_rows: int,
    pilot: Places,
) -> ShardedIndex:
    """Write shards of encoded cases to a folder.

    Parameters
    ----------
    folder : Path
        The folder of the store, which exists.
    values : ndarray of shape (n, d)
        Encoded cases; best mapped from a file.
    scales, edges : ndarray
        See `ExactIndex`.
    splitting : ndarray of shape (d,)
        What counts as a large difference where cases are divided; 0 for columns that do not count.
    shard_rows : int
        About how many cases a shard has, at most.
    pilot : ndarray of int
        Numbers of a sample of the cases, ascending.
    """
    n = len(values)
    sample = np.asarray(values[pilot])
    tree = SplitTree.learn(sample, splitting, -(-n // shard_rows))
    (folder / "shards").mkdir(exist_ok=True)
    home = np.full(n, NOWHERE)
    files, boxes = [], []
    with tempfile.TemporaryDirectory(prefix=".build-", dir=folder) as scratch:
        _spill(Path(scratch), values, tree, home)
        total = tree.leaves
        for leaf in track(range(total), total=total, what="shards"):
            numbers = np.flatnonzero(home == leaf)
            own = np.fromfile(Path(scratch) / str(leaf)).reshape(len(numbers), values.shape[1])
            (Path(scratch) / str(leaf)).unlink()
            mass = None if weights is None else weights[numbers]
            shard = Shard.of(numbers, own, kinds, mass, scales)
            boxes.append(shard.box)
            files.append(write_shard(folder / "shards" / new_name("shard"), shard))
    mass = None if weights is None else weights[pilot]
    return ShardedIndex(
        StoredShards(files, tree=tree),
        kinds,
        home,
        boxes,
        pilot=Shard.of(pilot.astype(np.int64), sample, kinds, mass, scales),
        splits=tree.splits(),
        weighted=weights is not None,
        edges=edges,
        scales=scales,
    )


def _spill(scratch: Path, values: Floats, tree: SplitTree, home: NDArray[np.uint16]) -> None:
    """Write the values of every shard to a file of its own, and note the shard of each case."""
    files = [(scratch / str(leaf)).open("wb") for leaf in range(tree.leaves)]
    try:
        for start, block in _blocks(values):
            leaves = tree.route(block)
            home[start : start + len(block)] = leaves
            order = np.argsort(leaves, kind="stable")
            ends = np.searchsorted(leaves[order], np.arange(tree.leaves + 1))
            for leaf in np.unique(leaves).tolist():
                files[leaf].write(block[order[ends[leaf] : ends[leaf + 1]]].tobytes())
    finally:
        for file in files:
            file.close()


def _blocks(values: Floats) -> Iterator[tuple[int, Floats]]:
    for start in range(0, len(values), _BLOCK):
        yield start, np.asarray(values[start : start + _BLOCK])


def compacted(folder: Path, index: ShardedIndex, tree: SplitTree) -> StoredShards:
    """Write new shards without the cases that are gone, and with those that have come since.

    Each leaf of the tree has one.
    """
    files = []
    for leaf in range(tree.leaves):
        numbers, values, weights = _of_leaf(index, tree, leaf)
        shard = Shard.of(numbers, values, index.kinds, weights, index.scales)
        files.append(write_shard(folder / "shards" / new_name("shard"), shard))
    return StoredShards(files, tree=tree)


def _of_leaf(
    index: ShardedIndex, tree: SplitTree, leaf: int
) -> tuple[Ints, Floats, Floats | None]:
    """Return the cases of a shard, and the recent ones that belong to it."""
    numbers = index.numbers_of(leaf)
    recent = index.numbers_of(len(index.shards))
    if len(recent):
        recent = recent[tree.route(index.rows(recent)) == leaf]
        numbers = np.sort(np.concatenate([numbers, recent]))
    return numbers, index.rows(numbers), index.weights_of(numbers)
