"""Dates, datetimes and times of day written as text in ISO 8601: one rule for all tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from vicinal.exceptions import TableError
from vicinal.tables.arrays import column_of
from vicinal.tables.casts import column_from_codes, used_levels
from vicinal.tables.column import Column
from vicinal.tables.counting import count_levels


def text_reader(pattern: str, convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a function that converts a text if it matches a pattern, else raises ValueError.

    Examples
    --------
    >>> from vicinal.tables.iso_text import text_reader
    >>> text_reader("[0-9]+", int)(" 12 ")
    12
    """
    compiled = re.compile(pattern)

    def read(text: str) -> Any:
        if not compiled.fullmatch(stripped := text.strip()):
            raise ValueError
        return convert(stripped)

    return read


read_date = text_reader(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", dt.date.fromisoformat)
read_datetime = text_reader(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?",
    dt.datetime.fromisoformat,
)
read_time = text_reader(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?", dt.time.fromisoformat)


def times_of_text(texts: Iterable[str]) -> list[Any] | None:
    """Read texts as dates, else as datetimes, else as times of day; None if some are neither.

    Examples
    --------
    >>> from vicinal.tables.iso_text import times_of_text
    >>> times_of_text(["2024-01-31"]), times_of_text(["12:30", "soon"])
    ([datetime.date(2024, 1, 31)], None)
    """
    known = list(texts)
    for read in (read_date, read_datetime, read_time):
        try:
            return [read(text) for text in known]
        except ValueError:
            continue
    return None


def times_column(column: Column, name: str) -> Column | None:
    """Read a column of text as dates or times, if all of its values are written as such.

    Returns
    -------
    Column or None
        None if the column holds no text, if some values are written otherwise, or if only some
        of them have a time zone.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.iso_text import times_column
    >>> times_column(column_of(["2024-01-31", None], "day"), "day").dtype
    'date'
    """
    if column.dtype != "string":
        return None
    levels, counts, _ = count_levels(column)
    read = times_of_text(level for level, n in zip(levels, counts, strict=True) if n)
    if not read:
        return None
    try:
        return column_from_codes(column_of(read, name), used_levels(column)[1])
    except TableError:  # only some have a time zone
        return None


def values_like(column: Column, values: Sequence[Any]) -> Sequence[Any]:
    """Write dates and times as text if they are for a column that holds text.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.tables.iso_text import values_like
    >>> values_like(column_of(["2024-01-31"], "day"), [dt.date(2024, 2, 1)])
    ['2024-02-01']
    """
    if column.dtype != "string":
        return values
    return [one.isoformat() if hasattr(one, "isoformat") else one for one in values]


_SECONDS = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CLOCK = re.compile(
    r"(?P<minus>-\()?(?:(?P<days>[+-]?[0-9]+) days?(?:, | \+?|$))?"
    r"(?:(?P<sign>[+-])?(?P<h>[0-9]+):(?P<m>[0-5][0-9]):(?P<s>[0-5][0-9](?:\.[0-9]+)?))?\)?"
)


def read_duration(text: str) -> dt.timedelta:
    """Read a number of seconds, or a duration as Python, pandas and Vicinal write it.

    Examples
    --------
    >>> from vicinal.tables.iso_text import read_duration
    >>> read_duration("90"), read_duration("1 day, 0:01:30") == read_duration("1 days 00:01:30")
    (datetime.timedelta(seconds=90), True)
    >>> read_duration("-1 days +22:54:00") == read_duration("-1:06:00")
    True
    """
    stripped = text.strip()
    try:
        if _SECONDS.fullmatch(stripped):
            return dt.timedelta(seconds=float(stripped))
        found = _CLOCK.fullmatch(stripped)
        if not stripped or found is None or bool(found["minus"]) != stripped.endswith(")"):
            raise ValueError
        clock = dt.timedelta(
            hours=int(found["h"] or 0),
            minutes=int(found["m"] or 0),
            seconds=float(found["s"] or 0),
        )
        signed = -clock if found["sign"] == "-" else clock
        whole = dt.timedelta(days=int(found["days"] or 0)) + signed
    except OverflowError as error:
        raise ValueError from error
    return -whole if found["minus"] else whole
