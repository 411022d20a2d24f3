"""Values of a table from JSON, and numbers as JSON: JSON has no dates and no NaN."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import TableError
from vicinal.formatting.values import json_value
from vicinal.schema.feature import Feature
from vicinal.schema.schema import Schema

#: Types of categories that JSON has.
_PLAIN = (str, bool, int, float)


def value_from_json(value: Any, feature: Feature) -> Any:
    """Return the value of a feature that JSON stands for; dates may stay ISO text.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.explorer.values import value_from_json
    >>> from vicinal.schema.feature import Feature
    >>> value_from_json(90, Feature("wait", "continuous", "duration"))
    datetime.timedelta(seconds=90)
    >>> days = (dt.date(2024, 1, 31),)
    >>> value_from_json("2024-01-31", Feature("day", "nominal", "date", categories=days))
    datetime.date(2024, 1, 31)
    """
    if value is None or isinstance(value, bool):
        return value
    if feature.categories is not None and not all(
        isinstance(one, _PLAIN) for one in feature.categories
    ):
        known = {json_value(one): one for one in feature.categories}
        return known.get(value, value)
    if feature.dtype == "duration" and isinstance(value, int | float):
        try:
            return dt.timedelta(seconds=value)
        except (OverflowError, ValueError):
            raise TableError(
                f"Column {feature.name!r} has {value!r} seconds; expected a duration of less "
                "than 10⁹ days."
            ) from None
    return value


def table_from_json(rows: Sequence[Mapping[str, Any]], schema: Schema) -> dict[str, list[Any]]:
    """Return rows as columns; what one of them lacks is missing in it.

    Examples
    --------
    >>> from vicinal.explorer.values import table_from_json
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"age": [31, 47]})
    >>> table_from_json([{"age": 40, "note": "x"}, {}], schema)
    {'age': [40, None], 'note': ['x', None]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: [
            value_from_json(row.get(name), schema[name]) if name in schema else row.get(name)
            for row in rows
        ]
        for name in names
    }


def numbers(values: NDArray[Any] | Iterable[float]) -> list[float | None]:
    """Return numbers as JSON: None for NaN and infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explorer.values import numbers
    >>> numbers(np.array([1.5, np.nan, np.inf]))
    [1.5, None, None]
    """
    array = np.asarray(values, dtype=np.float64)
    if np.isfinite(array).all():
        listed: list[float | None] = array.tolist()
        return listed
    finite = np.isfinite(array).tolist()
    return [one if ok else None for one, ok in zip(array.tolist(), finite, strict=True)]


def number(value: Any) -> float | None:
    """Return one number as JSON."""
    return None if value is None or not np.isfinite(value) else float(value)
