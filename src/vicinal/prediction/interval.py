"""Prediction intervals of numbers, in their own terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.fitted import Fitted
from vicinal.influence.answer import Answer
from vicinal.prediction.predictor import Predictor
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats


def interval(
    predictor: Predictor, answered: Answer, alpha: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of the intervals of predicted numbers."""
    half = predictor.half_widths(answered, alpha)
    return interval_ends(predictor.fitted, answered.values, half, predictor.column)


def interval_ends(
    fitted: Fitted, values: Floats, half: Floats, column: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of intervals about encoded values of one column, in its own terms.

    Parameters
    ----------
    fitted : Fitted
        Knows what the column is.
    values, half : ndarray of shape (m,)
        The middle and half the width of each interval.
    column : int
        Encoded column.
    """
    feature = fitted.schema.storage[column]
    period = feature.period or 0.0
    half = np.where((period > 0) & (2 * half >= period), np.nan, half)
    lower, upper = values - half, values + half
    if feature.kind is Kind.ORDINAL:
        last = max(len(feature.categories or ()) - 1, 0)
        lower, upper = np.clip(lower, 0.0, last), np.clip(upper, 0.0, last)
    elif feature.family != "number":  # no time is infinitely far away
        lower, upper = (np.where(np.isinf(end), np.nan, end) for end in (lower, upper))
    return fitted.predicted(lower, column), fitted.predicted(upper, column)
