"""Calibration of prediction intervals and prediction sets by errors on left-out cases."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.influence.losses import errors_of
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Calibration:
    """Conformity scores: the errors of predictions of left-out cases.

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
        Mean error of left-out cases: for numbers in their own unit, for classes the probability
        not given to the true class.
    classes : ndarray of int64, optional
        For classes: the code of the true class behind each score.
    ratio : float, optional
        For numbers: the mean error of left-out cases over their mean local scale.
    """

    scores: Floats
    floor: float = 0.0
    weights: Floats | None = None
    error: float = 0.0
    classes: Ints | None = None
    ratio: float | None = None

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

    def limits(self, alpha: float, n_classes: int) -> Floats:
        """Return for each class the score that its cases exceed with probability at most alpha.

        It is infinite for a class with too few scores, and for one that has none.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.prediction.conformal import Calibration
        >>> scores, classes = np.array([0.1, 0.2, 0.3, 0.7]), np.array([0, 0, 0, 1])
        >>> Calibration(scores, classes=classes).limits(0.25, 3)
        array([0.3, inf, inf])
        """
        if self.classes is None:  # from a file that does not distinguish them
            return np.full(n_classes, self.quantile(alpha))
        return np.array([self._of_class(code).quantile(alpha) for code in range(n_classes)])

    def _of_class(self, code: int) -> Calibration:
        own = self.classes == code
        return Calibration(
            self.scores[own], 0.0, None if self.weights is None else self.weights[own]
        )

    def scale(self, spread: Floats) -> Floats:
        """Return the local scale for this spread of outcomes among influential cases."""
        return spread + self.floor

    def expected_error(self, spread: Floats) -> Floats:
        """Return the error to expect of numbers with this spread among influential cases.

        It is in proportion to the local scale, and over the left-out cases its mean is that of
        their errors.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.prediction.conformal import Calibration
        >>> known = Calibration(np.array([0.2, 0.6]), floor=1.0, error=2.0, ratio=0.4)
        >>> known.expected_error(np.array([0.0, 2.0]))
        array([0.4, 1.2])
        """
        if self.ratio is None:  # from a file without it
            return np.full(len(spread), self.error)
        return self.scale(spread) * self.ratio


def calibrate(target: Target, cases: Ints, answered: Answer) -> Calibration:
    """Score predictions of left-out cases.

    Numbers are scored by their error in units of the local scale, classes by the probability
    not given to the true class.
    """
    weights = target.index.weights_of(cases)
    truth = target.outcomes_of(cases)
    errors = errors_of(answered, target, truth)
    error = _mean(errors, weights) if len(errors) else 0.0
    scores, floor, ratio = errors, 0.0, None
    if answered.spread is not None:
        floor = error / 2 or 1.0
        scale = answered.spread + floor
        scores = errors / scale
        if len(errors):
            unit = scale.max()
            ratio = error / unit / _mean(scale / unit, weights)
    order = np.argsort(scores, kind="stable")
    ranked = None if weights is None else weights[order]
    classes = truth[order].astype(np.int64) if target.n_classes else None
    return Calibration(scores[order], floor, ranked, error, classes, ratio)


def _mean(errors: Floats, weights: Floats | None) -> float:
    """Return the mean, which does not depend on the order of the cases, not even by rounding."""
    if weights is None:
        return fsum(errors) / len(errors)
    return fsum(errors * weights) / fsum(weights)
