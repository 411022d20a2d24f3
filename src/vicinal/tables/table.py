"""Any table as named columns: dataframes, numpy arrays, dicts of columns, lists of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import TableError
from vicinal.tables.arrays import column_of, column_of_array
from vicinal.tables.column import Column
from vicinal.tables.frames import (
    as_frame,
    as_series,
    column_of_series,
    duplicate_names,
    frame_columns,
    frame_matrix,
    library_of,
)
from vicinal.tables.rows import as_rows, is_single, row_labels
from vicinal.typing import Floats

_EXPECTED = (
    "expected a dataframe (pandas, polars, pyarrow, ...), a numpy array of two dimensions, a dict "
    "of columns, or a list of rows"
)
_SCALARS = (str, bytes)


@dataclass(frozen=True, eq=False)
class Table:
    """A table that has been read: what `read_table` gives, and takes without reading again.

    Attributes
    ----------
    columns : dict
        Each name and its `Column`.
    named : bool
        Whether the names came with the table; those of a bare array are x0, x1, …
    matrix : ndarray or None
        The array of float64 that columns are views of, where there is one; it may have more.
    places : dict
        Which column of the matrix each name stands for, of those that are in it.
    by_name : bool
        Whether a schema of it sorts the features by name; see `Schema`.
    library : str or None
        The library of the dataframe that it was read from, where `build_frame` can use it.
    labels : ndarray of object or None
        What each row is called, if the table says so: the index of a pandas dataframe.
    codes : bool
        Whether integers may turn out to be codes of labels.
    single : bool
        Whether they are rows taken out of a table one by one, whose labels may be row numbers.

    Examples
    --------
    >>> from vicinal.tables.table import read_table
    >>> table = read_table({"age": [31, None], "job": ["cook", "smith"]})
    >>> table
    <Table of 2 rows and 2 columns: age, job>
    """

    columns: dict[str, Column]
    named: bool = True
    matrix: Floats | None = None
    places: dict[str, int] = field(default_factory=dict)
    by_name: bool = True
    library: str | None = None
    labels: NDArray[Any] | None = None
    single: bool = False
    codes: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def take(self, places: Any) -> Table:
        """Return some rows: by places, by a mask, or a slice of them."""
        columns = {name: one.take(places) for name, one in self.columns.items()}
        matrix = None if self.matrix is None else self.matrix[places]
        labels = None if self.labels is None else self.labels[places]
        return replace(self, columns=columns, matrix=matrix, labels=labels)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:12]) + (", …" if len(self.names) > 12 else "")
        return f"<Table of {len(self)} rows and {len(self.names)} columns: {shown}>"

    def rename(self, names: Sequence[str]) -> Table:
        """Return the table with other names for all of its columns, in their order.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.tables.table import read_table
        >>> read_table(np.zeros((3, 2))).rename(["age", "income"])
        <Table of 3 rows and 2 columns: age, income>
        """
        if self.named and tuple(names) == self.names:
            return self
        new = dict(zip(self.names, names, strict=True))
        return replace(
            self,
            columns={new[name]: column for name, column in self.columns.items()},
            named=True,
            places={new[name]: place for name, place in self.places.items()},
        )

    def drop(self, names: Collection[str]) -> Table:
        """Return the table without some of its columns.

        Examples
        --------
        >>> from vicinal.tables.table import read_table
        >>> read_table({"age": [31], "job": ["cook"], "zip": [100]}).drop(["job"]).names
        ('age', 'zip')
        """
        if not any(name in self.columns for name in names):
            return self
        return replace(
            self,
            columns={name: one for name, one in self.columns.items() if name not in names},
            places={name: one for name, one in self.places.items() if name not in names},
        )


def read_table(table: Any) -> Table:
    """Read any table into named columns.

    Parameters
    ----------
    table : dataframe, ndarray, dict or list
        A dataframe of any library that narwhals knows (pandas, polars, pyarrow, modin, cuDF); a
        numpy array of two dimensions, a structured array, or a masked one; a dict of columns
        (lists, arrays or series), or of single values for a single row; a list of rows, each a
        dict or a sequence. Columns of arrays and of rows without names are called x0, x1, …

    Raises
    ------
    TableError
        If it is not a table, has no columns, or columns of different lengths.
    FeatureError
        If a name occurs twice, or a cell holds a collection.

    Examples
    --------
    >>> from vicinal.tables.table import read_table
    >>> read_table([{"age": 31, "job": "cook"}, {"age": 47}])
    <Table of 2 rows and 2 columns: age, job>
    >>> read_table([[1.5, "a"], [2.5, "b"]]).names
    ('x0', 'x1')
    """
    if isinstance(table, Table):
        return table
    if isinstance(table, np.matrix):
        table = np.asarray(table)  # rows and columns of a matrix would stay two-dimensional
    if isinstance(table, np.ndarray):
        plain = type(table) is np.ndarray and table.dtype == np.float64
        named = table.dtype.names is not None
        return _checked(_array_columns(table), named, table if plain else None)
    if isinstance(table, Mapping):
        return _checked(list(_dict_columns(table)))
    if isinstance(table, Sequence) and not isinstance(table, _SCALARS):
        return _checked(*_row_columns(table))
    frame = as_frame(table)
    if frame is None:
        raise TableError(f"Got a {type(table).__name__}; {_EXPECTED}.{_advice(table)}")
    matrix = frame_matrix(frame)
    read = _checked(frame_columns(frame, matrix), matrix=matrix)
    return replace(read, labels=row_labels(table), library=library_of(frame))


def read_rows(rows: Any) -> Table:
    """Read rows in any form that `read_table` takes, or rows of a pandas dataframe on their own.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.tables.table import read_rows
    >>> patients = pd.DataFrame({"age": [31], "job": ["cook"]}, index=["P-17"])
    >>> read_rows(patients.iloc[0])
    <Table of 1 rows and 2 columns: age, job>
    """
    given, labels = as_rows(rows)
    read = read_table(given)
    return read if labels is None else replace(read, labels=labels, single=True)


def _checked(
    columns: list[tuple[str, Column]], named: bool = True, matrix: Floats | None = None
) -> Table:
    if not columns:
        raise TableError("The table has no columns; expected at least one.")
    names = [name for name, _ in columns]
    if len(set(names)) < len(names):
        raise duplicate_names(names)
    _check_lengths(columns)
    places = {} if matrix is None else {name: place for place, name in enumerate(names)}
    return Table(dict(columns), named, matrix, places)


def _array_columns(table: NDArray[Any]) -> list[tuple[str, Column]]:
    fields = table.dtype.names
    if fields is not None:
        return [(name, column_of_array(np.atleast_1d(table[name]), name)) for name in fields]
    if table.ndim != 2:
        raise TableError(
            f"Got an array of {table.ndim} dimension{'s' * (table.ndim != 1)}; expected 2 (rows "
            "and columns). Use array.reshape(1, -1) for a single row, array.reshape(-1, 1) for a "
            "single column."
        )
    return [(f"x{j}", column_of_array(table[:, j], f"x{j}")) for j in range(table.shape[1])]


def _dict_columns(table: Mapping[Any, Any]) -> Iterator[tuple[str, Column]]:
    if table and all(is_single(values) for values in table.values()):
        table = {name: [value] for name, value in table.items()}
    for key, values in table.items():
        name = str(key)
        series = as_series(values)
        if series is not None:
            yield name, column_of_series(series, name)
        elif isinstance(values, np.ndarray) and values.ndim == 1:
            yield name, column_of_array(values, name)
        elif isinstance(values, Sequence) and not isinstance(values, _SCALARS):
            yield name, column_of(values, name)
        else:
            raise TableError(
                f"Column {name!r} is a {type(values).__name__}; expected a list, a "
                "one-dimensional array or a series with one value per row."
            )


def _row_columns(rows: Sequence[Any]) -> tuple[list[tuple[str, Column]], bool]:
    if not rows:
        raise TableError(f"Got an empty list; {_EXPECTED}.")
    if all(isinstance(row, Mapping) for row in rows):
        # A dict, not a set, keeps the names in the order in which they first occur.
        keys = dict.fromkeys(key for row in rows for key in row)
        return [(str(k), column_of([row.get(k) for row in rows], str(k))) for k in keys], True
    for number, row in enumerate(rows):
        if not isinstance(row, Sequence | np.ndarray) or isinstance(row, _SCALARS):
            raise TableError(
                f"Row {number} of the list is a {type(row).__name__}; expected each row to be a "
                "dict, or each to be a sequence with one value per column."
            )
        if len(row) != len(rows[0]):
            raise TableError(
                f"Row {number} of the list has {len(row)} values and row 0 has {len(rows[0])}; "
                "expected rows of the same length."
            )
    columns = zip(*rows, strict=True)
    return [(f"x{j}", column_of(values, f"x{j}")) for j, values in enumerate(columns)], False


def _check_lengths(columns: list[tuple[str, Column]]) -> None:
    first, expected = columns[0][0], len(columns[0][1])
    for name, column in columns:
        if len(column) != expected:
            raise TableError(
                f"Column {name!r} has {len(column)} rows and column {first!r} has {expected}; "
                "expected columns of the same length."
            )


def _advice(table: Any) -> str:
    if as_series(table) is not None:
        return " For a single column call its .to_frame()."
    if hasattr(table, "toarray"):
        return " A sparse matrix has to be made dense: call its .toarray()."
    return ""
