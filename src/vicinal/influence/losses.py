"""Errors and losses of predictions; every one is defined once, here."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.influence.outcomes import power_of_two
from vicinal.influence.small_samples import small_sample_factor
from vicinal.influence.target import MIX, Target
from vicinal.typing import Bools, Floats, Ints, Places

#: Errors are clipped below at this part of the spread, so that scores stay finite.
_LEAST = 1e-9
#: Probabilities are clipped below at this value, for the same reason.
_LEAST_PROBABILITY = 1e-12


def probabilities_of(answered: Answer, truth: Floats) -> Floats:
    """Return the probability that each prediction gives to the true class.

    It is NaN if the class is missing, and 0 for an unseen class.
    """
    assert answered.probabilities is not None
    seen = np.isfinite(truth) & (truth < answered.probabilities.shape[1])
    codes = np.where(seen, truth, 0).astype(np.intp)
    given = answered.probabilities[np.arange(len(codes)), codes]
    return np.where(seen, given, np.where(np.isnan(truth), np.nan, 0.0))


def errors_of(answered: Answer, target: Target, truth: Floats) -> Floats:
    """Return the absolute error of each prediction; for classes 1 − p of the true one."""
    if answered.probabilities is not None:
        return 1.0 - probabilities_of(answered, truth)
    return np.abs(target.near(truth, answered.values) - answered.values)


def case_losses(answered: Answer, target: Target, truth: Floats) -> Floats:
    """Return the log loss of each prediction; for numbers, error ÷ mean deviation."""
    if answered.probabilities is not None:
        return -np.log(np.maximum(probabilities_of(answered, truth), _LEAST_PROBABILITY))
    return errors_of(answered, target, truth) / (target.scale or 1.0)


@dataclass(frozen=True)
class Losses:
    """How well some cases are predicted.

    Parameters
    ----------
    mae : float
        Mean absolute error; for classes one minus the mean probability of the true class.
    accuracy : float
        Share of correctly predicted classes; NaN for numbers.
    entropy : float
        Mean surprisal of the truth, in nats. For numbers that of a Laplace distribution about
        the prediction whose scale is the mean absolute error: 1 + ln(2 · mae), in the target's
        unit.
    """

    mae: float
    accuracy: float
    entropy: float


@dataclass(frozen=True, eq=False)
class CaseLosses:
    """How well each of some cases is predicted.

    Parameters
    ----------
    errors : ndarray of shape (m,)
        Absolute errors; for classes one minus the probability of the true class.
    named, surprisals : ndarray of shape (m,), optional
        For classes: whether the true one is the most probable, and its surprisal.
    weights : ndarray of shape (m,)
        What each case counts; they sum to 1.
    least : float
        Mean errors of numbers are clipped below at this.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.brute_force import BruteForce
    >>> from vicinal.influence.losses import CaseLosses
    >>> from vicinal.influence.target import Target
    >>> index = BruteForce(np.array([[0.0], [1.0]]), np.zeros(1, dtype=np.uint8))
    >>> target = Target.of(index, 0, n_classes=0)
    >>> CaseLosses.of(np.array([[0.1], [0.7]]), np.array([0, 1]), target).entropy_parts
    array([0.5, 1.5])
    """

    errors: Floats
    named: Bools | None
    surprisals: Floats | None
    weights: Floats
    least: float

    @classmethod
    def of(cls, predictions: Floats, cases: Ints, target: Target) -> CaseLosses:
        """Compare predictions of cases, (m, n_classes) or (m, 1), with their outcomes."""
        judge = Judge(cases, target)
        least = _LEAST * (target.scale or 1.0)
        if target.n_classes:
            right = judge.guesses(predictions)
            named = predictions.argmax(axis=1) == judge.codes
            return cls(1 - right, named, judge.surprisals(right), judge.weights, least)
        values = predictions[:, 0]
        errors = np.abs(target.near(judge.truth, values) - values)
        return cls(errors, None, None, judge.weights, least)

    @property
    def mean(self) -> Losses:
        """The means over the cases."""
        mae = float(self.errors @ self.weights)
        if self.named is not None and self.surprisals is not None:
            entropy = float(self.surprisals @ self.weights)
            return Losses(mae, float(self.named @ self.weights), entropy)
        return Losses(mae, float("nan"), float(1 + np.log(2 * max(mae, self.least))))

    @property
    def entropy_parts(self) -> Floats:
        """What each case adds to the entropy, up to a constant.

        The mean of the differences between two kinds of predictions is the difference of their
        entropies, for numbers to first order; so their spread gives its standard error.
        """
        if self.surprisals is not None:
            return self.surprisals
        return self.errors / max(float(self.errors @ self.weights), self.least)


def mean_losses(predictions: Floats, cases: Ints, target: Target) -> Losses:
    """Compare predictions of cases, (m, n_classes) or (m, 1), with their outcomes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.brute_force import BruteForce
    >>> from vicinal.influence.losses import mean_losses
    >>> from vicinal.influence.target import Target
    >>> index = BruteForce(np.array([[0.0], [1.0]]), np.zeros(1, dtype=np.uint8))
    >>> target = Target.of(index, 0, n_classes=0)
    >>> mean_losses(np.array([[0.5], [0.5]]), np.array([0, 1]), target)
    Losses(mae=0.5, accuracy=nan, entropy=1.0)
    """
    return CaseLosses.of(predictions, cases, target).mean


class ManyLosses(NamedTuple):
    """How well each of several predictions is.

    Parameters
    ----------
    mae, entropy : ndarray of shape (…,)
        As in `Losses`.
    parts : ndarray of shape (…, m)
        What each case adds to the entropy; see `CaseLosses.entropy_parts`.
    """

    mae: Floats
    entropy: Floats
    parts: Floats


def many_losses(
    predictions: Floats, cases: Ints, target: Target, weights: Floats | None = None
) -> ManyLosses:
    """Return the losses of each of several (…, m, width) predictions.

    They are what `mean_losses` says of each, but for rounding. The weights are what each case
    counts, if not as it weighs.
    """
    judge = Judge(cases, target, weights)
    guesses = judge.guesses(predictions)
    if target.n_classes:
        surprisals = judge.surprisals(guesses)
        return ManyLosses(judge.mean(1 - guesses), judge.mean(surprisals), surprisals)
    errors = np.abs(target.near(judge.truth, guesses) - guesses)
    mae = judge.mean(errors)
    least = np.maximum(mae, _LEAST * (target.scale or 1.0))
    return ManyLosses(mae, 1 + np.log(2 * least), errors / least[..., None])


def error_of_mean(values: Floats, cases: Ints, target: Target) -> float:
    """Return the standard error of the mean of something over cases, by their weights."""
    weights, count = target.weights_of(cases), len(cases)
    if count < 2:
        return float("nan")
    spread = (weights**2 * (values - values @ weights) ** 2).sum()
    return float(np.sqrt(spread * count / (count - 1))) * small_sample_factor(count - 1)


def target_loss(predictions: Floats, cases: Ints, target: Target) -> float:
    """Return the log loss, or the root mean squared error over the standard deviation."""
    return Judge(cases, target).loss(predictions)


class Judge:
    """Compares predictions of some cases with their outcomes."""

    def __init__(self, cases: Ints, target: Target, weights: Floats | None = None) -> None:
        self.truth = target.outcomes_of(cases)
        self.weights = target.weights_of(cases) if weights is None else weights
        self.classes = bool(target.n_classes)
        if self.classes:
            self.codes = self.truth.astype(np.intp)
            self.trace = MIX * target.shares[self.codes]
        else:
            off = self.truth - self.truth @ self.weights
            # Squares of large numbers overflow; a power of two changes no bit of the others.
            self.power = float(power_of_two(np.abs(off).max(initial=0.0)))
            self.unit = float(np.sqrt(self.mean((off / self.power) ** 2)))
            if not self.unit:
                self.power = self.unit = 1.0

    def taken(self, some: Bools) -> Judge:
        """Return a judge of some of the cases; errors are in the same unit."""
        fewer = copy(self)
        fewer.truth, fewer.weights = self.truth[some], self.weights[some]
        fewer.weights = fewer.weights / max(float(fewer.weights.sum()), 1e-300)
        if self.classes:
            fewer.codes, fewer.trace = self.codes[some], self.trace[some]
        return fewer

    def repeated(self, some: Places, share: float) -> Judge:
        """Return a judge of classes of all cases, and of some of them once more.

        The repeated ones have this share of the loss.
        """
        more, again = copy(self), self.weights[some]
        again = again / max(float(again.sum()), 1e-300)
        more.truth = np.append(self.truth, self.truth[some])
        more.codes = np.append(self.codes, self.codes[some])
        more.trace = np.append(self.trace, self.trace[some])
        more.weights = np.append((1 - share) * self.weights, share * again)
        return more

    def guesses(self, predictions: Floats) -> Floats:
        """Return the part of each prediction that the loss depends on, (…, m)."""
        if not self.classes:
            return predictions[..., 0]
        # Case after case, so that sums over them are rounded alike, however many rows there are.
        return np.ascontiguousarray(predictions[..., np.arange(len(self.truth)), self.codes])

    def loss(self, predictions: Floats) -> float:
        """Return the loss of predictions; see `target_loss`."""
        return float(self.losses(self.guesses(predictions)))

    def error_rate(self, predictions: Floats) -> float:
        """Return the share of cases whose most probable class is not the true one."""
        return float((predictions.argmax(axis=1) != self.codes) @ self.weights)

    def losses(self, guesses: Floats) -> Floats:
        """Return the loss of each row of guesses."""
        if self.classes:
            return self.mean(self.surprisals(guesses))
        return np.sqrt(self.mean(((guesses - self.truth) / self.power) ** 2)) / self.unit

    def gap(self, worse: Floats, better: Floats) -> tuple[float, float]:
        """Return by which factor guesses have the larger loss, and its standard error."""
        each = [self._each(guesses) for guesses in (worse, better)]
        base = max(float(self.mean(each[1])), 1e-12)
        gaps = (each[0] - each[1]) / base
        mean = float(self.mean(gaps))
        error = float(np.sqrt(((gaps - mean) ** 2 * self.weights**2).sum()))
        if self.classes:
            return 1.0 + mean, error
        # A root of mean squares grows half as fast as these.
        factor = float(np.sqrt(1.0 + mean))
        return factor, error / (2.0 * max(factor, 1e-12))

    def _each(self, guesses: Floats) -> Floats:
        if self.classes:
            return self.surprisals(guesses)
        squares: Floats = ((guesses - self.truth) / self.power / self.unit) ** 2
        return squares

    def surprisals(self, guesses: Floats) -> Floats:
        """Return the surprisal of each true class, in nats, given its probability."""
        surprisals: Floats = -np.log((1 - MIX) * np.clip(guesses, 0, 1) + self.trace)
        return surprisals

    def mean(self, values: Floats) -> Floats:
        """Return the mean over the cases, by their weights."""
        # Not a matrix product, whose sums may depend on the number of threads.
        mean: Floats = (values * self.weights).sum(axis=-1)
        return mean
