"""The cases nearest to a row, as certificates need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vicinal.formulas import SAME, power_key
from vicinal.index.case_weights import masses_of
from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.terms import case_terms
from vicinal.influence.influences import total_excess
from vicinal.robustness.budget import Budget
from vicinal.robustness.grid_terms import grid_slopes
from vicinal.robustness.perturbation import Box
from vicinal.typing import Bools, Floats, Ints

#: Cases listed: so many per neighbor, and at least so many. The others are bounded together.
LISTED_PER_NEIGHBOR, LEAST_LISTED = 12, 600
#: Allowance for rounding in sums of terms, as a part of their size.
TOLERANCE = 1e-9
#: How much a term may bend, as a function of the difference in residuals.
BEND = 0.5


@dataclass(frozen=True, eq=False)
class Candidates:
    """Cases near a row in one space, nearest first.

    Parameters
    ----------
    metric : Metric
        The metric of the space.
    row : ndarray of shape (d,)
        The row, with derived columns.
    k : int
        Places of neighbors.
    numbers : ndarray of int64 of shape (n,)
        Case numbers.
    values : ndarray of shape (n, d)
        The cases.
    masses, outcomes, distances : ndarray of shape (n,)
        Weight, outcome and distance of each.
    terms : ndarray of shape (n, columns)
        Terms of the active columns at the row itself.
    complete : bool
        Whether no other case exists.
    """

    metric: Metric
    row: Floats
    k: int
    numbers: Ints
    values: Floats
    masses: Floats
    outcomes: Floats
    distances: Floats
    terms: Floats
    complete: bool

    @classmethod
    def near(
        cls,
        index: Index,
        metric: Metric,
        row: Floats,
        k: int,
        *,
        target: int,
        exclude: int = -1,
        threads: int | None = None,
    ) -> Candidates:
        """Search for the cases nearest to a row that have the target."""
        most = max(LISTED_PER_NEIGHBOR * k, LEAST_LISTED)
        own = None if exclude < 0 else np.array([exclude], dtype=np.int64)
        found = index.search(
            row[None],
            metric,
            most,
            exclude=own,
            required=target,
            with_values=True,
            threads=threads,
        )
        there = found.indices[0] >= 0
        numbers = found.indices[0, there]
        assert found.values is not None
        weights = masses_of(index, numbers[None], own)
        masses = np.ones(len(numbers)) if weights is None else weights[0]
        terms = case_terms(index, row[None], numbers[None], metric, threads=threads)[0]
        kept = masses > 0
        return cls(
            metric,
            row,
            k,
            numbers[kept],
            found.values[0, there][kept],
            masses[kept],
            index.cells(numbers[kept], target),
            found.distances[0, there][kept],
            terms[kept][:, metric.active],
            len(numbers) < most,
        )

    @property
    def weights(self) -> Floats:
        """Weights of the active columns."""
        return self.metric.weights[self.metric.active]

    def moves(self, box: Box, budget: Budget | None = None) -> float:
        """Return how far the sum of excess keys of any case may move within a box and budget."""
        active, metric = self.metric.active, self.metric
        ends = np.stack([box.lower[active], box.upper[active]]) - self.row[active]
        ways = np.nan_to_num(np.abs(ends).max(axis=0)) / metric.residuals[active]
        named = metric.kinds[active] == NOMINAL
        ways = np.where(named, (ways > 0) | box.free[active], ways)
        ways = np.where(named, ways * metric.residuals[active], ways)
        if metric.p > 1:  # a power mean grows by the largest of the moves, at most
            return float(metric.weights.sum() * ways.max(initial=0.0))
        moves = self.weights * ways
        if budget is None:
            return steepness(metric.p) * float(moves.sum())
        limited = budget.limited(active) & ~named
        # What columns that share the budget move by is at most the steepest for all of it.
        units, spare = budget.units[active], budget.radius + budget.free[active][limited].sum()
        most = (self.weights * units / metric.residuals[active])[limited].max(initial=0.0)
        together = min(float(moves[limited].sum()), float(most * spare) * (1 + TOLERANCE))
        return steepness(metric.p) * (float(moves[~limited].sum()) + together)

    def within(self, box: Box, budget: Budget | None, moves: float) -> Candidates:
        """Return the cases that may be neighbors within a box, as far as this is seen at once.

        None of the others may be, if all that may be are listed. Sums of excess keys may move by
        `moves`.
        """
        order = self.distances if self.metric.p > 1 else self.excess
        moves = moves / (self.metric.weights.sum() if self.metric.p > 1 else 1.0)
        filled = np.searchsorted(np.cumsum(self.masses), self.k * (1 - TOLERANCE))
        if filled >= len(order):
            return self
        limit = order[filled] + 2.0 * moves
        near = order <= limit + TOLERANCE * (1.0 + abs(limit))
        complete = self.complete or not near.all()
        if self.metric.p == 1:
            near &= self._near_slopes(box, budget, np.arange(len(order)) <= filled)
        if not complete:
            near[-1] = True  # it tells how far the cases are that are not listed
        return self if near.all() else self.take(near, complete=complete)

    def _near_slopes(self, box: Box, budget: Budget | None, first: Bools) -> Bools:
        """Return the cases that may be neighbors by the slopes of their terms at the row.

        Distances move together: against the mean of the first cases, the excess of a case moves by
        the difference of slopes, and by what terms can bend.
        """
        active, metric = self.metric.active, self.metric
        ends = np.stack([box.lower[active], box.upper[active]]) - self.row[active]
        ways = np.nan_to_num(np.abs(ends).max(axis=0)) / metric.residuals[active]
        named = metric.kinds[active] == NOMINAL
        jumps = (named & ((ways > 0) | box.free[active])) * metric.residuals[active]
        low, high = self.slopes
        shares = first * self.masses
        shares = shares / shares.sum()
        steep = np.maximum(
            np.abs((low @ shares)[:, None] - high), np.abs((high @ shares)[:, None] - low)
        )
        limited = np.zeros(len(active), dtype=bool)
        if budget is not None:
            limited = budget.limited(active) & ~named
            # Two that end before the radius may share it, so that no end counts.
            most = budget.units[active] * (budget.radius + budget.free[active])
            ways = np.where(limited, most / metric.residuals[active], ways)
        ways = np.where(named, 0.0, ways)
        moved = self.weights[:, None] * (steep * ways[:, None] + (BEND / 2 * ways**2)[:, None])
        apart = moved[~limited].sum(axis=0) + moved[limited].max(axis=0, initial=0.0)
        apart = apart + 2.0 * float(self.weights @ jumps)
        least, most = self.excess - apart, self.excess + apart
        order = np.argsort(most, kind="stable")
        filled = np.searchsorted(np.cumsum(self.masses[order]), self.k * (1 - TOLERANCE))
        limit = most[order[filled]]
        return np.asarray(least <= limit + TOLERANCE * (1.0 + abs(limit)))

    @cached_property
    def slopes(self) -> tuple[Floats, Floats]:
        """The least and the greatest slopes of the terms at the row, (columns, n) each.

        They are per residual by which the row moves up; of missing and cyclic values they are
        open.
        """
        active, metric = self.metric.active, self.metric
        values = self.values[:, active].T
        found = grid_slopes(self.row[active][:, None], values, metric.residuals[active][:, None])
        opened = np.isnan(values) | np.isnan(self.row[active])[:, None]
        opened |= (metric.kinds[active] != 0)[:, None]
        return np.where(opened, -1.0, found), np.where(opened, 1.0, found)

    def take(self, some: Bools, *, complete: bool) -> Candidates:
        """Return some of the cases."""
        return replace(
            self,
            numbers=self.numbers[some],
            values=self.values[some],
            masses=self.masses[some],
            outcomes=self.outcomes[some],
            distances=self.distances[some],
            terms=self.terms[some],
            complete=complete,
        )

    @property
    def total_excess(self) -> Floats:
        """Total excess of each case at the row itself, (n,)."""
        return total_excess(self.distances, self.metric)

    @cached_property
    def excess(self) -> Floats:
        """Sum of the weighted excess keys of each case at the row itself, (n,)."""
        return np.maximum(excess_keys(self.terms, self.metric.p) @ self.weights, 0.0)


def excess_keys(terms: Floats, p: float) -> Floats:
    """Return by how much the keys of terms exceed those of equal values.

    For p = 1 it is the excess. For p > 1 it is, too, since only bounds of single terms are used.
    """
    return terms - SAME if p >= 1 else power_key(terms, p) - power_key(SAME, p)


def steepness(p: float) -> float:
    """Return the largest slope of an excess key as a function of its term, at least 1.5."""
    return 1.0 if p >= 1 else float(SAME ** (p - 1) * (p or 1.0))
