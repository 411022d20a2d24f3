"""Prediction intervals of numbers, in the units of the target."""

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
    """Return the ends of the prediction intervals of numbers."""
    half = predictor.half_widths(answered, alpha)
    return interval_ends(predictor.fitted, answered.values, half, predictor.column)


def interval_ends(
    fitted: Fitted, values: Floats, half: Floats, column: int, imputed: Floats | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the decoded ends of intervals around encoded values of one column.

    No end passes a bound that was declared, or a natural one: 0 if all values have the same sign,
    or 0 and 1 if they fill what is between. The greatest value observed is no bound, since a new
    row may exceed it. An interval around a value beyond a bound starts from there, so that none is
    empty or without width.

    Parameters
    ----------
    fitted : Fitted
        The fitted state, which has the schema of the column.
    values, half : ndarray of shape (m,)
        The center and half-width of each interval.
    column : int
        Encoded column.
    imputed : ndarray of shape (m,), optional
        The possible values nearest to the centers, which the intervals contain, too.
    """
    feature = fitted.schema.storage[column]
    period = feature.period or 0.0
    half = np.where((period > 0) & (2 * half >= period), np.nan, half)
    domain = fitted.domain(column)
    values = domain.bounded(values)
    lower, upper = values - half, values + half
    if imputed is not None and not period:
        lower, upper = np.minimum(lower, imputed), np.maximum(upper, imputed)
    if feature.kind is Kind.ORDINAL:
        last = max(len(feature.categories or ()) - 1, 0)
        lower, upper = np.clip(lower, 0.0, last), np.clip(upper, 0.0, last)
        return fitted.predicted(lower, column), fitted.predicted(upper, column)
    lower, upper = domain.bounded(lower), domain.bounded(upper)
    if feature.family != "number":  # times cannot be infinite
        lower, upper = (np.where(np.isinf(end), np.nan, end) for end in (lower, upper))
    return fitted.predicted(lower, column), fitted.predicted(upper, column)
