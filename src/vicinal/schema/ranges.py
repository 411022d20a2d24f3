"""Ranges and values of features that a user gives in an argument, checked and encoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from vicinal.exceptions import FeatureError, ParameterError, TableError, did_you_mean
from vicinal.formatting.values import format_value
from vicinal.schema.declarations import check_column
from vicinal.schema.decode import decode_rows
from vicinal.schema.encode import encode
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.typing import Floats


def read_ends(schema: Schema, name: str, ends: Any, argument: str) -> tuple[float, float]:
    """Check and encode the ends of a range that an argument has for a feature.

    Infinite where an end is None or infinite.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.schema.ranges import read_ends
    >>> read_ends(infer_schema({"age": [31, 47]}), "age", (40, None), "ranges")
    (40.0, inf)
    """
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise ParameterError(
            f"{argument} has {ends!r} for {name!r}; expected (low, high), with None for an open "
            "end."
        )
    feature = schema[name]
    if _is_infinite(ends[0]) and ends[0] is not None and ends[0] > 0:
        raise ParameterError(_beyond(argument, name, ends, "low", "above"))
    if _is_infinite(ends[1]) and ends[1] is not None and ends[1] < 0:
        raise ParameterError(_beyond(argument, name, ends, "high", "below"))
    low, high = (None if _is_infinite(end) else end for end in ends)
    if feature.kind is Kind.CYCLIC and (low is None) != (high is None):
        raise ParameterError(
            f"{argument} has {tuple(ends)!r} for {name!r}, which is cyclic; expected both ends, "
            "from the first to the second around the cycle."
        )
    lower = -np.inf if low is None else encoded_values(schema, name, [low], argument)[0]
    upper = np.inf if high is None else encoded_values(schema, name, [high], argument)[0]
    if feature.kind is Kind.CYCLIC:
        numbers = isinstance(low, Real) and isinstance(high, Real)
        if numbers and float(high) - float(low) >= (feature.period or np.inf):  # type: ignore[arg-type]
            return -np.inf, np.inf
    elif lower > upper:
        raise ParameterError(
            f"{argument} has {tuple(ends)!r} for {name!r}, whose low end is above its high end; "
            f"expected (low, high), perhaps {(ends[1], ends[0])!r}."
        )
    return float(lower), float(upper)


def _beyond(argument: str, name: str, ends: Any, end: str, side: str) -> str:
    return (
        f"{argument} has {tuple(ends)!r} for {name!r}; no value is {side} this {end} end. "
        "Use None for an open end."
    )


def encoded_values(schema: Schema, name: str, values: list[Any], argument: str) -> Floats:
    """Encode values of one feature, all of which must be known."""
    feature = schema[name]
    try:
        encoded = encode({name: values}, schema, require=False)[:, schema.column(name)]
    except TableError as error:
        known = feature.categories if feature.listed else ()
        hint = did_you_mean(values[0], known or ())
        raise ParameterError(f"{argument}: {error}{hint}") from error
    if feature.kind is Kind.NOMINAL:
        categories = feature.categories or ()
        for value, code in zip(values, encoded, strict=True):
            if code >= len(categories):
                hint = did_you_mean(value, categories)
                raise ParameterError(
                    f"{argument}: {name!r} has no category {value!r}."
                    + (hint or f" It has {listed_values(categories)}.")
                )
    if np.isnan(encoded).any():
        raise ParameterError(
            f"{argument} has {values[int(np.argmax(np.isnan(encoded)))]!r} for {name!r}, which is "
            "a missing value; expected known values."
        )
    return encoded


def _is_infinite(end: Any) -> bool:
    return end is None or (isinstance(end, float | np.floating) and bool(np.isinf(end)))


def listed_values(values: Sequence[Any]) -> str:
    """Return the first few values as text."""
    return ", ".join(map(repr, values[:8])) + ", …" * (len(values) > 8)


def read_bounds(schema: Schema, bounds: Any) -> dict[int, tuple[float, float]]:
    """Check and encode the declared bounds of features, by encoded column.

    NaN stands for an end that is not declared, which is learned instead; an infinite one says
    that there is no bound.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.schema.ranges import read_bounds
    >>> read_bounds(infer_schema({"age": [31, 47]}), {"age": (0, None)})
    {0: (0.0, nan)}
    """
    if bounds is not None and not isinstance(bounds, Mapping):
        raise ParameterError(
            f"bounds={bounds!r}; expected a dict of names and their bounds, such as "
            "{'age': (0, 120)}."
        )
    found = {}
    for name, ends in (bounds or {}).items():
        check_column(name, schema.names, "bounds")
        if schema[name].kind is not Kind.CONTINUOUS:
            raise FeatureError(
                f"bounds has {name!r}, which is {schema[name].kind}; expected a number or a date. "
                f"If it is one, say so: kinds={{{name!r}: 'continuous'}}."
            )
        lower, upper = read_ends(schema, name, ends, "bounds")
        found[schema.column(name)] = (
            np.nan if ends[0] is None else lower,
            np.nan if ends[1] is None else upper,
        )
    return found


def check_bounds(values: Floats, schema: Schema, bounds: Any) -> None:
    """Refuse encoded rows with a value outside its declared bounds."""
    for column, (lower, upper) in read_bounds(schema, bounds).items():
        outside = (values[:, column] < lower) | (values[:, column] > upper)
        if outside.any():
            row, feature = int(np.argmax(outside)), schema.storage[column]
            [value] = decode_rows(values[row : row + 1, column], feature)
            raise TableError(
                f"Row {row} has {format_value(value)} in {feature.name!r}, outside its bounds "
                f"{tuple(bounds[feature.name])!r}; correct the value, let it mean missing "
                f"(missing_values={{{feature.name!r}: …}}), or widen the bounds."
            )
