"""Single values, for people and for JSON."""

from __future__ import annotations

import base64
import datetime as dt
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from itertools import accumulate
from typing import Any

#: Characters of a value that are shown, at most.
_WIDEST = 48
#: Larger numbers are written with an exponent.
_EXPONENTS_FROM = 1e9


def plain_value(value: Any) -> Any:
    """Return a value as one of Python's own types, where numpy's scalars have one."""
    return value.item() if hasattr(value, "item") else value


def json_value(value: Any) -> Any:
    """Return a value that JSON can hold: times as ISO text, None for NaN and infinity.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.formatting.values import json_value
    >>> json_value(dt.date(2024, 1, 31)), json_value(float("inf")), json_value(3)
    ('2024-01-31', None, 3)
    """
    value = plain_value(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def format_value(value: Any) -> str:
    """Return a value as short text: four digits of a number that is not whole.

    Examples
    --------
    >>> from vicinal.formatting.values import format_value
    >>> format_value(3750.0), format_value(43.92182), format_value(None), format_value("Biscoe")
    ('3750', '43.92', '?', 'Biscoe')
    """
    value = _plain_number(value)
    if isinstance(value, float) and math.isfinite(value):
        value += 0.0  # no minus before zero
        size = abs(value)
        if size < _EXPONENTS_FROM and (size >= 9999.5 or value == round(value)):
            return f"{value:.0f}"
        return f"{value:.4g}"
    return value_text(value)


def _plain_number(value: Any) -> Any:
    """Return a value as one of Python's own types; a mean of decimals has too many digits."""
    return float(value) if isinstance(value, Decimal) else plain_value(value)


def format_apart(values: Iterable[Any], most: int = 17) -> list[str]:
    """Return values as short text, numbers with as many digits as tell different ones apart.

    Parameters
    ----------
    values : iterable
        The values.
    most : int
        Digits to write, at most.

    Examples
    --------
    >>> from vicinal.formatting.values import format_apart
    >>> format_apart([-121.4559, -121.4788]), format_apart([39.12345, 46.5])
    (['-121.46', '-121.48'], ['39.12', '46.5'])
    """
    plain = [_plain_number(value) for value in values]
    texts = [format_value(value) for value in plain]
    numbers = {at: v for at, v in enumerate(plain) if isinstance(v, float) and math.isfinite(v)}
    n_different = len(set(numbers.values()))
    for digits in range(5, most + 1):
        if len({texts[at] for at in numbers}) == n_different:
            break
        for at, value in numbers.items():
            # Fewer digits than stand before the point would need an exponent.
            whole = len(f"{abs(value):.0f}") if abs(value) < _EXPONENTS_FROM else 0
            texts[at] = f"{value:.{max(digits, whole)}g}"
    return texts


def format_pair(one: Any, other: Any) -> tuple[str, str]:
    """Return two values as short text that tells them apart.

    Examples
    --------
    >>> from vicinal.formatting.values import format_pair
    >>> format_pair(-121.4559, -121.4788), format_pair("Dream", None)
    (('-121.46', '-121.48'), ('Dream', '?'))
    """
    first, second = format_apart((one, other))
    return first, second


def format_count(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless there is one.

    Examples
    --------
    >>> from vicinal.formatting.values import format_count
    >>> format_count(1, "case"), format_count(2000, "row")
    ('1 case', '2000 rows')
    """
    return f"{count} {noun}{'s' * (count != 1)}"


def format_signed(value: float, scale: float) -> str:
    """Return a number with its sign, as exact as makes sense among numbers of this size.

    Examples
    --------
    >>> from vicinal.formatting.values import format_signed
    >>> format_signed(0.06404, 0.13), format_signed(-57.31, 420.0), format_signed(-2.8389e17, 1e18)
    ('+0.064', '−57', '−2.84e+17')
    """
    digits = 0 if scale == 0 or not math.isfinite(scale) else 2 - math.floor(math.log10(scale))
    short = digits > 9 or scale >= _EXPONENTS_FROM
    text = f"{abs(value):.3g}" if short else f"{abs(value):.{max(digits, 0)}f}"
    if not text.strip("0."):
        return text
    return ("+" if value > 0 else "−") + text


def format_error(error: float) -> str:
    """Return a standard error to two digits.

    Examples
    --------
    >>> from vicinal.formatting.values import format_error
    >>> format_error(403.7), format_error(0.02231)
    ('400', '0.022')
    """
    return format_value(float(f"{error:.2g}"))


def format_percent(share: float) -> str:
    """Return a share in percent, with what is next to nothing or next to all told apart.

    Examples
    --------
    >>> from vicinal.formatting.values import format_percent
    >>> format_percent(0.1234), format_percent(0.99997), format_percent(-0.016)
    ('12.3 %', '> 99.9 %', '−1.6 %')
    """
    if share < 0:
        return "> −0.1 %" if share > -0.0005 else f"−{-100 * share:.1f} %"
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def json_tree(value: Any) -> Any:
    """Return dicts and lists of values with every value one that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): json_tree(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_tree(one) for one in value]
    return json_value(value)


def json_list(values: Iterable[Any]) -> list[Any]:
    """Return values as a list that JSON can hold."""
    return [json_value(value) for value in values]


def value_text(value: Any) -> str:
    """Give one value as short text that prints in one line; ``?`` where it is missing.

    Examples
    --------
    >>> from vicinal.formatting.values import value_text
    >>> import datetime as dt
    >>> value_text(39.10), value_text("Biscoe"), value_text(None), value_text(float("nan"))
    ('39.1', 'Biscoe', '?', '?')
    >>> value_text(dt.datetime(2024, 1, 31)), value_text(dt.datetime(2024, 1, 31, 9, 30))
    ('2024-01-31', '2024-01-31 09:30:00')
    >>> value_text(dt.timedelta(minutes=-66)), value_text(dt.timedelta(days=-1, minutes=-66))
    ('-1:06:00', '-(1 day, 1:06:00)')
    """
    if value is None or value != value:  # noqa: PLR0124 (NaN alone differs from itself)
        return "?"
    if isinstance(value, dt.datetime) and value.tzinfo is None and value.time() == dt.time():
        value = value.date()  # a midnight that nobody wrote
    if isinstance(value, dt.timedelta):
        return _duration_text(value)
    if isinstance(value, str) and not value.strip():  # what nobody could see
        return repr(value) if value else "(empty)"
    return f"{value:g}" if isinstance(value, float) else short_text(str(value))


def _duration_text(value: dt.timedelta) -> str:
    if value < dt.timedelta():  # which Python writes as "-1 day, 23:00:00" if it is an hour
        return f"-({_duration_text(-value)})" if (-value).days else f"-{_duration_text(-value)}"
    text = str(value)
    return text.rstrip("0") if value.microseconds else text


def short_text(text: str) -> str:
    """Return text that prints in one line of at most 48 characters."""
    return truncate(printable(text), _WIDEST)


def printable(text: str) -> str:
    r"""Return text without line breaks and other characters that would break a table.

    Examples
    --------
    >>> from vicinal.formatting.values import printable
    >>> printable("one\ntwo")
    'one�two'
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def truncate(text: str, widest: int, width: Callable[[str], int] = len) -> str:
    """Truncate a text that is wider than `widest`, ellipsis included.

    The width is measured in characters, or in a terminal by `text_table.text_width`.

    Examples
    --------
    >>> from vicinal.formatting.values import truncate
    >>> truncate("penguin", 7), truncate("penguin", 5)
    ('penguin', 'peng…')
    """
    if width(text) <= widest:
        return text
    n_kept = sum(end < widest for end in accumulate(map(width, text)))
    return text[:n_kept] + "…"
