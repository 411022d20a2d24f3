"""Cells of text as values, and values as cells of text.

The rules are ours, not those of a dataframe library: the type of a column must not depend on
which library is installed.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from vicinal.exceptions import TableError
from vicinal.formatting.values import plain_value
from vicinal.tables.iso_text import read_date, read_datetime, read_duration, read_time, text_reader

if TYPE_CHECKING:
    from vicinal.schema.feature import Feature

#: Text that marks a missing value.
MISSING = frozenset({"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"})
#: Spreadsheets take cells for formulas that begin with one of these.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def column_of_text(cells: Sequence[str], missing: Collection[str] = MISSING) -> list[Any]:
    """Read a column of text as the most specific type that fits all its cells.

    These are booleans, integers, floats, ISO dates, datetimes and times of day, else text. A cell
    whose text is one of `missing` is None.

    Examples
    --------
    >>> from vicinal.table_files.cells import column_of_text
    >>> column_of_text(["1", "NA", "2.5"]), column_of_text(["1", "two"]), column_of_text(["007"])
    ([1.0, None, 2.5], ['1', 'two'], ['007'])
    >>> column_of_text(["TRUE", "false"]), column_of_text(["2024-01-31"])
    ([True, False], [datetime.date(2024, 1, 31)])
    """
    distinct = set(cells)
    known = [cell for cell in distinct if cell.strip() not in missing]
    if not known:
        return [None] * len(cells)
    for read in (_bool, _integer, _number, read_date, read_datetime, read_time, str):
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
    """Read a column of text with the type of a feature; its own markers are missing values too.

    A cell that does not fit is an error, which names its row by counting from `first_row`.

    Examples
    --------
    >>> from vicinal.table_files.cells import column_as
    >>> from vicinal.schema.schema import Feature
    >>> column_as(["3", ""], Feature("size", "continuous", "float"))
    [3.0, None]
    >>> column_as(["3", ""], Feature("size", "nominal", "string", categories=("1", "2")))
    ['3', None]
    """
    if feature.dtype == "null":
        return column_of_text(cells, missing)
    # Categories need not be text: those of a typed table are recognized by how they are written.
    labels = {cell_text(one): one for one in feature.categories or ()}
    read, expected = _TYPES.get(feature.dtype, (lambda cell: labels.get(cell, cell), "text"))
    markers = {*missing, *map(cell_text, feature.missing_values)}
    # A category may be spelled like one of the usual markers.
    if not set(missing) - MISSING:
        markers -= set(labels)
    values: dict[str, Any] = {}
    for row, cell in enumerate(cells, first_row):
        if cell in values:
            continue
        try:
            values[cell] = None if cell.strip() in markers else read(cell)
        except ValueError:
            raise TableError(
                f"row {row} (counted from 0): {feature.name!r} is {cell!r}; the model expects "
                f"{expected} or a missing value."
            ) from None
    return [values[cell] for cell in cells]


def value_as(text: str, feature: Feature) -> Any:
    """Read a single value given in an option."""
    try:
        return column_as([text], feature)[0]
    except TableError as error:
        raise TableError(str(error).partition(": ")[2]) from None


def cell_text(value: Any) -> str:
    """Write a value so that `column_of_text` reads it again; empty if it is missing.

    Examples
    --------
    >>> from vicinal.table_files.cells import cell_text
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


def escaped(value: Any) -> str:
    """Write a value like `cell_text`, but no text as a formula that a spreadsheet would run.

    An apostrophe goes before text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage
    return. Numbers stay as they are.

    Examples
    --------
    >>> from vicinal.table_files.cells import escaped
    >>> escaped("=1+2"), escaped(-3), escaped("plain")
    ("'=1+2", '-3', 'plain')
    """
    text = cell_text(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULAS) else text


def set_text(values: Iterable[Any]) -> str:
    """Write several values as one cell."""
    return "; ".join(map(cell_text, values))


_bool = text_reader("(?ai:true|false)", lambda text: text.lower() == "true")
_bool_or_digit = text_reader("(?ai:true|false)|0|1", lambda text: text.lower() in ("true", "1"))
# Codes such as 007 lose their zeros as numbers, so they stay text.
_integer = text_reader(r"[+-]?(0|[1-9][0-9]*)", int)
_number = text_reader(
    r"[+-]?(((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf))", float
)

#: How the cells of a type are read, and what is said if one cannot be.
_TYPES: dict[str, tuple[Callable[[str], Any], str]] = {
    "float": (_number, "a number"),
    "int": (_number, "a number"),
    "decimal": (_number, "a number"),
    "bool": (_bool_or_digit, "true or false"),
    "date": (read_datetime, "a date, such as 2024-01-31"),
    "datetime": (read_datetime, "a date and time, such as 2024-01-31T12:00"),
    "time": (read_time, "a time of day, such as 12:30"),
    "duration": (read_duration, "a number of seconds or a duration, such as 1:30:00,"),
}
