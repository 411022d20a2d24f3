"""Tables with some of their cells replaced, in the form in which they came."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from vicinal.tables.column import Column
from vicinal.tables.frames import as_frame
from vicinal.tables.table import Table, read_table
from vicinal.typing import Places

__all__ = ["write_cells"]

Cells = tuple[Places, Sequence[Any]]


def write_cells(table: Any, cells: Mapping[str, Cells]) -> Any:
    """Give a table with values put into some of its cells.

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
    frame = None if isinstance(table, Table | Mapping) else as_frame(table)
    if frame is not None:
        return _refill_frame(frame, cells)
    if isinstance(table, np.ndarray) and table.dtype.names is None and table.ndim == 2:
        return _refill_array(table, cells)
    read = read_table(table)
    return {
        name: _listed(column, cells.get(name, (np.empty(0, dtype=np.intp), [])))
        for name, column in read.columns.items()
    }


def _refill_frame(frame: nw.DataFrame[Any], cells: Mapping[str, Cells]) -> Any:
    changed = []
    for name in frame.columns:
        if str(name) in cells:
            rows, values = cells[str(name)]
            changed.append(_refill_series(frame.get_column(name), rows, values))
    return (frame.with_columns(*changed) if changed else frame).to_native()


def _refill_series(series: nw.Series[Any], rows: Places, values: Sequence[Any]) -> nw.Series[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = series.scatter(rows.tolist(), list(values))
            if made.dtype == series.dtype and made.null_count() <= series.null_count():
                return made
        except Exception:  # each library refuses in its own way what it cannot hold
            pass
    whole = series.to_list()
    for row, value in zip(rows.tolist(), values, strict=True):
        whole[row] = value
    made = nw.new_series(series.name, whole, backend=series.implementation)
    index = nw.maybe_get_index(series)
    return made if index is None else nw.maybe_set_index(made, index=index)


def _refill_array(table: NDArray[Any], cells: Mapping[str, Cells]) -> NDArray[Any]:
    values = [value for _, column in cells.values() for value in column]
    numbers = table.dtype.kind in "biuf" and all(
        isinstance(value, int | float | np.number) for value in values
    )
    plain = np.ma.getdata(table) if isinstance(table, np.ma.MaskedArray) else table
    dtype = np.result_type(table.dtype, np.float64) if numbers and values else object
    if table.dtype.kind == "f" and numbers:
        dtype = table.dtype
    filled = np.array(plain, dtype=dtype if values else table.dtype)
    for name, (rows, column) in cells.items():
        place = int(name.removeprefix("x"))
        for row, value in zip(rows.tolist(), column, strict=True):
            filled[row, place] = value
    return filled


def _listed(column: Column, cells: Cells) -> list[Any]:
    missing = column.is_missing()
    codes, levels = column.labels()
    whole = [
        None if no else levels[code] for code, no in zip(codes.tolist(), missing, strict=True)
    ]
    for row, value in zip(cells[0].tolist(), cells[1], strict=True):
        whole[row] = value
    return whole
