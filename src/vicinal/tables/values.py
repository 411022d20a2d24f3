"""Single Python values: what type they are, when they are missing, when two are the same.

The types of a million values are few, so columns look at the *set of types* first and at the
values only where a type can hold a missing one (a float may be NaN).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Complex, Real
from typing import Any

import numpy as np

from vicinal.tables import times
from vicinal.typing import Bools

# The first match counts: a bool is an int, a datetime is a date, a numpy timedelta is an integer.
_TYPES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((type(None), np.ma.core.MaskedConstant), "missing"),
    ((bool, np.bool_), "bool"),
    ((dt.timedelta, np.timedelta64), "duration"),
    ((int, np.integer), "int"),
    ((float, np.floating), "float"),
    (Decimal, "decimal"),
    (Real, "float"),
    (str, "string"),
    (bytes, "bytes"),
    ((dt.datetime, np.datetime64), "datetime"),
    (dt.date, "date"),
    (dt.time, "time"),
    ((Complex, Mapping, list, set, frozenset, np.ndarray), "refused"),
)
# pandas is not imported here, so its markers are known by name.
_MISSING_MARKERS = {"NAType", "NaTType"}
_MAY_BE_NAN = {"float", "decimal", "datetime", "duration"}

_TO_PYTHON: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "int": int,
    "float": lambda value: float(value) + 0.0,  # -0.0 equals 0.0, so it is the same label
    "string": str.__str__,  # of the members of string enums: their value
    "datetime": times.python_time,
    "duration": times.python_time,
    "other": str,
}


class _Words(dict[type, str]):
    """The word for each class, found when it is first met."""

    def __missing__(self, cls: type) -> str:
        if cls.__name__ in _MISSING_MARKERS and cls.__module__.startswith("pandas"):
            return "missing"
        self[cls] = next((word for types, word in _TYPES if issubclass(cls, types)), "other")
        return self[cls]


_words = _Words()


def value_type(cls: type) -> str:
    """Name the type of a value: one word for all spellings of it.

    Returns
    -------
    str
        "bool", "int", "float", "decimal", "string", "bytes", "datetime", "date", "time",
        "duration", "missing", "refused" (a cell that holds a collection or a complex number) or
        "other" (anything else, read by its string form).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.values import value_type
    >>> value_type(np.float32), value_type(bool), value_type(type(None))
    ('float', 'bool', 'missing')
    """
    return _words[cls]


def is_missing(value: object) -> bool:
    """Tell whether a value says that nothing is known: None, NaN, NaT, NA, masked.

    Examples
    --------
    >>> from vicinal.tables.values import is_missing
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    word = value_type(type(value))
    return word == "missing" or (word in _MAY_BE_NAN and _is_nan(value))


def find_missing(values: Sequence[Any], types: Collection[type]) -> Bools:
    """Mark the missing among values whose types are known.

    Examples
    --------
    >>> from vicinal.tables.values import find_missing
    >>> find_missing(["a", None, float("nan")], {str, type(None), float}).tolist()
    [False, True, True]
    """
    absent = {cls for cls in types if value_type(cls) == "missing"}
    doubtful = {cls for cls in types if value_type(cls) in _MAY_BE_NAN}
    found: Iterable[bool]
    if doubtful:
        found = (type(v) in absent or (type(v) in doubtful and _is_nan(v)) for v in values)
    elif absent:
        found = (type(v) in absent for v in values)
    else:
        return np.zeros(len(values), dtype=bool)
    return np.fromiter(found, bool, len(values))


def _is_nan(value: Any) -> bool:
    if isinstance(value, Decimal):  # comparing a signaling NaN is an error
        return value.is_nan()
    return bool(value != value)  # noqa: PLR0124


def to_python(value: Any) -> Any:
    """Turn a value into the plain Python value it stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.values import to_python
    >>> to_python(np.int8(3)), to_python(np.str_("a")), to_python(np.datetime64("2024-01-31"))
    (3, 'a', datetime.datetime(2024, 1, 31, 0, 0))
    """
    convert = _TO_PYTHON.get(value_type(type(value)))
    return value if convert is None else convert(value)


def plain_scalars(value: Any) -> Any:
    """Turn numpy's numbers and text into Python's own, in lists, tuples and dicts, too.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.values import plain_scalars
    >>> plain_scalars((np.float64(1.5), None)), plain_scalars({"kind": [np.str_("a")]})
    ((1.5, None), {'kind': ['a']})
    """
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    if type(value) in (list, tuple):
        return type(value)(map(plain_scalars, value))
    if type(value) is dict:
        return {name: plain_scalars(one) for name, one in value.items()}
    return value


def list_values(values: Sequence[Any], most: int = 12) -> str:
    """List the first of some values in one line, for messages.

    Examples
    --------
    >>> from vicinal.tables.values import list_values
    >>> list_values(["S", "M", "L"], most=2)
    "'S', 'M', …"
    """
    return ", ".join(map(repr, values[:most])) + ", …" * (len(values) > most)


def value_key(value: Any) -> tuple[str, Hashable]:
    """Return the key by which two plain values are the same label or not.

    Numbers are the same when they are equal, whatever their type (1 and 1.0); a bool is never a
    number, and a string never anything else. A date is the midnight that it starts with. Keys of
    the same first entry can be sorted.

    Examples
    --------
    >>> from vicinal.tables.values import value_key
    >>> value_key(1) == value_key(1.0)
    True
    >>> value_key(1) == value_key(True) or value_key(1) == value_key("1")
    False
    """
    word = value_type(type(value))
    match word:
        case "int" | "float":
            return "number", value
        case "decimal":
            return "number", float(value)
        case "datetime" | "date":
            return "instant", times.microseconds(value)
        case "time":
            return "time of day", times.since_midnight(value)
    return word, value
