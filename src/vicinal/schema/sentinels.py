"""Values that stand for missing ones: −999, 9999-12-31."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.tables.column import Column
from vicinal.tables.counting import count_levels, distinct_values
from vicinal.typing import Floats

#: The values of a column lie within this range many times over before the sentinel comes.
_ISOLATION = 3.0
_LEAST_REPETITIONS = 2
_LEAST_OTHERS = 2
#: The smallest and the largest value of small integer types.
_MACHINE = {-32768.0, 32767.0, -2147483648.0, 2147483647.0, -(2.0**63), 2.0**63}
_LAST_YEAR = np.datetime64("9999-01-01", "s").astype(np.int64)
_SECOND_YEAR = np.datetime64("0002-01-01", "s").astype(np.int64)


def find_sentinels(column: Column, counts: Floats | None = None) -> tuple[Any, ...]:
    """Find values that mark missing ones.

    Parameters
    ----------
    column : Column
        The column.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for.

    Returns
    -------
    tuple
        Plain values, ascending. Of numbers: repeated nines (−9, 999, …) or limits of integer
        types that occur at least twice, as the smallest or largest value, and far from all
        others: more than three times as far as these lie apart, or below 0 where no other value
        is. Of dates: those of the years 1 and 9999, where other dates have neither.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.schema.sentinels import find_sentinels
    >>> find_sentinels(column_of([31, 47, -999, 52, -999], "age"))
    (-999,)
    """
    if column.dtype not in ("int", "float", "date", "datetime"):
        return ()
    # A sentinel is the smallest or the largest value, so that most columns need no sorting.
    ends = column.ends
    looks = _is_far_date if column.family == "instant" else _looks_like_one
    if not any(looks(end) for end in ends):
        return ()
    levels, _, masses = count_levels(column, counts)
    values = Column(column.dtype, distinct_values(column)).numbers()
    if (np.diff(values) <= 0).any() or not np.isfinite(values).all():
        return ()  # or distinct values that floats cannot tell apart
    instants = column.family == "instant"
    found = _far_dates(values) if instants else _far_numbers(values, masses)
    return tuple(level for level, yes in zip(levels, found, strict=True) if yes)


def _far_dates(values: Floats) -> list[bool]:
    far = [_is_far_date(value) for value in values.tolist()]
    return [one and not all(far) for one in far]


def _is_far_date(value: float) -> bool:
    return bool(value >= _LAST_YEAR or value < _SECOND_YEAR)


def _far_numbers(values: Floats, counts: Floats) -> list[bool]:
    marked = np.array([_looks_like_one(value) for value in values.tolist()])
    marked &= counts >= _LEAST_REPETITIONS
    negative = values < 0
    found = np.zeros(len(values), dtype=bool)
    if marked[negative].all() and len(values) - negative.sum() >= _LEAST_OTHERS:
        found |= negative
    for end in (0, -1):
        left = np.flatnonzero(~found)
        others = values[np.delete(left, end)]
        found[left[end]] = marked[left[end]] and _is_isolated(values[left[end]], others)
    return found.tolist()


def _is_isolated(value: float, others: Floats) -> bool:
    if len(others) < _LEAST_OTHERS:
        return False
    gap = np.abs(others - value).min()
    return bool(gap > _ISOLATION * (others[-1] - others[0]))


def _looks_like_one(value: float) -> bool:
    if not np.isfinite(value):
        return False
    nines = value == np.rint(value) and set(f"{abs(value):.0f}") == {"9"}
    return value in _MACHINE or (nines and value != 9)
