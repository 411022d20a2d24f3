"""A guess of how centered influences follow a changed row, and how far they can be from it.

Centered influences a minimize KL(a | κ) + |Σ a z|²/2ρ: they diverge little from the kernels κ, and
their mean offset is near 0. The dual of this problem is the λ of `Tilt`. For any shares P and any
λ, the divergence of a from the kernels tilted by λ is at most the gap of the two problems,
KL(P | κ tilted by λ) + |Σ P z + ρλ|²/2ρ. So a good guess of both, for every changed row, bounds
the influences, and no solution is needed but that of the row itself.

Let P₀ and λ₀ be the solution for the row itself, with covariance C of the offsets and gradient g
(0 but for rounding). A changed row moves the offsets by −u and the logarithms of the kernels by x.
The guess is λ = λ₀ + δ with δ = (C + ρ)⁻¹ (u − g − Σ P₀ x z), and P = P₀ (1 + y) with y = x + δ·z
less its mean. Then the mean of P is the one that λ asks for, the kernels tilted by λ are
∝ P₀ exp(y), and the gap is at most Σ P₀ h(y), h(y) = (1 + y) log(1 + y) − 2y − y² + exp(y) − 1,
which is of fourth order in y. Both x and δ are sums over the columns, so that bounds of the guess
are found column by column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.spread import EXACT_COLUMNS, ROUNDING, Spread, symmetric_inverse
from vicinal.robustness.tilt import last_gradient
from vicinal.typing import Bools, Floats

#: Halvings in the search for the least mean.
_HALVINGS = 40
#: Trials to find cases that keep some of their shares, and how much they may lose.
_TRIALS, _NEARLY = 3, 0.9
#: Exponents that may rise by more are not bounded.
_HIGHEST = 500.0


@dataclass(frozen=True, eq=False)
class Guide:
    """Kernels with a tilt that follows the row, and how far the influences may be from these.

    Parameters
    ----------
    near : Neighborhood
        How the row may change.
    own : ndarray of shape (n,)
        P₀, the shares for the row itself, of the cases that are held to have some in any case.
    offsets : ndarray of shape (n, columns)
        Offsets of the candidates.
    inverse : ndarray of shape (columns, columns)
        (C + ρ)⁻¹.
    bandwidth : float
        That of the kernels.
    lean : ndarray of shape (columns,)
        λ in the middle of the grid of the neighborhood.
    leans : ndarray of shape (columns of the neighborhood, grid, columns)
        What each value of a column adds to it.
    blurred : ndarray of shape (n,)
        How far exponents may differ besides, where values are missing.
    most : float
        The divergence of the influences from the tilted kernels, at most.
    """

    near: Neighborhood
    own: Floats
    offsets: Floats
    inverse: Floats
    bandwidth: float
    lean: Floats
    leans: Floats
    blurred: Floats
    most: float = np.inf

    @classmethod
    def of(
        cls,
        near: Neighborhood,
        spread: Spread,
        certain: Bools,
        possible: Bools,
        bandwidth: float,
        ridge: float,
    ) -> Guide | None:
        """Find the guide; None if there is no bound."""
        gradient, longest = last_gradient(spread, ridge)
        if len(spread.mean) > EXACT_COLUMNS or not np.isfinite(gradient) or near.named:
            return None
        logits = np.log(near.cases.masses) - bandwidth * near.anchor + spread.offsets @ spread.lean
        kernels = np.where(possible, np.exp(logits - logits[possible].max(initial=-np.inf)), 0.0)
        held = certain
        for _ in range(_TRIALS):
            total = float(kernels[held].sum())
            if not total > 0:
                return None
            own = np.where(held, kernels / total, 0.0)
            guide = cls._about(near, spread, own, bandwidth, ridge)
            high, low = guide._ends(spread.lean)
            # The shares of cases far away may vanish, so that P₀ does without them.
            if -low[held].min() <= 1.0:
                others = possible & ~held
                if high.max(initial=0.0, where=possible) > _HIGHEST:
                    return None
                most = float(kernels[others] @ np.exp(high[others])) / total
                some = high[held], np.minimum(low[held], 0.0)
                gaps = np.maximum(_gap(np.maximum(some[0], 0.0)), _gap(some[1]))
                most += float(own[held] @ gaps)
                most += guide._missing(spread, np.maximum(high, -low), ridge)
                # Where the solver ends with a gradient, the gap grows by its square over 2ρ.
                most += gradient**2 * (1 + longest**2 / 4) / 2
                return replace(guide, most=most * (1 + ROUNDING) + ROUNDING)
            held = held & (-low <= _NEARLY)
        return None

    @classmethod
    def _about(
        cls, near: Neighborhood, spread: Spread, own: Floats, bandwidth: float, ridge: float
    ) -> Guide:
        """Return the guide from the shares for the row itself."""
        offsets, middle = spread.offsets, near.half
        mean = own @ offsets
        apart = offsets - mean
        inverse = symmetric_inverse((apart * own[:, None]).T @ apart + ridge * spread.unit)
        # By how much each value of a column moves the row, and the kernels the mean offset.
        pulls = -bandwidth * apart * own[:, None]
        moved = near.terms @ pulls
        columns, factors = near.metric.directions
        there = 1.0 - own @ (spread.blur > 0)
        for place, column in enumerate(near.columns.tolist()):
            at = np.flatnonzero(columns == column)
            unit = factors[at] * np.sqrt(bandwidth) / near.metric.residuals[column]
            ways = (near.grid[place] - near.center[column])[:, None] * unit * there[at]
            moved[place][:, at] -= ways
        fixed = (near.constant - near.anchor) @ pulls + moved[:, middle].sum(axis=0)
        fixed = fixed + mean + ridge * spread.lean
        lean = spread.lean - fixed @ inverse
        leans = -(moved - moved[:, [middle]]) @ inverse
        farthest = np.abs(lean) + np.abs(leans).max(axis=1, initial=0.0).sum(axis=0)
        farthest = farthest + near.slack.sum() * np.abs(pulls @ inverse).sum(axis=0)
        blurred = spread.blur @ farthest
        return cls(near, own, offsets, inverse, bandwidth, lean, leans, blurred)

    def _missing(self, spread: Spread, sizes: Floats, ridge: float) -> float:
        """Return what missing values add to the gap: offsets that do not move with the row."""
        if not self.blurred.any():
            return 0.0
        stray = spread.moves.ways * ((self.own * sizes) @ (spread.blur > 0))
        differ = self.blurred.max() + float(self.own @ self.blurred)
        return 2.0 * float(differ) + float(stray @ stray) / (2 * ridge)

    def _ends(self, before: Floats) -> tuple[Floats, Floats]:
        """Return the largest and the least of y for each case, (n,) each."""
        near, own, apart = self.near, self.own, self.offsets - self.own @ self.offsets
        sums = near.constant - near.anchor + near.terms[:, near.half].sum(axis=0)
        start = self.bandwidth * (own @ sums - sums) + apart @ (self.lean - before)
        moves = self.bandwidth * ((near.terms @ own)[:, :, None] - near.terms)
        moves = moves - moves[:, [near.half]] + self.varying(apart)
        slack = self.loose(apart) + self.bandwidth * near.slack.sum()
        high, low = reach(near, moves)
        return start + high + slack, start + low - slack

    @property
    def middle(self) -> Floats:
        """What the tilt adds to the exponent of each candidate, in the middle of the grid."""
        return self.offsets @ self.lean

    def varying(self, vectors: Floats) -> Floats:
        """Return what values of columns add to δ·v for some vectors v: (columns, grid, n)."""
        return self.leans @ vectors.T

    def loose(self, vectors: Floats) -> Floats:
        """Return how far δ·v may differ from what it is on a line between points of the grid."""
        apart = (self.offsets - self.own @ self.offsets) * self.own[:, None]
        pulled = np.abs(vectors @ self.inverse @ apart.T).sum(axis=1)
        return self.bandwidth * float(self.near.slack.sum()) * pulled

    def fixed(self, shares: Floats) -> Floats:
        """Return what it adds to exponents wherever the row is, less the mean under shares."""
        apart = self.offsets - shares @ self.offsets
        blurred = self.blurred + shares @ self.blurred
        return apart @ self.lean + self.loose(apart) + blurred

    def tops(self, shares: Floats) -> Floats:
        """Return what it may add to the exponents of candidates, less the mean under shares."""
        apart = self.offsets - shares @ self.offsets
        return self.fixed(shares) + reach(self.near, self.varying(apart))[0]

    def least_mean(self, mean: float, lowest: float, highest: float) -> float:
        """Return the least mean of some values under influences, given that under the kernels.

        Of all values with some mean, those at both ends can change the most.
        """
        part = min(max((mean - lowest) / (highest - lowest), 0.0), 1.0)
        low, high = 0.0, part
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if _binary(middle, part) <= self.most else (middle, high)
        return lowest + (highest - lowest) * low


def reach(near: Neighborhood, moves: Floats) -> tuple[Floats, Floats]:
    """Return the most and the least of sums over columns, given what each value of a column adds.

    Parameters
    ----------
    moves : ndarray of shape (columns, grid, n)
        What the points of the grid of a column add; lines in between.
    """
    highs, lows = moves.max(axis=1), moves.min(axis=1)
    budget, some = near.budget, near.limited
    if budget is not None:
        some = some & (budget.free[near.columns] == 0)
    if budget is None or not some.any():
        return highs.sum(axis=0), lows.sum(axis=0)
    # Where costs add up, all of the radius goes to where it adds the most.
    costs = np.abs(np.diff(near.grid[some], axis=1)) / budget.units[near.columns[some], None]
    slopes = np.abs(np.diff(moves[some], axis=1)) / np.maximum(costs, 1e-300)[:, :, None]
    most = slopes.max(axis=(0, 1)) * budget.radius * (1 + ROUNDING)
    high = highs[~some].sum(axis=0) + np.minimum(highs[some].sum(axis=0), most)
    low = lows[~some].sum(axis=0) + np.maximum(lows[some].sum(axis=0), -most)
    return high, low


def _gap(y: Floats) -> Floats:
    """Return h(y), which grows in both directions; see above."""
    y = np.maximum(y, -1.0)
    logs = np.log(np.maximum(1 + y, np.finfo(np.float64).tiny))  # x·log x is 0 at 0
    return (1 + y) * logs - 2 * y - y**2 + np.expm1(y)


def _binary(part: float, other: float) -> float:
    """Return the divergence of two outcomes with some probability from those with another."""
    found = 0.0
    for one, two in ((part, other), (1 - part, 1 - other)):
        if one > 0:
            found += one * np.log(one / two) if two > 0 else np.inf
    return found
