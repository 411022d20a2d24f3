"""Columns of results with the types that a dataframe library has for their values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from vicinal.formatting.values import format_value

_LARGEST = 2**63


def typed_column(values: Any, library: str) -> Any:
    """Return values as a column of one type: numbers, booleans, times or text.

    Parameters
    ----------
    values : sequence
        The values; None for missing ones. An array is returned as it is.
    library : {"pandas", "polars", "pyarrow"}
        Where the column goes. pandas needs types for dates and for missing values;
        the others infer them.

    Examples
    --------
    >>> from vicinal.tables.typed_columns import typed_column
    >>> typed_column([1, 2.5, None], "polars")
    array([1. , 2.5, nan])
    >>> typed_column([1, "a", None], "polars")
    ['1', 'a', None]
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values
    cells = [_plain(value) for value in values]
    known = [value for value in cells if value is not None]
    if not cells:
        return cells
    kinds = {type(value) for value in known}
    if kinds <= {int, float} and (kinds != {int} or max(map(abs, known)) >= _LARGEST):
        return np.array([np.nan if value is None else float(value) for value in cells])
    if kinds <= {int} or kinds <= {bool}:
        return _with_gaps(cells, len(known), "Int64" if kinds == {int} else "boolean", library)
    if len(kinds) == 1:
        return _times(cells, kinds, library) if kinds <= {dt.date, dt.datetime} else cells
    return [None if value is None else format_value(value) for value in cells]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value


def _with_gaps(cells: list[Any], n_known: int, dtype: str, library: str) -> Any:
    """Whole numbers or booleans, some of them missing."""
    if n_known == len(cells) or library != "pandas":
        return cells
    return import_module("pandas").array(cells, dtype=dtype)


def _times(cells: Sequence[Any], kinds: set[type], library: str) -> Any:
    """Dates or datetimes; for pandas in a unit that reaches the years 1 and 9999."""
    zoned = any(getattr(value, "tzinfo", None) is not None for value in cells)
    if library != "pandas" or zoned:
        return list(cells)
    return np.array(cells, dtype="datetime64[s]" if kinds == {dt.date} else "datetime64[us]")
