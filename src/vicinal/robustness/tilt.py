"""How far balancing the neighbors about a row can tilt their kernels.

Centered influences are a_j ∝ κ_j exp(λ·z_j), with the λ that minimizes
log Σ κ_j exp(λ·z_j) + ρ|λ|²/2. Let λ₀ be that of the row itself. For a changed row, let ã be the
shares of its kernels tilted by λ₀, and λ = λ₀ + δ. The gradient g at λ₀ is small, since it is 0
for the row itself. At the minimum, δ = −(∫H)⁻¹ g, where ∫H is the mean of the covariance along the
way, plus ρ. The objective lies below that at λ₀ there, so the covariance is at least e^(−t·m) C,
if δ·z_j ≥ −m for the cases of C, a lower bound of the covariance under ã. Hence ∫H is at least
hC + ρ with h = (1 − e^(−m))/m, and at most ρ plus the second moments under upper bounds of these
shares. As far as these two agree, δ is linear in g, and what g consists of adds up. That m is no
smaller than what follows from it: as g grows from 0, δ moves steadily, and never gets there.

Where the solver need not reach the minimum, it still starts at λ = 0 and only descends, so
log Σ κ̄_j exp(λ·z_j) + ρ|λ|²/2 ≤ 0, κ̄ being the shares of the kernels. Integrated twice,
λ'(2hC + ρ)λ ≤ −2 λ·z̄ with h = (e^(−m) − 1 + m)/m²: an ellipsoid about −(2hC + ρ)⁻¹ z̄.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.robustness.spread import EXACT_COLUMNS, ROUNDING, Moves, Spread, symmetric_inverse
from vicinal.typing import Floats

#: Tried in turn for how far the exponents of cases may fall.
_DEPTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: The last step of the solver of centered influences is at most so long, in the metric of the
#: second derivatives; rounding may leave a gradient of this length. See `must_arrive` in
#: native/center.hpp for where it reaches the minimum.
_LAST_STEP, _STUCK = np.sqrt(1e-5), 1e-4
#: Second derivatives that may rise by more than e to this are not bounded.
_HIGHEST_RISE = 30.0
#: How second moments of offsets that may change are divided between these and their changes.
_BLUR = 0.1


@dataclass(frozen=True, eq=False)
class Linear:
    """What δ = −(∫H)⁻¹ g may be for one inverse: what g consists of adds up.

    Parameters
    ----------
    matrix : ndarray of shape (columns, columns)
        The inverse.
    apart : ndarray of shape (n + 1, columns)
        Offsets of the candidates from their mean, and the gradient at the row itself.
    moved : ndarray of shape (n,)
        How far their shares may change.
    moves : Moves
        How far the row may move.
    fog : ndarray of shape (columns,)
        How far the mean offset may move besides.
    """

    matrix: Floats
    apart: Floats
    moved: Floats
    moves: Moves
    fog: Floats

    def reach(self, vectors: Floats) -> Floats:
        """Return how far δ·v may be above 0, for some vectors v."""
        slopes = vectors @ self.matrix
        means = np.abs(slopes @ self.apart.T) @ np.append(self.moved, 1.0)
        return means + self.moves.most(slopes) + np.abs(slopes) @ self.fog


@dataclass(frozen=True, eq=False)
class Tilt:
    """All λ that centering may end at.

    Parameters
    ----------
    offsets : ndarray of shape (n, columns)
        Offsets of the candidates.
    center : ndarray of shape (columns,)
        The middle of all λ.
    radius : float
        How far they are from there, in the metric of which `inverse` is the inverse.
    linear : Linear, optional
        What is added to that for how the row and the mean offset move.
    slack : float
        How far exponents may differ from those of any λ in it.
    blur : ndarray of shape (n, columns), optional
        How far offsets may change.
    """

    offsets: Floats
    center: Floats
    radius: float
    inverse: Floats
    linear: Linear | None = None
    slack: float = 0.0
    blur: Floats | None = None

    @classmethod
    def of(cls, spread: Spread, ridge: float) -> Tilt | None:
        """Find the ellipsoid about the λ of the row; None if there is no bound."""
        slack = _unsolved(spread, ridge)
        if len(spread.mean) > EXACT_COLUMNS or not np.isfinite(slack):
            return None
        # Cases that make up the scatter, as δ·(z − u + ρλ₀) sees them if the row moves by u.
        shifted = spread.offsets[spread.held] + ridge * spread.lean
        for depth in _DEPTHS:
            low = symmetric_inverse(
                -np.expm1(-depth) / depth * spread.scatter + ridge * spread.unit
            )
            tilt = cls._between(spread, ridge, low, np.zeros_like(low), slack)
            tilt = cls._between(spread, ridge, low, tilt._least_inverse(spread, ridge), slack)
            farthest = float(spread.moves.most(tilt.reach(spread.unit)[None])[0])
            if tilt.reach(-shifted).max(initial=0.0) + farthest < depth:
                return tilt
        return None

    @classmethod
    def _between(
        cls, spread: Spread, ridge: float, most: Floats, least: Floats, slack: float
    ) -> Tilt:
        """Return the tilt if the inverse of ∫H lies between two matrices."""
        middle, half = (most + least) / 2, (most - least) / 2
        apart = spread.offsets - spread.mean
        # The gradient at the row itself: 0 but for rounding.
        rest = (spread.mean + ridge * spread.lean)[None]
        size = spread.moved @ _lengths(half, apart) + float(_lengths(half, rest)[0])
        fog = spread.shares @ spread.blur
        size += spread.moves.longest(half) + np.sqrt(max(float(fog @ np.abs(half) @ fog), 0.0))
        linear = Linear(middle, np.concatenate([apart, rest]), spread.moved, spread.moves, fog)
        return cls(spread.offsets, spread.lean, float(size), half, linear, slack, spread.blur)

    def _least_inverse(self, spread: Spread, ridge: float) -> Floats:
        """Return a matrix below the inverse of ∫H, given how far λ may be from λ₀."""
        apart = spread.offsets - spread.mean
        # The mean of the changed row may be elsewhere than that of the row, about which it varies.
        rises = self.reach(apart) + (spread.drift + spread.blur) @ self.reach(spread.unit)
        there = spread.shares > 0
        if rises[there].max(initial=0.0) > _HIGHEST_RISE:
            return np.zeros_like(self.inverse)
        weights = spread.shares * np.exp(np.where(there, rises, 0.0))
        # (a + b)² is at most (1 + t) a² + (1 + 1/t) b², and b² with d columns d times its squares.
        blurred = spread.blur.any(axis=1)
        apart = apart * np.sqrt(weights * np.where(blurred, 1 + _BLUR, 1.0))[:, None]
        more = len(spread.mean) * (1 + 1 / _BLUR) * (weights @ spread.blur**2)
        return symmetric_inverse(apart.T @ apart + ridge * spread.unit + np.diag(more))

    @classmethod
    def descended(cls, spread: Spread, ridge: float) -> Tilt | None:
        """Find one that holds wherever the solver stops, from a spread under plain kernels."""
        for depth in _DEPTHS:
            curved = (np.exp(-depth) - 1 + depth) / depth**2
            own, off, inverse = spread.distance(2 * curved * spread.scatter + ridge * spread.unit)
            tilt = cls(spread.offsets, -inverse @ spread.mean, own + 2 * off, inverse)
            farthest = np.abs(tilt.center) + tilt.radius * np.sqrt(np.diag(inverse))
            falls = tilt.reach(spread.offsets) - spread.offsets @ tilt.center
            deepest = falls[spread.held].max(initial=0.0) + farthest @ spread.moves.ways
            if deepest < depth:
                return tilt
        return None

    @property
    def middle(self) -> Floats:
        """What the center of the ellipsoid adds to the exponent of each candidate."""
        return self.offsets @ self.center

    def reach(self, vectors: Floats) -> Floats:
        """Return how far δ·v may be above 0, if λ is the center and δ, for some vectors v."""
        found = self.radius * _lengths(self.inverse, vectors)
        if self.linear is not None:
            found += self.linear.reach(vectors)
        return found * (1 + ROUNDING)

    def tops(self, shares: Floats) -> Floats:
        """Return what it may add to the exponents of candidates, less the mean under shares."""
        apart = self.offsets - shares @ self.offsets
        tops = apart @ self.center + self.reach(apart) + self.slack
        if self.blur is not None and self.blur.any():
            farthest = np.abs(self.center) + self.reach(np.eye(len(self.center)))
            tops = tops + (self.blur + shares @ self.blur) @ farthest
        return tops


def _lengths(metric: Floats, vectors: Floats) -> Floats:
    squares = np.einsum("ij,ij->i", vectors @ metric, vectors)
    return np.sqrt(np.maximum(squares, 0.0))


def _unsolved(spread: Spread, ridge: float) -> float:
    """Return how far exponents λ·z may differ from those at the minimum where the solver ends.

    With a gradient of length ν, exponents are within −log(1 − νR) of those at the minimum, R being
    the longest difference of two cases, as far as the second derivatives change along the way.
    """
    gradient, longest = last_gradient(spread, ridge)
    part = gradient * longest
    return float(-np.log1p(-part)) if part < 1 else np.inf


def last_gradient(spread: Spread, ridge: float) -> tuple[float, float]:
    """Return the length of the gradient where the solver ends, and how far cases are apart.

    The former is in the metric of the inverse of the second derivatives H, the latter in that of
    1/ρ, which is more. The solver ends after a full step s of length ν at most. H changes by a
    factor of e^d along it, d being the largest difference of s·z among the cases, so that the
    gradient is no longer than ν e^(d/2) (e^d − 1 − d)/d there.
    """
    some = spread.shares > 0
    there = spread.offsets[some]
    middle = (there.max(axis=0, initial=-np.inf) + there.min(axis=0, initial=np.inf)) / 2
    squares = (np.abs(there - middle) + spread.blur[some]) ** 2
    longest = 2 * float(np.sqrt(squares.sum(axis=1).max(initial=0.0) / ridge))
    d = float(_LAST_STEP * longest)
    if not d < 1:  # the last step need not be a full one
        return np.inf, longest
    left = _LAST_STEP * np.exp(d / 2) * (np.expm1(d) - d) / d if d > 1e-9 else 0.0
    return max(float(left), _STUCK), longest
