"""The candidates tried for a target, and the result."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.influence.ensemble import Ensemble
from vicinal.typing import Floats, Ints


@dataclass(frozen=True)
class Trial:
    """One candidate predictor and its leave-one-out loss."""

    reading: str
    rule: str
    bandwidth: float
    ridge: float
    loss: float


@dataclass(frozen=True, eq=False)
class Tuning:
    """The candidates tried for a target, and the result.

    Parameters
    ----------
    ensemble : Ensemble
        How the target is predicted.
    trials : tuple of Trial
        Everything that was tried, best first. The loss is log loss in nats for classes, and the
        root mean squared error over the standard deviation for numbers. With a `robust_radius`,
        that of cases where an attacker would move them.
    loss : float
        Leave-one-out loss of the ensemble; the members of each prediction are chosen by other
        cases.
    queries : ndarray of int64
        Cases that it was learned from, ascending.
    predictions : ndarray
        Their leave-one-out predictions: values, or class probabilities.
    """

    ensemble: Ensemble
    trials: tuple[Trial, ...]
    loss: float
    queries: Ints
    predictions: Floats

    def __repr__(self) -> str:
        members = len(self.ensemble.members)
        return (
            f"Tuning: leave-one-out loss {self.loss:.4g} of {len(self.queries)} cases; "
            f"{members} member{'s' * (members != 1)} chosen from {len(self.trials)} trials"
        )
