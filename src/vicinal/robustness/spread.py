"""Where the neighbors lie about a row, whatever the change within a box.

What balances influences are the offsets of neighbors: their mean and their covariance under the
kernels. Both are known for the row itself, and bounded for all changed rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.typing import Bools, Floats

#: Cases with less than this part of the largest share do not count for the scatter.
_LEAST_SHARE = 0.02
#: Offsets are cut off at 1e4 before they are scaled.
_FARTHEST = 9e3
#: With more columns than these, a solver may stop before the solution. That of local regression
#: holds influences back that differ from the kernels by more than this.
EXACT_COLUMNS, _MOST_TILT = 24, 4.0
#: Allowance for the rounding of the solver.
ROUNDING = 1e-6
#: Steps to the λ of the row, and halvings of each, at most.
_NEWTON_STEPS, _HALVINGS = 60, 20


@dataclass(frozen=True, eq=False)
class Moves:
    """How far a row may move, in the unit of offsets.

    Parameters
    ----------
    ways : ndarray of shape (columns,)
        How far in each direction.
    shared : ndarray of bool of shape (columns,)
        Directions of which all share one radius: the parts of their ways add up to 1, at most.
    """

    ways: Floats
    shared: Bools

    def most(self, slopes: Floats) -> Floats:
        """Return the most of Σ slope · move, for slopes of shape (n, columns)."""
        gains = np.abs(slopes) * self.ways
        together = gains[:, self.shared].max(axis=1, initial=0.0)
        return gains[:, ~self.shared].sum(axis=1) + together


@dataclass(frozen=True, eq=False)
class Offsets:
    """Where the candidates lie about the center, in the unit of a bandwidth.

    Parameters
    ----------
    offsets : ndarray of shape (n, columns)
        Offsets of the candidates from the center.
    moves : Moves
        How far the row may move in these units.
    blur : ndarray of shape (n, columns)
        How far the offset of a case may change besides, as the row moves: where it has no value,
        its offset is 0 and stays so.
    possible : ndarray of bool of shape (n,)
        Cases that may be neighbors.
    """

    offsets: Floats
    moves: Moves
    blur: Floats
    possible: Bools

    @classmethod
    def of(
        cls, near: Neighborhood, offsets: Floats, possible: Bools, bandwidth: float
    ) -> Offsets | None:
        """Find them; None if cycles or categories leave them open."""
        offsets = _from_center(near, offsets)
        ways = _ways(near, offsets, possible)
        if ways is None:
            return None
        root = np.sqrt(bandwidth)
        offsets, moves = offsets * root, _shared(near, ways * root, root)
        blur = np.isnan(near.cases.values[:, near.metric.directions[0]]) * moves.ways
        return cls(offsets, moves, blur, possible)

    @property
    def unit(self) -> Floats:
        """The identity matrix."""
        return np.eye(self.offsets.shape[1])


@dataclass(frozen=True, eq=False)
class Spread:
    """Where the neighbors lie about a row, whatever the change within a box.

    Parameters
    ----------
    given : Offsets
        Where the candidates lie about the center.
    mean : ndarray of shape (columns,)
        The mean offset under the kernels at the row.
    drift : ndarray of shape (columns,)
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

    given: Offsets
    mean: Floats
    drift: Floats
    scatter: Floats
    own: Floats
    moved: Floats
    shares: Floats
    held: Bools

    @classmethod
    def of(
        cls,
        near: Neighborhood,
        given: Offsets,
        certain: Bools,
        bandwidth: float,
    ) -> Spread | None:
        """Find the spread; None if values are missing."""
        offsets, possible = given.offsets, given.possible
        if given.blur.any():
            return None
        with np.errstate(divide="ignore"):
            logits = np.log(near.inner) - bandwidth * near.anchor
        own = np.exp(logits - logits.max())
        own = own / own.sum()
        masses = np.log(near.cases.masses)
        # Against the mean under these shares, what all distances have in common cancels out.
        highest = np.where(possible, masses + bandwidth * near.rises(own), -np.inf)
        lowest = np.where(certain, masses - bandwidth * near.falls(own), -np.inf)
        top = highest.max(initial=-np.inf)
        if not np.isfinite(top):
            return None
        with np.errstate(under="ignore"):
            most, least = np.exp(highest - top), np.exp(lowest - top)
            most = np.maximum(most, least)
            high = most / np.maximum(least.sum() - least + most, 1e-300)
            low = least / np.maximum(most.sum() - most + least, 1e-300)
        mean = own @ offsets
        moved = np.maximum(np.abs(high - own), np.abs(own - low))
        drift = moved @ np.abs(offsets - mean)
        # Any of the cases may make up the scatter; far ones would allow for deep falls.
        low = np.where(low > _LEAST_SHARE * low.max(initial=0.0), low, 0.0)
        total = low.sum()
        middle = low @ offsets / total if total > 0 else mean
        apart = (offsets - middle) * np.sqrt(low)[:, None]
        return cls(given, mean, drift, apart.T @ apart, own, moved, high, low > 0)

    @property
    def away(self) -> Floats:
        """How far the mean offset from the changed row may be from that of the row."""
        return self.drift + self.given.moves.ways

    def distance(self, matrix: Floats) -> tuple[float, float, Floats]:
        """Return the length of the mean offset, and of how far it may be away, in a metric."""
        inverse = symmetric_inverse(matrix)
        own = np.sqrt(max(float(self.mean @ inverse @ self.mean), 0.0))
        off = np.sqrt(float(self.away @ np.abs(inverse) @ self.away))
        return own * (1 + ROUNDING), off * (1 + ROUNDING), inverse

    def correction(self, values: Floats, ridge: float) -> float:
        """Return how far ridge local linear regression may lie from the mean under the kernels.

        With covariance S of the offsets, it is Cov(v, z)·s for a step s whose length in the metric
        S + ρ is at most that of the mean offset in the inverse; and Cov(v, z) is no longer in the
        inverse than the standard deviation of the values.
        """
        own, off, _ = self.distance(self.scatter + ridge * self.given.unit)
        there = self.shares > 0
        ends = values[there].min(), values[there].max()
        squares = (values - (ends[0] + ends[1]) / 2) ** 2
        variance = min(float(self.shares @ squares), float(ends[1] - ends[0]) ** 2 / 4)
        return (own + off) * float(np.sqrt(variance)) * (1 + ROUNDING)

    def regression(self, values: Floats, ridge: float) -> tuple[Floats, float] | None:
        """Return residuals of the values, and how far local regression may lie from their mean.

        Let θ be the slopes at the row, and e = v − θ·z. The influences a of local regression have
        Σ a z = ρ s, so they predict Σ κ̄ e + θ·u + (ρθ − Cov(e, z))·s where the row has moved by u.
        At the row, the last term is 0; elsewhere it is as small as what the shares of the kernels
        have moved by. None where the solver may stop early, or hold the influences back.
        """
        if len(self.mean) > EXACT_COLUMNS:
            return None
        offsets, size = self.given.offsets, self.given.unit
        z = offsets - self.mean
        spread = (z * self.own[:, None]).T @ z + ridge * size
        slopes = np.linalg.solve(spread, (self.own * (values - self.own @ values)) @ z)
        own, off, inverse = self.distance(self.scatter + ridge * size)
        if own + off >= _MOST_TILT:
            return None
        errors = values - offsets @ slopes
        apart = np.abs(errors - self.own @ errors)
        covariance = (self.moved * apart) @ np.abs(z)
        covariance = covariance + (self.moved @ apart) * (self.moved @ np.abs(z))
        length = float(np.sqrt(covariance @ np.abs(inverse) @ covariance))
        loss = (own + off) * length + float(
            self.given.moves.most(np.asarray(slopes[None], dtype=np.float64))[0]
        )
        rounding = ROUNDING * float(np.ptp(values))
        return errors, loss * (1 + ROUNDING) + rounding


def _from_center(near: Neighborhood, offsets: Floats) -> Floats:
    """Return offsets of the cases from the center, given those from the row."""
    columns, factors = near.metric.directions
    named = near.metric.kinds[columns] == NOMINAL
    units = np.where(named, 0.0, factors / near.metric.residuals[columns])
    moved = np.nan_to_num(near.center - near.cases.row)[columns] * units
    offsets = offsets - np.where(np.isnan(near.cases.values[:, columns]), 0.0, moved)
    for column, value in near.settled.items():
        at = np.flatnonzero(columns == column)
        cells = near.cases.values[:, column]
        differs = (cells != value) & ~np.isnan(cells)
        offsets[:, at] = np.where(differs[:, None], factors[at], 0.0)
    return offsets


def _shared(near: Neighborhood, ways: Floats, scale: float) -> Moves:
    """Return the moves of a row: how far in each direction, and which share one radius."""
    columns, factors = near.metric.directions
    shared, budget = np.zeros(len(columns), dtype=bool), near.budget
    if budget is not None:
        # Ranks climb in steps, so that a part of the radius may take them farther than this part.
        shared = budget.limited(columns) & (budget.free[columns] == 0) & (ways > 0)
        units = budget.units[columns] * budget.radius * (1 + ROUNDING)
        most = units * factors * scale / near.metric.residuals[columns]
        # Two that end before the radius may share it, so that no end counts.
        ways = np.where(shared, most, ways)
    return Moves(ways, shared)


def balanced(logits: Floats, offsets: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Return λ and the shares that balance the offsets, 0 and those of the kernels without it.

    Any λ makes for a sound bound, and one that has converged for a tight one.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.spread import balanced
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
        values = values[~np.isnan(values)]
        if metric.kinds[column] == NOMINAL:
            return None
        ends = np.array([box.lower[column], box.upper[column]])
        way = float(np.abs(ends - near.center[column]).max())
        if metric.kinds[column] == CYCLIC:
            gaps = np.abs(values - cases.row[column])
            gaps = np.minimum(gaps, metric.periods[column] - gaps)
            farthest = float(np.abs(ends - cases.row[column]).max())
            if gaps.max(initial=0.0) + farthest >= metric.periods[column] / 2:
                return None
        ways[place] = way * factors[place] / metric.residuals[column]
    return ways if ways.max(initial=0.0) < _FARTHEST else None


def symmetric_inverse(matrix: Floats) -> Floats:
    """Return the inverse of a symmetric matrix."""
    inverse = np.linalg.inv(matrix)
    return (inverse + inverse.T) / 2
