"""How a class is decided from probabilities: by weights, by costs, or tuned for a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from vicinal.prediction.goals import GOALS, counts
from vicinal.typing import Floats, Places

#: Scores that differ by less than this share are ties.
_TIE = 1e-12
#: A threshold lies only between observed scores that differ by more than this, so that rounding
#: does not decide.
_GAP = 1e-9
#: Goals that differ by less than this are equal.
_SAME_GOAL = 1e-9
#: Maximum number of times that the multipliers of all classes are revised.
_SWEEPS = 10


@dataclass(frozen=True, eq=False)
class Decision:
    """Which class to predict, given the probabilities of all.

    Parameters
    ----------
    gains : ndarray of shape (n_classes, n_classes)
        Nonnegative: what predicting a class (column) is worth if another one (row) is true. The
        class of the largest expected gain is predicted; ties go to the most probable class,
        then to the first one.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.prediction.decision import Decision
    >>> Decision.weighted(np.array([1.0, 4.0])).choose(np.array([[0.7, 0.3], [0.9, 0.1]]))
    array([1, 0])
    """

    gains: Floats

    @classmethod
    def weighted(cls, weights: Floats) -> Self:
        """Predict the class with the largest weight × probability."""
        return cls(np.diag(weights / weights.max()))

    @classmethod
    def least_cost(cls, costs: Floats, weights: Floats | None = None) -> Self:
        """Predict the class of the least expected cost; rows of costs are true classes.

        The costs of a true class may be shifted together without changing the decision, so the
        largest one becomes a gain of zero.
        """
        gains = costs.max(axis=1, keepdims=True) - costs
        if weights is not None:
            gains = gains * weights[:, None]
        return cls(gains / (gains.max() or 1.0))

    @classmethod
    def tuned(
        cls,
        goal: str,
        probabilities: Floats,
        truth: Places,
        masses: Floats | None = None,
        weights: Floats | None = None,
    ) -> Self:
        """Find the multipliers of the classes that maximize a goal; see `tune_multipliers`.

        Class weights make each case of a class count that many times, in the probabilities and
        in the goal.
        """
        n_classes = probabilities.shape[1]
        masses = np.ones(len(truth)) if masses is None else masses
        weights = np.ones(n_classes) if weights is None else weights
        counted = masses * weights[truth]
        if len(truth):
            counted *= masses.sum() / counted.sum()
        weighed = probabilities * weights
        weighed /= np.maximum(weighed.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        # Classes that tie once they are weighed must tie whatever unit the weights have.
        weighed = np.round(weighed, 12)
        return cls.weighted(weights * tune_multipliers(goal, weighed, truth, counted))

    def scores(self, probabilities: Floats) -> Floats:
        """Return the expected gain of predicting each class."""
        return probabilities @ self.gains

    def choose(self, probabilities: Floats) -> Places:
        """Return the class to predict, for each row of probabilities."""
        return _best(self.scores(probabilities), probabilities)


def balanced_weights(shares: Floats) -> Floats:
    """Return class weights that are inversely proportional to the shares of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.prediction.decision import balanced_weights
    >>> balanced_weights(np.array([0.75, 0.25]))
    array([0.66666667, 2.        ])
    """
    there = shares > 0
    return np.divide(1.0, there.sum() * shares, out=np.ones(len(shares)), where=there)


def _best(scores: Floats, probabilities: Floats) -> Places:
    """Return the class of the largest score; ties go to the most probable, then to the first."""
    near = scores >= scores.max(axis=1, keepdims=True) * (1.0 - _TIE)
    return np.where(near, probabilities, -1.0).argmax(axis=1)


def tune_multipliers(goal: str, probabilities: Floats, truth: Places, masses: Floats) -> Floats:
    """Return multipliers of the class probabilities that maximize a goal.

    Parameters
    ----------
    goal : str
        One of `vicinal.prediction.goals.GOALS`.
    probabilities : ndarray of shape (m, n_classes)
        Leave-one-out probabilities.
    truth : ndarray of int of shape (m,)
        The true classes.
    masses : ndarray of shape (m,)
        Weight of each case; a case of weight 2 counts as two.

    Notes
    -----
    One multiplier at a time is changed, starting from 1. With the others fixed, a class is
    predicted where its share p / (p + s) is above a threshold, where s is the largest score of
    the other classes; for two classes this share is the probability of the second class. Each
    threshold is halfway between two observed shares; the one between which 0.5 lies is 0.5.

    The number of cases above a threshold varies from sample to sample by its binomial standard
    deviation, so the goal at a threshold is averaged over all thresholds that many cases around
    it. The threshold with the highest average is chosen among those that do not lower the goal
    itself; of equal ones, the one closest to 0.5.
    """
    n_classes = probabilities.shape[1]
    multipliers = np.ones(n_classes)
    if n_classes < 2 or not len(truth):
        return multipliers
    search = _Search(goal, probabilities, truth, masses)
    # A common factor would change nothing, so of two classes only the second one is tuned.
    tuned = [1] if n_classes == 2 else range(n_classes)
    for _ in range(_SWEEPS):
        before = multipliers.copy()
        for which in tuned:
            multipliers[which] = search.best_multiplier(multipliers, which)
        if n_classes == 2 or np.array_equal(before, multipliers):
            break
    plain = search.value(np.ones(n_classes))
    return multipliers if search.value(multipliers) >= plain else np.ones(n_classes)


@dataclass(eq=False)
class _Search:
    """Leave-one-out predictions, on which a goal is measured."""

    goal: str
    probabilities: Floats
    truth: Places
    masses: Floats

    def __post_init__(self) -> None:
        n_classes = self.probabilities.shape[1]
        self.true, _ = counts(self.truth, self.truth, self.masses, n_classes)

    def value(self, multipliers: Floats) -> float:
        """Return the goal under these multipliers."""
        chosen = _best(self.probabilities * multipliers, self.probabilities)
        return float(self._values(*counts(self.truth, chosen, self.masses, len(self.true))))

    def _values(self, hits: Floats, predicted: Floats) -> Floats:
        return GOALS[self.goal](hits, predicted, self.true)

    def best_multiplier(self, multipliers: Floats, which: int) -> float:
        """Return the best multiplier of one class, given those of the others."""
        rivals, shares = self._shares(multipliers, which)
        order = np.argsort(-shares, kind="stable")
        values = self._values(*self._counts_by_cut(rivals[order], order, which))
        # With cut c, the c cases with the largest shares are predicted to be of this class.
        edges = np.concatenate([[1.0], shares[order], [0.0]])
        upper, lower = edges[:-1], edges[1:]
        holds_plain = (lower <= 0.5) & (upper > 0.5)
        cuts = np.flatnonzero((upper - lower > _GAP) | holds_plain)
        thresholds = np.where(holds_plain, 0.5, (upper + lower) / 2)[cuts]
        reached = np.concatenate([[0.0], np.cumsum(self.masses[order])])[cuts]
        smooth = _smoothed(values[cuts], reached, self._total, self._unit)
        enough = values[cuts] >= self.value(multipliers) - _SAME_GOAL
        if not enough.any():
            return float(multipliers[which])
        best = enough & (smooth >= smooth[enough].max() - _SAME_GOAL)
        odds = (1.0 - thresholds) / thresholds
        distance = np.where(best, np.abs(np.log(odds)), np.inf)
        return float(odds[np.argmin(np.round(distance, 9))])

    def _shares(self, multipliers: Floats, which: int) -> tuple[Places, Floats]:
        """Return the best other class of each case, and the share of this class beside it."""
        scores = self.probabilities * multipliers
        scores[:, which] = -1.0
        rivals = _best(scores, np.where(scores < 0, -2.0, self.probabilities))
        other = np.take_along_axis(scores, rivals[:, None], axis=1)[:, 0]
        own = self.probabilities[:, which]
        total = own + other
        return rivals, np.divide(own, total, out=np.zeros(len(own)), where=total > 0)

    def _counts_by_cut(self, rivals: Places, order: Places, which: int) -> tuple[Floats, Floats]:
        """Return the counts that goals need, for every cut: each case moves from its rival."""
        truth, masses, n_classes = self.truth[order], self.masses[order], len(self.true)
        cases = np.arange(len(truth))
        predicted = np.zeros((len(truth) + 1, n_classes))
        hits = np.zeros_like(predicted)
        hits[0], predicted[0] = counts(truth, rivals, masses, n_classes)
        predicted[cases + 1, rivals] -= masses
        predicted[cases + 1, which] += masses
        hits[cases + 1, rivals] -= masses * (truth == rivals)
        hits[cases + 1, which] += masses * (truth == which)
        return hits.cumsum(axis=0), predicted.cumsum(axis=0)

    @property
    def _total(self) -> float:
        return float(self.masses.sum())

    @property
    def _unit(self) -> float:
        """The weight that counts as one case."""
        return min(1.0, float(self.masses.mean()))


def _smoothed(values: Floats, reached: Floats, total: float, unit: float) -> Floats:
    """Average the goal at each cut over the cuts within a standard deviation of its count.

    Parameters
    ----------
    values : ndarray
        The goal at each cut.
    reached : ndarray
        The weight of the cases above each cut, ascending.
    total, unit : float
        The weight of all cases, and that of one.
    """
    width = np.sqrt(np.maximum(reached * (total - reached), 0.0) / total * unit) + _GAP * total
    first = np.searchsorted(reached, reached - width, side="left")
    last = np.searchsorted(reached, reached + width, side="right")
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return (sums[last] - sums[first]) / (last - first)
