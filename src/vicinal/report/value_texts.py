"""Values and differences of a feature as short text."""

from __future__ import annotations

import math
import re

from vicinal.fitted import Fitted
from vicinal.formatting.durations import format_seconds
from vicinal.formatting.values import format_apart, format_value
from vicinal.schema.feature import Feature
from vicinal.typing import Floats

#: A date with a time of day, and perhaps an offset.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:.*")


def value_texts(fitted: Fitted, values: Floats, column: int) -> list[str]:
    """Return encoded values of a column as short text.

    Numbers that differ have up to six digits to distinguish them, as coordinates need.
    """
    return format_apart(fitted.decoded(values, column), most=6)


def day_texts(texts: list[str]) -> list[str]:
    """Leave out the times of day, for which an axis has no room, where the days tell all apart.

    Examples
    --------
    >>> from vicinal.report.value_texts import day_texts
    >>> day_texts(["2024-01-30 05:30:00", "2024-01-31 05:30:00"])
    ['2024-01-30', '2024-01-31']
    """
    days = [text.split(" ")[0] for text in texts]
    return days if all(map(_MOMENT.match, texts)) and len(set(days)) == len(days) else texts


def amount_text(feature: Feature, amount: float) -> str:
    """Return the difference of two values as text; differences of times have a fitting unit."""
    if not feature.in_seconds or not math.isfinite(amount):
        return format_value(float(amount))
    return format_seconds(amount)
