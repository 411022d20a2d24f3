"""Read a column differently: labels as numbers, numbers as categories, values as missing."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vicinal.tables.arrays import column_of
from vicinal.tables.column import Column
from vicinal.tables.counting import count_levels
from vicinal.tables.values import to_python, value_key, value_type
from vicinal.typing import Bools, Places


def to_category(column: Column, order: Sequence[Any] | None) -> Column:
    """Mark a column as categorical, with all categories in order if they have one.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.casts import to_category
    >>> to_category(column_of(["S", "L"], "size"), ["S", "M", "L"]).order
    ('S', 'M', 'L')
    """
    codes, levels = column.labels()
    declared = None if order is None else tuple(to_python(level) for level in order)
    return Column("category", codes, levels=levels, order=declared)


def to_numeric(column: Column, name: str) -> Column | None:
    """Read a column as numbers or times, where it has only such values.

    Returns
    -------
    Column or None
        None if some labels are not numbers. Bools among numbers count as 0 and 1.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.casts import to_numeric, to_category
    >>> codes = to_category(column_of([30, 10], "x"), None)
    >>> to_numeric(codes, "x").numbers(), to_numeric(column_of(["30"], "x"), "x")
    (array([30., 10.]), None)
    """
    if column.levels is None:
        return column
    levels, codes = used_levels(column)
    words = {value_type(type(level)) for level in levels}
    if len(words) > 1 and words <= {"bool", "int", "float", "decimal"}:
        levels = [float(level) for level in levels]
    retyped = column_from_codes(column_of(levels, name), codes)
    return retyped if retyped.levels is None else None


def column_from_codes(levels: Column, codes: Places) -> Column:
    """Make a column of its distinct values and the number of each row's value, -1 if missing.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.casts import column_from_codes
    >>> column_from_codes(column_of([7.5, 2.5], "x"), np.array([1, 0, -1])).numbers()
    array([2.5, 7.5, nan])
    """
    if levels.levels is not None:
        return replace(levels, values=np.append(levels.values, -1)[codes])
    if not len(levels):
        return Column("null", np.full(len(codes), np.nan))
    missing = codes < 0
    if levels.missing is not None:
        missing |= levels.missing[codes]
    return replace(levels, values=levels.values[codes], missing=missing)


def mask_values(column: Column, keys: Collection[tuple[str, Hashable]], name: str) -> Column:
    """Read some values as missing.

    Parameters
    ----------
    keys : collection of tuple
        The `value_key` of each value that means missing.

    Returns
    -------
    Column
        What is left decides the dtype: [1, 2, "?"] without "?" is a column of numbers.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.casts import mask_values
    >>> mask_values(column_of([1, "?", 2], "x"), {("string", "?")}, "x").numbers()
    array([ 1., nan,  2.])
    """
    if not keys:
        return column
    if column.levels is None:
        return _mask_numbers(column, keys)
    dropped = np.array([value_key(level) in keys for level in column.levels] + [True])
    order = column.order and tuple(one for one in column.order if value_key(one) not in keys)
    left = replace(column, values=np.where(dropped[column.values], -1, column.values), order=order)
    if left.dtype != "mixed":
        return left
    levels, codes = used_levels(left)
    return column_from_codes(column_of(levels, name), codes)


def _mask_numbers(column: Column, keys: Collection[tuple[str, Hashable]]) -> Column:
    gone: Bools
    if column.family == "number" and column.dtype != "bool":
        wanted: list[Any] = [number for word, number in keys if word == "number"]
        gone = np.isin(column.values, wanted)
    else:
        codes, levels = column.labels()
        gone = np.array([value_key(level) in keys for level in levels] + [False])[codes]
    return replace(column, missing=column.is_missing() | gone) if gone.any() else column


def used_levels(column: Column) -> tuple[list[Any], Places]:
    """Return the levels that rows have, and the rows' numbers among them; of labels only."""
    assert column.levels is not None
    used = np.flatnonzero(count_levels(column).counts)
    places = np.full(len(column.levels) + 1, -1, dtype=np.intp)
    places[used] = np.arange(len(used))
    return [column.levels[code] for code in used], places[column.values]
