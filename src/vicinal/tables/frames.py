"""Columns from dataframes and series of any library, through narwhals.

No dataframe library is imported here: narwhals knows those that the program already uses.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vicinal.exceptions import FeatureError, TableError
from vicinal.tables import times
from vicinal.tables.arrays import column_of, column_of_array
from vicinal.tables.casts import column_from_codes, to_category
from vicinal.tables.column import Column
from vicinal.typing import Floats

#: Libraries that results can be dataframes of.
LIBRARIES = ("pandas", "polars", "pyarrow")

# The share of distinct values below which polars numbers them faster than Python does.
_FEW = 0.05


def as_frame(table: Any) -> nw.DataFrame[Any] | None:
    """Wrap a dataframe; None if the object is not one.

    Examples
    --------
    >>> from vicinal.tables.frames import as_frame
    >>> as_frame({"age": [31]}) is None
    True
    """
    if isinstance(table, np.ndarray | dict | list):
        return None  # narwhals would ask about each of its libraries first
    try:
        frame = nw.from_native(table, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = list(getattr(table, "column_names", table.columns))
        raise duplicate_names(names) from None
    if isinstance(frame, nw.LazyFrame):
        raise TableError(
            f"Got a {type(table).__module__.split('.')[0]} {type(table).__name__}, whose rows are "
            "not in memory yet; expected a table in memory. Call its .collect() first."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def library_of(frame: nw.DataFrame[Any]) -> str | None:
    """Return the library of a dataframe, if results can be dataframes of it.

    Examples
    --------
    >>> import polars as pl
    >>> from vicinal.tables.frames import as_frame, library_of
    >>> library_of(as_frame(pl.DataFrame({"age": [31]})))
    'polars'
    """
    name = str(frame.implementation).lower().rpartition(".")[2]
    return name if name in LIBRARIES else None


def as_series(values: Any) -> nw.Series[Any] | None:
    """Wrap a series, or an array of pandas or pyarrow; None if the object is none of them.

    Examples
    --------
    >>> from vicinal.tables.frames import as_series
    >>> as_series([31]) is None
    True
    """
    if type(values) in (list, tuple, np.ndarray):
        return None  # the usual case; narwhals would take long to find that out
    # narwhals takes series only. Whoever has such an array has imported its library.
    pandas, pyarrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if pandas is not None and isinstance(values, pandas.api.extensions.ExtensionArray):
        values = pandas.Series(values)
    elif pyarrow is not None and isinstance(values, pyarrow.Array):
        values = pyarrow.chunked_array([values])
    series = nw.from_native(values, allow_series=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def frame_matrix(frame: nw.DataFrame[Any]) -> Floats | None:
    """Return a dataframe as an array of float64, with NaN where missing; None if it is not one.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.tables.frames import as_frame, frame_matrix
    >>> frame_matrix(as_frame(pd.DataFrame({"x": [0.5], "y": [1.5]})))
    array([[0.5, 1.5]])
    """
    # pyarrow has no way to do so that is faster than to go column by column.
    if frame.implementation.is_pyarrow() or set(frame.schema.values()) != {nw.Float64()}:
        return None
    matrix = frame.to_numpy()
    return matrix if matrix.dtype == np.float64 else None


def frame_columns(
    frame: nw.DataFrame[Any], matrix: Floats | None = None
) -> list[tuple[str, Column]]:
    """Read all columns of a dataframe, as views of what `frame_matrix` gave if it did.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.tables.frames import as_frame, frame_columns
    >>> [(name, column.dtype) for name, column in frame_columns(as_frame(pd.DataFrame({0: [1]})))]
    [('0', 'int')]
    """
    names = list(frame.columns)
    if matrix is not None:
        return [(str(name), Column("float", matrix[:, j])) for j, name in enumerate(names)]
    return [(str(name), column_of_series(frame.get_column(name), str(name))) for name in names]


def column_of_series(series: nw.Series[Any], name: str) -> Column:
    """Read a series of any library.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.tables.frames import as_series, column_of_series
    >>> sizes = pd.Series(["S", "L"], dtype=pd.CategoricalDtype(["S", "M", "L"], ordered=True))
    >>> column_of_series(as_series(sizes), "size").order
    ('S', 'M', 'L')
    """
    dtype = series.dtype
    if dtype.is_nested():
        raise FeatureError(
            f"Column {name!r} has the dtype {dtype}; expected one number, string, bool, date or "
            "duration per cell. Split the column into several, or drop it."
        )
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return to_category(_of_distinct(series, name), _declared_order(series))
    if dtype == nw.String:
        return _of_strings(series, name)
    wide = dtype in (nw.Int128, nw.UInt128)  # integers that numpy does not have
    if (dtype.is_integer() and not wide) or dtype == nw.Boolean:
        return _of_whole(series, name)
    if dtype == nw.Unknown and series.null_count() == len(series):
        return column_of([None] * len(series), name)
    if dtype.is_float() or dtype in (nw.Date, nw.Datetime, nw.Duration, nw.Unknown):
        zone = getattr(dtype, "time_zone", None)
        column = column_of_array(series.to_numpy(), name)
        return column if zone is None else replace(column, timezone=times.zone_name(zone))
    return column_of(series.to_list(), name)


def _of_strings(series: nw.Series[Any], name: str) -> Column:
    column = _of_distinct(series, name)
    # A column of strings is one without any string too; only pandas' objects may be anything.
    if column.dtype != "null" or str(getattr(nw.to_native(series), "dtype", "")) == "object":
        return column
    return Column("string", np.full(len(series), -1), levels=())


def _of_distinct(series: nw.Series[Any], name: str) -> Column:
    """Read a column whose values repeat: let its own library number the distinct ones."""
    native: Any = nw.to_native(series)
    if series.implementation.is_pandas():
        codes, levels = native.factorize()
        return column_from_codes(column_of(levels.tolist(), name), np.asarray(codes))
    if series.implementation.is_pyarrow():
        encoded = native.combine_chunks().dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)  # floats where there are nulls
        whole = np.nan_to_num(codes, nan=-1).astype(np.intp)
        return column_from_codes(column_of(encoded.dictionary.to_pylist(), name), whole)
    distinct = series.drop_nulls().unique().to_list()
    if series.implementation.is_polars() and 0 < len(distinct) < _FEW * len(series):
        numbers = series.fill_null(distinct[0]).replace_strict(
            distinct, range(len(distinct)), return_dtype=nw.Int64
        )
        codes = np.where(series.is_null().to_numpy(), -1, numbers.to_numpy())
        return column_from_codes(column_of(distinct, name), codes)
    return column_of(series.to_list(), name)


def _of_whole(series: nw.Series[Any], name: str) -> Column:
    # numpy would turn integers with nulls into floats, which lose digits; so nulls are masked.
    if not series.null_count():
        return column_of_array(series.to_numpy(), name)
    missing = series.is_null().to_numpy()
    filled = series.fill_null(False if series.dtype == nw.Boolean else 0)
    column = column_of_array(filled.to_numpy(), name)
    return Column(column.dtype, column.values, missing)


def _declared_order(series: nw.Series[Any]) -> Sequence[Any] | None:
    if isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    # narwhals does not say whether a dictionary of pyarrow's, or pandas' copy of one, is ordered.
    native: Any = nw.to_native(series)
    if hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):
        native = native.array.__arrow_array__()
    if not getattr(getattr(native, "type", None), "ordered", False):
        return None
    return native.unify_dictionaries().combine_chunks().dictionary.to_pylist()


def duplicate_names(names: Sequence[Any]) -> FeatureError:
    """Make the error about names that more than one column has."""
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    return FeatureError(
        f"The table has more than one column named {', '.join(map(repr, twice))}; feature names "
        "must be distinct. Rename or drop the others."
    )
