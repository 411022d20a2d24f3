"""How far balancing the neighbors about a row can tilt their kernels, wherever the solver stops.

Centered influences are a_j ∝ κ_j exp(λ·z_j), with the λ that minimizes
log Σ κ_j exp(λ·z_j) + ρ|λ|²/2. The solver starts at λ = 0 and only descends, so
log Σ κ̄_j exp(λ·z_j) + ρ|λ|²/2 ≤ 0, κ̄ being the shares of the kernels. Let C be a lower bound of
the covariance of the offsets over cases with λ·z_j ≥ −m. Integrated twice,
λ'(2hC + ρ)λ ≤ −2 λ·z̄ with h = (e^(−m) − 1 + m)/m²: an ellipsoid about −(2hC + ρ)⁻¹ z̄. An m that
implies less than itself is never reached.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.robustness.spread import ROUNDING, Offsets, Spread
from vicinal.typing import Floats

#: Tried in turn for how far the exponents of cases may fall.
_DEPTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: The last step of the solver of centered influences is at most so long, in the metric of the
#: second derivatives; rounding may leave a gradient of this length. See `must_arrive` in
#: native/center.hpp for where it reaches the minimum.
_LAST_STEP, _STUCK = np.sqrt(1e-5), 1e-4


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
    """

    offsets: Floats
    center: Floats
    radius: float
    inverse: Floats

    @classmethod
    def descended(cls, spread: Spread, ridge: float) -> Tilt | None:
        """Find the ellipsoid from a spread under plain kernels; None if there is no bound."""
        given = spread.given
        for depth in _DEPTHS:
            curved = (np.exp(-depth) - 1 + depth) / depth**2
            own, off, inverse = spread.distance(2 * curved * spread.scatter + ridge * given.unit)
            tilt = cls(given.offsets, -inverse @ spread.mean, own + 2 * off, inverse)
            farthest = np.abs(tilt.center) + tilt.radius * np.sqrt(np.diag(inverse))
            falls = tilt.most_along(given.offsets) - given.offsets @ tilt.center
            deepest = falls[spread.held].max(initial=0.0) + farthest @ given.moves.ways
            if deepest < depth:
                return tilt
        return None

    @property
    def middle(self) -> Floats:
        """What the center of the ellipsoid adds to the exponent of each candidate."""
        return self.offsets @ self.center

    def most_along(self, vectors: Floats) -> Floats:
        """Return how far δ·v may be above 0, if λ is the center and δ, for some vectors v."""
        squares = np.einsum("ij,ij->i", vectors @ self.inverse, vectors)
        return self.radius * np.sqrt(np.maximum(squares, 0.0)) * (1 + ROUNDING)

    def tops(self, shares: Floats) -> Floats:
        """Return what it may add to the exponents of candidates, less the mean under shares."""
        apart = self.offsets - shares @ self.offsets
        return apart @ self.center + self.most_along(apart)


def last_gradient(given: Offsets, ridge: float) -> tuple[float, float]:
    """Return the length of the gradient where the solver ends, and how far cases are apart.

    The former is in the metric of the inverse of the second derivatives H, the latter in that of
    1/ρ, which is more. The solver ends after a full step s of length ν at most. H changes by a
    factor of e^d along it, d being the largest difference of s·z among the cases, so that the
    gradient is no longer than ν e^(d/2) (e^d − 1 − d)/d there.
    """
    there = given.offsets[given.possible]
    middle = (there.max(axis=0, initial=-np.inf) + there.min(axis=0, initial=np.inf)) / 2
    squares = (np.abs(there - middle) + given.blur[given.possible]) ** 2
    longest = 2 * float(np.sqrt(squares.sum(axis=1).max(initial=0.0) / ridge))
    d = float(_LAST_STEP * longest)
    if not d < 1:  # the last step need not be a full one
        return np.inf, longest
    left = _LAST_STEP * np.exp(d / 2) * (np.expm1(d) - d) / d if d > 1e-9 else 0.0
    return max(float(left), _STUCK), longest
