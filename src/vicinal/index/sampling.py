"""Which cases stand for a large table."""

from __future__ import annotations

import numpy as np

from vicinal.index.hashes import row_hashes
from vicinal.index.statistics import Cases
from vicinal.typing import Bools, Floats, Ints, Places, Words


def sample_cases(values: Floats, count: int, *, random_state: int = 0) -> Places:
    """Choose cases by a hash of what they hold.

    The same cases are chosen whatever the order of the rows, and whatever the unit, zero point
    or sign of a column (but for the sign of one whose values lie evenly about the middle of
    their range). Equal cases are chosen independently of each other.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    count : int
        How many to choose; all when there are no more.
    random_state : int
        Another number gives another choice.

    Returns
    -------
    ndarray of int
        Places of the chosen cases, ascending.

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
    hashes = _content_hashes(values, random_state)
    return np.sort(np.argpartition(hashes, count)[:count])


def sampling_order(values: Floats, *, random_state: int = 0) -> Places:
    """Return the order in which `sample_cases` would choose the cases, for samples of any size.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    random_state : int
        Another number gives another order.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import sample_cases, sampling_order
    >>> values = np.arange(100.0)[:, None]
    >>> np.array_equal(np.sort(sampling_order(values)[:5]), sample_cases(values, 5))
    True
    """
    return np.argsort(_content_hashes(values, random_state), kind="stable")


def random_keys(values: Floats, *, random_state: int = 0) -> Floats:
    """Draw a number from 0 to 1 for each case, by a hash of what it holds as in `sample_cases`.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    random_state : int
        Another number gives other lots.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import random_keys
    >>> lots = random_keys(np.arange(1000.0)[:, None])
    >>> bool((lots < 0.25).mean().round(1) == 0.2), bool(lots.max() < 1)
    (True, True)
    """
    lots: Floats = _content_hashes(values, random_state).astype(np.float64) * 2.0**-64
    return lots


def sample_distinct(values: Floats, count: int, *, random_state: int = 0) -> Places:
    """Choose distinct cases by a hash of what they hold, and with each all that equal it.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    count : int
        How many distinct ones to choose; all when there are no more.
    random_state : int
        Another number gives another choice.

    Returns
    -------
    ndarray of int
        Places of the chosen cases, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.sampling import sample_distinct
    >>> values = np.array([[1.0], [2.0], [1.0], [2.0]])
    >>> sample_distinct(values, 1).tolist() in ([0, 2], [1, 3])
    True
    """
    hashes = _mix(row_hashes(values, random_state))
    distinct = np.unique(hashes)
    if len(distinct) <= count:
        return np.arange(len(values))
    return np.flatnonzero(hashes < distinct[count])


def split_cases(values: Floats, parts: int, *, random_state: int = 0) -> Places:
    """Split cases into parts by a hash of what they hold; equal cases stay together.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    parts : int
        How many parts.
    random_state : int
        Another number gives another split.

    Returns
    -------
    ndarray of int
        The part of each case, 0 to parts − 1; each has about as many distinct cases.
    """
    hashes = _mix(row_hashes(values, random_state))
    distinct, place = np.unique(hashes, return_inverse=True)
    return place * parts // max(len(distinct), 1)


def sample_of(
    cases: Cases,
    count: int,
    *,
    random_state: int = 0,
    required: int | None = None,
    without: Ints | None = None,
    distinct: bool = False,
) -> tuple[Ints, Floats]:
    """Choose cases that have a weight; see `ExactIndex.sample`."""
    counted = np.ones(len(cases), dtype=bool) if cases.weights is None else cases.weights > 0
    if required is not None:
        counted &= ~np.isnan(cases.column(required))
    numbers = cases.numbers[counted]
    if without is not None:
        numbers = np.setdiff1d(numbers, without)
    values = cases.values_at(cases.rows_of(numbers))
    choose = sample_distinct if distinct else sample_cases
    chosen = choose(values, count, random_state=random_state)
    return numbers[chosen], values[chosen]


def content_order(values: Floats) -> Places:
    """Return an order of the cases that depends on what they hold, and on nothing else.

    Where ties go to the case that comes first, this order keeps a table sorted by some column
    from favoring its first rows. Equal cases are next to each other in it.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.

    Returns
    -------
    ndarray of int
        Places of the cases, in their new order.

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
    # Values so close that they share a hash are told apart by themselves.
    return np.lexsort((*values.T, hashes))


def distinct_cases(
    values: Floats, weights: Floats | None = None
) -> tuple[Places, Places, Floats | None]:
    """Merge equal cases, in an order that depends on their content alone.

    What is learned from distinct cases and their weights is the same to the last bit however the
    rows are ordered, and whether a row is repeated or has a weight.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    weights : ndarray of shape (n,), optional
        Their weights; 1 by default.

    Returns
    -------
    places : ndarray of int
        Where each distinct case is first.
    which : ndarray of int of shape (n,)
        The distinct case that each one equals.
    weights : ndarray or None
        The sum of weights of each distinct case; None where none was given or repeated.

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
    """Whether each row equals the other one; two missing values are equal."""
    equal: Bools = ((some == others) | (np.isnan(some) & np.isnan(others))).all(axis=1)
    return equal


def _content_hashes(values: Floats, random_state: int) -> Words:
    hashes = row_hashes(values, random_state)
    # Equal cases have equal hashes so far: give each of them its own.
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    twin = np.arange(len(ordered)) - np.repeat(starts, lengths)
    hashes[order] = _mix(ordered + twin.astype(np.uint64))
    return hashes


def _mix(x: Words) -> Words:
    """Scatter the bits (the finalizer of the SplitMix64 generator)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x
