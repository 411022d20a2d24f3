"""The least mean outcome that influences can give within a box.

Influences are shares of kernels, a_j = κ_j / Σ κ. A mean Σ a_j v_j is at least τ if
Σ κ_j (v_j − τ) ≥ 0: if the kernels of the cases above τ outweigh those below it. By Jensen's
inequality, the logarithm of the former sum is at least a weighted mean of logarithms of kernels,
which moves as the weighted mean of distances does. Each of the latter kernels is then bounded
against this mean, so that what all distances have in common cancels out. The bound is exact for
the row itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.formulas import SAME, key_to_distance, power_key
from vicinal.robustness.neighborhood import TOLERANCE, Neighborhood, steepness
from vicinal.robustness.tilt import Tilt
from vicinal.typing import Bools, Floats

#: Halvings in the search for the greatest lower bound.
_HALVINGS = 24


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
    """

    certain: Bools
    possible: Bools
    others: bool
    left: float


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
    return Places(
        certain,
        certain | (least <= limit),
        bool(beyond <= limit),
        max(k - float(masses[certain].sum()), 0.0),
    )


def unlisted(near: Neighborhood, shares: Floats) -> float:
    """Return by how much the excess of cases that are not listed exceeds Σ shares · excess, at least."""
    cases, metric = near.cases, near.metric
    if cases.complete:
        return np.inf
    moves = [
        metric.weights[column] / metric.residuals[column] * np.abs(ends - cases.row[column]).max()
        for column, ends in zip(near.columns.tolist(), near.grid[:, [0, -1]], strict=True)
    ]
    moves += (metric.weights * metric.residuals)[near.named_columns].tolist()
    last = float(cases.excess[-1]) * (1 - TOLERANCE)
    if metric.p > 1:  # a power mean grows by the largest of the moves, at most
        own = np.concatenate([near.columns, near.named_columns])
        largest = max(np.divide(moves, metric.weights[own]), default=0.0)
        return last - float(metric.weights.sum() * largest)
    top = float(near.rises(shares, 0.0)[0]) if shares.any() else 0.0
    return last - steepness(metric.p) * sum(moves) - top


class KernelBounds:
    """Bounds of the means that one rule can give within a box.

    Parameters
    ----------
    near : Neighborhood
        How far distances may change.
    places : Places
        Which cases take part.
    rule : {"inverse", "probability"}
        The rule, before any tilt.
    bandwidth : float
        That of the rule.
    tilt : Tilt, optional
        What centering may add to the kernels.
    """

    def __init__(
        self,
        near: Neighborhood,
        places: Places,
        rule: str,
        bandwidth: float,
        tilt: Tilt | None = None,
    ) -> None:
        self.near, self.places, self.tilt = near, places, tilt
        self.inverse, self.bandwidth = rule == "inverse", bandwidth
        self.relative = near.metric.p == 1 or (self.inverse and 0 < near.metric.p < 1)
        self.excess = near.anchor
        self._least, self._most = near.absolute()
        with np.errstate(divide="ignore"):
            self._log_masses = np.log(near.cases.masses)
        self._tops: dict[bytes, tuple[Floats, float]] = {}

    def _log_kernels(self, excess: Floats | float) -> Floats:
        """Return the logarithm of the kernel of cases with some sum of excess keys."""
        p, whole = self.near.metric.p, self.near.metric.weights.sum()
        keys = (power_key(SAME, p) if p < 1 else SAME) + np.asarray(excess) / whole
        distances = key_to_distance(keys, p) if p < 1 else keys
        if self.inverse:
            return -np.log(distances)
        return -self.bandwidth * whole * np.maximum(distances - SAME, 0.0)

    def least_mean(self, values: Floats, lowest: float) -> float:
        """Return a lower bound of the mean of some values of the cases under the influences.

        Parameters
        ----------
        values : ndarray of shape (n,)
            A value of each candidate.
        lowest : float
            The least value that any case has.
        """
        base = self._log_masses + self._log_kernels(self.excess if self.relative else self._most)
        if self.tilt is not None:
            if self.places.others:
                return lowest
            tilted = base + self.tilt.middle
        else:
            tilted = base
        weights = np.where(self.places.possible, np.exp(tilted - tilted.max()), 0.0)
        start = float(weights @ values / weights.sum())
        start -= 1e-3 * max(float(values.max()) - lowest, 0.0)
        hits = np.where(self.places.certain, weights * np.maximum(values - start, 0.0), 0.0)
        if not hits.sum() > 0:
            return lowest
        shares = hits / hits.sum()
        some = shares > 1e-12
        shares = np.where(some, shares, 0.0) / shares[some].sum()
        some = shares > 0
        own = float(shares[some] @ (base[some] - np.log(shares[some])))
        tops, beyond = self._bounded(shares)
        below = self.places.possible & (values < start)
        return self._greatest(own, shares[some], values[some], tops[below], values[below], beyond, lowest, start)

    def _greatest(
        self,
        own: float,
        shares: Floats,
        above: Floats,
        tops: Floats,
        below: Floats,
        beyond: float,
        lowest: float,
        start: float,
    ) -> float:
        """Return the greatest value that the mean is proved to reach."""
        with np.errstate(over="ignore"):
            tops, beyond = np.exp(tops - own), np.exp(beyond - own)

        def proved(least: float) -> bool:
            rivals = tops @ np.maximum(least - below, 0.0) + beyond * (least - lowest)
            return bool(np.log(rivals * (1 + TOLERANCE) + 1e-300) <= shares @ np.log(above - least))

        low, high = lowest, start
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if proved(middle) else (low, middle)
        return low

    def _bounded(self, shares: Floats) -> tuple[Floats, float]:
        """Return the logarithms of the largest kernels of cases, and of all that are not listed.

        They are relative to a weighted mean of logarithms of kernels, by how much it has fallen.
        """
        key = shares.tobytes()
        if key not in self._tops:
            self._tops[key] = self._bound(shares)
        return self._tops[key]

    def _bound(self, shares: Floats) -> tuple[Floats, float]:
        near, whole = self.near, self.near.metric.weights.sum()
        nothing = np.zeros_like(shares)
        if not self.relative:
            tops = self._log_kernels(self._least)
            outside = max(unlisted(near, nothing), 0.0)
            highest = float(self._log_kernels(outside))
        elif self.inverse:
            # The kernel is a power of the mean key; logarithms are bounded by tangent and chord.
            p, zero = near.metric.p, float(power_key(SAME, near.metric.p))
            own = zero + self.excess / whole
            least, most = zero + self._least / whole, zero + self._most / whole
            pull = shares / own / p
            with np.errstate(divide="ignore", invalid="ignore"):
                slopes = np.where(most > least, np.log(most / least) / (most - least), 1.0 / least)
            slopes = slopes / p
            risen = near.rises(pull / whole, slopes / whole) + zero * (pull.sum() - slopes)
            tops = slopes * least - np.log(least) / p + risen - float(pull @ own)
            outside = max(unlisted(near, nothing), 0.0)
            moved = float(near.rises(pull / whole, 0.0)[0]) - float(pull @ self.excess) / whole
            highest = float(self._log_kernels(outside)) + moved
        else:
            beta = self.bandwidth
            start = float(shares @ self.excess)
            tops = beta * (near.rises(shares) - start)
            highest = -beta * (unlisted(near, shares) + start)
        tops = tops + TOLERANCE * (1.0 + np.abs(tops))
        if self.tilt is not None:
            tops = tops + self.tilt.tops(shares)
        beyond = -np.inf
        if self.places.others and self.places.left > 0:
            # Of many cases that tie for the last places, a few may stand for all of them.
            ranked = np.argsort(-tops, kind="stable")
            filled = np.cumsum(near.cases.masses[ranked])
            last = min(int(np.searchsorted(filled, near.cases.k)), len(ranked) - 1)
            beyond = max(highest, float(tops[ranked[last]])) + np.log(self.places.left)
        return tops + self._log_masses, beyond
