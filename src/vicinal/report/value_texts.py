"""Values and differences of a feature as short text."""

from __future__ import annotations

import math

from vicinal.fitted import Fitted
from vicinal.formatting.durations import format_seconds
from vicinal.formatting.values import format_apart, format_value
from vicinal.schema.feature import Feature
from vicinal.typing import Floats


def value_texts(fitted: Fitted, values: Floats, column: int) -> list[str]:
    """Return encoded values of a column as short text.

    Numbers that differ have up to six digits to distinguish them, as coordinates need.
    """
    return format_apart(fitted.decoded(values, column), most=6)


def amount_text(feature: Feature, amount: float) -> str:
    """Return the difference of two values as text; differences of times have a fitting unit."""
    if not feature.in_seconds or not math.isfinite(amount):
        return format_value(float(amount))
    return format_seconds(amount)
