"""How many training cases a prediction depends on.

What was learned (residuals, weights, scores, the members) is held fixed, as when cases are removed
from a model. Changed labels change no influence, so their effects add up and the smallest number
of them is known exactly. A removed case lets the next one in, for every member another one.
"""

from __future__ import annotations

import numpy as np

from vicinal.index.case_weights import shared_places
from vicinal.influence.ensemble import Member
from vicinal.influence.influences import BALANCED, influence_shares
from vicinal.robustness.candidates import Candidates
from vicinal.robustness.margins import Bounds
from vicinal.typing import Bools, Floats, Ints

_HALVINGS = 30


def fewest_labels(influences: Floats, gains: Floats, margin: float) -> float:
    """Return how many outcomes must change so that a margin is used up; infinite if none suffice.

    Parameters
    ----------
    influences : ndarray of shape (n,)
        Influence of each case.
    gains : ndarray of shape (n,)
        By how much the margin falls per unit of influence, if the outcome of each changes to
        whatever lowers it most.
    margin : float
        What must be used up.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.training import fewest_labels
    >>> fewest_labels(np.array([0.1, 0.5, 0.4]), np.array([2.0, 2.0, 0.0]), 1.1)
    2.0
    """
    reached = np.cumsum(np.sort(np.maximum(influences * gains, 0.0))[::-1])
    enough = np.flatnonzero(reached >= margin * (1 - 1e-12))
    return float(enough[0] + 1) if len(enough) else np.inf


def least_mean_without(log_kernels: Floats, values: Floats, k: int, removed: int) -> float:
    """Return the least mean of values under kernels if any so many cases are removed.

    Parameters
    ----------
    log_kernels, values : ndarray of shape (n,)
        Of the cases, nearest first; the first k that remain are the neighbors.

    Returns
    -------
    float
        −∞ if no case need remain.

    Notes
    -----
    Whichever cases go, the neighbors are those that remain of the first k + removed. The mean is
    at least τ if Σ κ (v − τ) over these, less its largest terms, is not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.training import least_mean_without
    >>> values = np.array([1.0, 1.0, -1.0, 1.0])
    >>> round(least_mean_without(np.zeros(4), values, k=3, removed=1), 6)
    0.333333
    >>> round(least_mean_without(np.zeros(4), values, k=3, removed=2), 6)
    0.0
    """
    log_kernels, values = log_kernels[: k + removed], values[: k + removed]
    if removed >= len(values):
        return -np.inf
    low, high = float(values.min()), float(values.max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        stays = _sum_without(log_kernels, values - middle, removed) >= 0
        low, high = (middle, high) if stays else (low, middle)
    return low


def _sum_without(log_kernels: Floats, values: Floats, removed: int) -> float:
    """Return Σ κ v without its largest positive terms, in units of the largest κ left."""
    with np.errstate(divide="ignore"):
        sizes = np.where(values > 0, log_kernels + np.log(np.abs(values)), -np.inf)
    order = np.argsort(-sizes, kind="stable")
    left = order[min(removed, int((values > 0).sum())) :]
    if not len(left):
        return -1.0
    # What is left may be far smaller than what was there.
    kernels = np.exp(log_kernels[left] - log_kernels[left].max())
    return float(kernels @ values[left])


class RemovalSearch:
    """Looks for the fewest cases without which a prediction would be another one.

    Parameters
    ----------
    bounds : Bounds
        Has the cases near the row in every space.
    values, added : ndarray, float
        The value of every class, for numbers a factor of the outcome; and what is added to it. The
        prediction changes when its expectation becomes negative.
    most : int
        Cases to remove, at most.
    """

    def __init__(self, bounds: Bounds, values: Floats, added: float, *, most: int) -> None:
        self.bounds, self.values, self.added = bounds, values, added
        self.most = most
        self.found = bounds.found

    def least(self) -> int:
        """Return a number of cases below which no removal suffices."""
        low, high = 0, self.most + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._mean_without(middle) > 0 else (low, middle)
        return low + 1

    def _mean_without(self, removed: int) -> float:
        total = self._background(removed)
        for space, members in self.bounds.members.items():
            cases, _ = self.found[space]
            values = self._values(cases)
            listed = len(values) >= cases.k + removed or cases.complete
            for member in members:
                positive = member.rule not in BALANCED or not np.isfinite(member.ridge)
                if removed == 0 or not (positive and listed and (cases.masses == 1).all()):
                    total += member.share * (self._lowest(member) if removed else 0.0)
                    continue
                # Of cases at the same distance, those of the least value count first.
                order = np.lexsort((values, cases.excess))
                kernels = _log_kernels(member, cases)[order]
                total += member.share * least_mean_without(
                    kernels, values[order], cases.k, removed
                )
        return total if removed else 1.0

    def _lowest(self, member: Member) -> float:
        low, high = self._ends()
        linear = member.rule == "linear" and np.isfinite(member.ridge)
        return low - 2 * (high - low) if linear else low

    def _ends(self) -> tuple[float, float]:
        if self.bounds.target.n_classes:
            return float(self.values.min()) + self.added, float(self.values.max()) + self.added
        known = self.bounds.predictor.fitted.distribution(self.bounds.predictor.column)["values"]
        ends = self.values[0] * known[[0, -1]] + self.added
        return float(ends.min()), float(ends.max())

    def _background(self, removed: int) -> float:
        """Return what the background adds at least, without so many cases."""
        target, share = self.bounds.target, self.bounds.predictor.ensemble.background
        if not share:
            return 0.0
        mass = float(target.index.reduce("mass", required=target.column)["mass"])
        low, high = self._ends()
        mean = float(np.sum(self.values * target.expected)) + self.added
        if mass <= removed:
            return share * low
        return share * max((mean * mass - high * removed) / (mass - removed), low)

    def _values(self, cases: Candidates) -> Floats:
        if self.bounds.target.n_classes:
            return self.values[cases.outcomes.astype(np.intp)] + self.added
        return self.values[0] * cases.outcomes + self.added

    def known(self, numbers: Ints, least: int) -> int | None:
        """Return how many of some cases, removed in this order, are enough; None if all are not.

        The order should put those first on which the prediction depends the most.
        """
        low, high = least - 1, least
        while high <= len(numbers) and not self._changed(numbers[:high]):
            low, high = high, 2 * high
        high = min(high, len(numbers))
        if high < least or not self._changed(numbers[:high]):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._changed(numbers[:middle]) else (middle, high)
        return high

    def _changed(self, gone: Ints) -> bool:
        """Return whether the expectation is negative without some cases."""
        total = self._background(0)
        for space, members in self.bounds.members.items():
            cases, offsets = self.found[space]
            kept = ~np.isin(cases.numbers, gone)
            if not cases.complete and (cases.masses * kept).sum() < 2 * cases.k:
                return False
            values = self._values(cases)[kept]
            for member in members if len(values) else ():
                shares = _shares(member, cases, offsets, kept)
                total += member.share * float(shares @ values)
        return total < -1e-9


def _log_kernels(member: Member, cases: Candidates) -> Floats:
    if member.rule == "inverse":
        return -member.bandwidth * np.log(cases.distances)
    return -member.bandwidth * cases.total_excess


def _shares(member: Member, cases: Candidates, offsets: Floats | None, kept: Bools) -> Floats:
    """Return the influences of the cases that are kept."""
    masses = cases.masses[kept][None]
    counts = shared_places(cases.excess[kept][None], masses, np.ones_like(masses), cases.k)
    distances = cases.distances if member.rule == "inverse" else cases.total_excess
    return influence_shares(
        member.rule,
        np.where(counts > 0, distances[kept], np.inf),
        None if offsets is None else offsets[kept][None],
        bandwidth=member.bandwidth,
        ridge=member.ridge,
        counts=np.where(counts > 0, counts, 1.0),
    )[0]
