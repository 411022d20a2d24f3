"""Dates, times of day and durations as numbers of seconds, and back."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from vicinal.typing import Floats

DAY = 86_400
EPOCH = dt.datetime(1970, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
_LONGEST = dt.timedelta(days=106_751_991)
_FIXED_OFFSET = re.compile(r"(?:UTC)?([+-])(\d\d):?(\d\d)")


def seconds(values: NDArray[Any], origin: int = 0) -> Floats:
    """Turn datetime64 or timedelta64 values into seconds; NaT becomes NaN.

    Whole seconds and the rest are divided apart, so that the same moment gives the same number
    to the last bit whatever the unit it is stored in. Microseconds are distinct within 272
    years of the origin, which is in seconds since 1970.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.times import seconds
    >>> seconds(np.array(["1970-01-02T00:00:00.5", "NaT"], dtype="datetime64[us]"), 86_000)
    array([400.5,   nan])
    """
    per_second = 10**9 if np.datetime_data(values.dtype)[0] == "ns" else 10**6
    whole, rest = np.divmod(values.view(np.int64), per_second)
    whole -= origin
    mixed = (whole < 0) & (rest > 0)  # -1 s + 0.999999 s would not be -0.000001 s to the last bit
    result = (whole + mixed) + (rest - mixed * per_second) / per_second
    result[np.isnat(values)] = np.nan
    return result


def instant_array(values: Sequence[Any]) -> tuple[NDArray[Any], str | None, bool]:
    """Turn datetimes and dates (None is missing) into datetime64.

    Returns
    -------
    values : ndarray of datetime64
        In coordinated universal time where the datetimes have a time zone.
    timezone : str or None
        Their time zone; "UTC" when there are several.
    clash : bool
        Whether some have a time zone and others have none.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.times import instant_array
    >>> instant_array([dt.date(2024, 1, 31), None])[0]
    array(['2024-01-31T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    """
    moments = [None if value is None else python_time(value) for value in values]
    zones = {getattr(value, "tzinfo", None) for value in moments if value is not None}
    names = {None if one is None else zone_name(one) for one in zones}
    clash = None in names and len(names) > 1
    stamps = [_naive(value) for value in moments]
    timezone = names.pop() if len(names) == 1 else "UTC"
    return np.array(stamps, dtype="datetime64[us]"), timezone, clash


def python_time(value: Any) -> Any:
    """Turn the time types of numpy and pandas into those of the standard library."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        unit = "datetime64[us]" if isinstance(value, np.datetime64) else "timedelta64[us]"
        return value.astype(unit).item()
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    return value


def within_range(span: dt.timedelta | None) -> dt.timedelta | None:
    """Return a duration, at most 292,271 years, the most that 64 bits of microseconds hold.

    Longer ones, such as ``timedelta.max``, would wrap around and become negative.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.times import within_range
    >>> within_range(dt.timedelta.max) > within_range(dt.timedelta(days=1))
    True
    """
    return None if span is None else min(max(span, -_LONGEST), _LONGEST)


def microseconds(value: dt.date) -> int:
    """Count the microseconds from 1970 to a datetime, or to the start of a date.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.times import microseconds
    >>> microseconds(dt.date(1970, 1, 2)) == microseconds(dt.datetime(1970, 1, 2))
    True
    """
    return (_naive(value) - EPOCH) // _MICROSECOND


def since_midnight(value: dt.time) -> dt.timedelta:
    """Return the part of the day that has passed at a time of day.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.times import since_midnight
    >>> since_midnight(dt.time(1, 30)).total_seconds()
    5400.0
    """
    return dt.timedelta(
        hours=value.hour,
        minutes=value.minute,
        seconds=value.second,
        microseconds=value.microsecond,
    )


def time_of_day(passed: dt.timedelta) -> dt.time:
    """Return the time of day after part of the day has passed: the inverse of `since_midnight`.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.times import time_of_day
    >>> time_of_day(dt.timedelta(hours=1, minutes=30))
    datetime.time(1, 30)
    """
    return (EPOCH + passed).time()


def in_zone(naive: dt.datetime, timezone: str | None) -> dt.datetime:
    """Return a moment of universal time in a time zone; None leaves it without one.

    Within hours of the first and the last moment there is, the offset cannot be applied.
    """
    if timezone is None:
        return naive
    try:
        return naive.replace(tzinfo=dt.UTC).astimezone(zone(timezone))
    except OverflowError:
        return naive.replace(tzinfo=zone(timezone))


def moment(seconds_since: float, origin: int, timezone: str | None) -> dt.datetime:
    """Return the moment some seconds after an origin: the inverse of `seconds`.

    Moments before the first and after the last that there is are these.

    Examples
    --------
    >>> from vicinal.tables.times import moment
    >>> moment(400.5, 86_000, None)
    datetime.datetime(1970, 1, 2, 0, 0, 0, 500000)
    >>> moment(1e300, 0, None).year
    9999
    """
    try:
        whole = int(np.floor(seconds_since))
        rest = round((seconds_since - whole) * 1e6)
        naive = EPOCH + dt.timedelta(seconds=origin + whole, microseconds=rest)
    except OverflowError:
        naive = dt.datetime.min if seconds_since < 0 else dt.datetime.max
    return in_zone(naive, timezone)


def duration(seconds: float) -> dt.timedelta:
    """Return the duration of some seconds, or the longest or shortest that there is.

    Examples
    --------
    >>> from vicinal.tables.times import duration
    >>> duration(90.5)
    datetime.timedelta(seconds=90, microseconds=500000)
    >>> duration(1e300).days
    999999999
    """
    try:
        whole = int(np.floor(seconds))
        return dt.timedelta(seconds=whole, microseconds=round((seconds - whole) * 1e6))
    except OverflowError:
        return dt.timedelta.min if seconds < 0 else dt.timedelta.max


def zone_name(tzinfo: dt.tzinfo | str) -> str:
    """Name a time zone so that `zone` finds it again; "UTC" when that cannot be done.

    Libraries spell fixed offsets in several ways; the name is the same for all.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.tables.times import zone_name
    >>> zone_name(dt.timezone(dt.timedelta(hours=1)))
    'UTC+01:00'
    """
    name = str(tzinfo)
    fixed = _FIXED_OFFSET.fullmatch(name)
    if fixed:
        return f"UTC{fixed[1]}{fixed[2]}:{fixed[3]}"
    return name if _is_known(name) else "UTC"


def zone(name: str) -> dt.tzinfo:
    """Find a time zone by its name or offset; the moment is right even where it is unknown.

    Examples
    --------
    >>> from vicinal.tables.times import zone
    >>> print(zone("+01:00"))
    UTC+01:00
    """
    fixed = _FIXED_OFFSET.fullmatch(name)
    if fixed:
        sign = -1 if fixed[1] == "-" else 1
        return dt.timezone(sign * dt.timedelta(hours=int(fixed[2]), minutes=int(fixed[3])))
    return ZoneInfo(name) if name != "UTC" and _is_known(name) else dt.UTC


def _is_known(name: str) -> bool:
    # ZoneInfo raises several unrelated errors: ValueError for odd names, OSError, KeyError.
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True


def _naive(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        return value
    try:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    except OverflowError:  # the first or the last day that there is, in a zone
        return value.replace(tzinfo=None)
