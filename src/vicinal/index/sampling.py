"""Sampling cases of a large table by their content."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vicinal.index import _native
from vicinal.index.hashes import (
    range_of_blocks,
    row_hashes,
    sampling_keys,
    told_apart,
    totals_of_blocks,
)
from vicinal.index.statistics import Cases
from vicinal.typing import Bools, Floats, Ints, Places, Words

#: Cases that are hashed at a time.
_BLOCK = 16_384


def sample_cases(values: Floats, count: int, *, random_state: int = 0) -> Places:
    """Sample cases by a hash of their content, and return their positions, ascending.

    The same cases are sampled whatever the order of the rows, and whatever the unit, zero point
    or sign of a column (but for the sign of one whose values lie evenly about the middle of
    their range). Equal cases are sampled independently of each other.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import sample_cases
    >>> values = np.arange(100.0)[:, None]
    >>> chosen = sample_cases(values, 5)
    >>> np.array_equal(
    ...     np.sort(values[::-1][sample_cases(values[::-1] * 7 + 1, 5)], axis=0), values[chosen]
    ... )
    True
    """
    if len(values) <= count:
        return np.arange(len(values))
    hashes = sampling_keys(values, random_state, distinct=True)
    return np.sort(np.argpartition(hashes, count)[:count])


def sampling_order(values: Floats, *, random_state: int = 0) -> Places:
    """Return the order in which `sample_cases` chooses cases, for samples of any size.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import sample_cases, sampling_order
    >>> values = np.arange(100.0)[:, None]
    >>> np.array_equal(np.sort(sampling_order(values)[:5]), sample_cases(values, 5))
    True
    """
    return np.argsort(sampling_keys(values, random_state, distinct=True), kind="stable")


def sample_distinct(values: Floats, count: int, *, random_state: int = 0) -> Places:
    """Sample distinct cases as `sample_cases` does, each with all cases equal to it.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import sample_distinct
    >>> values = np.array([[1.0], [2.0], [1.0], [2.0]])
    >>> sample_distinct(values, 1).tolist() in ([0, 2], [1, 3])
    True
    """
    return _first_distinct(sampling_keys(values, random_state), count)


def _first_distinct(keys: Words, count: int) -> Places:
    """Return where the smallest distinct keys are, so many of them."""
    distinct = np.unique(keys)
    if len(distinct) <= count:
        return np.arange(len(keys))
    return np.flatnonzero(keys < distinct[count])


def split_cases(values: Floats, parts: int, *, random_state: int = 0) -> Places:
    """Split cases into parts by a hash of their content; equal cases stay together.

    Returns
    -------
    ndarray of int
        The part of each case, 0 to parts − 1; each has about the same number of distinct cases.
    """
    hashes = sampling_keys(values, random_state)
    distinct, place = np.unique(hashes, return_inverse=True)
    return place * parts // max(len(distinct), 1)


def sample_of(
    cases: Cases,
    count: int,
    random_state: int = 0,
    required: int | None = None,
    without: Ints | None = None,
    distinct: bool = False,
) -> tuple[Ints, Floats]:
    """Sample cases with a positive weight; see `Index.sample`."""
    counted = np.ones(len(cases), dtype=bool) if cases.weights is None else cases.weights > 0
    if required is not None:
        counted &= ~np.isnan(cases.column(required))
    numbers = cases.numbers[counted]
    del counted
    if without is not None:
        numbers = np.setdiff1d(numbers, without)
    rows = cases.rows_of(numbers)
    if len(rows) <= max(count, _native.FEW_ROWS):
        values = cases.values_at(rows)
        choose = sample_distinct if distinct else sample_cases
        chosen = choose(values, count, random_state=random_state)
        return numbers[chosen], values[chosen]
    # All values at once would take as much memory as the cases.
    hashes = _hashes_of(cases, rows, random_state)
    del rows
    if distinct:
        chosen = _first_distinct(_native.mixed(hashes), count)
    else:
        hashes = told_apart(hashes, numbers)
        hashes = _native.mixed(hashes)
        chosen = np.sort(np.argpartition(hashes, count)[:count])
    return numbers[chosen], cases.values_at(cases.rows_of(numbers[chosen]))


def _hashes_of(cases: Cases, rows: Places, seed: int) -> Words:
    """Return `row_hashes` of many cases, which are read block by block."""

    def blocks() -> Iterator[Floats]:
        for start in range(0, len(rows), _BLOCK):
            yield cases.values_at(rows[start : start + _BLOCK])

    _, low, high = range_of_blocks(blocks(), cases.values_at(rows[:1]).shape[1])
    signs = _native.column_signs(*totals_of_blocks(blocks(), low, high))
    hashes = np.empty(len(rows), dtype=np.uint64)
    for start, values in zip(range(0, len(rows), _BLOCK), blocks(), strict=True):
        part = _native.part_hashes(values, seed, low, high, signs)
        hashes[start : start + _BLOCK] = part
    return hashes


def content_order(values: Floats) -> Places:
    """Return an order of the cases that depends only on their content.

    When ties go to the first case, this order keeps a table sorted by some column
    from favoring its first rows. Equal cases are next to each other in it.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import content_order
    >>> values = np.array([[1.0], [2.0], [4.0], [7.0]])
    >>> shuffled = values[[2, 0, 3, 1]]
    >>> np.array_equal(values[content_order(values)], shuffled[content_order(shuffled)])
    True
    """
    hashes = row_hashes(values, 0)
    order = np.argsort(hashes, kind="stable")
    tied = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    if _equal_rows(values[order[tied]], values[order[tied + 1]]).all():
        return order
    # Values so close that they share a hash are ordered by value.
    return np.lexsort((*values.T, hashes))


def distinct_cases(
    values: Floats, weights: Floats | None = None
) -> tuple[Places, Places, Floats | None]:
    """Merge equal cases, in an order that depends only on their content.

    What is learned from distinct cases and their weights is the same to the last bit however the
    rows are ordered, and whether a row is repeated or has a weight.

    Returns
    -------
    places : ndarray of int
        Position of the first occurrence of each distinct case.
    which : ndarray of int of shape (n,)
        The distinct case that each one equals.
    weights : ndarray or None
        The sum of weights of each distinct case; None if none was given or repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import distinct_cases
    >>> places, which, weights = distinct_cases(np.array([[3.0], [1.0], [3.0]]))
    >>> sorted(zip(places.tolist(), weights.tolist(), strict=True))
    [(0, 2.0), (1, 1.0)]
    """
    order = content_order(values)
    ordered = values[order]
    differs = ~_equal_rows(ordered[:-1], ordered[1:])
    starts = np.flatnonzero(np.r_[True, differs])
    which = np.empty(len(values), dtype=np.intp)
    which[order] = np.cumsum(np.r_[False, differs])
    if weights is None and len(starts) == len(values):
        return order, which, None
    mass = np.ones(len(values)) if weights is None else weights
    return order[starts], which, np.add.reduceat(mass[order], starts)


def _equal_rows(some: Floats, others: Floats) -> Bools:
    """Return whether each row equals the other one; two missing values are equal."""
    equal: Bools = ((some == others) | (np.isnan(some) & np.isnan(others))).all(axis=1)
    return equal
