"""The density of one value around one case, for every kind of feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vicinal.formulas import cyclic_gap
from vicinal.typing import Floats

CONTINUOUS, ORDINAL, CYCLIC, NOMINAL = "continuous", "ordinal", "cyclic", "nominal"


class Marginal(NamedTuple):
    """Observed values of a feature and their shares, which represent a case's missing value."""

    points: Floats
    shares: Floats


@dataclass(frozen=True, eq=False)
class Kernel:
    """The kernel of one feature, with its kind and possible values."""

    kind: str  # {"continuous", "ordinal", "cyclic", "nominal"}: how values differ
    size: float  # number of levels or categories; the period of a cyclic feature
    marginal: Marginal  # the observed distribution

    def gaps(self, x: Floats, y: Floats) -> Floats:
        """Return the differences of values, in the unit of the kernel width."""
        if self.kind == NOMINAL:
            return (x != y).astype(np.float64)
        if self.kind == CYCLIC:
            return cyclic_gap(x, y, self.size)
        return np.abs(x - y)

    def log(self, gaps: Floats, centers: Floats, widths: Floats) -> Floats:
        r"""Return the log density at these gaps from the centers.

        Notes
        -----
        Laplace, :math:`e^{-g/b} / 2b`; for cyclic features divided by its mass on the cycle, for
        ordinal features normalized by a sum over the levels. Nominal: 1 − e for the same category
        and e/(K − 1) for each other one.
        """
        if self.kind == NOMINAL:
            others = np.log(widths) - np.log(max(self.size - 1.0, 1.0))
            return np.where(gaps > 0, others, np.log1p(-widths))
        if self.kind == CYCLIC:
            mass = -np.expm1(-self.size / 2.0 / widths)
            return -gaps / widths - np.log(2.0 * widths * mass)
        if self.kind == ORDINAL:
            return -gaps / widths - np.log(_level_mass(centers, widths, self.size))
        return -gaps / widths - np.log(2.0 * widths)

    def draw(self, centers: Floats, widths: Floats, rng: np.random.Generator) -> Floats:
        """Sample one value around each center."""
        n = len(centers)
        if self.kind == NOMINAL:
            shift = rng.integers(1, max(int(self.size), 2), size=n)
            moved = np.mod(centers + shift, max(self.size, 1.0))
            return np.where(rng.random(n) < widths, moved, centers)
        if self.kind == ORDINAL:
            levels = np.arange(self.size)
            mass = np.exp(-np.abs(levels - centers[:, None]) / widths[:, None])
            return _pick(mass, rng)
        drawn = centers + widths * rng.laplace(size=n)
        return np.mod(drawn, self.size) if self.kind == CYCLIC else drawn


def _level_mass(centers: Floats, widths: Floats, size: float) -> Floats:
    """Sum exp(−|level − center|/width) over the levels 0 … size − 1, by geometric series."""
    q = np.exp(-1.0 / widths)
    low = np.floor(np.clip(centers, -1.0, size))  # levels up to here are below the center
    below, above = centers - low, low + 1.0 - centers
    n_below, n_above = np.maximum(low + 1.0, 0.0), np.maximum(size - 1.0 - low, 0.0)
    left = np.exp(-below / widths) * (1.0 - q**n_below)
    right = np.exp(-above / widths) * (1.0 - q**n_above)
    return (left + right) / (1.0 - q)


def _pick(mass: Floats, rng: np.random.Generator) -> Floats:
    """Sample a position in each row in proportion to its mass."""
    reached = np.cumsum(mass, axis=1)
    return (reached < rng.random(len(mass))[:, None] * reached[:, -1:]).sum(axis=1) * 1.0
