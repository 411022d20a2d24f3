"""What it means that a prediction stays the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.influence.target import Target
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats

#: By how much an expectation must exceed its limit, so that rounding does not decide.
MARGIN = 1e-9


@dataclass(frozen=True, eq=False)
class Outcome:
    """The expectations that must stay positive for a prediction to stay the same.

    Parameters
    ----------
    values : list of ndarray
        For each expectation, the value of every class; for numbers a factor of the outcome.
    added : ndarray
        What is added to each of them.
    lowest, highest : ndarray
        The least and the greatest value of any case, before anything is added.
    enough : float
        By how much they must exceed 0.
    margin : callable
        Says of predictions how well they stay; below 0 for those that do not.
    differs : callable
        Says of outcomes whether they differ from the prediction: above 0.
    """

    values: list[Floats]
    added: Floats
    lowest: Floats
    highest: Floats
    enough: float
    margin: Callable[[Answer], Floats]
    differs: Callable[[Floats], Floats]

    @property
    def ends(self) -> list[tuple[float, float]]:
        """The least and the greatest value of any case, of each expectation."""
        ends = zip(self.lowest + self.added, self.highest + self.added, strict=True)
        return [(float(low), float(high)) for low, high in ends]

    def case_values(self, values: Floats, outcomes: Floats) -> Floats:
        """Return the value of cases with some outcomes."""
        return values[outcomes.astype(np.intp)] if len(values) > 1 else values[0] * outcomes

    def expected(self, values: Floats, target: Target, at: int) -> float:
        """Return an expectation without any information about a row."""
        return float(np.sum(values * target.expected) + self.added[at])


def class_outcome(predictor: Predictor, code: int) -> Outcome:
    """Return what must hold for a class to be predicted."""
    target = predictor.target
    codes = predictor.fitted.class_codes(predictor.column)
    codes = codes[codes >= 0]
    gains = np.eye(target.n_classes)
    if predictor.decision is not None:
        gains = np.zeros((target.n_classes, target.n_classes))
        gains[np.ix_(codes, codes)] = predictor.decision.gains
    rivals = [one for one in codes.tolist() if one != code and target.shares[one] > 0]
    values = [gains[:, code] - gains[:, rival] for rival in rivals]
    there = target.shares > 0

    def margin(answered: Answer) -> Floats:
        assert answered.probabilities is not None
        scores = answered.probabilities @ gains
        others = np.delete(scores, code, axis=1).max(axis=1, initial=0.0)
        with np.errstate(divide="ignore"):
            odds = np.abs(np.log(scores[:, code]) - np.log(others)) + 1e-12
        return np.where(answered.values == code, odds, -odds)

    return Outcome(
        values,
        np.zeros(len(values)),
        np.array([one[there].min() for one in values]),
        np.array([one[there].max() for one in values]),
        MARGIN,
        margin,
        lambda outcomes: (outcomes != code).astype(np.float64),
    )


def number_outcome(predictor: Predictor, value: float, tolerance: float) -> Outcome:
    """Return what must hold for a prediction to stay within a tolerance."""
    known = predictor.fitted.distribution(predictor.column)["values"]
    low, high = float(known[0]), float(known[-1])
    return Outcome(
        [np.ones(1), -np.ones(1)],
        np.array([tolerance - value, tolerance + value]),
        np.array([low, -high]),
        np.array([high, -low]),
        MARGIN * max(abs(value), high - low),
        lambda answered: tolerance - np.abs(answered.values - value),
        lambda outcomes: np.abs(outcomes - value) - tolerance,
    )
