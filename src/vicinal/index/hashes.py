"""Hashes of the content of cases."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vicinal.index import _native
from vicinal.typing import Floats, Ints, Words


def row_hashes(values: Floats, seed: int = 0) -> Words:
    """Hash each case by where its values lie in the ranges of their columns.

    The hash of a case is the same whatever the order of the cases, and whatever the unit, zero
    point or sign of a column (but for the sign of one whose values lie evenly about the middle of
    their range). Equal cases have equal hashes, and so may values as close as a part in a million
    of their range.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.hashes import row_hashes
    >>> values = np.array([[1.0], [2.0], [4.0]])
    >>> bool((row_hashes(values) == row_hashes(32 + 1.8 * values)).all())
    True
    """
    return _native.row_hashes(np.ascontiguousarray(values, dtype=np.float64), seed)


def sampling_keys(values: Floats, seed: int = 0, *, distinct: bool = False) -> Words:
    """Return a random key for each case, by which cases are sampled.

    Equal cases have the same key, unless keys are to be distinct.

    The keys are the hashes of `row_hashes`, mixed once more, so that a sample does not depend on
    what else the hashes are used for.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.hashes import sampling_keys
    >>> values = np.array([[1.0], [2.0], [1.0]])
    >>> [len(set(sampling_keys(values, distinct=each).tolist())) for each in (False, True)]
    [2, 3]
    """
    return _native.sampling_keys(np.ascontiguousarray(values, dtype=np.float64), seed, distinct)


def range_of_blocks(blocks: Iterable[Floats], d: int) -> tuple[int, Floats, Floats]:
    """Count the cases of all blocks, and return the lowest and highest value of each column."""
    low, high, count = np.full(d, np.inf), np.full(d, -np.inf), 0
    for values in blocks:
        count += len(values)
        low = np.fmin(low, np.fmin.reduce(values, axis=0))
        high = np.fmax(high, np.fmax.reduce(values, axis=0))
    return count, low, high


def totals_of_blocks(blocks: Iterable[Floats], low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Add up where the values of each column lie in its range, and count them.

    Sums over all parts of a table say which way its columns are turned.
    """
    totals, counts = np.zeros(len(low), dtype=np.int64), np.zeros(len(low), dtype=np.int64)
    for values in blocks:
        some, known = _native.place_totals(values, low, high)
        totals += some
        counts += known
    return totals, counts


def told_apart(hashes: Words, numbers: Ints) -> Words:
    """Add to each hash how many equal ones come before, by case number.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.hashes import told_apart
    >>> told_apart(np.array([5, 7, 5], dtype=np.uint64), np.array([3, 1, 2])).tolist()
    [6, 7, 5]
    """
    ordered = np.sort(hashes)
    if (ordered[1:] != ordered[:-1]).all():  # most tables: what follows takes much memory
        return hashes
    order = np.lexsort((numbers, hashes))
    ordered = hashes[order]
    starts = np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)]
    places = np.arange(len(ordered))
    first = np.maximum.accumulate(np.where(starts, places, 0)) if len(ordered) else places
    distinct = np.empty_like(hashes)
    distinct[order] = ordered + (places - first).astype(np.uint64)
    return distinct
