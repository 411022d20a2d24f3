"""The log density of rows in a large table: near cases and a sample of the others.

The density at a row is a mean over the kernels around all cases. Those of the nearest cases are
the highest, so all of these are added up; of the next ones every so many, and of all others those
of a sample, each standing for those that were left out. The mean is right on average, whatever the
metric in which cases are near; how far it may be off follows from how much kernels differ within
each of these groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from vicinal.density.kernels import NOMINAL, Kernel
from vicinal.density.local_spread import EQUAL, Spreads, spread_around
from vicinal.density.mixture import kernels_of, log_column
from vicinal.density.widths import HeldOut, widths_from
from vicinal.fitted import Fitted
from vicinal.index.case_weights import units_of
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.influence.small_samples import small_sample_factor
from vicinal.progress import track
from vicinal.typing import Bools, Floats, Ints, Places

#: Tables with more cases are sampled, and so many cases of them.
MOST_CASES = 50_000
SAMPLE_SIZE = 10_000
#: Share of the cases that may change before another sample is drawn.
MOST_CHANGED = 0.01
#: Nearest cases of a row: so many count one by one, of the others up to the last every so many.
NEAREST, NEAR, STEP = 64, 1024, 30
#: Last cases of a group that say how high a kernel in the next one may be.
_LAST = 8
#: Held-out cases that widths are learned from, and nearest cases whose kernels may explain each.
_QUERIES, _EXPLAINING = 200, 100
#: Rows whose nearest cases are searched at a time, which bounds memory.
_BATCH = 256
#: Number of pairs of rows and cases computed at a time: as many as stay in the cache.
_PAIRS = 1 << 17


class _Group(NamedTuple):
    """Cases that were evaluated, and those that they stand for."""

    logs: Floats  # ln of the kernel of each
    weights: Floats
    mass: float  # of all that they stand for
    size: int  # number of these


@dataclass(frozen=True, eq=False)
class SampledMixture:
    """Kernels around the cases of a large table, a sample of which is at hand."""

    index: Index
    metric: Metric
    threads: int | None
    kernels: tuple[Kernel, ...]
    widths: Floats  # (d,): see `Mixture.widths`
    power: float  # of the local spread around a case, by which its kernel is wider
    usual: float  # the spread that is usual, and the mean logarithm of what is wider or narrower
    center: float
    mass: float  # sum of the weights of all cases
    numbers: Ints  # (n,): the sample
    values: Floats  # (n, d)
    weights: Floats  # (n,)
    scales: Floats  # (n,): how much wider the kernels are around each of them

    def with_sample(self, size: int, random_state: int) -> SampledMixture:
        """Return the same kernels with another sample of the cases."""
        numbers, values = self.index.sample(size, random_state=random_state)
        weights = units_of(self.index, numbers)
        scales = self.scales_of(spread_around(self.index, self.metric, numbers, self.threads))
        return replace(self, numbers=numbers, values=values, weights=weights, scales=scales)

    def scales_of(self, spread: Floats) -> Floats:
        """Return how much wider kernels are where cases are spread like this."""
        bounded = np.clip(spread / self.usual, 0.1, 10.0) if self.usual > 0 else spread**0
        logs = np.where(np.isnan(bounded), 0.0, np.log(bounded) - self.center)
        return np.exp(self.power * logs)

    def log_density(
        self, rows: Floats, columns: Places, exclude: Ints | None = None
    ) -> tuple[Floats, Floats]:
        """Return the log density of encoded rows in some columns, and its standard errors.

        A unit of weight of the case to `exclude` is left out (−1 for none).
        """
        found, errors = np.empty(len(rows)), np.zeros(len(rows))
        own = np.full(len(rows), -1) if exclude is None else exclude
        known = self.metric.restricted(columns)
        active = [int(i) for i in known.active]
        starts = range(0, len(rows), _BATCH)
        for start in track(starts, total=len(starts), what="computing densities"):
            some = slice(start, start + _BATCH)
            near = self._near(rows[some], known, own[some])
            spreads = self._spreads([one[_evaluated(len(one))] for one in near])
            few = max(1, _PAIRS // max(len(self.numbers), 1))
            for at in range(start, min(start + _BATCH, len(rows)), few):
                part = range(at, min(at + few, start + _BATCH, len(rows)))
                far = self._far(rows[part.start : part.stop], active)
                for row, logs in zip(part, far, strict=True):
                    numbers = near[row - start]
                    groups = self._groups(rows[row], numbers, own[row], active, logs, spreads)
                    mass = self.mass - (1.0 if own[row] >= 0 else 0.0)
                    found[row], errors[row] = _log_mean(groups, mass)
        return found, errors

    def _near(self, rows: Floats, metric: Metric, own: Ints) -> list[Ints]:
        """Return the nearest cases of each row; its own is the first if some of it remains."""
        k = min(NEAR, len(self.index))
        found = self.index.search(rows, metric, k, exclude=own, threads=self.threads)
        near = []
        for numbers, case in zip(found.indices, own.tolist(), strict=True):
            others = numbers[(numbers >= 0) & (numbers != case)]
            near.append(np.insert(others, 0, case) if self._remains(case) else others)
        return near

    def _spreads(self, named: list[Ints]) -> Spreads:
        """Return the spread around cases, each searched once as long as cases do not change."""
        if self.power == 0 or not named:
            return Spreads()
        kept = self._kept.get(self.index.version)
        if kept is None:
            self._kept.clear()
            kept = self._kept[self.index.version] = Spreads()
        kept.learn(np.unique(np.concatenate(named)), self.index, self.metric, self.threads)
        return kept

    def _far(self, rows: Floats, active: list[int]) -> Floats:
        """Return the logarithms of the kernels around the sample, for each row."""
        logs = np.zeros((len(rows), len(self.numbers)))
        for i in active:
            known = ~np.isnan(rows[:, i])
            kernel, width = self.kernels[i], float(self.widths[i])
            widths = np.full(len(self.numbers), width)
            if kernel.kind != NOMINAL:
                widths = width * self.scales
            x = rows[known, i]
            logs[known] += log_column(kernel, x, self.values[:, i], width, widths)
        return logs

    def _groups(
        self,
        row: Floats,
        near: Ints,
        own: int,
        active: list[int],
        far: Floats,
        spreads: Spreads,
    ) -> list[_Group]:
        """Return the nearest cases of a row, the next ones, and all others."""
        weights = self._without(units_of(self.index, near), near, own)
        chosen = _evaluated(len(near))
        values, first = self.index.rows(near[chosen]), min(NEAREST, len(near))
        scales = np.ones(len(chosen))
        if self.power > 0:
            scales = self.scales_of(spreads.around(near[chosen]))
        logs = self._logs(row, values, scales, active)
        one, other = weights[:NEAREST], weights[NEAREST:]
        others = np.ones(len(self.numbers), dtype=bool)
        others[self._in_sample(np.append(near, own))] = False
        left = self.mass - (1.0 if own >= 0 else 0.0) - weights.sum()
        return [
            _Group(logs[:first], one, float(one.sum()), len(one)),
            _Group(logs[first:], weights[chosen[first:]], float(other.sum()), len(other)),
            _Group(far[others], self.weights[others], float(left), len(self.index) - len(near)),
        ]

    def _in_sample(self, numbers: Ints) -> Places:
        """Return where those of some cases stand in the sample that are in it."""
        order, ascending = self._ascending
        at = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
        return order[at[ascending[at] == numbers]]

    @cached_property
    def _ascending(self) -> tuple[Places, Ints]:
        order = np.argsort(self.numbers)
        return order, self.numbers[order]

    @cached_property
    def _kept(self) -> dict[int, Spreads]:
        """The spread around cases, by the version of the index."""
        return {}

    def _remains(self, own: int) -> bool:
        """Whether a case still has a weight if a unit of it is left out."""
        return own >= 0 and bool(units_of(self.index, np.array([own]))[0] > 1.0)

    def _without(self, weights: Floats, numbers: Ints, own: int) -> Floats:
        return np.where(numbers == own, np.maximum(weights - 1.0, 0.0), weights)

    def _logs(self, row: Floats, cases: Floats, scales: Floats, active: list[int]) -> Floats:
        """Return the logarithms of the kernels around some cases."""
        logs = np.zeros(len(cases))
        for i in active:
            if np.isnan(row[i]):
                continue
            kernel, width = self.kernels[i], float(self.widths[i])
            nominal = kernel.kind == NOMINAL
            widths = np.full(len(cases), width) if nominal else width * scales
            logs += log_column(kernel, row[i : i + 1], cases[:, i], width, widths)[0]
        return logs


def sampled_mixture_of(fitted: Fitted) -> SampledMixture:
    """Return the kernels of a large table; those learned before, while few cases have changed."""
    kept = fitted.estimates.get("mixture")
    if kept is None or fitted.n_changes - kept[0] > MOST_CHANGED * len(fitted.index):
        kept = fitted.estimates["mixture"] = (fitted.n_changes, fit_sampled(fitted))
    made: SampledMixture = kept[1]
    return made


def fit_sampled(fitted: Fitted, size: int = SAMPLE_SIZE) -> SampledMixture:
    """Learn the widths of the kernels from held-out cases, and draw a sample."""
    index, metric, threads = fitted.index, fitted.metric, fitted.threads
    seed, kernels = fitted.settings.random_state, kernels_of(fitted)
    numbers, values = index.sample(size, random_state=seed)
    spread = spread_around(index, metric, numbers, threads)
    usual = float(np.nanmedian(spread)) if not np.isnan(spread).all() else 0.0
    made = SampledMixture(
        *(index, metric, threads, kernels),
        widths=np.empty(0),
        power=1.0,
        usual=usual,
        center=0.0,
        mass=float(index.reduce("mass")["mass"]),
        numbers=numbers,
        values=values,
        weights=units_of(index, numbers),
        scales=np.ones(len(numbers)),
    )
    made = replace(made, center=float(np.log(made.scales_of(spread)).mean()))
    widths, power = widths_from(_held_out(fitted, made), metric, kernels)
    made = replace(made, widths=widths, power=power)
    return replace(made, scales=made.scales_of(spread))


def _held_out(fitted: Fitted, made: SampledMixture) -> HeldOut:
    """Hold out some cases; those equal to one of them are left out with it."""
    index, metric, threads = fitted.index, fitted.metric, fitted.threads
    asked, rows = index.sample(_QUERIES, random_state=fitted.settings.random_state + 1)
    k = min(_EXPLAINING, len(index))
    found = index.search(rows, metric, k, exclude=asked, threads=threads)
    there: Bools = (found.indices >= 0) & (found.distances > EQUAL)
    kept = there.any(axis=1)
    there, indices = there[kept], found.indices[kept]
    numbers = np.unique(indices[there])
    near = np.searchsorted(numbers, np.where(there, indices, numbers[0]))
    log_mass = np.where(there, np.log(units_of(index, numbers))[near], -np.inf)
    spread = made.scales_of(spread_around(index, metric, numbers, threads))
    weights = units_of(index, asked[kept])
    return HeldOut(rows[kept], weights, near, log_mass, index.rows(numbers), spread)


def _evaluated(count: int) -> Places:
    """Return which of so many near cases are evaluated: the nearest, and every so many others."""
    others = np.arange(NEAREST + STEP // 2, count, STEP)
    return np.concatenate([np.arange(min(NEAREST, count)), others])


def _log_mean(groups: list[_Group], mass: float) -> tuple[float, float]:
    """Return ln of the mean kernel over all cases, and its standard error.

    A few cases of a group may have much higher kernels than the others, and if none of them was
    evaluated, these say nothing of it. But hardly any is higher than the last ones of the group
    before, so the error is at least what one of that height would change.
    """
    groups = [one for one in groups if len(one.logs) and one.weights.sum() > 0]
    highest = max(float(one.logs.max()) for one in groups)
    total = variance = before = 0.0
    for one in groups:
        kernels, share = np.exp(one.logs - highest), one.weights / one.weights.sum()
        mean, m = float(share @ kernels), len(kernels)
        total += one.mass * mean
        if one.size > m:
            spread = float(share**2 @ (kernels - mean) ** 2) * m / max(m - 1, 1)
            spread *= small_sample_factor(max(m - 1, 1)) ** 2
            spread += (max(before - mean, 0.0) / m) ** 2
            variance += one.mass**2 * spread * (1.0 - m / one.size)
        before = float(kernels[-_LAST:].mean())
    return highest + float(np.log(total / mass)), float(np.sqrt(variance) / total)
