"""The values that a feature can have, learned from those that were observed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.tables.times import DAY
from vicinal.typing import Floats

#: Fewer values than these tell nothing about the step and the sign of a feature: so few may share
#: a step by chance, and so few of either sign may happen to have the same.
_FEW_FOR_STEP, _FEW_FOR_SIGN = 3, 20
#: Values fill 0 … 1 if they come within this of both ends.
_NEAR_END = 0.05
#: Significant digits of a step, at most; beyond them, rounding looks like a step.
_DIGITS = 12
#: Powers of ten up to this exponent are exact.
_EXACT = 22
#: Steps of times, in seconds, besides decimal ones.
_TIME_STEPS = (float(DAY), 3600.0, 60.0)
_TIMES = ("instant", "duration", "time of day")


@dataclass(frozen=True)
class Domain:
    """The values that a feature can have, in encoded numbers.

    Parameters
    ----------
    lower, upper : float
        The least and the greatest value observed, or the bounds that the user declared. Synthetic
        and imputed values lie between them.
    step : float
        The largest step of which all observed values are multiples; 0 if there is none.
    anchor : float
        What the steps are counted from.
    floor, ceiling : float
        Natural bounds, which no value passes, new ones included; infinite if there are none.
    period : float
        Length of the cycle of a cyclic feature; otherwise 0.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.domain import learn_domain
    >>> from vicinal.schema.feature import Feature
    >>> prices = np.array([0.99, 1.49, 2.5] * 10)
    >>> domain = learn_domain(Feature("price", "continuous", "float"), prices, np.ones(30))
    >>> domain.lower, domain.upper, domain.step, domain.floor, domain.ceiling
    (0.99, 2.5, 0.01, 0.0, inf)
    >>> domain.nearest(np.array([-3.0, 1.2345]))
    array([0.99, 1.23])
    """

    lower: float = -np.inf
    upper: float = np.inf
    step: float = 0.0
    anchor: float = 0.0
    floor: float = -np.inf
    ceiling: float = np.inf
    period: float = 0.0

    def nearest(self, values: Floats) -> Floats:
        """Return the nearest possible value of each; NaN stays NaN."""
        return self.clipped(self.stepped(values))

    def stepped(self, values: Floats) -> Floats:
        """Round values to the step; those of a cycle stay in it."""
        if not self.step:
            return values
        stepped = self.anchor + round_to(values - self.anchor, self.step)
        return np.mod(stepped, self.period) if self.period else stepped

    def narrowed(self, lower: float, upper: float) -> Domain:
        """Return the part between two ends; it may be empty, with its lower end above."""
        lower, upper = max(self.lower, lower), min(self.upper, upper)
        return replace(self, lower=self.step_within(lower, 1), upper=self.step_within(upper, -1))

    def declared(self, lower: float, upper: float) -> Domain:
        """Return the domain with bounds that the user declared in place of those learned.

        NaN stands for an end that is not declared.
        """
        made = self
        if not np.isnan(lower):
            made = replace(made, lower=self.step_within(lower, 1), floor=lower)
        if not np.isnan(upper):
            made = replace(made, upper=self.step_within(upper, -1), ceiling=upper)
        return made

    def step_within(self, end: float, way: int) -> float:
        """Return the first step from an end on, upward or downward."""
        if not self.step or not np.isfinite(end):
            return end
        near = self.stepped(np.array([end]))
        passed = way * near < way * end
        return float(np.where(passed, self.stepped(near + way * self.step), near)[0])

    def clipped(self, values: Floats) -> Floats:
        """Move values beyond the observed range to its ends."""
        return np.clip(values, self.lower, self.upper)

    def bounded(self, values: Floats) -> Floats:
        """Move values beyond the natural bounds to these."""
        return np.clip(values, self.floor, self.ceiling)


def round_to(values: Floats, step: float) -> Floats:
    """Round values to multiples of a step; decimal ones to the last digit of the float.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.domain import round_to
    >>> round_to(np.array([0.307, 2.999]), 0.1)
    array([0.3, 3. ])
    """
    if step >= 1:
        return np.rint(values / step) * step
    per_unit = np.rint(1 / step)  # exact for powers of ten, so the quotient is the nearest float
    return np.rint(values * per_unit) / per_unit


def learn_domain(feature: Feature, values: Floats, weights: Floats) -> Domain:
    """Learn the domain of a feature from its distinct encoded values.

    Parameters
    ----------
    feature : Feature
        What is known about the column.
    values, weights : ndarray of shape (n,)
        The distinct values, none of them missing, and how many rows have each.
    """
    values, mass = values[weights > 0], weights.sum()
    if feature.kind is Kind.NOMINAL or not len(values):
        return Domain()
    if feature.kind is Kind.ORDINAL:
        return Domain(0.0, max(len(feature.categories or ()) - 1.0, 0.0), 1.0)
    if feature.kind is Kind.CYCLIC:
        return Domain(step=_cyclic_step(feature, values), period=feature.period or 0.0)
    lower, upper = float(values.min()), float(values.max())
    # Dates have no zero, so their steps are counted from the first of them.
    anchor = lower if feature.family == "instant" else 0.0
    floor, ceiling = -np.inf, np.inf
    if feature.family != "instant" and mass >= _FEW_FOR_SIGN:
        floor, ceiling = _natural_bounds(lower, upper)
    step = 0.0
    if mass >= _FEW_FOR_STEP:
        step = shared_step(values - anchor, times=feature.family in _TIMES)
    return Domain(lower, upper, step, anchor, floor, ceiling)


def shared_step(values: Floats, *, times: bool = False) -> float:
    """Return the largest decimal step of which all values are multiples; 0 if there is none.

    For `times` in seconds, these are days, hours, minutes, seconds and decimal parts of them.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.domain import shared_step
    >>> shared_step(np.array([1200.0, -300.0])), shared_step(np.array([0.1, 2.25]))
    (100.0, 0.01)
    >>> shared_step(np.array([np.pi]))
    0.0
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not 10.0**-_EXACT < largest < 10.0 ** (_EXACT + _DIGITS):
        return 0.0
    top = int(np.floor(np.log10(largest)))
    exponents = range(min(top, 0 if times else _EXACT), max(top - _DIGITS, -_EXACT) - 1, -1)
    decimal = tuple(10.0**k if k >= 0 else 1 / 10.0**-k for k in exponents)
    for step in (*(_TIME_STEPS if times else ()), *decimal):
        if np.array_equal(round_to(values, step), values):
            return step
    return 0.0


def _cyclic_step(feature: Feature, phases: Floats) -> float:
    step = shared_step(phases, times=feature.family in _TIMES)
    period = feature.period or 0.0
    # A step that does not divide the cycle would shift from one turn to the next.
    return step if step and float(round_to(np.array([period]), step)[0]) == period else 0.0


def _natural_bounds(lower: float, upper: float) -> tuple[float, float]:
    """Return bounds by sign, or 0 and 1 if values fill what is between."""
    floor = 0.0 if lower >= 0 else -np.inf
    ceiling = 0.0 if upper <= 0 and lower < 0 else np.inf
    if 0 <= lower <= _NEAR_END and 1 - _NEAR_END <= upper <= 1:
        ceiling = 1.0
    return floor, ceiling
