"""What was tried to predict a target, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.influence.ensemble import Ensemble
from vicinal.typing import Floats, Ints


@dataclass(frozen=True)
class Trial:
    """One way of predicting that was tried, and its leave-one-out loss."""

    reading: str
    rule: str
    bandwidth: float
    ridge: float
    loss: float


@dataclass(frozen=True, eq=False)
class Tuning:
    """What was tried for a target, and what came of it.

    Parameters
    ----------
    ensemble : Ensemble
        How the target is predicted.
    trials : tuple of Trial
        Everything that was tried, best first. The loss is log loss in nats for classes, and the
        root mean squared error over the standard deviation for numbers.
    loss : float
        Leave-one-out loss of the ensemble.
    queries : ndarray of int64
        Cases that were looked at, ascending.
    predictions : ndarray
        Their predictions when they were left out: values, or class probabilities. NaN for those
        that nothing was learned from, see `learning.hard_cases`.
    """

    ensemble: Ensemble
    trials: tuple[Trial, ...]
    loss: float
    queries: Ints
    predictions: Floats
