"""The schema of a table: from its dtypes, its values, and what the user says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from vicinal.exceptions import FeatureError, TableError
from vicinal.schema.categories import rank_listed, sort_by_frequency
from vicinal.schema.codes import are_codes
from vicinal.schema.declarations import Declaration, declared_kinds, declared_missing
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.roles import ignored_columns, row_counts
from vicinal.schema.schema import Schema
from vicinal.schema.sentinels import find_sentinels
from vicinal.tables.casts import mask_values, to_numeric
from vicinal.tables.column import Column
from vicinal.tables.counting import check_all_finite, distinct_values
from vicinal.tables.iso_text import times_column
from vicinal.tables.table import read_table
from vicinal.tables.times import DAY
from vicinal.tables.values import value_key
from vicinal.typing import Floats


def infer_schema(
    table: Any,
    *,
    categorical_features: Any = "from_dtype",
    ordinal_features: Iterable[str] | Mapping[str, Any] | None = None,
    cyclic_features: Mapping[str, Any] | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    classes: Mapping[str, Any] | None = None,
    missing_values: Any = (),
    ignore: Any = "auto",
    weights: Floats | None = None,
) -> Schema:
    """Infer the schema of a table.

    Parameters
    ----------
    table : dataframe, ndarray, dict or list
        Any table that `read_table` reads.
    categorical_features : "from_dtype", list of str, list of int, or list of bool
        Features that are nominal besides those whose dtype says so: their names, their column
        numbers, or a bool for each column.
    ordinal_features : list of str or dict, optional
        Features that are ordinal. A dict gives the categories in order, the lowest first (or
        None). Without them numbers and ordered categoricals have an order of their own.
    cyclic_features : dict, optional
        Features that wrap around, and their periods: ``{"hour": 24}``. For dates and durations the
        period is in seconds or a timedelta.
    kinds : dict, optional
        The kind of any feature by name: "continuous", "ordinal", "cyclic" or "nominal".
    classes : dict of str to list, optional
        The classes of nominal features in the order in which probabilities list them and ties are
        broken; by default by frequency. Those that are not listed follow.
    missing_values : value, list, or dict
        Values that mean missing besides None, NaN, NaT and NA: for all features, or by name.
    ignore : "auto", or list of str, default="auto"
        Columns that are not features: identifiers and free text, unless they are declared, or
        these columns alone. An empty list uses all columns.
    weights : ndarray of shape (n,), optional
        How often each row counts, where categories are put in the order of their frequency.

    Returns
    -------
    Schema

    Raises
    ------
    TableError
        If the table has no rows, or a declared order does not have all values.
    FeatureError
        If a name is not a column, or a kind does not fit the values.

    Notes
    -----
    By default, numbers (most integers too), dates, datetimes and durations are continuous;
    bools, strings and unordered categoricals nominal; ordered categoricals (and polars' Enum)
    ordinal; times of day cyclic. Text that has the form of ISO dates, datetimes or times
    throughout is read as such. Integers that are labels (`are_codes`) are nominal. Values such as
    −999 (`find_sentinels`) are missing. Identifiers and free text (`role_of`) are ignored. None of
    this is inferred about columns that are declared in any way, and the numbers of a bare array
    are taken as they are. A column of objects is what its values are: numbers and None
    are numbers; strings and numbers together are nominal, where 1 and 1.0 are the same and 1,
    True and "1" are not. A column that is missing throughout is continuous. Nothing depends on
    the order of the rows or of the columns.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> table = {"hour": [23, 1, 4], "size": ["S", "L", "?"], "zip": [100, 200, 100]}
    >>> infer_schema(
    ...     table,
    ...     categorical_features=["zip"],
    ...     ordinal_features={"size": ["S", "M", "L"]},
    ...     cyclic_features={"hour": 24},
    ...     missing_values="?",
    ... )
    Schema of 3 features
      name  kind     values                   missing values
      hour  cyclic   int, period 24           also ?
      size  ordinal  3 categories: S < M < L  also ?
      zip   nominal  2 categories: 100, 200   also ?
    """
    read = read_table(table)
    if not len(read):
        raise TableError("The table has no rows; expected at least one.")
    declared = declared_kinds(
        read.names,
        categorical_features=categorical_features,
        ordinal_features=ordinal_features,
        cyclic_features=cyclic_features,
        kinds=kinds,
        classes=classes,
    )
    markers = declared_missing(read.names, missing_values)
    columns = {
        name: _read(name, column, declared.get(name), markers[name])
        for name, column in read.columns.items()
    }
    counts = row_counts(weights)
    ignored = ignored_columns(columns, ignore, declared, named=read.named, counts=counts)
    left_out = {one.name for one in ignored}
    said_of = {*declared, *(missing_values if isinstance(missing_values, Mapping) else ())}
    features = []
    for name, column in columns.items():
        if name in left_out:
            continue
        if read.named and name not in said_of:
            markers[name] += find_sentinels(column, counts)
        column = mask_values(column, frozenset(map(value_key, markers[name])), name)
        inferred = read.named and read.codes and name not in declared
        codes = inferred and are_codes(name, column, counts)
        said = Declaration(Kind.NOMINAL, "its values") if codes else declared.get(name)
        features.append(_feature(name, column, said, markers[name], weights))
    return Schema(tuple(features), read.by_name, ignored)


def _read(
    name: str, column: Column, declared: Declaration | None, markers: tuple[Any, ...]
) -> Column:
    """Take out missing values, and read text as dates and times unless it is declared a label."""
    column = mask_values(column, frozenset(map(value_key, markers)), name)
    labels = declared is not None and (declared.kind is Kind.NOMINAL or declared.order is not None)
    return column if labels else times_column(column, name) or column


def _feature(
    name: str,
    column: Column,
    declared: Declaration | None,
    markers: tuple[Any, ...],
    weights: Floats | None,
) -> Feature:
    declared = declared or Declaration(_natural_kind(column), "its dtype")
    builders: dict[Kind, Callable[[str, Column, Declaration], dict[str, Any]]] = {
        Kind.CONTINUOUS: _continuous,
        Kind.ORDINAL: _ordinal,
        Kind.CYCLIC: _cyclic,
        Kind.NOMINAL: partial(_nominal, weights=weights),
    }
    details = {"dtype": column.dtype, **builders[declared.kind](name, column, declared)}
    return Feature(name, declared.kind, missing_values=markers, **details)


def _natural_kind(column: Column) -> Kind:
    if column.dtype == "bool" or column.levels is not None:
        return Kind.NOMINAL if column.order is None else Kind.ORDINAL
    return Kind.CYCLIC if column.dtype == "time" else Kind.CONTINUOUS


def _continuous(name: str, column: Column, declared: Declaration) -> dict[str, Any]:
    return _of_numbers(_as_numbers(name, column, declared))


def _of_numbers(column: Column) -> dict[str, Any]:
    if column.family != "instant":
        return {"dtype": column.dtype}
    # A whole second near the data, so that the digits left are spent on the differences.
    low, _ = column.ends
    origin = 0.0 if np.isnan(low) else float(np.floor(low))
    return {"dtype": column.dtype, "origin": origin, "timezone": column.timezone}


def _ordinal(name: str, column: Column, declared: Declaration) -> dict[str, Any]:
    order = declared.order if declared.order is not None else column.order
    if order is None:
        ranked = _as_numbers(name, column, declared)
        check_all_finite(ranked, name)
        levels = {value_key(level): level for level in ranked.to_python(distinct_values(ranked))}
        return {**_of_numbers(ranked), "categories": tuple(levels[key] for key in sorted(levels))}
    rank_listed(column, order, name)  # raises an error for values that the order lacks
    return {"timezone": column.timezone, "categories": order, "listed": True}


def _cyclic(name: str, column: Column, declared: Declaration) -> dict[str, Any]:
    column = _as_numbers(name, column, declared)
    period = DAY if declared.period is None and column.dtype == "time" else declared.period
    if period is None:
        raise FeatureError(
            f"Feature {name!r} was declared cyclic without a period; give it one with "
            f"cyclic_features={{{name!r}: period}}."
        )
    check_all_finite(column, name)
    details = {"dtype": column.dtype, "timezone": column.timezone, "period": float(period)}
    return {**details, "origin": _cycle_start(column, period)}


def _cycle_start(column: Column, period: float) -> float:
    """Find the cycle that the values are written in: from 0, from 1, around 0, or other."""
    low, high = column.ends
    if column.family == "instant" or np.isnan(low):
        return 0.0
    if low >= 0 and high < period:
        return 0.0
    if column.dtype == "int" and low >= 1 and high < 1 + period:
        return 1.0
    if -period / 2 <= low and high <= period / 2:
        return -period / 2
    return low if high - low <= period else 0.0


def _nominal(
    name: str, column: Column, declared: Declaration, *, weights: Floats | None
) -> dict[str, Any]:
    check_all_finite(column, name)
    categories = sort_by_frequency(column, weights)
    return {
        "timezone": column.timezone,
        "categories": tuple(categories),
        "classes": declared.order,
    }


def _as_numbers(name: str, column: Column, declared: Declaration) -> Column:
    numbers = to_numeric(column, name)
    if numbers is not None:
        return numbers
    row = column.first_mismatch({"number", "bool"})
    needed = (
        f"Give the order: ordinal_features={{{name!r}: [lowest, …, highest]}}."
        if declared.kind is Kind.ORDINAL
        else "Leave it nominal, or convert the column to numbers first."
    )
    raise FeatureError(
        f"Feature {name!r} was declared {declared.kind} by {declared.argument}, but it holds "
        f"{column.dtype} values (row {row}: {column.value(row)!r}); expected numbers. {needed}"
    )
