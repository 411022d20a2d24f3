"""Real cases that a row could be moved towards, and what of them the constraints let it take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.counterfactual.constraints import Constraints
from vicinal.counterfactual.oracle import Oracle
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints, Places

#: Cases with a wanted outcome that are looked at, the nearest ones.
MOST_CASES = 2048
#: Values tried for a single feature, at most.
MOST_VALUES = 8


@dataclass(frozen=True, eq=False)
class Candidates:
    """Cases with a wanted outcome, nearest first, each leading somewhere else."""

    own: Floats  # (d,): the encoded row
    cases: Ints  # (m,): case numbers
    #: (m, d): what the row may take over from each case; NaN where it stays as it is.
    values: Floats
    forced: Places  # columns that have to change
    #: Of each column, permitted values spread over all cases, whatever their outcome.
    spread: tuple[tuple[float, ...], ...]

    def __len__(self) -> int:
        return len(self.cases)

    def changeable(self, candidate: int) -> list[int]:
        """Return the columns that can be taken over from a candidate, but need not be."""
        there = np.flatnonzero(~np.isnan(self.values[candidate]))
        return [int(column) for column in there if column not in self.forced]

    def row(self, candidate: int, columns: tuple[int, ...]) -> Floats:
        """Return the row with these columns, and those forced, taken over from a candidate."""
        changed = self.own.copy()
        taken = [*self.forced, *columns]
        changed[taken] = self.values[candidate, taken]
        return changed

    def full_rows(self) -> Floats:
        """Return the row as near to each candidate as the constraints let it get."""
        return np.where(np.isnan(self.values), self.own, self.values)

    def single_values(self) -> list[tuple[int, float]]:
        """Return a column and a value for each change worth trying by itself.

        Of each column the values of the nearest cases, some spread over the candidates, and
        some spread over all cases.
        """
        tried = []
        for column in range(len(self.own)):
            if column in self.forced:
                continue
            values = self.values[:, column]
            distinct, first = np.unique(values[~np.isnan(values)], return_index=True)
            near = distinct[np.argsort(first, kind="stable")[: MOST_VALUES // 2]]
            kept = {*near.tolist(), *_spread(distinct, MOST_VALUES // 2), *self.spread[column]}
            tried += [(column, value) for value in sorted(kept)]
        return tried


def find_candidates(oracle: Oracle, constraints: Constraints, wanted: Ints) -> Candidates:
    """Take cases with a wanted outcome, nearest first, and what leads towards them."""
    own, forced = constraints.own, constraints.forced
    values = constraints.towards(oracle.index.rows(wanted), oracle.observed)
    spread: list[tuple[float, ...]] = [()] * len(own)
    for column in constraints.columns:
        if oracle.depends_on(column):
            spread[column] = _spread_over_cases(oracle, constraints, column)
        elif column not in forced:
            values[:, column] = np.nan  # no need to change what changes no answer
    leads = ~np.isnan(values).all(axis=1) & ~np.isnan(values[:, forced]).any(axis=1)
    # Cases that lead to the same place count once, the nearest for all.
    _, first = np.unique(values[leads], axis=0, return_index=True, equal_nan=True)
    kept = np.flatnonzero(leads)[np.sort(first)]
    return Candidates(own, wanted[kept], values[kept], forced, tuple(spread))


def wanted_cases(oracle: Oracle, own: Floats) -> Ints:
    """Return the cases with a wanted outcome that are nearest to the row, nearest first.

    The nearest are those that take the least effort in the spaces of the target, whatever may
    be changed: cases alike in what cannot change say most about the row. Ties go by the values
    of the cases, so the order of the table does not matter.
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
    """Permitted values that occur, from the least to the greatest; the commonest categories."""
    found = oracle.predictor.fitted.distribution(column)
    values, counts = found["values"], found["counts"]
    kept = constraints.permits(column, values) & (values != constraints.own[column])
    values, counts = values[kept], counts[kept]
    if not len(values):
        return ()
    if constraints.kind(column) is Kind.NOMINAL:
        common = np.argsort(-counts, kind="stable")[:MOST_VALUES]
        return tuple(values[common].tolist())
    total = int(counts.sum())
    places = np.linspace(0, total - 1, MOST_VALUES // 2).round().astype(np.intp)
    return tuple(values[np.searchsorted(np.cumsum(counts), places, side="right")].tolist())


def _spread(values: Floats, count: int) -> list[float]:
    """So many of some values, evenly; all where there are fewer."""
    if not len(values):
        return []
    chosen = np.linspace(0, len(values) - 1, count).round().astype(np.intp)
    return list(values[chosen].tolist())


def nearest_wanted(oracle: Oracle, row: Floats, wanted: Ints) -> int:
    """Return which of the cases with a wanted outcome a changed row is nearest to."""
    return int(wanted[np.argmin(oracle.effort_to_cases(row, wanted))])
