"""Cases that may or may not be among the neighbors, and what balances them.

The guess of `guide` is made of cases that are certainly neighbors. Each of the others, if it is
one, adds P₀ exp(q) to the kernels, and s P₀ to the shares, which takes as much from the certain
ones and moves the mean offset. The shares of these are moved by v, so that the mean offset comes
back: by −w P₀ⱼ (1/W + β·(z − z̄)) for the case j, with β = (C + ρ)⁻¹ (zⱼ − z̄), W being Σ P₀ w. With
D = q − log(1 + wq), the gap grows from A² to A² + B² + c A B, where B² is the most of
Σ P₀ v²/(1 + wq) + |r|²/2ρ, r = ρ P₀ⱼ β for each of them. And c is 2, or more where D < 0: its
square is the most of D²/(exp(D) − 1 − D). The cases themselves add s (log s − q) + exp(q) − s,
times P₀ⱼ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.robustness.spread import ROUNDING
from vicinal.typing import Bools, Floats, Places

#: Less than this part of the shares of cases need not be followed.
_LEAST_PART = 0.2
#: What cases keep of their shares at least.
_KEPT = 0.02


@dataclass(frozen=True, eq=False)
class Entrants:
    """How the shares follow cases that may be neighbors.

    Parameters
    ----------
    cases : ndarray of int of shape (m,)
        These cases.
    pulls : ndarray of shape (m, n)
        What each adds to the shares of all cases.
    counts : int
        How many of them are neighbors at a time, at most.
    most : float
        The gap, at most.
    """

    cases: Places
    pulls: Floats
    counts: int
    most: float

    def largest(self) -> Floats:
        """Return how far they may move the share of each case, (n,)."""
        return -_lowest(-np.abs(self.pulls).T, self.counts)

    def own_mean(self, values: Floats) -> float:
        """Return by how much they lower the mean of some values, at most: 0 or less."""
        return float(_lowest(np.minimum(self.pulls @ values, 0.0), self.counts))


def followed(
    gap: float,
    own: Floats,
    parts: Floats,
    low: Floats,
    high: Floats,
    logs: Floats,
    apart: Floats,
    others: Bools,
    counts: int,
    ridge: float,
) -> Entrants | None:
    """Return how shares follow; None if they cannot.

    Parameters
    ----------
    gap : float
        That without these cases, A².
    own, parts, low, high : ndarray of shape (n,)
        P₀, w and the ends of q.
    logs : ndarray of shape (n,)
        Logarithms of what cases weigh if they are neighbors.
    apart : ndarray of shape (n, columns)
        Offsets less their mean z̄.
    others : ndarray of bool of shape (n,)
        The cases that may be neighbors.
    counts : int
        How many of them at a time, at most.
    """
    some = np.flatnonzero(others)
    weights = own * parts
    total = float(weights.sum())
    if not total > 0 or not gap < np.inf:
        return None
    covariance = (apart * weights[:, None]).T @ apart + ridge * np.eye(apart.shape[1])
    sizes = np.exp(np.minimum(logs[some], 300.0))
    slopes = np.linalg.solve(covariance, apart[some].T).T
    moves = -sizes[:, None] * (1 / total + slopes @ apart.T) * parts
    rests = ridge * sizes[:, None] * slopes
    # Shares must not become negative.
    kept = 1 + parts * np.minimum(low, 0.0)
    lost = -_lowest(np.minimum(moves, 0.0).T, counts)
    part = float(((kept - _KEPT) / np.maximum(lost, 1e-300))[own > 0].min(initial=1.0))
    part = min(part, 1.0)
    if part < _LEAST_PART:
        return None
    vectors = np.concatenate(
        [moves * np.sqrt(own / np.maximum(kept, _KEPT)), rests / np.sqrt(2 * ridge)], axis=1
    )
    pairs = _lowest(np.minimum(-(vectors @ vectors.T), 0.0), counts)
    square = -(part**2) * float(_lowest(pairs, counts))
    deepest = float((-low)[(own > 0) & (parts < 1)].max(initial=0.0))
    cross = max(2.0, float(np.sqrt(2 * (1 + max(deepest, 0.0)))))
    alone = np.maximum(_alone(low[some], part), _alone(high[some], part)) * sizes
    most = gap + cross * np.sqrt(gap * square) + square
    most -= float(_lowest(-alone, counts))
    pulls = part * (moves * own)
    pulls[np.arange(len(some)), some] += part * sizes
    return Entrants(some, pulls, counts, float(most) * (1 + ROUNDING))


def _lowest(values: Floats, counts: int) -> Floats:
    """Return the sum of so many of the lowest values, over the last axis."""
    if counts < values.shape[-1]:
        values = np.partition(values, counts, axis=-1)[..., :counts]
    return np.asarray(values.sum(axis=-1))


def _alone(q: Floats, part: float) -> Floats:
    """Return s (log s − q) + exp(q) − s, which is convex in q."""
    return part * (np.log(part) - q) + np.exp(np.minimum(q, 300.0)) - part
