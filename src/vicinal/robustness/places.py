"""Which cases must and which may be neighbors of a changed row, and the places that they take."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.index.ties import MOST_TIES
from vicinal.robustness.candidates import TOLERANCE
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.typing import Bools, Floats

#: Fewer neighbors than this part of the most ties.
_FEW = 0.95
#: Allowance for rounding.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Places:
    """Which candidates take part.

    Parameters
    ----------
    certain, possible : ndarray of bool of shape (n,)
        Cases that are among the neighbors with their whole weight, whatever the change; and cases
        that may be among them.
    others : bool
        Whether cases that are not listed may be among them.
    left : float
        Places that certain neighbors leave to others.
    crowded : bool
        Whether cases may take more places than their own: those that stand for others, or others
        that are not listed.
    alike : bool
        Whether all cases listed have a weight of 1.
    """

    certain: Bools
    possible: Bools
    others: bool
    left: float
    crowded: bool
    alike: bool

    def take(self, some: Bools) -> Places:
        """Return them for some of the cases, which are all that matter."""
        return replace(self, certain=self.certain[some], possible=self.possible[some])


def find_places(near: Neighborhood) -> Places:
    """Find the cases that must and those that may be neighbors."""
    cases = near.cases
    masses, k = cases.masses, cases.k
    if near.metric.p <= 1:
        shares = near.inner / near.inner.sum()
        least, most = -near.rises(shares), near.falls(shares)
        beyond = unlisted(near, shares)
    else:
        least, most = near.absolute()
        beyond = unlisted(near, np.zeros(len(masses)))
    slack = TOLERANCE * (1.0 + np.abs(most))
    order = np.argsort(most, kind="stable")
    filled = np.cumsum(masses[order])
    last = np.searchsorted(filled, k * (1 - TOLERANCE))
    limit = (most + slack)[order[last]] if last < len(order) else np.inf
    # Cases that may come before each one or tie with it, itself included.
    ahead = np.argsort(least, kind="stable")
    count = np.searchsorted(least[ahead], most + slack, side="right")
    before = np.concatenate([[0.0], np.cumsum(masses[ahead])])[count]
    certain = (np.maximum(before, count) <= k * (1 + TOLERANCE)) & (beyond > most + slack)
    possible, others = certain | (least <= limit), bool(beyond <= limit)
    # Of too many ties for the last places, some stand for all. Of equal weights, each of these
    # takes an equal part of the places, so that it is less than its own if there are few places.
    alike = bool((masses == 1.0).all())
    few = int(possible.sum()) <= MOST_TIES or (alike and k <= _FEW * MOST_TIES)
    left = max(k - float(masses[certain].sum()), 0.0)
    return Places(certain, possible, others, left, others or not few, alike)


def unlisted(near: Neighborhood, shares: Floats) -> float:
    """Return how far the excess of cases not listed lies above Σ shares · excess, at least."""
    cases, metric = near.cases, near.metric
    if cases.complete:
        return np.inf
    last = float(cases.excess[-1]) * (1 - TOLERANCE) - cases.moves(near.box, near.budget)
    if metric.p > 1:
        return last
    top = near.top(shares) if shares.any() else 0.0
    return last - top


def most_in_places(weights: Floats, masses: Floats, left: float) -> float:
    """Return what cases weigh at most together, if so many of them find a place.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.places import most_in_places
    >>> round(most_in_places(np.array([1.0, 4.0, 2.0]), np.array([1.0, 2.0, 1.0]), 2.5), 3)
    5.0
    """
    order = np.argsort(-weights / masses, kind="stable")
    taken = np.clip(left - (np.cumsum(masses[order]) - masses[order]), 0.0, masses[order])
    return float(weights[order] @ (taken / masses[order])) * (1 + _ROUNDING)
