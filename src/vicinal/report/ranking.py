"""How well a score ranks cases of one class before all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Bools, Floats


@dataclass(frozen=True, eq=False)
class RankedCases:
    """Shares of the cases above each threshold, from the highest threshold to the lowest.

    All of them begin with 0: a threshold that no case reaches.

    Parameters
    ----------
    thresholds : ndarray of shape (m,)
        Distinct scores, descending; the first is infinite.
    recall : ndarray of shape (m,)
        Share of the positive cases whose score is at least the threshold.
    false_alarms : ndarray of shape (m,)
        Share of the other cases whose score is at least the threshold.
    flagged : ndarray of shape (m,)
        Share of all cases whose score is at least the threshold.
    rate : float
        Share of the positive cases among all.
    """

    thresholds: Floats
    recall: Floats
    false_alarms: Floats
    flagged: Floats
    rate: float

    @classmethod
    def of(cls, scores: Floats, positive: Bools, weights: Floats) -> RankedCases:
        """Rank cases by their scores; there must be positive and other ones.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.report.ranking import RankedCases
        >>> scores, positive = np.array([0.9, 0.6, 0.4]), np.array([True, False, True])
        >>> found = RankedCases.of(scores, positive, np.ones(3))
        >>> found.recall, found.auc
        (array([0. , 0.5, 0.5, 1. ]), 0.5)
        """
        order = np.argsort(-scores, kind="stable")
        ranked, hits, mass = scores[order], positive[order], weights[order]
        ends = np.flatnonzero(np.r_[ranked[1:] != ranked[:-1], True])
        true = np.r_[0.0, np.cumsum(mass * hits)[ends]]
        false = np.r_[0.0, np.cumsum(mass * ~hits)[ends]]
        rate = true[-1] / (true[-1] + false[-1])
        recall, alarms = true / true[-1], false / false[-1]
        flagged = rate * recall + (1 - rate) * alarms
        return cls(np.r_[np.inf, ranked[ends]], recall, alarms, flagged, float(rate))

    @property
    def precision(self) -> Floats:
        """Share of positive cases among those at or above each threshold; 1 if there are none."""
        found = self.rate * self.recall
        return np.divide(found, self.flagged, out=np.ones_like(found), where=self.flagged > 0)

    @property
    def auc(self) -> float:
        """Area under the ROC curve: how often a positive case ranks before another one."""
        return float(np.trapezoid(self.recall, self.false_alarms))

    @property
    def average_precision(self) -> float:
        """Mean precision at the thresholds that find one more positive case."""
        return float(np.diff(self.recall) @ self.precision[1:])

    @property
    def ks(self) -> float:
        """The largest difference of recall and false alarms (Kolmogorov and Smirnov)."""
        return float((self.recall - self.false_alarms).max())

    def lift(self, share: float) -> float:
        """How many times more positive cases than on average are in the first cases."""
        return float(np.interp(share, self.flagged, self.recall) / share)
