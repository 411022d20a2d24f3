"""Rows in an order of their own, with room for more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.typing import Floats, Places, Words

#: Columns that are moved at a time: as many as a line of the processor's cache holds.
_AT_ONCE = 8


def with_spare(count: int) -> int:
    """Return how many rows to make room for: the first cases to come shall cost no new layout.

    Room that is not used is not in memory.
    """
    return count + max(count // 16, _native.BLOCK)


def reordered(values: Floats, order: Places) -> Floats:
    """Bring the first rows of a matrix into an order, in place, a few columns at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.layout import reordered
    >>> values = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> reordered(values, np.array([1, 0])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [5.0, 6.0]]
    """
    for first in range(0, values.shape[1], _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        values[: len(order), some] = values[order, some]
    return values


def bit_of(rows: Places) -> Words:
    """Return the bit of each row in the word of its block."""
    return np.left_shift(np.uint64(1), (rows % _native.BLOCK).astype(np.uint64))


def laid_out(array: NDArray[Any], order: Places, room: int) -> NDArray[Any]:
    """Return the rows in this order, with room behind them."""
    longer = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    # With mode="clip" numpy writes to `out` directly; all of the order is in range.
    np.take(array, order, axis=0, out=longer[: len(array)], mode="clip")
    return longer


def bare_table(values: Floats, kinds: NDArray[np.uint8]) -> _native.Table:
    """Return rows for kernels that look at values alone: without codes to search by."""
    n, d = values.shape
    blocks = -(-n // _native.BLOCK)
    summaries = -(-blocks // _native.BLOCK)
    return _native.Table(
        values=np.ascontiguousarray(values),
        numbers=np.arange(n, dtype=np.int64),
        codes=np.zeros((blocks, d, _native.BLOCK_BYTES), dtype=np.uint8),
        summary=np.zeros((summaries, 2 * d, _native.BLOCK_BYTES), dtype=np.uint8),
        alive=np.zeros(blocks, dtype=np.uint64),
        bins=np.tile([np.inf, -np.inf], (d, _native.BINS, 1)),
        lacking=np.asarray(np.isnan(values).any(axis=0), dtype=np.uint8),
        kinds=kinds,
        keeps=False,
    )


def clear_codes(codes: NDArray[np.uint8], rows: Places) -> None:
    """Wipe the codes of some rows."""
    places = (rows // _native.BLOCK, slice(None), rows % _native.BLOCK_BYTES)
    low = rows % _native.BLOCK < _native.BLOCK_BYTES
    for half, kept in ((low, 0xF0), (~low, 0x0F)):
        # One half after the other: two rows of a block share their bytes.
        chosen = tuple(one[half] if isinstance(one, np.ndarray) else one for one in places)
        codes[chosen] &= np.uint8(kept)


def alive_bits(blocks: int, rows: Places, weights: Floats | None) -> Words:
    """Return words with the bits of these rows, of those with a positive weight."""
    counted = np.zeros(blocks * _native.BLOCK, dtype=bool)
    counted[rows] = True
    if weights is not None:
        counted[: len(weights)] &= weights > 0
    return np.packbits(counted, bitorder="little").view("<u8").astype(np.uint64)
