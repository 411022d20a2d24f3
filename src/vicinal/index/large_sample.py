"""Samples of cases that are on disk, in bounded memory: the same as if all were in memory.

Equal cases are told apart by how many equal ones come before, so all hashes must be compared. They
are written to files, equal ones to the same file, of which one is in memory at a time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from vicinal.index import _native
from vicinal.index.hashes import range_of_blocks, told_apart, totals_of_blocks
from vicinal.index.sampling import sample_cases
from vicinal.typing import Floats, Ints, Places, Words

#: Rows that are read at a time.
_BLOCK = 1 << 16
#: Hashes that a file has, unless there are more than so many files.
_TOGETHER, _MOST_FILES = 1 << 18, 256


def sample_large(
    values: Floats,
    counts: Sequence[int],
    *,
    folder: Path,
    weights: Floats | None = None,
    random_state: int = 0,
) -> list[Places]:
    """Take samples of several sizes as `sample_cases` does, and return positions, ascending.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases; best mapped from a file, which is read three times.
    counts : sequence of int
        The size of each sample.
    folder : Path
        Where to write temporary files: 16 bytes per case.
    weights : ndarray of shape (n,), optional
        Case weights; cases of weight 0 are not sampled, and their values do not matter.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from vicinal.index.sampling import sample_cases
    >>> from vicinal.index.large_sample import sample_large
    >>> values = np.arange(5000.0)[:, None] ** 2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [chosen] = sample_large(values, [3], folder=Path(folder))
    >>> np.array_equal(chosen, sample_cases(values, 3))
    True
    """
    cases = _Cases(values, weights)
    total, low, high = range_of_blocks(cases.values_in_blocks(), values.shape[1])
    if total <= _native.FEW_ROWS:
        blocks = list(cases.blocks())
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(rows for rows, _ in blocks)])
        some = np.concatenate([values[:0], *(block for _, block in blocks)])
        return [rows[sample_cases(some, count, random_state=random_state)] for count in counts]
    signs = _native.column_signs(*totals_of_blocks(cases.values_in_blocks(), low, high))
    with tempfile.TemporaryDirectory(prefix=".sample-", dir=folder) as scratch:
        files = [Path(scratch) / str(at) for at in range(min(total // _TOGETHER + 1, _MOST_FILES))]
        hashed = (
            (rows, _native.part_hashes(block, random_state, low, high, signs))
            for rows, block in cases.blocks()
        )
        _spill(hashed, files)
        keys, rows = _smallest(files, max(counts))
    return [_first(keys, rows, count)[1] for count in counts]


class _Cases:
    """The cases with a positive weight, block by block."""

    def __init__(self, values: Floats, weights: Floats | None) -> None:
        self.values, self.weights = values, weights

    def blocks(self) -> Iterator[tuple[Ints, Floats]]:
        """Yield positions and values."""
        for start in range(0, len(self.values), _BLOCK):
            block = np.asarray(self.values[start : start + _BLOCK])
            rows = np.arange(start, start + len(block))
            if self.weights is not None:
                kept = self.weights[start : start + _BLOCK] > 0
                rows, block = rows[kept], block[kept]
            if len(rows):
                yield rows, block

    def values_in_blocks(self) -> Iterator[Floats]:
        return (block for _, block in self.blocks())


def _spill(hashed: Iterator[tuple[Ints, Words]], files: list[Path]) -> None:
    """Write hashes and positions to files by the first bits of the hash."""
    with ExitStack() as stack:
        opened = [stack.enter_context(file.open("wb")) for file in files]
        for rows, hashes in hashed:
            at = (hashes >> np.uint64(32)) * np.uint64(len(files)) >> np.uint64(32)
            order = np.argsort(at, kind="stable")
            both = np.column_stack([hashes, rows.astype(np.uint64)])[order]
            ends = np.searchsorted(at[order], np.arange(len(files) + 1))
            for number, file in enumerate(opened):
                file.write(both[ends[number] : ends[number + 1]].tobytes())


def _smallest(files: list[Path], count: int) -> tuple[Words, Ints]:
    """Return the smallest keys of all files, and their positions."""
    keys: Words = np.empty(0, dtype=np.uint64)
    rows: Ints = np.empty(0, dtype=np.int64)
    for file in files:
        hashes, found = np.fromfile(file, dtype=np.uint64).reshape(-1, 2).T
        file.unlink()
        more = found.astype(np.int64)
        keys = np.concatenate([keys, _native.mixed(told_apart(hashes, more))])
        keys, rows = _first(keys, np.concatenate([rows, more]), count)
    return keys, rows


def _first(keys: Words, rows: Ints, count: int) -> tuple[Words, Ints]:
    """Return the smallest keys, so many of them, and their positions, in the order of these."""
    first = np.argpartition(keys, count)[:count] if len(keys) > count else np.arange(len(keys))
    first = first[np.argsort(rows[first])]
    return keys[first], rows[first]
