"""How far balancing the neighbors about a row can tilt their kernels.

Centered influences are a_j ∝ κ_j exp(λ·z_j), with the λ that minimizes
log Σ κ_j exp(λ·z_j) + ρ|λ|²/2. Let λ₀ be that of the row itself. For a changed row, let ã be the
shares of its kernels tilted by λ₀ and λ = λ₀ + δ. Its gradient g at λ₀ is small, since it is 0 for
the row itself. At the minimum δ'(∫H)δ = −δ·g, the integral being that of the covariance along the
way, plus ρ. There the objective lies below that at λ₀, so the covariance is at least e^(−t·m) C, if
δ·z_j ≥ −m for the cases of C, a lower bound of the covariance under ã. Hence |δ| ≤ |g| in the
metric hC + ρ and its inverse, with h = (1 − e^(−m))/m: an ellipsoid about λ₀.

Where the solver need not reach the minimum, it still starts at λ = 0 and only descends, so
log Σ κ̄_j exp(λ·z_j) + ρ|λ|²/2 ≤ 0, κ̄ being the shares of the kernels. Integrated twice,
λ'(2hC + ρ)λ ≤ −2 λ·z̄ with h = (e^(−m) − 1 + m)/m²: an ellipsoid about −(2hC + ρ)⁻¹ z̄.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.typing import Bools, Floats

#: Tried in turn for how far the exponents of cases may fall.
_DEPTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: Cases with less than this part of the largest share do not count for the scatter.
_LEAST_SHARE = 0.02
#: Offsets are cut off at 1e4 before they are scaled.
_FARTHEST = 9e3
#: With more columns than these, a solver may stop before the solution. That of local regression
#: holds influences back that differ from the kernels by more than this.
_EXACT_COLUMNS, _MOST_TILT = 24, 4.0
#: Allowance for the rounding of the solver.
_ROUNDING = 1e-6
#: The last step of the solver of centered influences is at most so long, in the metric of the
#: second derivatives; rounding may leave a gradient of this length. See `must_arrive` in
#: native/center.hpp for where it reaches the minimum.
_LAST_STEP, _STUCK = np.sqrt(1e-5), 1e-4
#: Steps to the λ of the row, and halvings of each, at most.
_NEWTON_STEPS, _HALVINGS = 60, 20


@dataclass(frozen=True, eq=False)
class Spread:
    """Where the neighbors lie about a row, whatever the change within a box.

    Parameters
    ----------
    offsets : ndarray of shape (n, columns)
        Offsets of the candidates from the unchanged row.
    ways : ndarray of shape (columns,)
        How far the row may move in these units.
    lean : ndarray of shape (columns,)
        What the kernels are tilted by, the λ₀ of the row.
    mean : ndarray of shape (columns,)
        The mean offset under the tilted kernels at the row.
    away : ndarray of shape (columns,)
        How far it may be from there.
    scatter : ndarray of shape (columns, columns)
        A lower bound of the covariance.
    own, moved : ndarray of shape (n,)
        The shares of the kernels at the row, and how far they may be from these.
    shares : ndarray of shape (n,)
        Upper bounds of the shares of the kernels.
    held : ndarray of bool of shape (n,)
        Cases that make up the scatter.
    """

    offsets: Floats
    ways: Floats
    lean: Floats
    mean: Floats
    away: Floats
    scatter: Floats
    own: Floats
    moved: Floats
    shares: Floats
    held: Bools

    @classmethod
    def of(
        cls,
        near: Neighborhood,
        offsets: Floats,
        certain: Bools,
        possible: Bools,
        bandwidth: float,
        ridge: float = np.inf,
    ) -> Spread | None:
        """Find the spread; None if cycles, categories or gaps leave it open.

        With a ridge, it is that under the kernels that are balanced about the row.
        """
        offsets = near.settled_offsets(offsets)
        ways = _ways(near, offsets, possible)
        if ways is None:
            return None
        root = np.sqrt(bandwidth)
        offsets, ways = offsets * root, ways * root
        cases = near.cases
        with np.errstate(divide="ignore"):
            logits = np.log(near.inner) - bandwidth * near.anchor
        lean, own = balanced(logits, offsets, ridge)
        tilts = offsets @ lean
        tilts = np.log(cases.masses) + tilts - float(own @ tilts)
        # Against the mean under these shares, what all distances have in common cancels out.
        with np.errstate(over="ignore", under="ignore"):
            most = np.where(possible, np.exp(tilts + bandwidth * near.rises(own)), 0.0)
            least = np.where(certain, np.exp(tilts - bandwidth * near.falls(own)), 0.0)
            most = np.maximum(most, least)
            high = most / np.maximum(least.sum() - least + most, 1e-300)
            low = least / np.maximum(most.sum() - most + least, 1e-300)
        if not np.isfinite(most).all():
            return None
        mean = own @ offsets
        moved = np.maximum(np.abs(high - own), np.abs(own - low))
        away = moved @ np.abs(offsets - mean) + ways
        # Any of the cases may make up the scatter; far ones would allow for deep falls.
        low = np.where(low > _LEAST_SHARE * low.max(initial=0.0), low, 0.0)
        total = low.sum()
        middle = low @ offsets / total if total > 0 else mean
        apart = (offsets - middle) * np.sqrt(low)[:, None]
        return cls(offsets, ways, lean, mean, away, apart.T @ apart, own, moved, high, low > 0)

    def distance(self, matrix: Floats) -> tuple[float, float, Floats]:
        """Return the length of the mean offset, and of how far it may be away, in a metric."""
        inverse = _inverse(matrix)
        own = np.sqrt(max(float(self.mean @ inverse @ self.mean), 0.0))
        off = np.sqrt(float(self.away @ np.abs(inverse) @ self.away))
        return own * (1 + _ROUNDING), off * (1 + _ROUNDING), inverse

    def correction(self, values: Floats, ridge: float) -> float:
        """Return how far ridge local linear regression may lie from the mean under the kernels.

        With covariance S of the offsets, it is Cov(v, z)·s for a step s whose length in the metric
        S + ρ is at most that of the mean offset in the inverse; and Cov(v, z) is no longer in the
        inverse than the standard deviation of the values.
        """
        own, off, _ = self.distance(self.scatter + ridge * np.eye(len(self.ways)))
        there = self.shares > 0
        ends = values[there].min(), values[there].max()
        squares = (values - (ends[0] + ends[1]) / 2) ** 2
        variance = min(float(self.shares @ squares), float(ends[1] - ends[0]) ** 2 / 4)
        return (own + off) * float(np.sqrt(variance)) * (1 + _ROUNDING)

    def regression(self, values: Floats, ridge: float) -> tuple[Floats, float] | None:
        """Return residuals of the values, and how far local regression may lie from their mean.

        Let θ be the slopes at the row, and e = v − θ·z. The influences a of local regression have
        Σ a z = ρ s, so they predict Σ κ̄ e + θ·u + (ρθ − Cov(e, z))·s where the row has moved by u.
        At the row, the last term is 0; elsewhere it is as small as what the shares of the kernels
        have moved by. None where the solver may stop early, or hold the influences back.
        """
        if len(self.ways) > _EXACT_COLUMNS:
            return None
        size, z = np.eye(len(self.ways)), self.offsets - self.mean
        spread = (z * self.own[:, None]).T @ z + ridge * size
        slopes = np.linalg.solve(spread, (self.own * (values - self.own @ values)) @ z)
        own, off, inverse = self.distance(self.scatter + ridge * size)
        if own + off >= _MOST_TILT:
            return None
        errors = values - self.offsets @ slopes
        apart = np.abs(errors - self.own @ errors)
        covariance = (self.moved * apart) @ np.abs(z)
        covariance = covariance + (self.moved @ apart) * (self.moved @ np.abs(z))
        length = float(np.sqrt(covariance @ np.abs(inverse) @ covariance))
        loss = (own + off) * length + float(np.abs(slopes) @ self.ways)
        rounding = _ROUNDING * float(np.ptp(values))
        return errors, loss * (1 + _ROUNDING) + rounding


def balanced(logits: Floats, offsets: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Return λ and the shares that balance the offsets, 0 and those of the kernels without it.

    Any λ makes for a sound bound, and one that has converged for a tight one.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.tilt import balanced
    >>> slant, shares = balanced(np.zeros(3), np.array([[1.0], [1.0], [-1.0]]), 1e-9)
    >>> shares.round(3)
    array([0.25, 0.25, 0.5 ])
    """
    slant = np.zeros(offsets.shape[1])

    def at(slant: Floats) -> tuple[float, Floats]:
        exponents = logits + offsets @ slant
        top = exponents.max()
        kernels = np.exp(exponents - top)
        total = float(kernels.sum())
        size = 0.0 if not np.isfinite(ridge) else ridge * float(slant @ slant) / 2
        return top + np.log(total) + size, kernels / total

    value, shares = at(slant)
    for _ in range(_NEWTON_STEPS if np.isfinite(ridge) and len(slant) else 0):
        mean = shares @ offsets
        apart = (offsets - mean) * np.sqrt(shares)[:, None]
        gradient = mean + ridge * slant
        step = np.linalg.solve(apart.T @ apart + ridge * np.eye(len(slant)), gradient)
        fall, length = float(gradient @ step), 1.0
        for _ in range(_HALVINGS):
            lower, there = at(slant - length * step)
            if lower <= value - 0.25 * length * fall:
                break
            length /= 2
        if not lower < value:
            break
        slant, value, shares = slant - length * step, lower, there
        if fall < 1e-12:
            break
    return slant, shares


def _ways(near: Neighborhood, offsets: Floats, possible: Bools) -> Floats | None:
    """Return how far the row may move in each direction, in the unit of offsets."""
    metric, cases, box = near.metric, near.cases, near.box
    columns, factors = metric.directions
    moving = (box.upper[columns] > box.lower[columns]) | box.free[columns]
    moving &= ~np.isin(columns, list(near.settled))
    if not np.isfinite(offsets).all() or np.abs(offsets).max(initial=0.0) > _FARTHEST:
        return None
    ways = np.zeros(len(columns))
    for place in np.flatnonzero(moving).tolist():
        column = int(columns[place])
        values = cases.values[possible, column]
        if metric.kinds[column] == NOMINAL or np.isnan(values).any():
            return None
        ends = np.array([box.lower[column], box.upper[column]])
        way = float(np.abs(ends - cases.row[column]).max())
        if metric.kinds[column] == CYCLIC:
            gaps = np.abs(values - cases.row[column])
            gaps = np.minimum(gaps, metric.periods[column] - gaps)
            if gaps.max(initial=0.0) + way >= metric.periods[column] / 2:
                return None
        ways[place] = way * factors[place] / metric.residuals[column]
    return ways if ways.max(initial=0.0) < _FARTHEST else None


@dataclass(frozen=True, eq=False)
class Tilt:
    """All λ that centering may end at: an ellipsoid.

    Parameters
    ----------
    offsets : ndarray of shape (n, columns)
        Offsets of the candidates.
    center : ndarray of shape (columns,)
        Center of the ellipsoid.
    radius : float
        Its radius, in the metric of which `inverse` is the inverse.
    slack : float
        How far exponents may differ from those of any λ in it.
    """

    offsets: Floats
    center: Floats
    radius: float
    inverse: Floats
    slack: float = 0.0

    @classmethod
    def of(cls, spread: Spread, ridge: float) -> Tilt | None:
        """Find the ellipsoid about the λ of the row; None if there is no bound."""
        size, slack = len(spread.ways), _unsolved(spread, ridge)
        if size > _EXACT_COLUMNS or not np.isfinite(slack):
            return None
        # The mean and ρλ₀ add up to 0 but for rounding.
        gradient = spread.away + np.abs(spread.mean + ridge * spread.lean)
        # Cases that make up the scatter, as δ·(z − u + ρλ₀) sees them if the row moves by u.
        shifted = spread.offsets[spread.held] + ridge * spread.lean
        for depth in _DEPTHS:
            curved = -np.expm1(-depth) / depth
            inverse = _inverse(curved * spread.scatter + ridge * np.eye(size))
            length = np.sqrt(float(gradient @ np.abs(inverse) @ gradient)) * (1 + _ROUNDING)
            tilt = cls(spread.offsets, spread.lean, length, inverse, slack)
            farthest = np.sqrt(np.diag(inverse)) @ spread.ways
            if length * (tilt.lengths(shifted).max(initial=0.0) + farthest) < depth:
                return tilt
        return None

    @classmethod
    def descended(cls, spread: Spread, ridge: float) -> Tilt | None:
        """Find one that holds wherever the solver stops, from a spread under plain kernels."""
        scatter, size = spread.scatter, len(spread.ways)
        for depth in _DEPTHS:
            curved = (np.exp(-depth) - 1 + depth) / depth**2
            own, off, inverse = spread.distance(2 * curved * scatter + ridge * np.eye(size))
            tilt = cls(spread.offsets, -inverse @ spread.mean, own + 2 * off, inverse)
            farthest = np.abs(tilt.center) + tilt.radius * np.sqrt(np.diag(inverse))
            falls = tilt.radius * tilt.lengths(spread.offsets) - spread.offsets @ tilt.center
            deepest = falls[spread.held].max(initial=0.0) + farthest @ spread.ways
            if deepest < depth:
                return tilt
        return None

    @property
    def middle(self) -> Floats:
        """What the center of the ellipsoid adds to the exponent of each candidate."""
        return self.offsets @ self.center

    def lengths(self, vectors: Floats) -> Floats:
        """Return the lengths of vectors in the inverse metric."""
        squares = np.einsum("ij,jk,ik->i", vectors, self.inverse, vectors)
        return np.sqrt(np.maximum(squares, 0.0)) * (1 + _ROUNDING)

    def tops(self, shares: Floats) -> Floats:
        """Return what it may add to the exponents of candidates, less the mean under shares."""
        apart = self.offsets - shares @ self.offsets
        return apart @ self.center + self.radius * self.lengths(apart) + self.slack


def _inverse(matrix: Floats) -> Floats:
    inverse = np.linalg.inv(matrix)
    return (inverse + inverse.T) / 2


def _unsolved(spread: Spread, ridge: float) -> float:
    """Return how far exponents λ·z may differ from those at the minimum where the solver ends.

    It ends after a full step s of length ν at most, in the metric H of the second derivatives.
    These change by a factor of e^d along it, d being the largest difference of s·z among the
    cases, so that the gradient is no longer than ν e^(d/2) (e^d − 1 − d)/d there. With a gradient
    of length ν, exponents are within −log(1 − νR) of those at the minimum, R being the longest
    difference of two cases; both as far as these changes of H allow.
    """
    there = spread.offsets[spread.shares > 0]
    middle = (there.max(axis=0, initial=-np.inf) + there.min(axis=0, initial=np.inf)) / 2
    longest = 2 * np.sqrt(((there - middle) ** 2).sum(axis=1).max(initial=0.0) / ridge)
    d = float(_LAST_STEP * longest)
    if not d < 1:  # the last step need not be a full one
        return np.inf
    left = _LAST_STEP * np.exp(d / 2) * (np.expm1(d) - d) / d if d > 1e-9 else 0.0
    part = max(left, _STUCK) * longest
    return float(-np.log1p(-part)) if part < 1 else np.inf
