"""The goal of a counterfactual, and how far predictions are from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.typing import Bools, Floats

#: How much more probable than the others a class must be to meet the goal, so that neither
#: rounding nor the order of the classes decides.
MARGIN = 1e-9


@dataclass(frozen=True, eq=False)
class Goal:
    """The wanted prediction, or several acceptable ones."""

    feature: Feature  # the target
    column: int  # its encoded column
    values: Floats | None = None  # encoded categories, any of which meets the goal
    #: Without values: the ends of a range; for cyclic features, from lower to upper in the cycle.
    lower: float = -np.inf
    upper: float = np.inf

    def met_by_values(self, values: Floats) -> Bools:
        """Return whether each encoded target value meets the goal; missing values do not."""
        if self.values is not None:
            return np.isin(values, self.values)
        return _gaps_to_range(values, self) == 0.0

    def judge(self, answered: Answer) -> tuple[Bools, Floats]:
        """Return whether each prediction meets the goal, and its score: higher is closer."""
        if answered.probabilities is not None and self.values is not None:
            hit = np.isin(np.arange(answered.probabilities.shape[1]), self.values)
            best = answered.probabilities[:, hit].max(axis=1, initial=0.0)
            other = answered.probabilities[:, ~hit].max(axis=1, initial=0.0)
            lead = best - other
            return lead > MARGIN, lead
        values = self._as_told(answered.values)
        if self.values is not None:
            gaps = np.abs(answered.values[:, None] - self.values).min(axis=1)
            return np.isin(values, self.values), -gaps
        met = self.met_by_values(values)
        return met, np.where(met, 0.0, -_gaps_to_range(answered.values, self))

    def _as_told(self, values: Floats) -> Floats:
        """Round encoded predictions as users see them: whole categories, dates to microseconds."""
        plain = self.feature.dtype in ("float", "int", "bool")
        if self.feature.kind is Kind.CONTINUOUS and plain:
            return values
        schema = Schema((self.feature,))
        return encode(decode(values[:, None], schema), schema)[:, 0]


def _gaps_to_range(values: Floats, goal: Goal) -> Floats:
    """Distances of values from a range; infinite for missing values."""
    below, above = goal.lower - values, values - goal.upper
    period = goal.feature.period
    if period and np.isfinite(goal.lower):
        # Measure from the lower end, around the cycle.
        width = np.mod(goal.upper - goal.lower, period)
        past = np.mod(values - goal.lower, period)
        gaps = np.where(past <= width, 0.0, np.minimum(past - width, period - past))
    else:
        gaps = np.maximum(np.maximum(below, above), 0.0)
    return np.where(np.isnan(values), np.inf, gaps)
