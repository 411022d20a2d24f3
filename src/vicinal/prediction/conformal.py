"""Intervals and prediction sets that hold the truth as often as they say, from left-out cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.influence.losses import errors_of
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Calibration:
    """Scores of left-out cases: how far off each prediction was.

    Parameters
    ----------
    scores : ndarray
        For numbers the absolute error over the local scale; for classes the probability not
        given to the true class. Ascending.
    floor : float
        For numbers: least local scale, so that a chance agreement of neighbors is not taken for
        certainty.
    weights : ndarray, optional
        Weight of each score; a weight of 2 counts as two left-out cases.
    error : float
        Mean error of the left-out cases: of numbers in their own unit, of classes the
        probability not given to the true one.
    """

    scores: Floats
    floor: float = 0.0
    weights: Floats | None = None
    error: float = 0.0

    def quantile(self, alpha: float) -> float:
        """Return the score that a new case exceeds with probability alpha at most.

        The ⌈(m + 1)(1 − α)⌉-th smallest of m scores; infinite when m is too small to tell.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.prediction.conformal import Calibration
        >>> Calibration(np.arange(1.0, 10.0)).quantile(0.2)
        8.0
        """
        weights = np.ones(len(self.scores)) if self.weights is None else self.weights
        reached = np.cumsum(weights)
        # The new case weighs as much as a case of the table, but no more than one.
        total = weights.sum() + min(1.0, weights.mean() if len(weights) else 1.0)
        # 1 − α is rounded; a rank that is whole but for that must not become the next one.
        place = int(np.searchsorted(reached, (1 - alpha) * total - 1e-9 * total))
        return float(self.scores[place]) if place < len(self.scores) else np.inf

    def scale(self, spread: Floats) -> Floats:
        """Return the local scale of numbers with this spread among their influential cases."""
        return spread + self.floor


def calibrate(target: Target, cases: Ints, answered: Answer) -> Calibration:
    """Score predictions of left-out cases.

    Numbers are scored by their error in units of the local scale, classes by the probability
    that was not given to the true one.
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
