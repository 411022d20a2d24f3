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
G(q) = (1 + wq)(log(1 + wq) − q) + exp(q) − 1 − wq and r = (C + ρ) δ − u + Cov(x, z), C and Cov
being under P₀ w. The δ that is chosen makes this least to second order; it is linear in u and x.
If all cases follow, r is 0 and the gap of fourth order in q. Both x and δ are sums over the
columns. So is the mean of any values under P, and Σ P₀ G(q) ≤ Σ P₀ c q² is a sum over pairs of
columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

from vicinal.robustness.entrants import Entrants
from vicinal.robustness.guess import Task, extremes
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.places import most_in_places
from vicinal.robustness.spread import EXACT_COLUMNS, ROUNDING, Offsets, balanced
from vicinal.robustness.tilt import last_gradient
from vicinal.typing import Bools, Floats

#: Halvings in the search for the least mean.
_HALVINGS = 40
#: A gap that is no bound.
_LARGEST = 1e6


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
        task = Task(near, given, lean, logs, certain, bandwidth, ridge)
        guess = task.best()
        others = given.possible & ~certain
        rises = np.exp(np.minimum((logs + guess.high)[others], 300.0))
        most = guess.least_gap + most_in_places(rises, near.cases.masses[others], left)
        entrants = None
        if others.any() and (near.cases.masses == 1.0).all():
            entrants = guess.followed(logs, others, int(np.ceil(left * (1 - ROUNDING))))
            # They are followed where the gap is finite.
            if entrants is not None and entrants.most - guess.whole + guess.least_gap < most:
                most = entrants.most - guess.whole + guess.least_gap
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
        return extremes(self.near, moves)[0] + self.bent

    def own_mean(self, values: Floats) -> float:
        """Return the least mean of some values under P."""
        pull = self.own * self.parts * (values - self.own @ values)
        moved = extremes(self.near, (self.moves @ pull)[:, :, None])[1]
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


def _binary(part: float, other: float) -> float:
    """Return the divergence of two outcomes with some probability from those with another."""
    found = 0.0
    for one, two in ((part, other), (1 - part, 1 - other)):
        if one > 0:
            found += one * log(one / two) if two > 0 else inf
    return found
