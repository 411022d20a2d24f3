"""Calibration of prediction intervals and prediction sets by leave-one-out errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.influence.losses import errors_of
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Calibration:
    """Conformity scores: the errors of leave-one-out predictions.

    Parameters
    ----------
    scores : ndarray
        For numbers, the absolute error over the local scale; for classes, the probability not
        given to the true class. Ascending.
    floor : float
        For numbers: the minimum local scale, so that neighbors that agree by chance do not imply
        certainty.
    weights : ndarray, optional
        Weight of each score; a score of weight 2 counts as two cases.
    error : float
        Mean leave-one-out error: for numbers in their own unit, for classes the probability not
        given to the true class.
    """

    scores: Floats
    floor: float = 0.0
    weights: Floats | None = None
    error: float = 0.0

    def quantile(self, alpha: float) -> float:
        """Return the score that a new case exceeds with probability at most alpha.

        It is the ⌈(m + 1)(1 − α)⌉-th smallest of m scores; infinite if m is too small.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.prediction.conformal import Calibration
        >>> Calibration(np.arange(1.0, 10.0)).quantile(0.2)
        8.0
        """
        weights = np.ones(len(self.scores)) if self.weights is None else self.weights
        reached = np.cumsum(weights)
        # The new case has the mean weight of the training cases, but at most 1.
        total = weights.sum() + min(1.0, weights.mean() if len(weights) else 1.0)
        # 1 − α is rounded, which must not turn an integer rank into the next one.
        place = int(np.searchsorted(reached, (1 - alpha) * total - 1e-9 * total))
        return float(self.scores[place]) if place < len(self.scores) else np.inf

    def scale(self, spread: Floats) -> Floats:
        """Return the local scale for this spread of outcomes among influential cases."""
        return spread + self.floor


def calibrate(target: Target, cases: Ints, answered: Answer) -> Calibration:
    """Score leave-one-out predictions.

    Numbers are scored by their error in units of the local scale, classes by the probability
    not given to the true class.
    """
    weights = target.index.weights_of(cases)
    errors = errors_of(answered, target, target.outcomes_of(cases))
    error = float(np.average(errors, weights=weights)) if len(errors) else 0.0
    scores, floor = errors, 0.0
    if answered.spread is not None:
        floor = error / 2 or 1.0
        scores = errors / (answered.spread + floor)
    order = np.argsort(scores, kind="stable")
    ranked = None if weights is None else weights[order]
    return Calibration(scores[order], floor, ranked, error)
