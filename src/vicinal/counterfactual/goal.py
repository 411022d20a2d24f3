"""The answer that is wished for, and how far from it other answers are."""

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

#: How much more probable a class must be than the others to be the answer, so that no rounding
#: and no order of the classes decides.
MARGIN = 1e-9


@dataclass(frozen=True, eq=False)
class Goal:
    """An answer, or several that would do."""

    feature: Feature  # the target
    column: int  # its encoded column
    values: Floats | None = None  # encoded categories, any of which will do
    #: Without values: ends of a range; of a cyclic feature from lower to upper round the circle.
    lower: float = -np.inf
    upper: float = np.inf

    def met_by_values(self, values: Floats) -> Bools:
        """Tell which encoded values of the target would do; missing ones do not."""
        if self.values is not None:
            return np.isin(values, self.values)
        return _gaps_to_range(values, self) == 0.0

    def judge(self, answered: Answer) -> tuple[Bools, Floats]:
        """Tell which answers would do, and how near each is: more is nearer."""
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
        """Encoded answers as people get them: categories are whole, dates to the microsecond."""
        plain = self.feature.dtype in ("float", "int", "bool")
        if self.feature.kind is Kind.CONTINUOUS and plain:
            return values
        schema = Schema((self.feature,))
        return encode(decode(values[:, None], schema), schema)[:, 0]


def _gaps_to_range(values: Floats, goal: Goal) -> Floats:
    """How far values are from a range; infinite for missing ones."""
    below, above = goal.lower - values, values - goal.upper
    period = goal.feature.period
    if period and np.isfinite(goal.lower):
        # From the lower end on, round the circle.
        width = np.mod(goal.upper - goal.lower, period)
        past = np.mod(values - goal.lower, period)
        gaps = np.where(past <= width, 0.0, np.minimum(past - width, period - past))
    else:
        gaps = np.maximum(np.maximum(below, above), 0.0)
    return np.where(np.isnan(values), np.inf, gaps)
