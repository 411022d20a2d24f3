"""The column that is asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats, Ints

#: Share that all cases have alike in the probabilities of classes, at least, so that no class is
#: ever impossible.
MIX = 1e-3


@dataclass(frozen=True, eq=False)
class Target:
    """A target column: its outcomes by case number, and how errors in it are counted.

    Parameters
    ----------
    column : int
        Encoded column.
    outcomes : ndarray
        Value of each case, by case number; NaN where missing.
    weights : ndarray, optional
        Weight of each case, by case number.
    n_classes : int
        Number of classes, 0 for a number.
    shares : ndarray
        Class shares, for classes.
    mean, scale : float
        Mean and mean absolute deviation, for a number.
    period : float
        For a cyclic number the length of a cycle, else 0. Outcomes are in one cycle, which
        begins where the fewest are.
    turn : complex
        For a cyclic number the mean direction of the outcomes.
    asked : ndarray, optional
        What each case counts when it is left out and asked for, by case number; by default its
        weight.
    """

    column: int
    outcomes: Floats
    n_classes: int
    shares: Floats
    mean: float
    scale: float
    weights: Floats | None = None
    period: float = 0.0
    turn: complex = 0j
    asked: Floats | None = None

    def mass_of(self, cases: Ints) -> float:
        """Return how many cases these count as."""
        return len(cases) if self.weights is None else float(self.weights[cases].sum())

    def weights_of(self, cases: Ints) -> Floats:
        """Return what some cases count when they are asked for, as shares of the sum."""
        counted = self.weights if self.asked is None else self.asked
        weights = np.ones(len(cases)) if counted is None else counted[cases]
        return weights / weights.sum()

    def outcomes_of(self, cases: Ints) -> Floats:
        """Return the outcome of cases by number, 0 where the number is −1."""
        return np.where(cases >= 0, self.outcomes[np.maximum(cases, 0)], 0.0)

    def near(self, outcomes: Floats | float, values: Floats) -> Floats:
        """Return outcomes, those of a cyclic number by whole turns as near to values as can be."""
        moved = np.asarray(outcomes, dtype=np.float64)
        if not self.period:
            return moved
        return moved - self.period * np.round((moved - values) / self.period)
