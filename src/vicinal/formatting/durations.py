"""Durations in a unit that fits their size, and times without digits that nobody reads."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from typing import Any

from vicinal.formatting.values import format_value

_UNITS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
_NAMES = {"d": "days", "h": "hours", "min": "minutes", "s": "seconds"}


def unit_of(seconds: float) -> tuple[str, float]:
    """Return the largest unit that a duration has at least one of, and its seconds.

    Examples
    --------
    >>> from vicinal.formatting.durations import unit_of
    >>> unit_of(-7200.0), unit_of(0.5)
    (('h', 3600.0), ('s', 1.0))
    """
    return next((one for one in _UNITS if abs(seconds) >= one[1]), _UNITS[-1])


def shared_unit(seconds: Iterable[float]) -> tuple[str, float]:
    """Return the unit that fits the longest of some durations, in words, and its seconds.

    Examples
    --------
    >>> from vicinal.formatting.durations import shared_unit
    >>> shared_unit([90.0, -7200.0]), shared_unit([])
    (('hours', 3600.0), ('seconds', 1.0))
    """
    known = [abs(one) for one in seconds if math.isfinite(one)]
    unit, size = unit_of(max(known, default=0.0))
    return _NAMES[unit], size


def format_seconds(seconds: float) -> str:
    """Return a number of seconds in the unit that fits.

    Examples
    --------
    >>> from vicinal.formatting.durations import format_seconds
    >>> format_seconds(155109.0), format_seconds(90.0), format_seconds(0.25)
    ('1.8 d', '1.5 min', '0.25 s')
    """
    if not math.isfinite(seconds):
        return f"{seconds:g}"
    unit, size = unit_of(seconds)
    return f"{seconds / size:.3g} {unit}"


def is_time(value: Any) -> bool:
    """Tell whether a value is a date, a time or a duration, whose differences are in seconds."""
    return isinstance(value, dt.date | dt.time | dt.timedelta)


def moved(time: Any, seconds: float) -> Any:
    """Return a date, a time of day or a duration that is so much later; None beyond all dates.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.formatting.durations import moved
    >>> moved(dt.date(2024, 1, 31), 86400.0), moved(dt.time(23, 30), 3600.0)
    (datetime.date(2024, 2, 1), datetime.time(0, 30))
    """
    try:
        change = dt.timedelta(seconds=seconds)
        if isinstance(time, dt.time):
            return (
                dt.datetime.combine(dt.date(2000, 1, 2), time) + change % dt.timedelta(1)
            ).time()
        return time + change
    except (OverflowError, ValueError):
        return None


def time_texts(time: Any, seconds: float) -> tuple[str, str]:
    """Return the time that is so much later than a predicted time, and this one, as short text.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.formatting.durations import time_texts
    >>> time_texts(dt.timedelta(hours=3), -5400.25)
    ('1:30:00', '3:00:00')
    """
    later, known = (whole_seconds(one) for one in (moved(time, seconds), time))
    return format_value(later), format_value(known)


def whole_seconds(value: Any) -> Any:
    """Return a predicted time without the fractions that averaging leaves; others as they are.

    Durations of less than a minute keep four digits.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.formatting.durations import whole_seconds
    >>> whole_seconds(dt.timedelta(seconds=3271.26)), whole_seconds(dt.timedelta(seconds=0.5))
    (datetime.timedelta(seconds=3271), datetime.timedelta(microseconds=500000))
    >>> whole_seconds(dt.timedelta(seconds=36.074335))
    datetime.timedelta(seconds=36, microseconds=70000)
    """
    if isinstance(value, dt.datetime | dt.time):
        return value.replace(microsecond=0)
    if isinstance(value, dt.timedelta):
        seconds = value.total_seconds()
        return dt.timedelta(
            seconds=round(seconds) if abs(seconds) >= 60 else float(f"{seconds:.4g}")
        )
    return value
