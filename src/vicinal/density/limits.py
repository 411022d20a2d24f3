"""What values synthetic rows may have: those that can exist, within constraints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

import numpy as np

from vicinal.counterfactual.constraints import Constraint
from vicinal.density.mixture import Mixture
from vicinal.exceptions import ParameterError
from vicinal.schema.domain import Domain
from vicinal.typing import Bools, Floats


@dataclass(frozen=True, eq=False)
class Limits:
    """The domain of each column, narrowed by ranges, and rules that are no range of numbers."""

    domains: tuple[Domain, ...]
    ranges: tuple[Constraint, ...] = ()  # of numbers; the domains are within these
    rules: tuple[Constraint, ...] = ()  # allowed values, and ranges of cycles

    @classmethod
    def of(cls, domains: tuple[Domain, ...], rules: tuple[Constraint, ...]) -> Limits:
        """Narrow domains by constraints."""
        narrowed = list(domains)
        is_range = [rule.values is None and not domains[rule.column].period for rule in rules]
        for rule in compress(rules, is_range):
            narrowed[rule.column] = _narrowed(narrowed[rule.column], rule)
        ranges = tuple(compress(rules, is_range))
        return cls(tuple(narrowed), ranges, tuple(rule for rule in rules if rule not in ranges))

    def within(self, column: int, values: Floats, own: Floats) -> Floats:
        """Move values to possible ones; to those of the case where a rule does not permit them."""
        domain = self.domains[column]
        moved = domain.clipped(domain.stepped(_reflect(values, domain.lower, domain.upper)))
        for rule in self.rules:
            if rule.column == column:
                moved = np.where(rule.permits(moved), moved, own)
        return moved

    def nearest(self, cases: Floats) -> Floats:
        """Move the values of cases to the nearest permitted ones."""
        moved = cases.copy()
        for rule in self.ranges:
            domain = self.domains[rule.column]
            moved[:, rule.column] = domain.clipped(moved[:, rule.column])
        for rule in self.rules:
            column = moved[:, rule.column]
            column[:] = np.where(rule.permits(column), column, _nearest(rule, column))
        return moved

    def met_by(self, cases: Floats) -> Bools:
        """Return which cases meet all constraints; none with a missing value does."""
        columns = self._columns
        met: Bools = (self.nearest(cases)[:, columns] == cases[:, columns]).all(axis=1)
        return met

    def log_penalties(self, mixture: Mixture) -> Floats:
        """Return for each case how improbable its kernels make what the constraints demand.

        It is −∞ for missing values: features with a constraint are never missing.
        """
        logs, moved = np.zeros(len(mixture.cases)), self.nearest(mixture.cases)
        for i in self._columns:
            kernel, own, widths = mixture.kernels[i], mixture.cases[:, i], mixture.widths_of(i)
            logs[np.isnan(own)] = -np.inf
            if i in mixture.active:
                gaps = kernel.gaps(moved[:, i], own)
                away = kernel.log(gaps, own, widths) - kernel.log(np.zeros_like(gaps), own, widths)
                logs += np.where(gaps > 0, away, 0.0)
        return logs

    @property
    def _columns(self) -> list[int]:
        return sorted({rule.column for rule in (*self.ranges, *self.rules)})


def _narrowed(domain: Domain, rule: Constraint) -> Domain:
    """Return the part of a domain that a range permits."""
    made = domain.narrowed(rule.lower, rule.upper)
    if made.lower > made.upper:
        raise ParameterError(
            f"constraints has a range for {rule.name!r} that none of its possible values lies in; "
            "expected one that overlaps with the stored values."
        )
    return made


def _reflect(values: Floats, lower: float, upper: float) -> Floats:
    """Reflect values at the ends of a range, as often as it takes."""
    if not np.isfinite(upper - lower):
        values = np.where(values < lower, 2 * lower - values, values)
        return np.where(values > upper, 2 * upper - values, values)
    if upper <= lower:
        return np.where(np.isnan(values), np.nan, lower)
    span = upper - lower
    beyond = np.mod(values - lower, 2 * span)
    return lower + np.minimum(beyond, 2 * span - beyond)


def _nearest(rule: Constraint, values: Floats) -> Floats:
    """Return what a rule permits next to each value."""
    ends = np.array([rule.lower, rule.upper]) if rule.values is None else rule.values
    known = np.where(np.isnan(values), ends[0], values)
    near = ends[np.argmin(np.abs(known[:, None] - ends), axis=1)]
    return np.where(np.isnan(values), np.nan, near)
