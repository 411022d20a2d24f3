"""Matrices back to tables: values that look like those of the table that was fitted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import TableError
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.ranks import category_numbers, numbers_from_ranks
from vicinal.schema.schema import Schema
from vicinal.tables import times
from vicinal.typing import Floats


def decode(
    matrix: ArrayLike, schema: Schema, names: Iterable[str] | None = None
) -> dict[str, list[Any]]:
    """Turn an encoded matrix into a dict of columns: of all features, or of those named.

    Examples
    --------
    >>> from vicinal.schema.decode import decode
    >>> from vicinal.schema.encode import encode
    >>> from vicinal.schema.infer import infer_schema
    >>> table = {"job": ["cook", None, "smith"], "month": [12, 1, None]}
    >>> schema = infer_schema(table, cyclic_features={"month": 12})
    >>> decode(encode(table, schema), schema) == table
    True
    >>> decode(encode(table, schema), schema, ["month"])
    {'month': [12, 1, None]}
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(schema):
        raise TableError(
            f"The matrix has the shape {values.shape}; expected two dimensions and "
            f"{len(schema)} columns, one for each feature."
        )
    return {
        name: decode_column(values[:, schema.column(name)], schema[name])
        for name in (schema.names if names is None else names)
    }


def decode_column(values: ArrayLike, feature: Feature) -> list[Any]:
    """Turn the encoded values of one feature into those of the table.

    Returns
    -------
    list
        One value per row; None where missing, and where a category was never seen.
        Whole-numbered and nominal features are rounded; cyclic ones lie in the cycle in which
        the fitted table wrote them.

    Examples
    --------
    >>> from vicinal.schema.decode import decode_column
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"job": ["cook", "smith"], "age": [31, 47]})
    >>> decode_column([1.0, float("nan")], schema["job"]), decode_column([46.8], schema["age"])
    (['smith', None], [47])
    """
    numbers = np.asarray(values, dtype=np.float64)
    if feature.kind is Kind.NOMINAL or feature.listed:
        return _pick(numbers, feature.categories or ())
    if feature.kind is Kind.CYCLIC and feature.dtype == "int":
        numbers = np.rint(numbers)  # so that a month of 12.6 becomes 1, not 13
    numbers = decode_numbers(numbers, feature)
    restore = _restorer(feature)
    missing = np.isnan(numbers).tolist()
    return [None if no else restore(v) for v, no in zip(numbers.tolist(), missing, strict=True)]


def decode_rows(values: ArrayLike, feature: Feature) -> list[Any]:
    """Turn the encoded values of one feature into those that rows have, as they are.

    As `decode_column`, but a row may have 2.5 where the fitted table has whole numbers.

    Examples
    --------
    >>> from vicinal.schema.decode import decode_rows
    >>> from vicinal.schema.infer import infer_schema
    >>> decode_rows([46.8, 47.0, float("nan")], infer_schema({"age": [31, 47]})["age"])
    [46.8, 47, None]
    """
    decoded = decode_column(values, feature)
    if feature.kind is not Kind.CONTINUOUS or feature.dtype != "int":
        return decoded
    numbers = np.asarray(values, dtype=np.float64).tolist()
    return [
        number if whole is not None and whole != number else whole
        for whole, number in zip(decoded, numbers, strict=True)
    ]


def frame_categories(features: Iterable[Feature]) -> dict[str, tuple[str, ...] | None]:
    """Return the columns that are categorical in the fitted table, for `build_frame`.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.schema.decode import frame_categories
    >>> from vicinal.schema.infer import infer_schema
    >>> table = pd.DataFrame({"job": ["cook", "smith"], "age": [31, 47]})
    >>> frame_categories(infer_schema(table.astype({"job": "category"})).features)
    {'job': None}
    """
    return {
        one.name: one.categories if one.kind is Kind.ORDINAL else None
        for one in features
        if one.dtype == "category" and all(isinstance(c, str) for c in one.categories or ())
    }


def decode_numbers(values: Floats, feature: Feature) -> Floats:
    """Turn encoded values of a feature without listed categories into its numbers, not rounded.

    Dates are seconds since the origin, durations and times of day seconds; NaN where missing.
    """
    if feature.kind is Kind.ORDINAL:
        return numbers_from_ranks(values, category_numbers(feature))
    if feature.period is not None and feature.family != "instant":
        start = feature.origin or 0.0
        # The start is added last, so that whole numbers stay whole.
        return np.mod(values - np.mod(start, feature.period), feature.period) + start
    return values


def turn_into_cycle(value: float, feature: Feature) -> float:
    """Return the whole periods that bring an encoded value into the cycle of the fitted table.

    Examples
    --------
    >>> from vicinal.schema.decode import turn_into_cycle
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"hour": [23, 0], "age": [31, 47]}, cyclic_features={"hour": 24})
    >>> turn_into_cycle(-1.5, schema["hour"]), turn_into_cycle(-1.5, schema["age"])
    (24.0, 0.0)
    """
    if feature.kind is not Kind.CYCLIC or feature.period is None or feature.in_seconds:
        return 0.0
    inside = float(decode_numbers(np.array(value), feature))
    return feature.period * round((inside - value) / feature.period)


def _pick(codes: Floats, categories: Sequence[Any]) -> list[Any]:
    known = np.isfinite(codes) & (codes > -0.5) & (codes < len(categories) - 0.5)
    places = np.where(known, codes, -1).round().astype(np.intp).tolist()
    return [None if place < 0 else categories[place] for place in places]


def _restorer(feature: Feature) -> Callable[[float], Any]:
    origin = int(feature.origin or 0)
    restorers: dict[str, Callable[[float], Any]] = {
        "int": round,
        "bool": lambda number: number > 0.5,
        "decimal": lambda number: Decimal(repr(number)),
        "datetime": lambda number: times.moment(number, origin, feature.timezone),
        "date": lambda number: times.moment(number, origin, None).date(),
        "duration": times.duration,
        "time": lambda number: times.time_of_day(dt.timedelta(seconds=number)),
    }
    return restorers.get(feature.dtype, float)
