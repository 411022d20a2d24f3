"""How often each value of a column occurs, block by block: a column may be mapped from a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.tables.column import BLOCK, Column, check_finite
from vicinal.typing import Floats, Ints


class Counted(NamedTuple):
    """The distinct values of a column, or all labels that it may have, and how often each occurs.

    Attributes
    ----------
    levels : tuple
        Plain values.
    counts : ndarray of int64
        How many rows have each.
    masses : ndarray
        The sum of the weights of these rows; their number without weights.
    """

    levels: tuple[Any, ...]
    counts: Ints
    masses: Floats


def blocks_of(column: Column) -> Iterator[Column]:
    """Go through a column."""
    for start in range(0, len(column), BLOCK):
        yield column.take(slice(start, start + BLOCK))


def count_levels(column: Column, weights: Floats | None = None) -> Counted:
    """Count the values of a column that are not missing.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.counting import count_levels
    >>> count_levels(column_of([3, None, 7, 3], "x"), np.array([1.0, 1.0, 0.5, 2.0]))
    Counted(levels=(3, 7), counts=array([2, 1]), masses=array([3. , 0.5]))
    """
    distinct = None if column.levels is not None else distinct_values(column)
    levels = column.levels if distinct is None else tuple(column.to_python(distinct))
    assert levels is not None
    counts, masses = np.zeros(len(levels), dtype=np.int64), np.zeros(len(levels))
    for number, block in enumerate(blocks_of(column)):
        known = ~block.is_missing()
        codes = block.values[known]
        if distinct is not None:
            codes = np.searchsorted(distinct, codes)
        np.add.at(counts, codes, 1)
        if weights is not None:
            # One by one, in the order of the rows, so that blocks do not change the rounding.
            np.add.at(masses, codes, weights[number * BLOCK :][:BLOCK][known])
    return Counted(levels, counts, counts.astype(np.float64) if weights is None else masses)


def distinct_values(column: Column) -> NDArray[Any]:
    """Return the distinct values of a column of numbers or times, none of them missing, sorted.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.counting import distinct_values
    >>> distinct_values(column_of([3, None, 7, 3], "x"))
    array([3, 7])
    """
    found = column.values[:0]
    waiting: list[NDArray[Any]] = []
    for block in blocks_of(column):
        waiting.append(np.unique(block.values[~block.is_missing()]))
        # Merged when there are as many new ones as known ones: every value a few times in all.
        if sum(map(len, waiting)) >= max(len(found), BLOCK):
            found, waiting = np.unique(np.concatenate([found, *waiting])), []
    return np.unique(np.concatenate([found, *waiting]))


def check_all_finite(column: Column, name: str) -> None:
    """Refuse infinite values; labels and times have none."""
    if column.levels is None and column.values.dtype.kind == "f":
        for number, block in enumerate(blocks_of(column)):
            check_finite(block.numbers(), name, number * BLOCK)
