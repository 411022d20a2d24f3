"""The widths of the kernels, learned by leave-one-out likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vicinal.density.kernels import NOMINAL, Kernel
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.typing import Bools, Floats, Places

#: Number of held-out cases, and of nearest neighbors whose kernels may explain each. With more
#: columns than this there are fewer of both, so that their gaps are no more numbers.
_QUERIES, _NEAREST = 800, 200
_MANY_COLUMNS = 200
#: Powers of the local spread to scale widths by; the one with the highest likelihood is used.
_POWERS = (0.0, 0.5, 1.0)
_ROUNDS = 30
_TOLERANCE = 1e-3
#: Minimum width: with equal values, widths would shrink to zero and densities become infinite.
_NARROWEST = 0.01
#: With no more columns than this, the gaps of all of them are kept.
_FEW_COLUMNS = 64


class HeldOut(NamedTuple):
    """Held-out cases, and the cases whose kernels may explain them."""

    rows: Floats  # (q, d): the held-out cases
    weights: Floats  # (q,)
    near: Places  # (q, k): for each of them the cases near it, by their place in `cases`
    log_mass: Floats  # (q, k): ln of their weights; −∞ for a place without a case
    cases: Floats  # (n, d)
    spread: Floats  # (n,): the local spread around each case


def spreads(
    index: ExactIndex, metric: Metric, threads: int | None = None
) -> tuple[Floats, Floats]:
    """Return the local spread around each case, and the excess distance to the closest other.

    The spread is scaled to a geometric mean of 1. If there is no other case, the distance is 0.
    """
    parts, closest = [np.empty(0)], [np.empty(0)]
    for numbers, values in index.blocks():
        found = index.search(values, metric, 10, exclude=numbers, threads=threads)
        there = np.isfinite(found.distances)
        excess = np.where(there, np.maximum(found.distances - SAME, 0.0), 0.0).sum(axis=1)
        nearest = np.where(there, found.distances, SAME)[:, 0]
        closest.append(np.maximum(nearest - SAME, 0.0))
        # The excess grows with the square of small gaps, so its root measures spread.
        parts.append(np.sqrt(excess / np.maximum(there.sum(axis=1), 1)))
    spread, near = np.concatenate(parts), np.concatenate(closest)
    usual = np.median(spread) if len(spread) else 1.0
    if usual == 0:
        return np.ones(len(spread)), near
    bounded = np.clip(spread / usual, 0.1, 10.0)
    return np.exp(np.log(bounded) - np.log(bounded).mean()), near


def learn_widths(
    index: ExactIndex,
    weights: Floats,
    metric: Metric,
    kernels: tuple[Kernel, ...],
    spread: Floats,
    *,
    random_state: int = 0,
    threads: int | None = None,
) -> tuple[Floats, float]:
    """Return the widths of all columns, and the power of the local spread that scales them.

    The cases of the index must be distinct, numbered from 0, and have their weights apart: a
    held-out case is left out with its whole weight, since a case equal to it would explain it best
    by a kernel without width.
    """
    n = len(index)
    if n < 2 or not len(metric.active):
        return _first_widths(metric, kernels), 0.0
    part = min(1.0, (_MANY_COLUMNS / len(metric.active)) ** 0.5)
    count, nearest = int(part * _QUERIES), min(int(part * _NEAREST), n)
    asked = np.sort(np.random.default_rng(random_state).permutation(n)[:count])
    left_out = index.rows(asked)
    found = index.search(left_out, metric, nearest, exclude=asked, threads=threads)
    there = found.indices >= 0
    near = np.where(there, found.indices, 0)
    log_mass = np.where(there, np.log(weights[near]), -np.inf)
    cases = index.rows(np.arange(n))
    held_out = HeldOut(left_out, weights[asked], near, log_mass, cases, spread)
    return widths_from(held_out, metric, kernels)


def widths_from(
    held_out: HeldOut, metric: Metric, kernels: tuple[Kernel, ...]
) -> tuple[Floats, float]:
    r"""Return the widths that make held-out cases most likely, and the power of the spread.

    Notes
    -----
    Expectation maximization of the leave-one-out likelihood: a case j explains a held-out case q
    with influence :math:`a_{qj} \propto K(x_q; x_j)`, and the most likely width of a column is
    the mean of :math:`\sum_j a_{qj} |x_{qi} - x_{ji}|`, the residual under these influences; for
    nominal columns, the mean influence of other categories. No round lowers the likelihood.
    """
    learner, start = _Learner(held_out, kernels, metric), _first_widths(metric, kernels)
    scales = held_out.spread[held_out.near]
    tried = [(*learner.learn(start, scales**power), power) for power in _POWERS]
    _, widths, power = max(tried, key=lambda one: one[0])
    return widths, power


def _first_widths(metric: Metric, kernels: tuple[Kernel, ...]) -> Floats:
    return np.array([_first_width(metric, kernel, i) for i, kernel in enumerate(kernels)])


def _first_width(metric: Metric, kernel: Kernel, i: int) -> float:
    if kernel.kind != NOMINAL:
        return float(metric.residuals[i])
    return float(1.0 / (1.0 + np.exp(metric.residuals[i]) / max(kernel.size - 1.0, 1.0)))


class _Learner:
    """Looks for the widths that make held-out cases most likely.

    Gaps are computed column by column: those of all columns at once would not fit into memory
    for wide tables. Those of few columns are kept from one round to the next.
    """

    def __init__(self, held_out: HeldOut, kernels: tuple[Kernel, ...], metric: Metric) -> None:
        self.held_out, self.kernels, self.metric = held_out, kernels, metric
        self.log_mass, self.weights = held_out.log_mass, held_out.weights
        self._columns: dict[int, tuple[Floats, Floats, Bools]] = {}

    def _column(self, i: int) -> tuple[Floats, Floats, Bools]:
        """Return the centers of the near cases in a column, their gaps, and which are known."""
        if i in self._columns:
            return self._columns[i]
        near, own = self.held_out.cases[:, i][self.held_out.near], self.held_out.rows[:, None, i]
        gaps, lacking = self.kernels[i].gaps(own, near), np.isnan(near)
        found = np.where(lacking, 0.0, near), gaps, ~np.isnan(own) & ~lacking
        if len(self.metric.active) <= _FEW_COLUMNS:
            self._columns[i] = found
        return found

    def learn(self, widths: Floats, scales: Floats) -> tuple[float, Floats]:
        """Return the highest mean log likelihood and its widths."""
        best, reached = -np.inf, widths
        for _ in range(_ROUNDS):
            likelihood, influence = self._expect(widths, scales)
            if likelihood > best:
                gain, best, reached = likelihood - best, likelihood, widths
                if gain < _TOLERANCE:
                    break
            widths = self._maximize(influence, widths, scales)
        return best, reached

    def _expect(self, widths: Floats, scales: Floats) -> tuple[float, Floats]:
        logs = self.log_mass.copy()
        for i in self.metric.active.tolist():
            kernel = self.kernels[i]
            centers, gaps, known = self._column(i)
            wide = widths[i] if kernel.kind == NOMINAL else widths[i] * scales
            logs += np.where(known, kernel.log(gaps, centers, np.asarray(wide)), 0.0)
        largest = logs.max(axis=1, keepdims=True)
        mass = np.exp(logs - largest)
        total = mass.sum(axis=1, keepdims=True)
        likelihood = np.average(largest[:, 0] + np.log(total[:, 0]), weights=self.weights)
        return float(likelihood), mass / total * self.weights[:, None]

    def _maximize(self, influence: Floats, widths: Floats, scales: Floats) -> Floats:
        new = widths.copy()
        for i in self.metric.active.tolist():
            nominal = self.kernels[i].kind == NOMINAL
            _, gaps, known = self._column(i)
            share = np.where(known, influence, 0.0)
            total = share.sum()
            if total == 0:
                continue
            scaled = np.where(known, gaps, 0.0) / (1.0 if nominal else scales)
            new[i] = self._within((share * scaled).sum() / total, i)
        return new

    def _within(self, width: float, i: int) -> float:
        kernel = self.kernels[i]
        if kernel.kind == NOMINAL:
            most = 1.0 - 1.0 / max(kernel.size, 2.0)
            return float(np.clip(width, 0.5 / (len(self.held_out.near) + 1.0), most))
        return float(max(width, _NARROWEST * self.metric.residuals[i]))
