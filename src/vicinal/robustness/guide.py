"""A guess of how centered influences follow a changed row, and how far they can be from it.

Centered influences a minimize KL(a | κ) + |Σ a z|²/2ρ: they diverge little from the kernels κ, and
their mean offset is near 0. The dual of this problem is the λ of `Tilt`. For any shares P and any
λ, let T be the kernels tilted by λ. Then KL(P | a) + KL(a | T) is at most the gap of the two
problems, KL(P | T) + |Σ P z + ρλ|²/2ρ. So a good guess of both, for every changed row, bounds the
influences, and no solution is needed but that of the row itself.

Let P₀ and λ₀ be the solution for the row itself. A changed row moves the offsets by −u and the
logarithms of the kernels by x. The guess is λ = λ₀ + δ and P = P₀ (1 + w q) with q = x + δ·z less
its mean under P₀ w. The parts w ≤ 1 with which cases follow are 1 but for those whose shares would
become negative. T is ∝ P₀ exp(q), so the gap is at most Σ P₀ G(q) + |r|²/2ρ, with
G(q) = (1 + wq)(log(1 + wq) − q) + exp(q) − 1 − wq and r = (C + ρ) δ − u + Cov(x, z), C and Cov being
under P₀ w. The δ that is chosen makes this least to second order; it is linear in u and x. If all
cases follow, r is 0 and the gap of fourth order in q. Both x and δ are sums over the columns. So
is the mean of any values under P, and Σ P₀ G(q) ≤ Σ P₀ c q² is a sum over pairs of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vicinal.index.kinds import CYCLIC
from vicinal.robustness.entrants import Entrants, followed
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.spread import (
    EXACT_COLUMNS,
    ROUNDING,
    Offsets,
    balanced,
    symmetric_inverse,
)
from vicinal.robustness.tilt import last_gradient
from vicinal.typing import Bools, Floats

#: Halvings in the search for the least mean.
_HALVINGS = 40
#: Trials to find by which parts cases follow, and how much of their shares they may lose.
_TRIALS, _NEARLY, _MOST_LOST = 6, 0.9, 0.98
#: A gap that is small enough, and one that is no bound.
_SMALL, _LARGEST = 1e-3, 1e6
#: Cases that count more than this hold the guess back no further.
_STIFFEST = 1e6


@dataclass(frozen=True, eq=False)
class Guide:
    """Shares and tilted kernels that follow the row, and how far the influences may be from these.

    Parameters
    ----------
    near : Neighborhood
        How the row may change.
    offsets : ndarray of shape (n, columns)
        Offsets of the candidates.
    lean : ndarray of shape (columns,)
        λ in the middle of the grid of the neighborhood.
    leans : ndarray of shape (columns of the neighborhood, grid, columns)
        What each value of a column adds to it.
    own, parts : ndarray of shape (n,)
        P₀ and w.
    start, moves : ndarray of shape (n,) and (columns of the neighborhood, grid, n)
        q in the middle of the grid, and what each value of a column adds to it.
    kept : ndarray of shape (columns of the neighborhood, grid, n)
        What exponents of cases with missing values gain, whose offsets do not move.
    blurred : ndarray of shape (n,)
        How far these may differ besides.
    bent : float
        How far they may differ between points of the grid.
    most : float
        The gap, at most.
    unsolved : float
        How far shares may be from those of the minimum where the solver ends.
    entrants : Entrants, optional
        How P follows cases that may or may not be neighbors.
    """

    near: Neighborhood
    offsets: Floats
    lean: Floats
    leans: Floats
    own: Floats
    parts: Floats
    start: Floats
    moves: Floats
    kept: Floats
    blurred: Floats
    bent: float
    most: float
    unsolved: float
    entrants: Entrants | None

    @classmethod
    def of(
        cls,
        near: Neighborhood,
        given: Offsets,
        certain: Bools,
        left: float,
        bandwidth: float,
        ridge: float,
    ) -> Guide | None:
        """Find the guide; None if there is no bound.

        Cases that are certainly neighbors leave some places to others.
        """
        gradient, longest = last_gradient(given, ridge)
        if len(given.moves.ways) > EXACT_COLUMNS or not gradient * longest < 1 or near.named:
            return None
        if not certain.any():
            return None
        kernels = np.log(near.cases.masses) - bandwidth * near.anchor
        lean = balanced(np.where(certain, kernels, -np.inf), given.offsets, ridge)[0]
        logs = kernels + given.offsets @ lean
        logs = logs - logs[certain].max()
        logs = logs - np.log(np.exp(logs[certain]).sum())
        task = _Task(near, given, lean, logs, certain, bandwidth, ridge)
        guess = task.best()
        others = given.possible & ~certain
        rises = np.exp(np.minimum((logs + guess.high)[others], 300.0))
        most = guess.gap + _of_places(rises, near.cases.masses[others], left)
        entrants = None
        if others.any() and (near.cases.masses == 1.0).all():
            entrants = guess.followed(logs, others, int(np.ceil(left * (1 - ROUNDING))))
            if entrants is not None and entrants.most < most:
                most = entrants.most
            else:
                entrants = None
        if not most < _LARGEST:
            return None
        # Between points of the grid, kernels differ from lines, and P from T.
        bent = task.bent
        most += bent * float(np.sqrt(most / 2)) + float(np.expm1(bent)) - bent
        blurred, stray = guess.missing(entrants)
        most += 2.0 * float(blurred.max())
        # Where offsets do not move, r is longer.
        most = float(np.sqrt(most) + np.sqrt(stray)) ** 2
        most = most * (1 + ROUNDING) + ROUNDING
        # The solver ends with a gradient: the minimum is no farther down than this.
        depth = -np.log1p(-gradient * longest)
        unsolved = gradient**2 * depth / -np.expm1(-depth)
        return cls(
            near,
            given.offsets,
            guess.lean,
            guess.leans,
            task.own,
            guess.parts,
            guess.start,
            guess.moves,
            task.kept,
            blurred,
            task.bent,
            most,
            float(np.sqrt(unsolved / 2)),
            entrants,
        )

    @property
    def middle(self) -> Floats:
        """What the tilt adds to the exponent of each candidate, in the middle of the grid."""
        return self.offsets @ self.lean

    def varying(self, shares: Floats) -> Floats:
        """Return what the tilt adds as columns move, less the mean: (columns, grid, n)."""
        added = self.leans @ self.offsets.T + self.kept
        return added - (added @ shares)[:, :, None]

    def fixed(self, shares: Floats) -> Floats:
        """Return what it adds to exponents wherever the row is, less the mean under shares."""
        apart = self.offsets - shares @ self.offsets
        return apart @ self.lean + self.blurred + shares @ self.blurred

    def rises(self, shares: Floats) -> Floats:
        """Return how far exponents of candidates may rise above the mean under shares."""
        moves = self.moves - (self.moves @ shares)[:, :, None]
        return reach(self.near, moves)[0] + self.bent

    def own_mean(self, values: Floats) -> float:
        """Return the least mean of some values under P."""
        pull = self.own * self.parts * (values - self.own @ values)
        moved = reach(self.near, (self.moves @ pull)[:, :, None])[1]
        found = float(self.own @ values + self.start @ pull + moved[0])
        if self.entrants is not None:
            found += self.entrants.own_mean(values - float(self.own @ values))
        return found

    def least_mean(self, mean: float, values: Floats, lowest: float, highest: float) -> float:
        """Return the least mean of some values under influences, given that under the kernels.

        Of all values with some mean, those at both ends can change the most.
        """
        size = highest - lowest
        tilted = min(max((mean - lowest) / size, 0.0), 1.0)
        own = min(max((self.own_mean(values) - lowest) / size - ROUNDING, 0.0), 1.0)
        low, high = 0.0, max(own, tilted)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            apart = _binary(max(own, middle), middle) + _binary(middle, max(tilted, middle))
            low, high = (low, middle) if apart <= self.most else (middle, high)
        return lowest + size * max(low - self.unsolved, 0.0)


@dataclass(frozen=True, eq=False)
class _Guess:
    """A guess for one choice of the parts by which cases follow."""

    task: _Task
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
        ends = np.maximum(_curved(self.high, *some), _curved(self.low, *some))
        return np.maximum(ends, self.task.own * (1 - parts) ** 2 / 2)

    @cached_property
    def gap(self) -> float:
        """Σ P₀ G(q) + |r|²/2ρ, at most."""
        sizes = np.sqrt(self.curved(self.parts))
        unit = 1 / np.sqrt(2 * self.task.ridge)
        start = np.concatenate([self.start * sizes, self.rest * unit])
        moves = np.concatenate([self.moves * sizes, self.rests * unit], axis=2)
        return longest_square(self.task.near, start, moves)

    def followed(self, logs: Floats, others: Bools, counts: int) -> Entrants | None:
        """Return how shares follow cases that may be neighbors, so many at a time."""
        task = self.task
        some = task.own, self.parts, self.low, self.high, logs, self.apart
        return followed(self.gap, *some, others, counts, task.ridge)

    def missing(self, entrants: Entrants | None) -> tuple[Floats, float]:
        """Return what missing values add: to exponents, and to r as |·|²/2ρ."""
        task, blur = self.task, self.task.given.blur
        if not blur.any():
            return np.zeros(len(self.parts)), 0.0
        farthest = np.abs(self.lean - task.lean) + np.abs(self.leans).max(axis=1, initial=0.0).sum(axis=0)
        sizes = task.own * self.parts * np.maximum(np.maximum(self.high, -self.low), 0.0)
        if entrants is not None:
            sizes = sizes + entrants.largest()
        stray = task.given.moves.ways * (sizes @ (blur > 0))
        return blur @ farthest, float(stray @ stray) / (2 * task.ridge)


class _Task:
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

    def best(self) -> _Guess:
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

    def guess(self, parts: Floats, curved: Floats) -> _Guess:
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
        high, low = reach(self.near, moves)
        rest, rests = a @ lean - first, leans @ a - b
        return _Guess(self, self.lean + lean, leans, parts, start, moves, start + low, start + high, rest, rests, apart)


def reach(near: Neighborhood, moves: Floats) -> tuple[Floats, Floats]:
    """Return the most and the least of sums over columns, given what each value of a column adds.

    Parameters
    ----------
    moves : ndarray of shape (columns, grid, n)
        What the points of the grid of a column add; lines in between.
    """
    highs, lows = moves.max(axis=1), moves.min(axis=1)
    budget, some = near.budget, _sharing(near)
    if budget is None or not some.any():
        return highs.sum(axis=0), lows.sum(axis=0)
    # Where costs add up, all of the radius goes to where it adds the most.
    costs = np.abs(np.diff(near.grid[some], axis=1)) / budget.units[near.columns[some], None]
    slopes = np.abs(np.diff(moves[some], axis=1)) / np.maximum(costs, 1e-300)[:, :, None]
    most = slopes.max(axis=(0, 1)) * budget.radius * (1 + ROUNDING)
    high = highs[~some].sum(axis=0) + np.minimum(highs[some].sum(axis=0), most)
    low = lows[~some].sum(axis=0) + np.maximum(lows[some].sum(axis=0), -most)
    return high, low


def _sharing(near: Neighborhood) -> Bools:
    """Return the columns of which all share one radius; ranks climb in steps, so they do not."""
    if near.budget is None:
        return np.zeros(len(near.columns), dtype=bool)
    shared: Bools = near.limited & (near.budget.free[near.columns] == 0)
    return shared


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
    some, budget = _sharing(near), near.budget
    if budget is None or not some.any():
        return every
    alone = own + 2 * float(with_start[~some].sum()) + float(pairs[np.ix_(~some, ~some)].sum())
    # A square is convex: of what share the radius, one gets all of it.
    costs = np.abs(near.grid[some] - near.grid[some][:, [near.half]])
    costs = costs / budget.units[near.columns[some], None] / budget.radius
    scale = np.where(costs > 0, (1 + ROUNDING) / np.maximum(costs, 1e-300), 0.0)
    crossed = products[0, 1:].reshape(columns, grid)[some]
    crossed = crossed + inner[~some][:, :, some].max(axis=1, initial=0.0).sum(axis=0)
    squares = np.einsum("iaia->ia", inner)[some]
    best = float((2 * crossed * scale + squares * scale**2).max(initial=0.0))
    return min(every, alone + best)


def _curved(q: Floats, w: Floats, own: Floats, logs: Floats) -> Floats:
    """Return P₀ G(q)/q²; the largest is at one of both ends of q, or P₀ (1 − w)²/2 at 0."""
    moved = np.where(np.abs(q) < 1e-3, 1e-3 * np.where(q < 0, -1.0, 1.0), q)
    kept = np.maximum(1 + w * moved, 1e-3)
    rest = kept * (np.log(kept) - moved) - w * moved - 1
    return (own * rest + np.exp(np.minimum(logs + moved, 300.0))) / moved**2


def _of_places(kernels: Floats, masses: Floats, left: float) -> float:
    """Return what cases weigh at most together, if so many of them find a place."""
    order = np.argsort(-kernels / masses, kind="stable")
    taken = np.clip(left - (np.cumsum(masses[order]) - masses[order]), 0.0, masses[order])
    return float(kernels[order] @ (taken / masses[order])) * (1 + ROUNDING)


def _binary(part: float, other: float) -> float:
    """Return the divergence of two outcomes with some probability from those with another."""
    found = 0.0
    for one, two in ((part, other), (1 - part, 1 - other)):
        if one > 0:
            found += one * np.log(one / two) if two > 0 else np.inf
    return found
