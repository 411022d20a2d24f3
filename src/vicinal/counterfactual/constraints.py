"""Constraints on the changes of a row: rules about single features, in encoded values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Schema
from vicinal.typing import Bools, Floats, Places

_ORDERED = (Kind.CONTINUOUS, Kind.ORDINAL)


class Observed(Protocol):
    """Finds the distinct observed values of a column within bounds."""

    def __call__(self, column: int, lower: float = ..., upper: float = ...) -> Floats:
        """Return them, ascending."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """One rule about the values of one feature."""

    rule: str  # {"immutable", "ranges", "directions", "allowed"}: the argument it came from
    name: str  # the feature
    column: int  # its encoded column
    #: Ends of the permitted range; a lower end above the upper end wraps around the cycle.
    lower: float = -np.inf
    upper: float = np.inf
    values: Floats | None = None  # the only values permitted

    def permits(self, values: Floats) -> Bools:
        """Return whether each encoded value, none of them missing, meets the rule."""
        if self.values is not None:
            return np.isin(values, self.values)
        above, below = values >= self.lower, values <= self.upper
        return above & below if self.lower <= self.upper else above | below


@dataclass(frozen=True, eq=False)
class Constraints:
    """All rules about one row.

    A missing value may stay missing under any rule, and no value may become missing. All other
    values must meet every rule, changed or not: a row outside a range is moved into it.
    """

    own: Floats  # (d,): the encoded row
    columns: Places  # the columns that may change, apart from the rules
    rules: tuple[Constraint, ...]
    schema: Schema

    def without(self, dropped: tuple[Constraint, ...]) -> Constraints:
        """Return the constraints without some of their rules."""
        return replace(self, rules=tuple(rule for rule in self.rules if rule not in dropped))

    def of(self, column: int) -> tuple[Constraint, ...]:
        """Return the rules about one column."""
        return tuple(rule for rule in self.rules if rule.column == column)

    def permits(self, column: int, values: Floats) -> Bools:
        """Return whether each encoded value of a column meets every rule."""
        own = self.own[column]
        there = ~np.isnan(values)
        met = there.copy()
        for rule in self.of(column):
            met[there] &= rule.permits(values[there])
        return met | (np.isnan(own) & ~there)

    @property
    def forced(self) -> Places:
        """Columns that have to change because their current value breaks a rule."""
        return np.array(
            [c for c in self.columns if not self.permits(c, self.own[c : c + 1])[0]],
            dtype=np.intp,
        )

    def broken_by(self, row: Floats) -> tuple[Constraint, ...]:
        """Return the rules that an encoded row breaks."""
        return tuple(
            rule
            for rule in self.rules
            if not np.isnan(row[rule.column])
            and not rule.permits(row[rule.column : rule.column + 1])[0]
        )

    def towards(self, cases: Floats, observed: Observed) -> Floats:
        """Return the values (m, d) that move the row toward some encoded cases.

        This is the case's value if it is permitted, or else the last permitted value on the way
        to it, among the values named in a rule or `observed` in the column. NaN if no permitted
        value lies on the way, or if no change is needed.
        """
        values = np.full(cases.shape, np.nan)
        for column in self.columns:
            wanted = cases[:, column]
            if any(rule.rule == "immutable" for rule in self.of(column)):
                continue
            permitted = self.permits(column, wanted) & ~np.isnan(wanted)
            values[permitted, column] = wanted[permitted]
            if self.kind(column) in _ORDERED and not permitted.all() and self.of(column):
                short = ~permitted & ~np.isnan(wanted)
                values[short, column] = self._last_before(column, wanted[short], observed(column))
        return np.where(values == self.own, np.nan, values)

    def between(self, column: int, value: float, observed: Observed) -> Floats:
        """Return permitted observed values between the row's value and another, nearest first."""
        own = self.own[column]
        if np.isnan(own) or self.kind(column) is Kind.NOMINAL:
            return np.empty(0)
        period = self.schema.storage[column].period or 0.0
        ends = (-np.inf, np.inf) if period else (min(own, value), max(own, value))
        steps = self._steps(column, observed(column, *ends))
        way, gaps = _turned(value - own, period), _turned(steps - own, period)
        within = (np.sign(gaps) == np.sign(way)) & (np.abs(gaps) < np.abs(way))
        near = steps[within]
        return near[np.argsort(np.abs(gaps[within]), kind="stable")]

    def _last_before(self, column: int, wanted: Floats, observed: Floats) -> Floats:
        own, steps = self.own[column], self._steps(column, observed)
        if not len(steps):
            return np.full(len(wanted), np.nan)
        right = np.clip(np.searchsorted(steps, wanted), 1, max(len(steps) - 1, 1))
        left = right - 1
        right = np.minimum(right, len(steps) - 1)
        nearer = np.abs(steps[left] - wanted) <= np.abs(steps[right] - wanted)
        last = np.where(nearer, steps[left], steps[right])
        if np.isnan(own) or not self.permits(column, np.array([own]))[0]:
            return last
        on_the_way = np.sign(last - own) == np.sign(wanted - own)
        return np.where(on_the_way, last, np.nan)

    def _steps(self, column: int, observed: Floats) -> Floats:
        """Permitted values of an ordered column: those named in rules, or else those observed."""
        named = [rule.values for rule in self.of(column) if rule.values is not None]
        values = np.concatenate(named) if named else observed[~np.isnan(observed)]
        return np.unique(values[self.permits(column, values)])

    def kind(self, column: int) -> Kind:
        """Return the kind of a column."""
        return self.schema.storage[column].kind


def _turned(gaps: Floats | float, period: float) -> Floats:
    """The signed shorter way around the cycle; gaps are unchanged without a period."""
    moved = np.asarray(gaps, dtype=np.float64)
    return moved - period * np.round(moved / period) if period else moved
