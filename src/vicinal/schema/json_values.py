"""Category values in JSON and back: plain where JSON has the type, else tagged with it."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from vicinal.exceptions import ParameterError

_MICROSECOND = dt.timedelta(microseconds=1)

# tag -> (type, to a JSON value, and back). A datetime is a date, so it stands before it.
_TAGS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "datetime": (dt.datetime, dt.datetime.isoformat, dt.datetime.fromisoformat),
    "date": (dt.date, dt.date.isoformat, dt.date.fromisoformat),
    "time": (dt.time, dt.time.isoformat, dt.time.fromisoformat),
    "microseconds": (dt.timedelta, lambda span: span // _MICROSECOND, lambda n: n * _MICROSECOND),
    "decimal": (Decimal, str, Decimal),
    "bytes": (bytes, lambda raw: base64.b64encode(raw).decode(), base64.b64decode),
}


def to_json(value: Any) -> Any:
    """Turn a plain value into one that JSON can hold.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.schema.json_values import to_json
    >>> to_json("cook"), to_json(dt.date(2024, 1, 31))
    ('cook', {'date': '2024-01-31'})
    """
    if isinstance(value, str | bool | int | float):
        return value
    for tag, (cls, write, _) in _TAGS.items():
        if isinstance(value, cls):
            return {tag: write(value)}
    raise ParameterError(f"A {type(value).__name__} cannot be a category.")


def from_json(value: Any) -> Any:
    """Turn what `to_json` gave into the value again.

    Examples
    --------
    >>> from vicinal.schema.json_values import from_json
    >>> from_json({"date": "2024-01-31"})
    datetime.date(2024, 1, 31)
    """
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(tag, written)] = value.items()
        if tag in _TAGS:
            return _TAGS[tag][2](written)
    raise ParameterError(
        f"{value!r} is not a category value; expected a JSON value or one tagged with its type."
    )
