"""Contributions and errors in words: of times in hours or days, and without rounding errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.explain.explanation.parts import FeatureShares, ResidualConviction
from vicinal.formatting.durations import format_seconds, is_time, shared_unit, time_texts
from vicinal.formatting.values import format_apart, format_pair, format_percent, format_value
from vicinal.typing import Floats

#: What is smaller than this share of the largest number is a rounding error.
ROUNDING = 1e-12
#: Digits of numbers beside each other that would look equal otherwise, as coordinates do.
MOST_DIGITS = 9


def error_texts(found: ResidualConviction, prediction: Any, *, is_class: bool) -> list[str]:
    """Return the expected, the usual, the actual error and that around as text.

    Examples
    --------
    >>> import datetime as dt
    >>> from vicinal.explain.explanation.amounts import error_texts
    >>> from vicinal.explain.explanation.parts import ResidualConviction
    >>> found = ResidualConviction(7200.0, 90.0, 0.0)
    >>> error_texts(found, dt.timedelta(hours=3), is_class=False)
    ['2 h', '1.5 min', '?', '0 s']
    """
    errors = (found.expected, found.usual, found.error, found.around)
    known = [np.nan if one is None else one for one in errors]
    known = [0.0 if abs(one) < ROUNDING * found.usual else one for one in known]
    size = format_percent if is_class else format_seconds if is_time(prediction) else format_value
    texts = [size(one) if np.isfinite(one) else "?" for one in known]
    if is_class and texts[0] == texts[1] and "?" not in texts[:2]:
        texts[:2] = (f"{one} %" for one in format_pair(100 * known[0], 100 * known[1]))
    return texts


def from_to(found: FeatureShares, prediction: Any) -> tuple[str, str]:
    """Return the prediction without any feature, and with all of them, as text."""
    start = found.baseline, found.prediction
    if found.in_seconds:
        return time_texts(prediction, start[0] - start[1])
    least = ROUNDING * max(map(abs, start))
    low, high = (0.0 if abs(one) < least else one for one in start)
    first, last = format_apart((low, high), most=MOST_DIGITS)
    return first, last


def in_unit(found: FeatureShares, prediction: Any) -> tuple[str, Floats, Floats]:
    """Return contributions and standard errors in a unit that fits, and this unit, if any."""
    if not found.in_seconds or not found.values.any():
        return "", found.values, found.standard_errors
    unit, seconds = shared_unit(found.values.tolist())
    return unit, found.values / seconds, found.standard_errors / seconds
