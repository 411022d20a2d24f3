"""Training cases to move a row toward, and the values that the constraints let it adopt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.counterfactual.constraints import Constraints
from vicinal.counterfactual.observed import has_many_values, values_between
from vicinal.counterfactual.oracle import Oracle
from vicinal.fitted import Fitted
from vicinal.prediction.heaviest import MANY, heaviest
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints, Places

#: Maximum number of cases with a wanted outcome to consider, nearest first.
MOST_CASES = 2048
#: Maximum number of values to try for a single feature.
MOST_VALUES = 8


@dataclass(frozen=True, eq=False)
class Candidates:
    """Cases with a wanted outcome, nearest first, each giving a different changed row."""

    own: Floats  # (d,): the encoded row
    cases: Ints  # (m,): case numbers
    #: (m, d): the values that the row may adopt from each case; NaN where it does not change.
    values: Floats
    forced: Places  # columns that have to change
    #: For each column, permitted values spread over all cases, regardless of outcome.
    spread: tuple[tuple[float, ...], ...]
    #: Columns to change one by one: all, or the heaviest if there are many.
    tried: frozenset[int]

    def __len__(self) -> int:
        return len(self.cases)

    def changeable(self, candidate: int) -> list[int]:
        """Return the columns that can, but need not, be adopted from a candidate one by one."""
        there = np.flatnonzero(~np.isnan(self.values[candidate])).tolist()
        return [column for column in there if column in self.tried]

    def row(self, candidate: int, columns: tuple[int, ...]) -> Floats:
        """Return the row with these columns and the forced ones adopted from a candidate."""
        changed = self.own.copy()
        taken = [*self.forced, *columns]
        changed[taken] = self.values[candidate, taken]
        return changed

    def full_rows(self) -> Floats:
        """Return the row moved as close to each candidate as the constraints permit."""
        return np.where(np.isnan(self.values), self.own, self.values)

    def single_values(self) -> list[tuple[int, float]]:
        """Return a column and a value for each single change worth trying.

        For each column, these are the values of the nearest cases, some values spread over the
        candidates, and some spread over all cases.
        """
        tried = []
        for column in sorted(self.tried):
            values = self.values[:, column]
            distinct, first = np.unique(values[~np.isnan(values)], return_index=True)
            near = distinct[np.argsort(first, kind="stable")[: MOST_VALUES // 2]]
            kept = {*near.tolist(), *_spread(distinct, MOST_VALUES // 2), *self.spread[column]}
            tried += [(column, value) for value in sorted(kept)]
        return tried


def find_candidates(oracle: Oracle, constraints: Constraints, wanted: Ints) -> Candidates:
    """Collect cases with a wanted outcome, nearest first, and the changes toward them."""
    own, forced = constraints.own, constraints.forced
    values = constraints.towards(oracle.index.rows(wanted), oracle.observed)
    spread: list[tuple[float, ...]] = [()] * len(own)
    tried = [one for one in constraints.columns if one not in forced]
    if np.count_nonzero(oracle.weights[tried]) > MANY:
        tried = heaviest(tried, oracle.weights)
    for column in constraints.columns:
        if oracle.depends_on(column):
            spread[column] = _spread_over_cases(oracle, constraints, column)
        elif column not in forced:
            values[:, column] = np.nan  # the column does not affect predictions
    leads = ~np.isnan(values).all(axis=1) & ~np.isnan(values[:, forced]).any(axis=1)
    # Of several cases that give the same changed row, keep the nearest.
    _, first = np.unique(values[leads], axis=0, return_index=True, equal_nan=True)
    kept = np.flatnonzero(leads)[np.sort(first)]
    return Candidates(own, wanted[kept], values[kept], forced, tuple(spread), frozenset(tried))


def wanted_cases(oracle: Oracle, own: Floats) -> Ints:
    """Return the cases with a wanted outcome that are nearest to the row, nearest first.

    The nearest are those with the least effort in the spaces of the target, whether features
    may change or not: cases that share the immutable features are most relevant. Ties are broken
    by the values of the cases, so the order of the table does not matter.
    """
    parts = []
    for numbers, _ in oracle.index.blocks():
        fit = oracle.goal.met_by_values(oracle.target.outcomes_of(numbers))
        weights = oracle.index.weights_of(numbers)
        fit = fit if weights is None else fit & (weights > 0)
        parts.append((numbers[fit], oracle.effort_to_cases(own, numbers[fit])))
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *(part[0] for part in parts)])
    effort = np.concatenate([np.empty(0), *(part[1] for part in parts)])
    if len(numbers) > MOST_CASES:
        near = effort <= np.partition(effort, MOST_CASES - 1)[MOST_CASES - 1]
        numbers, effort = numbers[near], effort[near]
    values = oracle.index.rows(numbers)
    order = np.lexsort((numbers, *values.T, effort))
    return numbers[order][:MOST_CASES]


def _spread_over_cases(oracle: Oracle, constraints: Constraints, column: int) -> tuple[float, ...]:
    """Permitted observed values, from smallest to largest; or the most frequent categories."""
    fitted, nominal = oracle.predictor.fitted, constraints.kind(column) is Kind.NOMINAL
    if not nominal and not constraints.of(column) and has_many_values(fitted, column):
        return _spread_over_many(fitted, column, float(constraints.own[column]))
    found = fitted.distribution(column)
    values, counts = found["values"], found["counts"]
    kept = constraints.permits(column, values) & (values != constraints.own[column])
    values = values[kept]
    if not len(values):
        return ()
    if nominal:
        common = np.argsort(-counts[kept], kind="stable")[:MOST_VALUES]
        return tuple(values[common].tolist())
    if counts.strides == (0,):  # all occur as often, and that is in memory once
        total = int(counts[0]) * len(values)
        return tuple(values[_spread_places(total) // int(counts[0])].tolist())
    reached = np.cumsum(counts[kept])
    places = _spread_places(int(reached[-1]))
    return tuple(values[np.searchsorted(reached, places, side="right")].tolist())


def _spread_over_many(fitted: Fitted, column: int, own: float) -> tuple[float, ...]:
    """Return values other than the row's own, evenly spread over cases, of a column of many.

    They are looked up once for each number of cases that have the same value as the row: without
    these, what follows moves up.
    """
    equal = int(values_between(fitted, column, own, own)["counts"].sum())

    def spread() -> tuple[Floats, Floats]:
        found = fitted.distribution(column)
        reached = np.cumsum(found["counts"])
        places = _spread_places(int(reached[-1]) - equal)
        below, above = (np.searchsorted(reached, at, "right") for at in (places, places + equal))
        return found["values"][below], found["values"][above]

    below, above = fitted.cached(("spread", column, equal), spread)
    return tuple(np.where(below < own, below, above).tolist())


def _spread_places(total: int) -> Places:
    """Choose places among so many cases, evenly spaced."""
    return np.linspace(0, total - 1, MOST_VALUES // 2).round().astype(np.intp)


def _spread(values: Floats, count: int) -> list[float]:
    """Choose this many values, evenly spaced; all if there are fewer."""
    if not len(values):
        return []
    chosen = np.linspace(0, len(values) - 1, count).round().astype(np.intp)
    return list(values[chosen].tolist())


def nearest_wanted(oracle: Oracle, row: Floats, wanted: Ints) -> int:
    """Return the case with a wanted outcome that is nearest to a changed row."""
    return int(wanted[np.argmin(oracle.effort_to_cases(row, wanted))])
