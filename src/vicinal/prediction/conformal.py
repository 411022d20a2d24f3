"""Intervals and label sets that hold the truth as often as they say, from left-out cases."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.typing import Floats


@dataclass(frozen=True, eq=False)
class Calibration:
    """Scores of left-out cases: how far off each prediction was.

    Parameters
    ----------
    scores : ndarray
        For numbers the absolute error over the local scale; for classes the probability not
        given to the true class. Ascending.
    floor : float
        For numbers: least local scale, so that a chance agreement of neighbours is not taken for
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


def calibrate_numbers(
    truth: Floats, predicted: Floats, spread: Floats, weights: Floats | None = None
) -> Calibration:
    """Score predictions of numbers by their error in units of the local scale."""
    errors = np.abs(truth - predicted)
    error = _mean(errors, weights)
    floor = error / 2 or 1.0
    return replace(_ranked(errors / (spread + floor), weights, floor), error=error)


def calibrate_classes(
    truth: Floats, probabilities: Floats, weights: Floats | None = None
) -> Calibration:
    """Score predictions of classes by the probability they did not give to the truth."""
    given = probabilities[np.arange(len(truth)), truth.astype(np.intp)]
    return replace(_ranked(1.0 - given, weights), error=_mean(1.0 - given, weights))


def _mean(errors: Floats, weights: Floats | None) -> float:
    return float(np.average(errors, weights=weights)) if len(errors) else 0.0


def _ranked(scores: Floats, weights: Floats | None, floor: float = 0.0) -> Calibration:
    order = np.argsort(scores, kind="stable")
    return Calibration(scores[order], floor, None if weights is None else weights[order])
