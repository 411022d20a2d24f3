"""Cells of text as values, and values as cells of text.

The rules are ours, not those of a dataframe library: the type of a column must not depend on
which library is installed.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from vicinal.exceptions import TableError
from vicinal.formatting.values import plain_value
from vicinal.schema.feature import Feature

#: Text that marks a missing value.
MISSING = frozenset({"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"})

_BOOLS = {"true": True, "false": False}
# Codes such as 007 lose their zeros as numbers, so they stay text.
_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[+-]?(((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|inf)", re.I)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATETIME = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?)?"
)
_TIME = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")


def column_of_text(cells: Sequence[str], missing: Collection[str] = MISSING) -> list[Any]:
    """Read a column of text as the most specific type that fits all its cells.

    Parameters
    ----------
    cells : sequence of str
        One cell per row.
    missing : collection of str
        Text that marks a missing value.

    Returns
    -------
    list
        Booleans, integers, floats, ISO dates, datetimes or times of day; text if no other type
        fits all cells. None where missing.

    Examples
    --------
    >>> from vicinal.cli.io.cells import column_of_text
    >>> column_of_text(["1", "NA", "2.5"]), column_of_text(["1", "two"]), column_of_text(["007"])
    ([1.0, None, 2.5], ['1', 'two'], ['007'])
    >>> column_of_text(["TRUE", "false"]), column_of_text(["2024-01-31"])
    ([True, False], [datetime.date(2024, 1, 31)])
    """
    distinct = set(cells)
    known = [cell for cell in distinct if cell.strip() not in missing]
    if not known:
        return [None] * len(cells)
    for read in (_bool, _integer, _number, _date, _datetime, _time, str):
        try:
            values: dict[str, Any] = {cell: read(cell) for cell in known}
        except ValueError:
            continue
        return [values.get(cell) for cell in cells]
    raise AssertionError("text can always be read as text")


def column_as(
    cells: Sequence[str],
    feature: Feature,
    missing: Collection[str] = MISSING,
    *,
    first_row: int = 0,
) -> list[Any]:
    """Read a column of text with the type of a feature.

    Parameters
    ----------
    cells : sequence of str
        One cell per row.
    feature : Feature
        The feature.
    missing : collection of str
        Text that marks a missing value, besides the markers of the feature.
    first_row : int
        Number of the first row, for messages.

    Raises
    ------
    TableError
        If a cell does not fit the type.

    Examples
    --------
    >>> from vicinal.cli.io.cells import column_as
    >>> from vicinal.schema.schema import Feature
    >>> column_as(["3", ""], Feature("size", "continuous", "float"))
    [3.0, None]
    >>> column_as(["3", ""], Feature("size", "nominal", "string", categories=("1", "2")))
    ['3', None]
    """
    if feature.dtype == "null":
        return column_of_text(cells, missing)
    read = _reader(feature)
    markers = {*missing, *map(cell_text, feature.missing_values)}
    # A category may be spelled like one of the usual markers.
    if not set(missing) - MISSING:
        markers -= {cell_text(one) for one in feature.categories or ()}
    values: dict[str, Any] = {}
    for row, cell in enumerate(cells, first_row):
        if cell in values:
            continue
        try:
            values[cell] = None if cell.strip() in markers else read(cell)
        except ValueError:
            raise TableError(
                f"row {row} (counted from 0): {feature.name!r} is {cell!r}; the model expects "
                f"{_EXPECTED.get(feature.dtype, feature.dtype)} or a missing value."
            ) from None
    return [values[cell] for cell in cells]


def value_as(text: str, feature: Feature) -> Any:
    """Read a single value given in an option.

    Examples
    --------
    >>> from vicinal.cli.io.cells import value_as
    >>> from vicinal.schema.schema import Feature
    >>> value_as("2.5", Feature("size", "continuous", "float"))
    2.5
    """
    try:
        return column_as([text], feature)[0]
    except TableError as error:
        raise TableError(str(error).partition(": ")[2]) from None


def cell_text(value: Any) -> str:
    """Write a value so that `column_of_text` reads it again; empty if it is missing.

    Examples
    --------
    >>> from vicinal.cli.io.cells import cell_text
    >>> cell_text(0.1), cell_text(None), cell_text(True), cell_text("a b")
    ('0.1', '', 'true', 'a b')
    """
    value = plain_value(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return repr(value.total_seconds())
    return repr(value) if isinstance(value, float) else str(value)


def set_text(values: Iterable[Any]) -> str:
    """Write several values as one cell.

    Examples
    --------
    >>> from vicinal.cli.io.cells import set_text
    >>> set_text(["a", 2.0])
    'a; 2.0'
    """
    return "; ".join(map(cell_text, values))


_EXPECTED = {
    "float": "a number",
    "int": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "date": "a date, such as 2024-01-31",
    "datetime": "a date and time, such as 2024-01-31T12:00",
    "time": "a time of day, such as 12:30",
    "duration": "a number of seconds",
}


def _reader(feature: Feature) -> Callable[[str], Any]:
    match feature.dtype:
        case "float" | "int" | "decimal":
            return _number
        case "bool":
            return _bool_or_digit
        case "date" | "datetime":
            return _datetime
        case "time":
            return _time
        case "duration":
            return _duration
    # Categories need not be text: those of a typed table are recognized by how they are written.
    labels = {cell_text(one): one for one in feature.categories or ()}
    return lambda cell: labels.get(cell, cell)


def _matched(pattern: re.Pattern[str], cell: str) -> str:
    text = cell.strip()
    if not pattern.fullmatch(text):
        raise ValueError
    return text


def _bool(cell: str) -> bool:
    found = _BOOLS.get(cell.strip().lower())
    if found is None:
        raise ValueError
    return found


def _bool_or_digit(cell: str) -> bool:
    return cell.strip() == "1" if cell.strip() in ("0", "1") else _bool(cell)


def _integer(cell: str) -> int:
    return int(_matched(_INTEGER, cell))


def _number(cell: str) -> float:
    return float(_matched(_NUMBER, cell))


def _date(cell: str) -> dt.date:
    return dt.date.fromisoformat(_matched(_DATE, cell))


def _datetime(cell: str) -> dt.datetime:
    return dt.datetime.fromisoformat(_matched(_DATETIME, cell))


def _time(cell: str) -> dt.time:
    return dt.time.fromisoformat(_matched(_TIME, cell))


def _duration(cell: str) -> dt.timedelta:
    return dt.timedelta(seconds=_number(cell))
