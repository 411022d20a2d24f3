"""The column to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.exceptions import TableError
from vicinal.index.case_weights import units_of
from vicinal.index.protocol import Index
from vicinal.typing import Floats, Ints

#: Minimum background share in class probabilities, so that no class is ever
#: impossible.
MIX = 1e-3


@dataclass(frozen=True, eq=False)
class Target:
    """A column of the cases to predict, and how its errors are measured.

    Parameters
    ----------
    index : Index
        The cases.
    column : int
        Encoded column.
    n_classes : int
        Number of classes, 0 for a number.
    shares : ndarray
        Class shares, for classes.
    mean, scale : float
        Mean and mean absolute deviation, for a number.
    period : float
        For a cyclic number the length of a cycle, else 0.
    start : float
        For a cyclic number where its cycle begins: where the fewest outcomes are.
    turn : complex
        For a cyclic number the mean direction of the outcomes.
    """

    index: Index
    column: int
    n_classes: int
    shares: Floats
    mean: float
    scale: float
    period: float = 0.0
    start: float = np.nan
    turn: complex = 0j

    @classmethod
    def of(cls, index: Index, column: int, *, n_classes: int, period: float = 0.0) -> Target:
        """Summarize a column of the cases as a target."""
        found = index.reduce("target", column=column, n_classes=n_classes, period=period)
        if "damaged" in found:
            raise TableError(
                "A category code of the target is out of range: the cases are damaged."
            )
        if n_classes:
            return cls(index, column, n_classes, found["shares"], 0.0, 1.0)
        mean, scale, start = (float(found[name]) for name in ("mean", "scale", "start"))
        turn = complex(found["turn"])
        return cls(index, column, 0, np.empty(0), mean, scale, period, start, turn)

    @property
    def expected(self) -> Floats:
        """The prediction without any information: the class frequencies, or the mean."""
        return self.shares if self.n_classes else np.array([self.mean])

    def outcomes_of(self, cases: Ints) -> Floats:
        """Return the outcome of cases by number, 0 for the number −1."""
        outcomes = self.index.cells(np.maximum(cases, 0), self.column)
        return np.where(cases >= 0, self.within_cycle(outcomes), 0.0)

    def outcome_columns(self, values: Floats) -> tuple[Floats, Floats]:
        """Return a column of outcomes for each mean that is needed, and what to expect of it."""
        if not self.period:
            return values[:, None], self.expected
        plain = self.within_cycle(values)[:, None]
        angles = 2 * np.pi * plain / self.period
        turned = np.concatenate([np.cos(angles), np.sin(angles), plain], axis=1)
        return turned, np.array([self.turn.real, self.turn.imag, self.mean])

    def within_cycle(self, values: Floats) -> Floats:
        """Return values of the column, those of a cyclic number within one cycle."""
        if np.isnan(self.start):
            return values
        return self.start + np.mod(values - self.start, self.period)

    def mass_of(self, cases: Ints) -> float:
        """Return how many cases these count as."""
        weights = self.index.weights_of(cases)
        return len(cases) if weights is None else float(weights.sum())

    def weights_of(self, cases: Ints) -> Floats:
        """Return the weights of some cases in losses, as shares of the sum."""
        weights = units_of(self.index, cases)
        return weights / weights.sum()

    def near(self, outcomes: Floats | float, values: Floats) -> Floats:
        """Return outcomes, those of a cyclic number by whole turns as near to values as can be."""
        moved = np.asarray(outcomes, dtype=np.float64)
        if not self.period:
            return moved
        return moved - self.period * np.round((moved - values) / self.period)
