"""How far predictions are from the truth: errors, hits and surprisal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.prediction.target import MIX, Target
from vicinal.typing import Floats, Ints

#: Errors below this part of the spread count as this: no prediction is worth infinitely much.
_LEAST = 1e-9


@dataclass(frozen=True)
class Losses:
    """How well some cases are predicted.

    Parameters
    ----------
    mae : float
        Mean absolute error; of classes the mean probability not given to the true class.
    accuracy : float
        Share of classes named rightly; NaN for numbers.
    entropy : float
        Mean surprisal of the truth, in nats. For numbers that of a Laplace distribution about
        the prediction whose scale is the mean absolute error: 1 + ln(2 · mae), in the target's
        unit.
    """

    mae: float
    accuracy: float
    entropy: float


def losses(predictions: Floats, cases: Ints, target: Target) -> Losses:
    """Compare predictions of cases, (m, n_classes) or (m, 1), with their outcomes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explain.losses import losses
    >>> from vicinal.prediction.target import Target
    >>> outcomes = np.array([0.0, 1.0])
    >>> target = Target(0, outcomes, 0, np.empty(0), mean=0.5, scale=0.5)
    >>> losses(np.array([[0.5], [0.5]]), np.array([0, 1]), target)
    Losses(mae=0.5, accuracy=nan, entropy=1.0)
    """
    truth, weights = target.outcomes[cases], target.weights_of(cases)
    if target.n_classes:
        codes = truth.astype(np.intp)
        right = predictions[np.arange(len(codes)), codes]
        certain = (1 - MIX) * np.clip(right, 0, 1) + MIX * target.shares[codes]
        named = predictions.argmax(axis=1) == codes
        return Losses(
            float((1 - right) @ weights), float(named @ weights), float(-np.log(certain) @ weights)
        )
    values = predictions[:, 0]
    mae = float(np.abs(target.near(truth, values) - values) @ weights)
    least = _LEAST * (target.scale or 1.0)
    return Losses(mae, float("nan"), float(1 + np.log(2 * max(mae, least))))
