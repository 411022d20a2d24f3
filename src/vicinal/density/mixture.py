"""Kernels around all cases, and their log density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.density.kernels import CONTINUOUS, CYCLIC, NOMINAL, ORDINAL, Kernel, Marginal
from vicinal.density.widths import learn_widths, spreads
from vicinal.fitted import Fitted
from vicinal.index import kinds
from vicinal.index.exact import ExactIndex
from vicinal.index.sampling import distinct_cases
from vicinal.progress import track
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints, Places

#: Number of pairs of rows and cases computed at a time: as many as stay in the cache.
_PAIRS = 1 << 17
#: Probability that a category was never seen. It is taken from all others alike, so that the
#: probabilities of the categories that were seen and of one that was not sum to 1.
UNSEEN = 1e-3


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture density with a product of kernels around every case."""

    index: ExactIndex  # the distinct cases
    cases: Floats  # (n, d): their encoded values, NaN where missing
    weights: Floats  # (n,): shares of the cases; they sum to 1
    kernels: tuple[Kernel, ...]  # one per column
    #: (d,): width of each kernel: the expected absolute error, or for nominal columns the
    #: probability of another category.
    widths: Floats
    scales: Floats  # (n,): how much wider the kernels are around each case; nominal ones are not
    active: Places  # columns that vary; constant columns are ignored
    closest: Floats  # (n,): excess distance of each case to the closest other one
    mass: float  # sum of the weights of all cases
    numbers: Ints  # (m,): numbers of the stored cases, ascending
    which: Places  # (m,): the distinct case that each of them equals

    def log_density(
        self, rows: Floats, columns: Places | None = None, exclude: Ints | None = None
    ) -> Floats:
        """Return the log density of encoded rows in some columns, by default all that vary.

        Missing values are integrated out. A unit of weight of the case to `exclude` is left out,
        if there is one (−1 for none) and something remains.
        """
        result = np.empty(len(rows))
        step = max(1, _PAIRS // max(len(self.cases), 1))
        starts = range(0, len(rows), step)
        for start in track(starts, total=len(starts), what="computing densities"):
            some = slice(start, start + step)
            logs = self.log_kernels(rows[some], columns)
            if exclude is not None:
                self._leave_out(logs, exclude[some])
            result[some] = _log_sum(logs)
        return result

    def _leave_out(self, logs: Floats, exclude: Ints) -> None:
        """Take a unit of weight from the kernel around each case to leave out."""
        known = np.isin(exclude, self.numbers)  # cases without weight are not among them
        own = self.which[np.searchsorted(self.numbers, np.where(known, exclude, self.numbers[0]))]
        masses = self.weights[own] * self.mass
        # All of a case that weighs less than a unit is left out.
        left = np.maximum(masses - 1.0, 0.0)
        others = self.mass - masses + left
        rows: Places = np.flatnonzero(known & (others > 1e-9 * self.mass))
        with np.errstate(divide="ignore"):
            logs[rows, own[rows]] += np.log(left[rows] / masses[rows])
        logs[rows] -= np.log(others[rows] / self.mass)[:, None]

    def log_kernels(self, rows: Floats, columns: Places | None = None) -> Floats:
        """Return ln(share · kernel) for each row and each case."""
        logs = np.tile(np.log(self.weights), (len(rows), 1))
        for i in self.active if columns is None else np.intersect1d(columns, self.active):
            known = ~np.isnan(rows[:, i])
            logs[known] += self._column(rows[known, i], int(i))
        return logs

    def _column(self, x: Floats, i: int) -> Floats:
        return log_column(self.kernels[i], x, self.cases[:, i], self.widths[i], self.widths_of(i))

    def widths_of(self, i: int) -> Floats:
        """Widths of column i around every case."""
        if self.kernels[i].kind == NOMINAL:
            return np.full(len(self.cases), self.widths[i])
        return self.widths[i] * self.scales


def log_column(kernel: Kernel, x: Floats, centers: Floats, width: float, widths: Floats) -> Floats:
    """Return the log kernel of each value around each center, NaN for a missing one.

    Around each center the kernel has its own of the `widths`, around any of the observed values,
    for which a missing one stands, the usual `width`.
    """
    logs = kernel.log(kernel.gaps(x[:, None], centers), centers, widths)
    lacking = np.isnan(centers)
    if lacking.any():
        # A case with a missing value represents all observed values.
        points, shares = kernel.marginal
        wide = np.full(len(points), width)
        around = kernel.log(kernel.gaps(x[:, None], points), points, wide) + np.log(shares)
        logs[:, lacking] = _log_sum(around)[:, None]
    if kernel.kind == NOMINAL:
        seen = (x >= 0) & (x < kernel.size)
        logs = np.where(seen[:, None], logs + np.log1p(-UNSEEN), np.log(UNSEEN))
    return logs


def _log_sum(logs: Floats) -> Floats:
    """Ln Σ exp along the rows, one case after the other whatever the number of rows."""
    largest = logs.max(axis=1, keepdims=True)
    return largest[:, 0] + np.log(np.cumsum(np.exp(logs - largest), axis=1)[:, -1])


def mixture_of(fitted: Fitted) -> Mixture:
    """Return the kernels around the stored cases, cached until the cases change."""
    return fitted.cached("mixture", lambda: _fit_mixture(fitted))


def _fit_mixture(fitted: Fitted) -> Mixture:
    """Put kernels around the cases, with widths that maximize leave-one-out likelihood."""
    numbers, values = fitted.index.sample(fitted.index.at_once)
    metric, threads = fitted.metric, fitted.threads
    # Cases that are equal in the columns that vary have one kernel, with the sum of their weights.
    # So a repeated row equals one of that weight, and duplicates do not make kernels narrow.
    compared = values[:, metric.active] if len(metric.active) else values
    places, which, merged = distinct_cases(compared, fitted.index.weights_of(numbers))
    weights = np.ones(len(places)) if merged is None else merged
    index = ExactIndex(values[places], metric.kinds)
    kernels = kernels_of(fitted)
    scales, closest = spreads(index, metric, threads)
    widths, power = learn_widths(
        index,
        weights,
        metric,
        kernels,
        scales,
        random_state=fitted.settings.random_state,
        threads=threads,
    )
    return Mixture(
        index,
        values[places],
        weights / weights.sum(),
        kernels,
        widths,
        scales**power,
        metric.active,
        closest,
        float(weights.sum()),
        numbers,
        which,
    )


def kernels_of(fitted: Fitted) -> tuple[Kernel, ...]:
    """Return the kernel of each column."""
    return tuple(_kernel(fitted, i) for i in range(len(fitted.schema)))


def _kernel(fitted: Fitted, i: int) -> Kernel:
    feature, metric = fitted.schema.storage[i], fitted.metric
    marginal, levels = Marginal(*metric.supports[i]), float(len(feature.categories or ()))
    if metric.kinds[i] == kinds.NOMINAL:
        return Kernel(NOMINAL, levels, marginal)
    if metric.kinds[i] == kinds.CYCLIC:
        return Kernel(CYCLIC, float(metric.periods[i]), marginal)
    if feature.kind is Kind.ORDINAL and levels:
        return Kernel(ORDINAL, levels, marginal)
    return Kernel(CONTINUOUS, 0.0, marginal)
