"""The least mean outcome that influences can give within a box.

Influences are shares of kernels, a_j = κ_j / Σ κ. A mean Σ a_j v_j is at least τ if
Σ κ_j (v_j − τ) ≥ 0: if the kernels of the cases above τ outweigh those below it. By Jensen's
inequality, the logarithm of the former sum is at least a weighted mean of logarithms of kernels,
which moves as the weighted mean of distances does. Each of the latter kernels is then bounded
against this mean, so that what all distances have in common cancels out. The bound is exact for
the row itself.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from vicinal.formulas import SAME, key_to_distance, power_key
from vicinal.robustness.candidates import TOLERANCE
from vicinal.robustness.guide import Guide
from vicinal.robustness.joint import most_together
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.places import Places, most_in_places, unlisted
from vicinal.robustness.tilt import Tilt
from vicinal.typing import Bools, Floats
from vicinal.typing import Places as Indices

#: Rounds in the search for the greatest lower bound, and points that are tried in each.
_ROUNDS, _POINTS = 3, 64
_PARTS = np.arange(_POINTS) / _POINTS
#: The bound is below the mean of the row itself by this part of the range of values.
_BELOW = 1e-5
#: With this share of certain neighbors others are left out of account, and with this one they are
#: not left out.
_SURE, _UNSURE = 0.9, 0.3
#: Rivals whose kernels may rise by up to so many nats are bounded together; and what is no bound.
_MOST_RISE, _HIGHEST, _HEAVIEST = 2.0, 300.0, 1e200


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
        tilt: Tilt | Guide | None = None,
    ) -> None:
        self.near, self.places, self.tilt = near, places, tilt
        self.inverse, self.bandwidth = rule == "inverse", bandwidth
        self.relative = near.metric.p == 1 or (self.inverse and 0 < near.metric.p < 1)
        self.excess = near.anchor
        with np.errstate(divide="ignore"):
            self._log_masses = np.log(near.cases.masses)
        self._tops: dict[bytes, tuple[Floats, float, float]] = {}

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """The least and the greatest excess of each case; few rules need them."""
        return self.near.absolute()

    def _log_kernels(self, excess: Floats | float) -> Floats:
        """Return the logarithm of the kernel of cases with some sum of excess keys."""
        p, whole = self.near.metric.p, self.near.metric.weights.sum()
        keys = (power_key(SAME, p) if p < 1 else SAME) + np.asarray(excess) / whole
        distances = key_to_distance(keys, p) if p < 1 else keys
        if self.inverse:
            return -self.bandwidth * np.log(distances)
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
        base = self._log_masses + self._log_kernels(
            self.excess if self.relative else self._ends[1]
        )
        if self.tilt is not None:
            if self.places.crowded:
                return lowest
            tilted = base + self.tilt.middle
        else:
            tilted = base
        weights = np.where(self.places.possible, np.exp(tilted - tilted.max()), 0.0)
        # No bound is above the mean of the row in the middle, whose neighbors these are.
        own = weights * self.near.inner / self.near.cases.masses
        start = float(own @ values / own.sum())
        start -= _BELOW * max(float(values.max()) - lowest, 0.0)
        above = weights * np.maximum(values - start, 0.0)
        certain = self.places.certain
        least, sure, total = lowest, float(above[certain].sum()), float(above.sum())
        loose = self.tilt is None and sure < _SURE * total
        if sure > 0 and not (loose and sure < _UNSURE * total):
            least = self._proved_by(base, values, np.where(certain, above, 0.0), start, lowest)
        if loose:
            # Cases that may lose their place count, too, less what those at the last place weigh.
            edge = self._bounded(above / above.sum())[2]
            near = certain | (base - self._log_masses > edge)
            some = np.where(near, above, 0.0)
            if some.sum() > 0:
                least = max(least, self._proved_by(base, values, some, start, lowest))
        if loose and self.places.alike:
            least = max(least, self._least_of_any(base, values, lowest))
        return max(least, lowest)

    def _least_of_any(self, base: Floats, values: Floats, lowest: float) -> float:
        """Return a lower bound that is none the worse if all neighbors change.

        The neighbors have the largest kernels, so these sum to no less than those of any other
        cases that take as many places: the neighbors of the row itself. With c the highest value,
        the mean is c − Σ κ (c − v)/Σ κ, and all cases below c that may be neighbors count. Cases
        of different weights are no neighbors by weight alone, so that all must have the same.
        """
        highest, places = float(values[self.places.possible].max()), self.near.inner
        weights = places * np.exp(base - base.max())
        shares = np.where(weights > 1e-12 * weights.sum(), weights, 0.0)
        shares = shares / shares.sum()
        some = shares > 0
        own = float(shares[some] @ (base[some] + np.log(places[some] / shares[some])))
        tops, beyond, _ = self._bounded(shares)
        with np.errstate(over="ignore"):
            outside = float(np.exp(min(beyond - own, _HIGHEST)))
        levels, alone, together = self._rivals(shares, values, highest, tops, own)
        below = float((alone @ (highest - levels) + together).min()) if len(levels) else 0.0
        lost = below + outside * (highest - lowest)
        return max(highest - lost * (1 + TOLERANCE), lowest)

    def _proved_by(
        self, base: Floats, values: Floats, hits: Floats, start: float, lowest: float
    ) -> float:
        """Return the bound that some cases prove, given how much each of them counts."""
        shares = hits / hits.sum()
        shares = np.where(shares > 1e-12, shares, 0.0)
        shares = shares / shares.sum()
        some = shares > 0
        own = float(shares[some] @ (base[some] - np.log(shares[some])))
        tops, beyond, edge = self._bounded(shares)
        loose = some & ~self.places.certain
        with np.errstate(over="ignore"):
            outside = np.exp(beyond - own)
            lost = np.exp(edge - own + self._log_masses[loose])
        levels, alone, together = self._rivals(shares, values, start, tops, own)
        lowest_level = float(levels.min(initial=start))
        below_start = (start - lowest_level) or np.inf  # no part without any level below

        spare, given = values[loose], values[some]

        def proved(least: Floats) -> Bools:
            # Below the start, what rivals are below shrinks the least for the lowest of them.
            part = np.maximum(least - lowest_level, 0.0) / below_start
            total = alone @ np.maximum(least - levels[:, None], 0.0) + together[:, None] * part
            total = total.min(axis=0) + outside * (least - lowest)
            total = total + (lost @ spare - lost.sum() * least)
            total = np.log(np.maximum(total, 0.0) * (1 + TOLERANCE) + 1e-300)
            return total <= shares[some] @ np.log(given[:, None] - least)

        low, high = lowest, start
        for _ in range(_ROUNDS):
            points = low + (high - low) * _PARTS
            # The first point that is not proved, and the last one before it.
            last = int(np.argmin(np.append(proved(points[1:]), False)))
            high = float(points[last + 1]) if last + 1 < _POINTS else high
            low = float(points[last])
        return low

    def _rivals(
        self, shares: Floats, values: Floats, start: float, tops: Floats, own: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return what cases below the start weigh at most, in several ways, (ways,).

        Returns
        -------
        levels : ndarray of shape (m,)
            The values that they have.
        alone : ndarray of shape (ways, m)
            What those that are bounded one by one weigh together at each value.
        together : ndarray of shape (ways,)
            What the others weigh together, each times how far it is below the start.
        """
        below = np.flatnonzero(self.places.possible & (values < start))
        levels, at = np.unique(values[below], return_inverse=True)
        with np.errstate(over="ignore"):
            weights = np.minimum(np.exp(tops[below] - own), _HEAVIEST)
        summed = partial(np.bincount, minlength=len(levels))
        counted = [
            (np.ones(len(below), dtype=bool), 0.0),
            *self._capped(below, weights, start - values[below]),
        ]
        alone = [summed(at[some], weights[some]).astype(np.float64) for some, _ in counted]
        together = [capped for _, capped in counted]
        if not self.relative or self.inverse or not len(below):
            return levels, np.array(alone), np.array(together)
        fixed = self._log_masses[below]
        varying = None
        middle = -self.bandwidth * (self.excess - shares @ self.excess)
        if isinstance(self.tilt, Guide):
            fixed = fixed + self.tilt.fixed(shares)[below]
            varying = self.tilt.varying(shares)
        elif self.tilt is not None:
            fixed = fixed + self.tilt.tops(shares)[below]
        if self.tilt is not None:
            middle = middle + self.tilt.middle - shares @ self.tilt.middle
        rises = (tops - middle - self._log_masses)[below]
        zero = self.bandwidth * float(shares @ self.excess) + own
        for some, capped in counted:
            near = some & (rises <= _MOST_RISE)
            if not near.any():
                continue
            logs = np.full(len(values), -np.inf)
            logs[below[near]] = (fixed + np.log(start - values[below]))[near]
            found = most_together(self.near, logs, shares, self.bandwidth, varying) - zero
            found += TOLERANCE * (1.0 + abs(found) + zero)
            if found < _HIGHEST:
                rest = some & ~near
                alone.append(summed(at[rest], weights[rest]).astype(np.float64))
                together.append(float(np.exp(found)) + capped)
        return levels, np.array(alone), np.array(together)

    def _capped(
        self, below: Indices, weights: Floats, depths: Floats
    ) -> list[tuple[Bools, float]]:
        """Return which rivals are certainly neighbors, and what the others add up to at most.

        No more of the others are neighbors at a time than certain neighbors leave places to.
        """
        certain, masses = self.places.certain[below], self.near.cases.masses[below]
        if self.places.crowded or masses[~certain].sum() <= self.places.left:
            return []
        most = (weights * depths)[~certain], masses[~certain]
        return [(certain, most_in_places(*most, self.places.left))]

    def _bounded(self, shares: Floats) -> tuple[Floats, float, float]:
        """Return logarithms of the largest kernels: of cases, of those not listed, of the last.

        They are relative to a weighted mean of logarithms of kernels, by how much it has fallen.
        """
        key = shares.tobytes()
        if key not in self._tops:
            self._tops[key] = self._bound(shares)
        return self._tops[key]

    def _edge(self, tops: Floats, shares: Floats, pull: Floats) -> float:
        """Return the logarithm of the largest kernel that a case at the last place may have."""
        ranked = np.argsort(-tops, kind="stable")
        filled = np.cumsum(self.near.cases.masses[ranked])
        last = int(np.searchsorted(filled, self.near.cases.k * (1 - TOLERANCE)))
        edge = float(tops[ranked[last]]) if last < len(ranked) else -np.inf
        return max(edge, self._highest(shares, pull)) if self.places.others else edge

    def _highest(self, shares: Floats, pull: Floats) -> float:
        """Return the logarithm of the largest kernel of cases that are not listed."""
        near = self.near
        if self.relative and not self.inverse:
            start = float(shares @ self.excess)
            return -self.bandwidth * (unlisted(near, shares) + start)
        outside = max(unlisted(near, np.zeros_like(shares)), 0.0)
        highest = float(self._log_kernels(outside))
        if not self.relative:
            return highest
        whole = near.metric.weights.sum()
        return highest + near.top(pull / whole) - float(pull @ self.excess) / whole

    def _bound(self, shares: Floats) -> tuple[Floats, float, float]:
        near, whole = self.near, self.near.metric.weights.sum()
        pull = shares
        if not self.relative:
            tops = self._log_kernels(self._ends[0])
        elif self.inverse:
            # The kernel is a power of the mean key; logarithms are bounded by tangent and chord.
            p, zero = near.metric.p, float(power_key(SAME, near.metric.p))
            power = self.bandwidth / p
            own = zero + self.excess / whole
            least, most = (zero + one / whole for one in self._ends)
            pull = power * shares / own
            with np.errstate(divide="ignore", invalid="ignore"):
                slopes = np.where(most > least, np.log(most / least) / (most - least), 1.0 / least)
            slopes = power * slopes
            risen = near.rises(pull / whole, slopes / whole) + zero * (pull.sum() - slopes)
            tops = slopes * least - power * np.log(least) + risen - float(pull @ own)
        elif isinstance(self.tilt, Guide):
            tops = self.tilt.rises(shares) - self.bandwidth * self.excess
            tops = tops + self.tilt.fixed(shares)
        else:
            tops = self.bandwidth * (near.rises(shares) - float(shares @ self.excess))
        tops = tops + TOLERANCE * (1.0 + np.abs(tops))
        if isinstance(self.tilt, Tilt):
            tops = tops + self.tilt.tops(shares)
        edge = beyond = -np.inf
        if self.places.crowded or shares[~self.places.certain].any():
            edge = self._edge(tops, shares, pull)
        if self.places.crowded:
            # Of many cases that tie for the last places, a few may stand for all of them.
            beyond = edge + np.log(max(self.places.left, 1e-300))
        return tops + self._log_masses, beyond, edge
