"""The changes of a row that a certificate is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from vicinal.fitted import Fitted
from vicinal.index.kinds import NOMINAL
from vicinal.schema.domain import Domain
from vicinal.typing import Bools, Floats, Places

#: Rounding of changed values, as a part of their size; ranges are wider by this.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Perturbation:
    """All rows within some radius of a row.

    A number costs what it moves by, in residuals; another category costs its contrast, the
    surprisal of a category that differs. Within a radius are the rows of which every cost (norm
    ``"max"``) or the sum of all costs (norm ``"sum"``) is at most the radius. Missing values stay
    missing, and no value becomes missing.

    Parameters
    ----------
    row : ndarray of shape (d,)
        The encoded row.
    units : ndarray of shape (d,)
        What a change of one costs a radius of one: the residual; for categories the inverse of
        their contrast. 0 for columns that cannot change.
    nominal : ndarray of bool of shape (d,)
        Which columns are categories.
    periods : ndarray of shape (d,)
        Length of the cycle of cyclic columns, else 0.
    norm : {"max", "sum"}
        How costs are combined.
    domains : mapping of int to Domain
        For columns that change by whole steps and within natural bounds: these.
    unpaid : ndarray of bool of shape (d,), optional
        Where costs add up: columns whose costs do not count, since they have been paid for.
    most : float
        Where costs add up: the largest part of the radius that one of the others takes, at least
        a half.
    """

    row: Floats
    units: Floats
    nominal: Bools
    periods: Floats
    norm: str
    domains: Mapping[int, Domain] = field(default_factory=dict)
    unpaid: Bools | None = None
    most: float = 1.0

    @classmethod
    def of(
        cls,
        fitted: Fitted,
        row: Floats,
        columns: Places,
        *,
        norm: str,
        categories: bool,
        steps: bool = False,
    ) -> Perturbation:
        """Return the changes of some columns; those of categories only on request.

        With `steps`, numbers change by whole steps and within natural bounds.
        """
        metric = fitted.metric
        nominal = metric.kinds == NOMINAL
        units = np.zeros(len(row))
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.where(nominal, 1.0 / metric.residuals, metric.residuals)
        units[columns] = costs[columns]
        # A contrast of 0 is that of a column with one category, whose others are all unseen.
        fixed = ~np.isfinite(units) | np.isnan(row) | (nominal & (not categories))
        units[fixed] = 0.0
        stepped = (units > 0) & ~nominal & (metric.periods == 0) & steps
        domains = {int(column): fitted.domain(int(column)) for column in np.flatnonzero(stepped)}
        return cls(row, units, nominal, metric.periods, norm, domains)

    @property
    def paid_units(self) -> Floats:
        """The units of columns whose costs add up; 0 for others."""
        return self.units if self.unpaid is None else np.where(self.unpaid, 0.0, self.units)

    @property
    def changeable(self) -> Places:
        """Columns that may change."""
        return np.flatnonzero(self.units > 0)

    def box(self, radius: float) -> Box:
        """Return the values that each column may have within a radius."""
        ways = np.where(self.nominal, 0.0, radius * self.units)
        ways = np.where(self.paid_units > 0, self.most * ways, ways)
        ways = ways + np.where(ways > 0, ROUNDING * (np.abs(self.row) + ways), 0.0)
        free = self.nominal & (self.units > 0) & (radius * self.units >= 1.0 - ROUNDING)
        lower, upper = self.row - ways, self.row + ways
        for column, domain in self.domains.items():
            ends = lower[column], upper[column]
            lower[column], upper[column] = _possible(domain, float(self.row[column]), *ends)
        return Box(lower, upper, free, self.periods, ways)

    def costs(self, rows: Floats) -> Floats:
        """Return the cost of changing the row into others, (m,); infinite if it cannot be."""
        gaps = np.abs(rows - self.row)
        around = self.periods > 0
        gaps[:, around] = np.minimum(gaps[:, around], self.periods[around] - gaps[:, around])
        gaps = np.where(np.isnan(rows) & np.isnan(self.row), 0.0, gaps)
        gaps = np.where(self.nominal, gaps != 0, gaps)
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.where(gaps == 0, 0.0, gaps / self.units)
        costs = np.where(np.isnan(costs), np.inf, costs)
        return costs.max(axis=1) if self.norm == "max" else costs.sum(axis=1)


def _possible(domain: Domain, own: float, lower: float, upper: float) -> tuple[float, float]:
    """Return the least and the greatest value that a row can have between two ends."""
    low = domain.step_within(max(lower, domain.floor), 1)
    high = domain.step_within(min(upper, domain.ceiling), -1)
    return min(low, own), max(high, own)


@dataclass(frozen=True, eq=False)
class Box:
    """Values that columns may have: those from lower to upper, or any category.

    Parameters
    ----------
    lower, upper : ndarray of shape (d,)
        Ends of the range of each column, beyond the cycle of cyclic ones.
    free : ndarray of bool of shape (d,)
        Columns that may have any category.
    periods : ndarray of shape (d,)
        Length of the cycle of cyclic columns, else 0.
    ways : ndarray of shape (d,)
        How far numbers may move.
    """

    lower: Floats
    upper: Floats
    free: Bools
    periods: Floats
    ways: Floats

    def on_line(self) -> tuple[Floats, Floats]:
        """Return the ranges as what uses cyclic columns as plain numbers sees them."""
        cut = (self.periods > 0) & ((self.lower < 0) | (self.upper >= self.periods))
        return np.where(cut, 0.0, self.lower), np.where(cut, self.periods, self.upper)
