"""The cases of a storage with other columns, or with further ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from vicinal.index.layout import with_spare
from vicinal.index.shared_rows import SharedRows, StoredValues, first_rows
from vicinal.index.storage import CaseStorage
from vicinal.typing import Floats, Ints

#: Columns are shared from so many cells on: those of smaller tables are quicker to read side by
#: side, and fill little memory.
FEWEST_CELLS = 1 << 21


def with_columns(
    cases: CaseStorage,
    blocks: Callable[[], Iterator[tuple[Ints, Floats]]],
    make: Callable[[Floats], Floats],
    kinds: NDArray[np.uint8],
    scales: Floats | None,
) -> CaseStorage:
    """Return the same cases with columns made of their values.

    Where the first of them are those that there are already, both storages share them.

    Parameters
    ----------
    blocks : callable
        Goes through the cases in the order of their numbers.
    """
    values: StoredValues | None = None
    if cases.sharable and len(cases) * cases.sharable >= FEWEST_CELLS:
        own = np.zeros((with_spare(len(cases)), len(kinds) - cases.sharable))
        values = cases.shared_rows(own)
    if values is None or not _fill(values, blocks(), make):
        values = np.zeros((with_spare(len(cases)), len(kinds)))
        _fill(values, blocks(), make)
    n, named = len(cases), (cases.numbers, cases.next_number)
    own = values.own if isinstance(values, SharedRows) else values
    edges = cases.edges_of(own[:n, own.shape[1] - (len(kinds) - len(cases.kinds)) :])
    return CaseStorage(first_rows(values, n), kinds, cases.weights, scales, edges, *named, values)


def _fill(
    values: StoredValues,
    blocks: Iterator[tuple[Ints, Floats]],
    make: Callable[[Floats], Floats],
) -> bool:
    """Make the rows block after block; False if columns that are to be shared would change."""
    # Straight into the array that is kept: this may be most of the memory.
    to = values.own if isinstance(values, SharedRows) else values
    first = 0
    for numbers, block in blocks:
        made = make(block)
        split = made.shape[1] - to.shape[1]
        if split and made[:, :split].tobytes() != block[:, :split].tobytes():
            return False
        to[first : first + len(numbers)] = made[:, split:]
        first += len(numbers)
    return True
