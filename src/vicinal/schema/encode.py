"""Tables to matrices: one float64 column for each feature, in storage order, NaN where missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from vicinal.exceptions import TableError
from vicinal.schema.align import match_columns, nominal_codes
from vicinal.schema.categories import rank_listed
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.ranks import category_numbers, ranks_from_numbers
from vicinal.schema.schema import Schema
from vicinal.tables.casts import to_numeric
from vicinal.tables.column import Column, check_finite
from vicinal.tables.iso_text import times_column
from vicinal.tables.table import Table, read_table
from vicinal.typing import Floats

_BLOCK_CELLS = 1 << 18
_BLOCK_ROWS = 512
_PLURAL = {
    "number": "numbers",
    "instant": "dates or datetimes",
    "duration": "durations",
    "time of day": "times of day",
}


def encode(
    table: Any,
    schema: Schema,
    *,
    require: bool | Collection[str] = True,
) -> Floats:
    """Turn a table into a matrix.

    Parameters
    ----------
    table : dataframe, ndarray, dict or list
        Any table that `read_table` reads. The columns of a bare array, which have no names, are
        those of the schema in their order.
    schema : Schema
        What the columns are.
    require : bool or collection of str, default=True
        The features that must be there: all, none, or these. Others may be absent, which is to
        be missing throughout.

    Returns
    -------
    ndarray of float64, shape (rows, features), C order
        Columns in storage order. Continuous: the number; for dates the seconds since the origin,
        for durations and times of day the seconds. Ordinal: the rank from 0. Cyclic: the value
        modulo the period. Nominal: the code of the category; as many as there are categories for
        one never seen ("different from all"; see `grow_schema`). NaN where missing.

    Raises
    ------
    TableError
        If a value is infinite, of another type than in the fitted table, or not among listed
        ordinal categories; or if columns are absent. Column and row are named.
    FeatureError
        If a column is not in the schema.

    Notes
    -----
    The categories of an ordinal feature whose numbers were not listed are its distinct values. A
    number between two of them gets a rank between theirs; beyond the ends the rank is
    extrapolated from the last step, by one rank at most.

    Examples
    --------
    >>> from vicinal.schema.encode import encode
    >>> from vicinal.schema.infer import infer_schema
    >>> table = {"job": ["cook", "smith", "cook"], "age": [31, None, 47]}
    >>> schema = infer_schema(table)
    >>> encode(table, schema)
    array([[31.,  0.],
           [nan,  1.],
           [47.,  0.]])
    >>> encode({"job": ["pilot"], "age": [52]}, schema)
    array([[52.,  2.]])
    """
    read = read_table(table)
    matched = match_columns(read, schema, require=require)
    return _assemble(matched, schema, len(read))


def _assemble(table: Table, schema: Schema, n_rows: int) -> Floats:
    """Write the columns side by side; those of an array of numbers are taken all at once."""
    places: list[int | None] = [None] * len(schema)
    if table.matrix is not None:
        places = [
            table.places.get(one.name) if _is_number(one) else None for one in schema.storage
        ]
    others = {
        number: _encode_column(table.columns.get(one.name), one, n_rows)
        for number, (one, place) in enumerate(zip(schema.storage, places, strict=True))
        if place is None
    }
    order = np.array([place or 0 for place in places])
    matrix = np.empty((n_rows, len(schema)))
    for rows in _blocks(n_rows, len(schema)):
        block = matrix[rows]
        if table.matrix is not None and len(others) < len(schema):
            # With mode="clip" numpy writes to `out` directly; all of the order is in range.
            np.take(table.matrix[rows], order, axis=1, out=block, mode="clip")
        with np.errstate(over="ignore"):  # of long doubles; infinite values are refused below
            for number, column in others.items():
                block[:, number] = column.values[rows]
                if column.missing is not None:
                    block[column.missing[rows], number] = np.nan
        _check_block(matrix, rows, schema)
    return matrix


def _is_number(feature: Feature) -> bool:
    """Tell whether encoding changes nothing but the place of a column of numbers."""
    return feature.kind is Kind.CONTINUOUS and feature.family == "number"


def _encode_column(column: Column | None, feature: Feature, n_rows: int) -> Column:
    if column is not None and column.family == "number" and _is_number(feature):
        return column  # the common case, without a copy
    return Column("float", _encoded(column, feature, n_rows))


def _encoded(column: Column | None, feature: Feature, n_rows: int) -> Floats:
    if column is None or column.first_present() is None:
        return np.full(n_rows, np.nan)
    if feature.family in ("instant", "time of day") and not feature.listed:
        column = times_column(column, feature.name) or column
    _check_zone(column, feature)
    if feature.kind is Kind.NOMINAL:
        return _codes(column, feature)
    if feature.listed:
        return rank_listed(column, feature.categories or (), feature.name)
    numbers = _numbers_for(column, feature)
    check_finite(numbers, feature.name)
    if feature.kind is Kind.ORDINAL:
        return ranks_from_numbers(numbers, category_numbers(feature))
    return numbers if feature.period is None else _phase(numbers, feature.period)


def _codes(column: Column, feature: Feature) -> Floats:
    rows, codes, _ = nominal_codes(column, feature)
    codes = np.where(codes < 0, len(feature.categories or ()), codes)
    return np.append(codes.astype(np.float64), np.nan)[rows]


def _numbers_for(column: Column, feature: Feature) -> Floats:
    numbers = to_numeric(column, feature.name)
    if numbers is None or numbers.family != feature.family:
        raise _wrong_type(column, feature)
    return numbers.numbers(int(feature.origin or 0) if feature.family == "instant" else 0)


def _wrong_type(column: Column, feature: Feature) -> TableError:
    fitting = {"number", "bool"} if feature.family == "number" else {feature.family}
    row = column.first_mismatch(fitting)
    value = column.value(row)
    return TableError(
        f"Column {feature.name!r} has {value!r} ({type(value).__name__}) in row {row} (counted "
        f"from 0); expected {_PLURAL[feature.family]}, since the feature is {feature.kind}. "
        "Convert the column to the type that it had in the fitted table."
    )


def _check_zone(column: Column, feature: Feature) -> None:
    if column.family != "instant" or feature.family != "instant":
        return
    if (column.timezone is None) != (feature.timezone is None):
        given, fitted = column.timezone or "none", feature.timezone or "none"
        raise TableError(
            f"The time zone of column {feature.name!r} is {given}, and of the fitted table's "
            f"{fitted}; expected both to have one, or neither."
        )


def _phase(numbers: Floats, period: float) -> Floats:
    phase = np.mod(numbers, period)
    phase[phase >= period] = 0.0  # the remainder of a tiny negative number rounds up to the period
    return phase


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut the rows so that a block is checked while it is still in the cache."""
    step = max(_BLOCK_ROWS, _BLOCK_CELLS // n_columns)
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _check_block(matrix: Floats, rows: slice, schema: Schema) -> None:
    infinite = np.isinf(matrix[rows])
    if infinite.any():
        number = int(infinite.any(axis=0).argmax())
        check_finite(matrix[: rows.stop, number], schema.storage[number].name)
