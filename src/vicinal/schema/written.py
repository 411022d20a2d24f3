"""Numbers and dates that are written as text, in ways that only their author can be sure of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import permutations
from numbers import Number
from typing import Any

_MONEY = r"(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY|CAD|AUD)"
#: Groups of three digits, all set apart by the same character, or digits without groups.
_DIGITS = r"(?:\d{1,3}(?P<group>[,.'’ \u00a0\u202f])\d{3}(?:(?P=group)\d{3})*|\d+)"
_NUMBER = re.compile(
    rf"[-+−(]?\s?{_MONEY}?\s?[-+−]?(?:{_DIGITS}(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
    rf"\s?(?:%|{_MONEY})?\)?"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(r"(\d{1,4})[-./ ](\d{1,2})[-./ ](\d{1,4})")
_NAMED_DATE = re.compile(
    rf"(?:\d{{1,2}}[-. ]+{_MONTH}|{_MONTH} \d{{1,2}},?)[- ]+\d{{2,4}}", re.IGNORECASE
)
_TIME = re.compile(r"[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:[AaPp][Mm]|Z)?$")
#: Any of these.
_MAYBE = re.compile(rf"{_NUMBER.pattern}|(?:{_DATE.pattern}|(?i:{_NAMED_DATE.pattern})).{{0,20}}")
#: Codes, such as those of places, begin with it; numbers do not, but for 0.5.
_LEADING_ZERO = re.compile(r"0\d+$")
#: What stands for a missing value has no digits and is short, and few words do.
_LONGEST_PLACEHOLDER, _MOST_PLACEHOLDERS = 10, 3


def written_as(values: Iterable[Any]) -> str | None:
    """Tell whether the distinct values of a column are numbers or dates written as text.

    Returns
    -------
    {"number", "mixed", "date", None}
        Text of digits alone is rather a code, unless something else stands for missing values.
        "mixed" are numbers that are numbers, beside a few words.

    Notes
    -----
    Whether 1,234 is above 1000, and whether 03/04/2024 is in March, only the author knows; hence
    such text is not read, only reported.

    Examples
    --------
    >>> from vicinal.schema.written import written_as
    >>> written_as(["1,234.50", "$ 99", "n/a"]), written_as(["31/12/2023", "1/2/2024"])
    ('number', 'date')
    >>> written_as([3.5, 17, "unknown"])
    'mixed'
    >>> print(written_as(["01234", "98101"]), written_as(["A-17", "10.5"]))
    None None
    """
    found = _sorted_out(values)
    if found is None:
        return None
    numbers, texts, rest = found
    if not texts:
        return "mixed" if rest and numbers > len(rest) else None
    if any(map(_LEADING_ZERO.match, texts)):
        return None
    if all(map(_NUMBER.fullmatch, texts)):
        plain = not numbers and not rest and all(map(str.isdigit, texts))
        return None if plain else "number"
    return "date" if not numbers and _are_dates(texts) else None


def _sorted_out(values: Iterable[Any]) -> tuple[int, list[str], set[str]] | None:
    """Return how many values are numbers, texts with digits, and words that may mean missing.

    None if there is anything else.
    """
    numbers, texts, rest = 0, [], set()
    for one in values:  # the first few values decide for most columns
        if not isinstance(one, str):
            numbers += 1
            if not isinstance(one, Number):
                return None
        elif any(map(str.isdigit, one)):
            if not _MAYBE.fullmatch(text := one.strip()):
                return None
            texts.append(text)
        else:
            rest.add(one.strip())
            if len(rest) > _MOST_PLACEHOLDERS or len(one) > _LONGEST_PLACEHOLDER:
                return None
    return numbers, texts, rest


def _are_dates(texts: list[str]) -> bool:
    days = [_TIME.sub("", one) for one in texts]
    if all(map(_NAMED_DATE.fullmatch, days)):
        return True
    parts = [found.groups() for found in map(_DATE.fullmatch, days) if found]
    if len(parts) < len(days):
        return False
    numbers = [tuple(map(int, one)) for one in parts]
    return any(
        all(1 <= one[day] <= 31 and 1 <= one[month] <= 12 for one in numbers)
        for day, month in permutations(range(3), 2)
    )
