"""Sample rows whose values can exist, from kernels around cases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from vicinal.density.determined_numbers import DeterminedNumbers
from vicinal.density.kernels import CONTINUOUS, NOMINAL
from vicinal.density.limits import Limits
from vicinal.density.mixture import Mixture
from vicinal.density.seen_pairs import SeenPairs
from vicinal.exceptions import ParameterError
from vicinal.formulas import SAME
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.typing import Bools, Floats, Places

#: A value that this share of the rows has is kept as it is, since values near it are not like it:
#: a debt of 0 differs from one of 3.
_FREQUENT = 0.05
#: Neighbors of a case lend values; each of its values is replaced with this probability.
_DONORS, _LENT = 10, 0.5
#: A row is a near copy if it is closer to a case than this share of what is usual there.
_NEAR = 0.2
#: The privacy ratio to reach: a little above 1, since other held-out rows would give another.
_PRIVATE = 1.1
#: What near copies are drawn again by, one after the other: what counts as near as long as that
#: ratio is not reached, and how bold to be: with more neighbors, which lend more values, and with
#: wider kernels.
_REPEATS = (
    *[(_NEAR, 1.0)] * 4,
    *[(0.5, 1.0)] * 2,
    *[(0.8, 1.0)] * 2,
    *[(0.8, bold) for bold in (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.0, 3.0, 3.0)],
)
_MOST_BOLD = 3.0
#: How often categories that do not occur together are drawn again, before the case keeps its own.
_REDRAWS = 6


class Drawn(NamedTuple):
    """Sampled rows."""

    rows: Floats  # (n, d): encoded values
    excess: Floats  # (n,): excess distance to the closest case
    shares: Floats  # (cases,): in which proportion cases were chosen to sample around


@dataclass(frozen=True, eq=False)
class Sampler:
    """Samples rows around cases, with values that can exist.

    A case is chosen in proportion to its weight, and lends the row its missing values and its
    categories. Some of these, and of its frequent numbers, are replaced by those of neighbors, but
    not so that two categories meet that no case has together (unless the row would be a near copy,
    and both are so rare that this means nothing). All other numbers are sampled from the kernel,
    reflected at the ends of the observed range, and rounded to the step; where a category
    determines a number, as a grade an interest rate, it stays in the range of that category.

    A row that is much closer to its closest case than the case it was sampled around is to any
    other is a near copy. It is drawn again, more boldly each time, and the farthest is kept.
    """

    mixture: Mixture
    metric: Metric
    threads: int | None = None
    #: All cases, if there are kernels around a sample of them: rows must be near none.
    cases: Index | None = None

    def draw(self, given: Floats, limits: Limits, n: int, rng: np.random.Generator) -> Drawn:
        """Sample n rows with the given values (NaN elsewhere), within limits."""
        shares = self._shares(given, limits)
        reached = np.cumsum(shares)
        chosen = np.searchsorted(reached, rng.random(n) * reached[-1], side="right")
        chosen = np.minimum(chosen, len(shares) - 1)
        neighbors = self._neighbors(chosen)
        rows, excess = np.tile(given, (n, 1)), np.full(n, -np.inf)
        closest = self.mixture.closest[chosen]
        left = np.arange(n)
        for near, bold in ((_NEAR, 1.0), *_REPEATS):
            lent = self._lent(chosen[left], neighbors[left], bold, rng)
            drawn = self._around(chosen[left], lent, given, limits, bold, rng)
            away = self._excess(drawn)
            farther = away > excess[left]
            rows[left[farther]], excess[left[farther]] = drawn[farther], away[farther]
            private = privacy_ratio(excess, self.mixture.closest, shares) >= _PRIVATE
            left = np.flatnonzero(excess < (_NEAR if private else near) * closest)
        return Drawn(rows, excess, shares)

    def _excess(self, rows: Floats) -> Floats:
        cases = self.mixture.index if self.cases is None else self.cases
        found = cases.search(rows, self.metric, 1, threads=self.threads)
        return np.maximum(found.distances[:, 0] - SAME, 0.0)

    def _around(
        self,
        chosen: Places,
        second: Floats,
        given: Floats,
        limits: Limits,
        bold: float,
        rng: np.random.Generator,
    ) -> Floats:
        """Sample one row around each case, with values of neighbors."""
        mixture, fixed = self.mixture, ~np.isnan(given)
        first, scale = limits.nearest(mixture.cases[chosen]), bold * mixture.scales[chosen]
        rows = np.where(fixed, given, first)
        for i in mixture.active[~fixed[mixture.active]].tolist():
            if mixture.kernels[i].kind != NOMINAL:
                numbers = self._numbers(i, first[:, i], second[:, i], scale, bold, rng)
                rows[:, i] = limits.within(i, numbers, first[:, i])
        self._draw_categories(rows, first, second, fixed, limits, bold, rng)
        for i in (one for one in self._determined.columns if not fixed[one]):
            self._determined.restore(rows, i, (first[:, i], second[:, i]))
            rows[:, i] = limits.within(i, rows[:, i], first[:, i])
        return rows

    def _shares(self, given: Floats, limits: Limits) -> Floats:
        """Return in which proportion cases are chosen: by what they say of what is given.

        Cases that have the given categories and meet the constraints come first; only if there is
        none, others stand in.
        """
        cases = self.mixture.cases
        logs = self.mixture.log_kernels(given[None])[0] + limits.log_penalties(self.mixture)
        if np.isneginf(logs).all():
            raise ParameterError(
                "No case has a value of every feature in constraints; constrain fewer features."
            )
        same = self._nominal[~np.isnan(given[self._nominal])]
        fitting = (cases[:, same] == given[same]).all(axis=1) & limits.met_by(cases)
        if fitting.any():
            logs[~fitting] = -np.inf
        shares: Floats = np.exp(logs - logs.max())
        return shares

    def _neighbors(self, chosen: Places) -> Places:
        """Return the nearest cases of each case; itself if there is no other."""
        most = int(_DONORS * _MOST_BOLD)
        index, k = self.mixture.index, min(most, len(self.mixture.cases) - 1)
        if not k:
            return chosen[:, None]
        some, place = np.unique(chosen, return_inverse=True)
        values = self.mixture.cases[some]
        found = index.search(values, self.metric, k, exclude=some, threads=self.threads)
        return found.indices[place]

    def _lent(
        self, chosen: Places, neighbors: Places, bold: float, rng: np.random.Generator
    ) -> Floats:
        """Return what neighbors lend to each row: one of them at first, later one per column."""
        k = min(int(_DONORS * bold), neighbors.shape[1])
        columns = np.arange(self.mixture.cases.shape[1])
        shape = (len(chosen), 1 if bold == 1.0 else len(columns))
        lenders = np.take_along_axis(neighbors, rng.integers(k, size=shape), axis=1)
        return self.mixture.cases[lenders, columns]

    def _numbers(
        self,
        i: int,
        first: Floats,
        second: Floats,
        scale: Floats,
        bold: float,
        rng: np.random.Generator,
    ) -> Floats:
        kernel, centers = self.mixture.kernels[i], first
        frequent = self._frequent.get(i)
        if frequent is not None:
            often = np.isin(first, frequent) | np.isin(second, frequent)
            lent = often & (rng.random(len(first)) < bold * _LENT) & ~np.isnan(first + second)
            centers = np.where(lent, second, first)
        drawn = centers.copy()
        moved = ~np.isnan(centers)
        if frequent is not None:
            moved &= ~np.isin(centers, frequent)
        widths = self.mixture.widths[i] * scale
        drawn[moved] = kernel.draw(centers[moved], widths[moved], rng)
        return drawn

    @cached_property
    def _frequent(self) -> dict[int, Floats]:
        """The frequent values of each continuous column that has some."""
        found = {}
        for i in self.mixture.active.tolist():
            column = self.mixture.cases[:, i]
            known = ~np.isnan(column)
            if self.mixture.kernels[i].kind != CONTINUOUS or not known.any():
                continue
            values, place = np.unique(column[known], return_inverse=True)
            mass = np.bincount(place, weights=self.mixture.weights[known])
            frequent = values[mass >= _FREQUENT * mass.sum()]
            if len(frequent):
                found[i] = frequent
        return found

    @cached_property
    def _nominal(self) -> Places:
        kinds = [kernel.kind for kernel in self.mixture.kernels]
        return np.array([i for i in self.mixture.active if kinds[i] == NOMINAL], dtype=np.intp)

    @cached_property
    def _numeric(self) -> Places:
        return np.setdiff1d(self.mixture.active, self._nominal)

    @cached_property
    def _seen(self) -> SeenPairs:
        return SeenPairs(self.mixture.cases, self._nominal)

    @cached_property
    def _determined(self) -> DeterminedNumbers:
        return DeterminedNumbers(self.mixture.cases, self._nominal, self._numeric)

    def _draw_categories(
        self,
        rows: Floats,
        first: Floats,
        second: Floats,
        fixed: Bools,
        limits: Limits,
        bold: float,
        rng: np.random.Generator,
    ) -> None:
        """Replace some categories of the first case by those of the second, in place."""
        columns = self._nominal[~fixed[self._nominal]]
        if not len(columns):
            return
        open_rows = np.arange(len(rows))
        for _ in range(_REDRAWS):
            own, lent = (one[np.ix_(open_rows, columns)] for one in (first, second))
            swap = (rng.random(own.shape) < bold * _LENT) & ~np.isnan(own + lent)
            drawn = np.where(swap, lent, own)
            for at, i in enumerate(columns.tolist()):
                drawn[:, at] = limits.within(i, drawn[:, at], own[:, at])
            rows[np.ix_(open_rows, columns)] = drawn
            open_rows = open_rows[~self._seen.permit(rows[open_rows], rare=bold > 1.0)]
            if not len(open_rows):
                return
        rows[np.ix_(open_rows, columns)] = first[np.ix_(open_rows, columns)]


def privacy_ratio(excess: Floats, held_out: Floats, weights: Floats) -> float:
    """Return the median excess distance of rows over that of held-out cases, with weights.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.density.sampler import privacy_ratio
    >>> privacy_ratio(np.array([0.2, 0.5, 0.9]), np.array([0.1, 0.25, 0.4]), np.ones(3) / 3)
    2.0
    """
    order = np.argsort(held_out, kind="stable")
    reached = np.cumsum(weights[order])
    usual = float(held_out[order[np.searchsorted(reached, reached[-1] / 2)]])
    return float(np.median(excess)) / usual if len(excess) and usual else np.nan
