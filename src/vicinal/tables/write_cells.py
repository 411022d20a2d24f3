"""Tables with some of their cells replaced, in the form in which they came."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from vicinal.tables.column import Column
from vicinal.tables.frames import as_frame
from vicinal.tables.iso_text import values_like
from vicinal.tables.table import Table, read_table
from vicinal.typing import Places

Cells = tuple[Places, Sequence[Any]]


def write_cells(table: Any, cells: Mapping[str, Cells]) -> Any:
    """Return a table with values put into some of its cells.

    Parameters
    ----------
    table : dataframe, ndarray, dict or list
        Any table that `read_table` reads; it stays as it is.
    cells : mapping of str to (rows, values)
        What to put where, by the name of the column.

    Returns
    -------
    dataframe, ndarray or dict
        A dataframe of the same library, with the types of its columns where the values allow it;
        an array of the same shape; a dict of lists for anything else.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.write_cells import write_cells
    >>> write_cells({"job": ["cook", None]}, {"job": (np.array([1]), ["smith"])})
    {'job': ['cook', 'smith']}
    """
    cells = _with_text(table, cells)
    frame = None if isinstance(table, Table | Mapping) else as_frame(table)
    if frame is not None:
        return _write_frame(frame, cells)
    if isinstance(table, np.ndarray) and table.dtype.names is None and table.ndim == 2:
        return _write_array(table, cells)
    columns = read_table(table).columns
    return {
        name: _put(_to_list(column), *cells.get(name, ((), ())))
        for name, column in columns.items()
    }


def _with_text(table: Any, cells: Mapping[str, Cells]) -> Mapping[str, Cells]:
    """Write times as text in columns that hold them as text."""
    if not any(hasattr(one, "isoformat") for _, values in cells.values() for one in values):
        return cells
    columns = read_table(table).columns
    return {
        name: (rows, values_like(columns[name], given)) for name, (rows, given) in cells.items()
    }


def _write_frame(frame: nw.DataFrame[Any], cells: Mapping[str, Cells]) -> Any:
    changed = [
        _write_series(frame.get_column(name), *cells[str(name)])
        for name in frame.columns
        if str(name) in cells
    ]
    return (frame.with_columns(*changed) if changed else frame).to_native()


def _write_series(series: nw.Series[Any], rows: Places, values: Sequence[Any]) -> nw.Series[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = series.scatter(rows.tolist(), list(values))
            if made.dtype == series.dtype and made.null_count() <= series.null_count():
                return made
        except Exception:  # each library refuses in its own way what it cannot hold
            pass
    whole = _put(series.to_list(), rows, values)
    made = nw.new_series(series.name, whole, backend=series.implementation)
    index = nw.maybe_get_index(series)
    return made if index is None else nw.maybe_set_index(made, index=index)


def _write_array(table: NDArray[Any], cells: Mapping[str, Cells]) -> NDArray[Any]:
    filled = np.array(np.ma.getdata(table), dtype=_dtype_for(table.dtype, cells))
    for name, (rows, values) in cells.items():
        _put(filled[:, int(name.removeprefix("x"))], rows, values)
    return filled


def _dtype_for(dtype: np.dtype[Any], cells: Mapping[str, Cells]) -> np.dtype[Any]:
    values = [value for _, column in cells.values() for value in column]
    numbers = all(isinstance(value, int | float | np.number) for value in values)
    if not values or (dtype.kind == "f" and numbers):
        return dtype
    fits = numbers and dtype.kind in "biu"
    return np.result_type(dtype, np.float64) if fits else np.dtype(object)


def _put(whole: Any, rows: Iterable[int], values: Iterable[Any]) -> Any:
    """Put values into rows of a list or an array, one by one so that each stays what it is."""
    for row, value in zip(rows, values, strict=True):
        whole[row] = value
    return whole


def _to_list(column: Column) -> list[Any]:
    codes, levels = column.labels()
    return [None if code < 0 else levels[code] for code in codes.tolist()]
