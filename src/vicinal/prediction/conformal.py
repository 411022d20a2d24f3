"""Intervals and label sets that hold the truth as often as they say, from left-out cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
    """

    scores: Floats
    floor: float = 0.0

    def quantile(self, alpha: float) -> float:
        """Return the score that a new case exceeds with probability alpha at most.

        The ⌈(m + 1)(1 − α)⌉-th smallest of m scores; infinite when m is too small to tell.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.prediction import Calibration
        >>> Calibration(np.arange(1.0, 10.0)).quantile(0.2)
        8.0
        """
        rank = int(np.ceil((len(self.scores) + 1) * (1 - alpha)))
        return float(self.scores[rank - 1]) if rank <= len(self.scores) else np.inf

    def scale(self, spread: Floats) -> Floats:
        """Return the local scale of numbers with this spread among their influential cases."""
        return spread + self.floor


def calibrate_numbers(truth: Floats, predicted: Floats, spread: Floats) -> Calibration:
    """Score predictions of numbers by their error in units of the local scale."""
    errors = np.abs(truth - predicted)
    floor = float(errors.mean()) / 2 or 1.0
    return Calibration(np.sort(errors / (spread + floor)), floor)


def calibrate_classes(truth: Floats, probabilities: Floats) -> Calibration:
    """Score predictions of classes by the probability they did not give to the truth."""
    given = probabilities[np.arange(len(truth)), truth.astype(np.intp)]
    return Calibration(np.sort(1.0 - given))
