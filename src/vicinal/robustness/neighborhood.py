"""The cases that may be neighbors of any changed row, and the bounds of their distances.

Distances move together as a row moves: what matters is how the distance of one case moves against
that of others. All bounds are of differences to a reference, a weighted mean of the distances of
some cases. With p = 1 such a difference is a sum over the columns, so its extremes over a box are
found column by column, on a grid; between its points, the curvature of a term bounds what can be
missed.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from vicinal.formulas import SAME, key_to_distance, laplace_term, power_key
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.missing import missing_terms
from vicinal.robustness.budget import Budget, most_gained
from vicinal.robustness.candidates import BEND, TOLERANCE, Candidates, excess_keys, steepness
from vicinal.robustness.grid_terms import expected_terms, gaps, grid_slopes_of, highest
from vicinal.robustness.perturbation import Box
from vicinal.typing import Bools, Floats, Places

#: Points of a grid over the values that a column may have, in wide boxes and in others: these
#: are up to so many residuals wide.
GRID, SMALL_GRID, SMALL = 5, 3, 1.0
#: How far the kernels of near cases may move before a box is cut, in nats, and the most parts.
#: With more cases, it takes longer than it is worth.
NATS_PER_PART = 1.0
MOST_PARTS, MOST_CASES = 8, 256


def _bend(p: float) -> float:
    """Return how much an excess key may bend as a function of the difference in residuals."""
    own = 0.0 if p >= 1 else (p * (1 - p) or 1.0) * SAME ** (p - 2)
    return own + steepness(p) * BEND


class Neighborhood:
    """How the distances of candidates may change within a box.

    Parameters
    ----------
    cases : Candidates
        The cases.
    box : Box
        The values that the columns of the space may have.
    budget : Budget, optional
        Where costs add up: the radius, and what columns cost.
    settled : mapping of int to float, optional
        The value of columns that are read as categories, if it is decided; infinity for one that
        no case has.

    Attributes
    ----------
    center : ndarray of shape (d,)
        A row in the box: the row itself, but for columns of which it is not in the middle.
    anchor : ndarray of shape (n,)
        Sum of the excess keys of each case there.
    """

    def __init__(
        self,
        cases: Candidates,
        box: Box,
        budget: Budget | None = None,
        settled: Mapping[int, float] | None = None,
    ) -> None:
        self.cases, self.metric, self.box = cases, cases.metric, box
        self.settled = dict(settled or {})
        active, weights = self.metric.active, cases.weights
        lower, upper, free = box.lower[active], box.upper[active], box.free[active]
        own = cases.row[active]
        moving = (upper > lower) | free | ((lower != own) & ~np.isnan(own))
        moving &= ~np.isin(active, list(self.settled))
        #: Whether nothing is known about some column, such as a score of another model.
        self.unknown = bool(np.isinf(upper[moving] - lower[moving]).any())
        self.fixed, self.fixed_weights = cases.terms[:, ~moving].copy(), weights[~moving]
        for column, value in self.settled.items():
            at = int(np.flatnonzero(active[~moving] == column)[0])
            self.fixed[:, at] = SAME + self._contrasts(column, np.array([value]))[0]
        self.constant = excess_keys(self.fixed, self.metric.p) @ self.fixed_weights
        named = self.metric.kinds[active] == NOMINAL
        smooth = active[moving & ~named]
        self.columns = smooth
        self.budget = budget
        #: The smooth columns that share the budget.
        self.limited = np.zeros(len(smooth), dtype=bool)
        if budget is not None:
            self.limited = budget.limited(smooth)
        self.grid = self._points(lower[moving & ~named], upper[moving & ~named])
        self.half = self.grid.shape[1] // 2
        if self.unknown:
            return
        self._fill_smooth(smooth)
        self.named_columns = active[moving & named]
        self.named = [self._named(column) for column in self.named_columns.tolist()]
        self.center = cases.row.copy()
        self.center[smooth] = self.grid[:, self.half]
        self.anchor = self._at_center()

    def _points(self, lower: Floats, upper: Floats) -> Floats:
        """Return the grid over each column; the row is the middle if it shares the budget."""
        widest = ((upper - lower) / self.metric.residuals[self.columns]).max(initial=0.0)
        size = SMALL_GRID if widest <= SMALL else GRID
        points = np.linspace(lower, upper, size, axis=1)
        some, half = self.limited, size // 2
        own = self.cases.row[self.columns[some]]
        points[some, : half + 1] = np.linspace(lower[some], own, half + 1, axis=1)
        points[some, half:] = np.linspace(own, upper[some], half + 1, axis=1)
        return points

    def _at_center(self) -> Floats:
        """Return the sums of excess keys of cases at the center."""
        excess = self.constant + self.terms[:, self.half].sum(axis=0)
        at = np.searchsorted(self.metric.active, self.named_columns)
        named = excess_keys(self.cases.terms[:, at], self.metric.p) @ self.cases.weights[at]
        return np.maximum(excess + named, 0.0)

    def split(self, bandwidth: float) -> list[Neighborhood]:
        """Cut the box into parts, where other cases are near in each, and bounds are tighter."""
        values = {column: self._values(column) for column in self.named_columns.tolist()}
        if not values or np.prod([len(one) for one in values.values()]) > MOST_PARTS:
            return self._cut(bandwidth)
        parts: list[Neighborhood] = []
        for chosen in product(*(one.tolist() for one in values.values())):
            settled = dict(zip(values, chosen, strict=True))
            one = Neighborhood(self.cases, self.box, self.budget, settled)
            parts += one._cut(bandwidth)
        return parts

    def _cut(self, bandwidth: float) -> list[Neighborhood]:
        """Cut the box along the column that moves distances the most, if kernels move too far."""
        if not len(self.columns) or self.metric.p != 1 or len(self.constant) > MOST_CASES:
            return [self]
        units = self.metric.residuals[self.columns]
        halves = laplace_term((self.grid[:, -1] - self.grid[:, 0]) / 2, units) - SAME
        moves = self.metric.weights[self.columns] * halves
        place = int(moves.argmax())
        parts = int(np.clip(np.ceil(bandwidth * moves[place] / NATS_PER_PART), 1, MOST_PARTS))
        column = int(self.columns[place])
        # Where many columns move the distances, a part of one of them changes little. Of those
        # that share a budget, one can move as far as it says.
        together = moves[~self.limited].sum() + moves[self.limited].max(initial=0.0)
        if parts < 2 or moves[place] < together / 2:
            return [self]
        ends = np.linspace(self.grid[place, 0], self.grid[place, -1], parts + 1)
        made = []
        for low, high in pairwise(ends):
            lower, upper = self.box.lower.copy(), self.box.upper.copy()
            lower[column], upper[column] = low, high
            box = replace(self.box, lower=lower, upper=upper)
            budget = self.budget
            if budget is not None and self.limited[place]:
                budget = budget.without(column, float(self.cases.row[column]), low, high)
            made.append(Neighborhood(self.cases, box, budget, self.settled))
        return made

    def take(self, some: Bools) -> Neighborhood:
        """Return the same for some of the cases, which are all that matter."""
        made = copy(self)
        for name in ("inner", "slopes", "own_slopes"):
            made.__dict__.pop(name, None)
        made.cases = self.cases.take(some, complete=self.cases.complete)
        made.fixed, made.constant = self.fixed[some], self.constant[some]
        made.terms, made.anchor = self.terms[:, :, some], self.anchor[some]
        made.named = [one[:, some] for one in self.named]
        return made

    @cached_property
    def inner(self) -> Floats:
        """The places that cases take at the anchor, (n,)."""
        order, masses = np.argsort(self.anchor, kind="stable"), self.cases.masses
        before = np.cumsum(masses[order]) - masses[order]
        taken = np.empty_like(masses)
        taken[order] = np.clip(self.cases.k - before, 0.0, masses[order])
        return taken

    def _fill_smooth(self, columns: Places) -> None:
        """Fill the weighted excess terms (columns, grid, cases) of numbers."""
        metric, values = self.metric, self.cases.values[:, columns].T
        units, weights = metric.residuals[columns], metric.weights[columns]
        periods = np.where(metric.kinds[columns] == CYCLIC, metric.periods[columns], 0.0)
        apart = np.abs(self.grid[:, :, None] - values[:, None])
        for place in np.flatnonzero(periods).tolist():
            apart[place] = gaps(self.grid[place][:, None], values[place], periods[place])
        terms = laplace_term(apart, units[:, None, None])
        gone, single = np.isnan(values), missing_terms(metric)[0]
        for place in np.flatnonzero(gone.any(axis=1)).tolist():
            given = int(columns[place]), self.grid[place], float(periods[place]), single
            terms[place][:, gone[place]] = expected_terms(metric, *given)[:, None]
        self.terms = weights[:, None, None] * excess_keys(terms, metric.p)
        steps = np.diff(self.grid, axis=1).max(axis=1, initial=0.0) / units
        # Between two points, a function leaves its chord by an eighth of its bend. Round a
        # cycle, terms have edges.
        sharp = steepness(metric.p) * steps
        bent = np.minimum(_bend(metric.p) / 8 * steps**2, sharp)
        self.slack = weights * np.where(periods > 0, sharp, bent)

    def _values(self, column: int) -> Floats:
        """Return the values that a column read as categories may have, as far as it matters.

        They are all that cases have, and infinity for one that no case has.
        """
        cases, points = self.cases.values[:, column], self.metric.supports[column].points
        own = [self.cases.row[column]]
        known = np.unique(np.concatenate([cases[~np.isnan(cases)], own, points]))
        if not self.box.free[column]:
            known = known[(known >= self.box.lower[column]) & (known <= self.box.upper[column])]
        return np.append(known, np.inf)

    def _contrasts(self, column: int, values: Floats) -> Floats:
        """Return the excess terms (values, cases) of a column that is read as categories."""
        metric, cases = self.metric, self.cases.values[:, column]
        contrast = metric.residuals[column]
        terms = np.where(values[:, None] == cases, 0.0, contrast)
        gone = np.isnan(cases)
        if gone.any():
            single = missing_terms(metric)[0][column]
            points, shares = metric.supports[column]
            share = (values[:, None] == points) @ shares if len(points) else np.ones(len(values))
            alone = (
                contrast * (1.0 - share)
                if np.isnan(single)
                else np.full(len(values), single - SAME)
            )
            terms[:, gone] = alone[:, None]
        return terms

    def _named(self, column: int) -> Floats:
        """Return the weighted excess keys (values, cases) of a column read as categories."""
        terms = self._contrasts(column, self._values(column))
        return self.metric.weights[column] * excess_keys(SAME + terms, self.metric.p)

    def rises(self, shares: Floats, scale: Floats | float = 1.0) -> Floats:
        """Return how far Σ shares · excess may lie above scale · excess of each case, (n,).

        The shares need not sum to 1.
        """
        scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), len(self.constant))
        return self._highest(shares, scale)

    def top(self, shares: Floats) -> float:
        """Return the most of Σ shares · excess."""
        return float(self._highest(shares, np.zeros(1), slice(1))[0])

    def falls(self, shares: Floats) -> Floats:
        """Return how far the excess of each case may lie above Σ shares · excess, (n,)."""
        return self._highest(-shares, -np.ones(len(shares)))

    def _highest(self, shares: Floats, scale: Floats, some: slice = slice(None)) -> Floats:
        """Return the most of Σ shares · excess − scale · excess, for some of the cases."""
        middle = shares @ self.constant - scale * self.constant[some]
        slack = self.slack[:, None] * np.maximum(np.abs(scale), np.abs(shares.sum()))
        means = self.terms @ shares
        terms, rest = self.terms, np.arange(len(means))
        if self.limited.any():
            rest = np.flatnonzero(~self.limited)
            terms = terms[rest]
        tops = highest(means[rest], terms[:, :, some], scale) + slack[rest]
        total = middle + tops.sum(axis=0)
        named = [(one @ shares)[:, None] - one[:, some] * scale for one in self.named]
        if self.budget is None:
            return total + sum(one.max(axis=0) for one in named)
        if self._by_tangents:
            return total + self._most_of_tangents(self.budget, shares, means, scale, some)
        return total + self._shared(self.budget, shares, means, scale, slack, named, some)

    def _shared(
        self,
        budget: Budget,
        shares: Floats,
        means: Floats,
        scale: Floats,
        slack: Floats,
        named: list[Floats],
        some: slice,
    ) -> Floats:
        """Return the most of what the columns add that share the budget, and of categories."""
        places, columns = np.flatnonzero(self.limited), self.columns[self.limited]
        half, all_share = self.half, len(places) == len(self.limited)
        terms = (self.terms if all_share else self.terms[places])[:, :, some]
        gains = means[places, :, None] - (terms if (scale == 1.0).all() else terms * scale)
        start, units = gains[:, half].copy(), budget.units[columns, None]
        gains = np.maximum(gains[:, :half], gains[:, : -half - 1 : -1]) - start[:, None]
        ways = np.abs(self.grid[places] - self.grid[places, half, None]) / units
        ways = np.minimum(ways[:, :half], ways[:, : -half - 1 : -1])
        total = start.sum(axis=0)
        jumps, dear = [np.empty((0, len(total)))], []
        for column, one in zip(self.named_columns.tolist(), named, strict=True):
            at = int(np.searchsorted(self.metric.active, column))
            own = excess_keys(self.cases.terms[:, at], self.metric.p) * self.cases.weights[at]
            before = shares @ own - own[some] * scale
            free = self.box.free[column]  # else a number that is read as a category
            total = total + (before if free else one.max(axis=0))
            if free:
                jumps.append((one.max(axis=0) - before)[None])
                dear.append(1.0 / budget.units[column])
        return total + most_gained(
            gains,
            ways,
            budget.free[columns],
            slack[places],
            self._steepest(shares, scale, some) * units,
            np.concatenate(jumps),
            np.array(dear),
            budget.radius,
        )

    @cached_property
    def _by_tangents(self) -> bool:
        """Whether columns that share a small budget are bounded by slopes and curvature alone."""
        budget, columns = self.budget, self.columns[self.limited]
        if budget is None or budget.most < 1 or self.metric.p != 1 or not len(columns):
            return False
        edges = self.named or self.metric.kinds[columns].any() or budget.free[columns].any()
        return not edges and bool((budget.radius * self._units_per_residual).max() <= SMALL)

    @property
    def _units_per_residual(self) -> Floats:
        assert self.budget is not None
        columns = self.columns[self.limited]
        return self.budget.units[columns] / self.metric.residuals[columns]

    def _most_of_tangents(
        self, budget: Budget, shares: Floats, means: Floats, scale: Floats, some: slice
    ) -> Floats:
        """Return the same where all of the budget goes to the steepest column.

        A bound of slope and curvature is convex, so that it is largest at a corner.
        """
        start = means[self.limited, self.half].sum()
        start = start - self.terms[self.limited, self.half].sum(axis=0)[some] * scale
        slopes, units = self.own_slopes, self._units_per_residual
        ways = self.metric.weights[self.columns[self.limited]] * units * budget.radius
        bends = ways * units * budget.radius * BEND / 2
        steep = np.abs((slopes @ shares)[:, None] - slopes[:, some] * scale) * ways[:, None]
        sizes = np.maximum(np.abs(scale), abs(float(shares.sum())))
        return start + (steep + bends[:, None] * sizes).max(axis=0) * (1 + TOLERANCE)

    def absolute(self) -> tuple[Floats, Floats]:
        """Return the least and the greatest sum of excess keys of each case, (n,) each.

        For p > 1 they are those of the total excess, which is not a sum.
        """
        none = np.zeros(len(self.constant))
        if self.metric.p <= 1:
            return np.maximum(-self.rises(none), 0.0), np.maximum(self.falls(none), 0.0)
        weights = self.metric.weights[self.columns]
        slack = (self.slack / weights)[:, None]
        least = [np.maximum((self.terms / weights[:, None, None]).min(axis=1) - slack, 0.0)]
        most = [(self.terms / weights[:, None, None]).max(axis=1) + slack]
        for column, one in zip(self.named_columns, self.named, strict=True):
            least.append(one.min(axis=0)[None] / self.metric.weights[column])
            most.append(one.max(axis=0)[None] / self.metric.weights[column])
        every = np.concatenate([weights, self.metric.weights[self.named_columns]])
        return self._from_keys(np.concatenate(least), every), self._from_keys(
            np.concatenate(most), every
        )

    def _from_keys(self, excess: Floats, weights: Floats) -> Floats:
        """Return the total excess of cases, given that of the moving columns (columns, n)."""
        keys = weights @ power_key(excess + SAME, self.metric.p)
        keys = keys + power_key(self.fixed, self.metric.p) @ self.fixed_weights
        whole = self.metric.weights.sum()
        return np.maximum(key_to_distance(keys / whole, self.metric.p) - SAME, 0.0) * whole

    def _steepest(self, shares: Floats, scale: Floats, some: slice) -> Floats:
        """Return the steepest slopes of Σ shares · term − scale · term, per unit of each column.

        They are those of the columns that share the budget, (columns, n).
        """
        columns = self.columns[self.limited]
        steep = (self.metric.weights[columns] / self.metric.residuals[columns])[:, None]
        mean, each = (self.slopes @ shares)[:, :, None], self.slopes[:, :, some] * scale
        # Slopes of terms rise, so between two points of the grid they lie between those there.
        over = np.maximum(np.abs(mean[:, 1:] - each[:, :-1]), np.abs(each[:, 1:] - mean[:, :-1]))
        found = over.max(axis=1)
        if self.metric.p < 1 or self.metric.kinds[columns].any():  # slopes need not rise
            most = steepness(self.metric.p) * (np.abs(shares).sum() + np.abs(scale))
            bent = (self.metric.p < 1) | (self.metric.kinds[columns] == CYCLIC)
            found = np.where(bent[:, None], most, found)
        return steep * found

    @cached_property
    def slopes(self) -> Floats:
        """The slopes of the terms of the columns that share the budget: (columns, grid, n)."""
        columns = self.columns[self.limited]
        return grid_slopes_of(self.metric, columns, self.grid[self.limited], self.cases.values)

    @cached_property
    def own_slopes(self) -> Floats:
        """The same at the row itself: (columns, n)."""
        columns, points = self.columns[self.limited], self.grid[self.limited, self.half, None]
        return grid_slopes_of(self.metric, columns, points, self.cases.values)[:, 0]
