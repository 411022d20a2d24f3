"""The guess that bounds of centered influences are made of; see `guide`.

A changed row moves the logarithms of the kernels by x and the offsets by −u. The guess tilts the
kernels by δ and moves shares P₀ by w q, with q = x + δ·z less its mean under P₀ w. All of them are
sums over the columns, on lines between the points of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vicinal.index.kinds import CYCLIC
from vicinal.robustness.crests import corners, sharing
from vicinal.robustness.entrants import Entrants, followed
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.spread import ROUNDING, Offsets, symmetric_inverse
from vicinal.typing import Bools, Floats

#: Trials to find by which parts cases follow, and how much of their shares they may lose.
_TRIALS, _NEARLY, _MOST_LOST = 6, 0.9, 0.98
#: A gap that is small enough.
_SMALL = 1e-3
#: Cases that count more than this hold the guess back no further.
_STIFFEST = 1e6


@dataclass(frozen=True, eq=False)
class Guess:
    """A guess for one choice of the parts by which cases follow."""

    task: Task
    lean: Floats
    leans: Floats
    parts: Floats
    start: Floats
    moves: Floats
    low: Floats
    high: Floats
    rest: Floats
    rests: Floats
    apart: Floats

    def curved(self, parts: Floats) -> Floats:
        """Return the largest P₀ G(q)/q² of each case."""
        some = parts, self.task.own, self.task.logs_own
        ends = np.maximum(curved(self.high, *some), curved(self.low, *some))
        return np.maximum(ends, self.task.own * (1 - parts) ** 2 / 2)

    @cached_property
    def gap(self) -> float:
        """Σ P₀ G(q) + |r|²/2ρ, at most."""
        sizes = np.sqrt(self.curved(self.parts))
        unit = 1 / np.sqrt(2 * self.task.ridge)
        start = np.concatenate([self.start * sizes, self.rest * unit])
        moves = np.concatenate([self.moves * sizes, self.rests * unit], axis=2)
        return longest_square(self.task.near, start, moves)

    @cached_property
    def whole(self) -> float:
        """Σ P₀ G(q) + |r|²/2ρ, at most, at the corners of all changes if there are few."""
        return max(min(self.gap, self._at_corners[0]), 0.0)

    @cached_property
    def least_gap(self) -> float:
        """The gap itself, at most: of its logarithm, less is known than at the corners."""
        _, sums, rest = self._at_corners
        certain = self.task.certain
        if (self.parts[certain] < 1).any():
            return self.whole
        ends = np.concatenate([self.low[certain], self.high[certain]])
        return min(self.whole, max(without_total(sums, ends), 0.0) + rest)

    @cached_property
    def _at_corners(self) -> tuple[float, float, float]:
        """The most of Σ P₀ G(q) + |r|²/2ρ and of both parts of it; infinite if not known."""
        task, some = self.task, self.task.certain
        start = np.concatenate([self.start[some], self.rest])
        moves = np.concatenate([self.moves[:, :, some], self.rests], axis=2)
        found = corners(task.near, start, moves)
        if found is None:
            return np.inf, np.inf, np.inf
        q, left = found[:, : some.sum()], found[:, some.sum() :]
        parts, own = self.parts[some], task.own[some]
        # G is convex if cases follow as a whole; else what bounds it is.
        bent = parts < 1
        sums = convex_gap(q[:, ~bent], parts[~bent]) @ own[~bent]
        sums = sums + q[:, bent] ** 2 @ self.curved(self.parts)[some][bent]
        rests = (left**2).sum(axis=1) / (2 * task.ridge)
        both, alone, rest = (
            float(one.max()) * (1 + ROUNDING) for one in (sums + rests, sums, rests)
        )
        return both, alone, rest

    def followed(self, logs: Floats, others: Bools, counts: int) -> Entrants | None:
        """Return how shares follow cases that may be neighbors, so many at a time."""
        task = self.task
        some = task.own, self.parts, self.low, self.high, logs, self.apart
        return followed(self.whole, *some, others, counts, task.ridge)

    def missing(self, entrants: Entrants | None) -> tuple[Floats, float]:
        """Return what missing values add: to exponents, and to r as |·|²/2ρ."""
        task, blur = self.task, self.task.given.blur
        if not blur.any():
            return np.zeros(len(self.parts)), 0.0
        farthest = np.abs(self.lean - task.lean) + np.abs(self.leans).max(axis=1, initial=0.0).sum(
            axis=0
        )
        sizes = task.own * self.parts * np.maximum(np.maximum(self.high, -self.low), 0.0)
        if entrants is not None:
            sizes = sizes + entrants.largest()
        stray = task.given.moves.ways * (sizes @ (blur > 0))
        return blur @ farthest, float(stray @ stray) / (2 * task.ridge)


class Task:
    """What a guess is made from."""

    def __init__(
        self,
        near: Neighborhood,
        given: Offsets,
        lean: Floats,
        logs_own: Floats,
        certain: Bools,
        bandwidth: float,
        ridge: float,
    ) -> None:
        self.near, self.given, self.lean = near, given, lean
        self.certain, self.ridge = certain, ridge
        #: P₀ and its logarithms.
        self.logs_own = np.where(certain, logs_own, -np.inf)
        self.own = own = np.exp(self.logs_own)
        half = near.half
        #: x at the points of the grid, less that in the middle: (columns, grid, n).
        self.logs = -bandwidth * (near.terms - near.terms[:, [half]])
        sums = near.constant - near.anchor + near.terms[:, half].sum(axis=0)
        # Terms lie below their chords, but round a cycle on either side.
        sides = np.where(near.metric.kinds[near.columns] == CYCLIC, 2.0, 1.0)
        #: How far x may be from lines between points of the grid.
        self.bent = bandwidth * float(sides @ near.slack + np.ptp(sums))
        #: u at the same points: (columns, grid, directions).
        columns, factors = near.metric.directions
        self.ways = np.zeros((*near.grid.shape, len(columns)))
        gone = given.blur > 0
        there = 1.0 - own @ gone
        #: What keeping their offsets adds to the exponents of cases with missing values.
        self.kept = np.zeros_like(self.logs)
        for place, column in enumerate(near.columns.tolist()):
            at = np.flatnonzero(columns == column)
            unit = factors[at] * np.sqrt(bandwidth) / near.metric.residuals[column]
            ways = (near.grid[place] - near.center[column])[:, None] * unit
            self.ways[place][:, at] = ways * there[at]
            self.kept[place] = (ways * lean[at]) @ gone[:, at].T

    def best(self) -> Guess:
        """Return the best of some guesses, each made from the one before."""
        parts, curved, best = np.ones(len(self.own)), np.zeros(len(self.own)), None
        for trial in range(_TRIALS):
            guess = self.guess(parts, curved)
            low = -np.where(self.certain, np.minimum(guess.low, 0.0), 0.0)
            following = np.minimum(1.0, _NEARLY / np.maximum(low, _NEARLY))
            if (parts * low).max() <= _MOST_LOST:
                if best is not None and guess.gap > 0.9 * best.gap:
                    break
                best = guess
                if guess.gap < _SMALL:
                    break
                parts = following
            else:
                parts = np.minimum(parts, following) * (1.0 if trial < 2 else 0.8)
            curved = np.minimum(2 * guess.curved(parts), _STIFFEST)
        # If nothing follows, no share becomes negative.
        return best or self.guess(np.zeros(len(self.own)), self.own)

    def guess(self, parts: Floats, curved: Floats) -> Guess:
        """Return the guess if cases follow by some parts, made for some curvature of P₀ G."""
        given, ridge = self.given, self.ridge
        weights, others = self.own * parts, curved
        total = float(weights.sum())
        mean = weights @ given.offsets / total if total > 0 else self.own @ given.offsets
        apart = given.offsets - mean
        pulls = apart * weights[:, None]
        a = pulls.T @ apart + ridge * given.unit
        loose = apart * others[:, None]
        inverse = symmetric_inverse(a @ a + ridge * (loose.T @ apart))
        logs = self.logs + self.kept
        b = self.ways - logs @ pulls
        leans = (b @ a - ridge * (logs @ loose)) @ inverse
        first = -(self.own @ given.offsets + ridge * self.lean)  # 0 but for rounding
        lean = first @ a @ inverse
        start, moves = apart @ lean, logs + leans @ apart.T
        shares = weights / total if total > 0 else self.own
        start, moves = start - shares @ start, moves - (moves @ shares)[:, :, None]
        high, low = extremes(self.near, moves)
        rest, rests = a @ lean - first, leans @ a - b
        return Guess(
            self,
            self.lean + lean,
            leans,
            parts,
            start,
            moves,
            start + low,
            start + high,
            rest,
            rests,
            apart,
        )


def extremes(near: Neighborhood, moves: Floats) -> tuple[Floats, Floats]:
    """Return the most and the least of sums over columns, given what each value of a column adds.

    Parameters
    ----------
    moves : ndarray of shape (columns, grid, n)
        What the points of the grid of a column add; lines in between.
    """
    highs, lows = moves.max(axis=1), moves.min(axis=1)
    budget, some = near.budget, sharing(near)
    if budget is None or not some.any():
        return highs.sum(axis=0), lows.sum(axis=0)
    # Where costs add up, the radius goes to where it adds the most.
    costs = np.abs(np.diff(near.grid[some], axis=1)) / budget.units[near.columns[some], None]
    slopes = np.abs(np.diff(moves[some], axis=1)) / np.maximum(costs, 1e-300)[:, :, None]
    most = budget.best_parts(slopes.max(axis=1)) * budget.radius * (1 + ROUNDING)
    high = highs[~some].sum(axis=0) + np.minimum(highs[some].sum(axis=0), most)
    low = lows[~some].sum(axis=0) + np.maximum(lows[some].sum(axis=0), -most)
    return high, low


def longest_square(near: Neighborhood, start: Floats, moves: Floats) -> float:
    """Return the most of |start + Σ moves|², for vectors that values of columns add.

    Parameters
    ----------
    start : ndarray of shape (m,)
        What is there in the middle of the grid, at which all moves are 0.
    moves : ndarray of shape (columns, grid, m)
        What the points of the grid of a column add; lines in between.
    """
    columns, grid, size = moves.shape
    vectors = np.concatenate([start[None], moves.reshape(columns * grid, size)])
    products = vectors @ vectors.T
    inner = products[1:, 1:].reshape(columns, grid, columns, grid)
    pairs = inner.max(axis=(1, 3), initial=0.0)
    with_start = products[0, 1:].reshape(columns, grid).max(axis=1, initial=0.0)
    own = float(products[0, 0])
    every = own + 2 * float(with_start.sum()) + float(pairs.sum())
    some, budget = sharing(near), near.budget
    if budget is None or not some.any():
        return every
    alone = own + 2 * float(with_start[~some].sum()) + float(pairs[np.ix_(~some, ~some)].sum())
    # A square is convex: of what share the radius, one gets all of it, or as much as it may.
    costs = np.abs(near.grid[some] - near.grid[some][:, [near.half]])
    costs = costs / budget.units[near.columns[some], None] / (budget.most * budget.radius)
    scale = np.where(costs > 0, (1 + ROUNDING) / np.maximum(costs, 1e-300), 0.0)
    crossed = products[0, 1:].reshape(columns, grid)[some]
    crossed = crossed + inner[~some][:, :, some].max(axis=1, initial=0.0).sum(axis=0)
    squares = np.einsum("iaia->ia", inner)[some]
    crossed, squares = 2 * crossed * scale, squares * scale**2
    best = float((crossed + squares).max(initial=0.0))
    rest = (1 - budget.most) / budget.most
    if rest > 0:  # and another one the rest
        pairs = inner[some][:, :, some] * scale[:, :, None, None] * scale
        pairs = (crossed + squares)[:, :, None, None] + 2 * rest * pairs
        pairs = pairs + (rest * crossed + rest**2 * squares)
        others = ~np.eye(len(scale), dtype=bool)
        best = max(best, float(pairs.max(axis=(1, 3))[others].max(initial=0.0)))
    return min(every, alone + best)


def curved(q: Floats, w: Floats, own: Floats, logs: Floats) -> Floats:
    """Return P₀ G(q)/q²; the largest is at one of both ends of q, or P₀ (1 − w)²/2 at 0."""
    moved = np.where(np.abs(q) < 1e-3, 1e-3 * np.where(q < 0, -1.0, 1.0), q)
    kept = np.maximum(1 + w * moved, 1e-3)
    rest = kept * (np.log(kept) - moved) - w * moved - 1
    return (own * rest + np.exp(np.minimum(logs + moved, 300.0))) / moved**2


def convex_gap(q: Floats, w: Floats) -> Floats:
    """Return G(q), which is convex for w = 1 and for q ≥ 0; on a line where no case can be."""
    lowest = -_MOST_LOST / np.maximum(w, 1e-300)
    inside = np.maximum(q, lowest)
    kept, kernels = 1 + w * inside, np.exp(np.minimum(inside, 300.0))
    slopes = w * np.log(kept) - 2 * w * inside - 1 + kernels
    found = kept * (np.log(kept) - inside) + kernels - 1 - w * inside
    return np.asarray(found + slopes * (q - inside))


def without_total(whole: float, ends: Floats) -> float:
    """Return the most of Σ P₀ G(q) less what the logarithm of Σ P₀ exp(q) is below its tangent.

    That is h − log(1 + h) for h = Σ P₀ (exp(q) − 1 − q), which is no less than a multiple of
    Σ P₀ G(q): that of the case that moves the most.

    Parameters
    ----------
    whole : float
        The most of Σ P₀ G(q).
    ends : ndarray
        How far q may go.
    """
    q = np.where(np.abs(ends) < 1e-2, 1e-2, ends)
    ratio = float(((np.expm1(q) - q) / convex_gap(q, np.ones(len(q)))).min()) * (1 - ROUNDING)
    if not 1 < ratio < np.inf or not whole < np.inf:
        return whole
    most = min(whole, 1 / (ratio * (ratio - 1)))
    return most - ratio * most + float(np.log1p(ratio * most))
