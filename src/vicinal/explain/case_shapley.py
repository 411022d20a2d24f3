"""Shapley values of the training cases in a k-NN, summed over rows."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

import numpy as np

from vicinal.explain.knn_shapley import knn_shapley_classes, knn_shapley_numbers
from vicinal.explain.knn_shapley_tail import Unranked, unranked_classes, unranked_numbers
from vicinal.fitted import Rows
from vicinal.index.metric import Metric
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats, Ints

#: By how much more of the nearest cases are searched where several tie for the last rank.
_WIDER = 4


class _Ranked(NamedTuple):
    """The nearest cases of a row, with all that tie for the last rank."""

    cases: Ints
    distances: Floats


class CaseShapley:
    """Sums the Shapley values of all cases over rows.

    The nearest cases of a row are ranked, and those that tie for the last rank; the others count
    as equally far (see `vicinal.explain.knn_shapley_tail`). What such a case is worth is a
    polynomial in its outcome, so it is computed once for all rows that compare outcomes alike.

    Parameters
    ----------
    predictor : Predictor
        Predicts the target, in some spaces, each of which counts by its share.
    numbers : ndarray of int64
        All cases.
    k : int
        Number of neighbors.
    ranked : int
        How many cases are ranked.
    """

    def __init__(self, predictor: Predictor, numbers: Ints, k: int, ranked: int) -> None:
        self._predictor, self._numbers, self._k, self._most = predictor, numbers, k, ranked
        self._near: Floats = np.zeros(int(numbers.max(initial=-1)) + 1)
        #: What every case is worth, by the true outcome that cases are compared with.
        self._far: defaultdict[float, Floats] = defaultdict(lambda: np.zeros(3))
        self._sums: dict[float, Unranked] = {}

    @cached_property
    def _known(self) -> Ints:
        """The cases with a known outcome."""
        outcomes = self._predictor.target.outcomes_of(self._numbers)
        return self._numbers[~np.isnan(outcomes)]

    def add(self, rows: Rows, truth: Floats) -> None:
        """Add the values of all cases to some rows."""
        predictor = self._predictor
        values = predictor.cases.rows(rows.values, rows.exclude)
        parts = np.zeros(len(predictor.ensemble.spaces))
        for member in predictor.ensemble.members:
            parts[member.space] += member.share
        own = np.full(len(rows), -1) if rows.exclude is None else rows.exclude
        parts /= parts.sum() or 1.0
        for space, part in zip(predictor.ensemble.spaces, parts, strict=True):
            if part == 0:
                continue
            found = self._ranked(values, space.metric, own)
            for at, near in enumerate(found):
                self._add_row(near, float(truth[at]), int(own[at]), float(part))

    def total(self) -> Floats:
        """Return the sum of the values of each case, by case number."""
        total = self._near.copy()
        for key, factors in self._far.items():
            total[self._known] += _of_outcomes(factors, self._outcomes(self._known, key))
        return total

    def _ranked(self, values: Floats, metric: Metric, own: Ints) -> list[_Ranked]:
        """Find the nearest cases of each row, and all that tie for the last rank."""
        size, wanted = len(self._predictor.index), min(self._most, len(self._predictor.index))
        width, left, found = wanted + 1, np.arange(len(values)), {}
        while len(left):
            near = self._predictor.cases.index.search(
                values[left],
                metric,
                min(width, size),
                exclude=own[left],
                required=self._predictor.target.column,
                threads=self._predictor.threads,
            )
            tied = []
            for row, cases, distances in zip(left, near.indices, near.distances, strict=True):
                count = int((cases >= 0).sum())
                if count > wanted:
                    last = distances[wanted - 1]
                    within = int(np.searchsorted(distances[:count], last, side="right"))
                    if within == len(cases) < size:
                        tied.append(int(row))
                        continue
                    count = within
                found[int(row)] = _Ranked(cases[:count].copy(), distances[:count].copy())
            left, width = np.array(tied, dtype=np.intp), _WIDER * width
        return [found[row] for row in range(len(values))]

    def _add_row(self, near: _Ranked, truth: float, own: int, part: float) -> None:
        """Add the values of all cases to one row, in one space."""
        target, k = self._predictor.target, self._k
        key = truth if target.n_classes or target.period else 0.0
        outcomes, left_out = self._outcomes(near.cases, key), np.empty(0)
        if own >= 0:
            left_out = self._outcomes(np.array([own]), key)
            left_out = left_out[~np.isnan(left_out)]
        others = _without(self._sums_of(key), np.append(outcomes, left_out))
        if target.n_classes:
            values = knn_shapley_classes(outcomes > 0, near.distances, k, others)
            factors = np.append(unranked_classes(len(outcomes), others, k), 0.0)
        else:
            true = truth - target.mean
            values = knn_shapley_numbers(outcomes, near.distances, true, k, others)
            factors = unranked_numbers(len(outcomes), others, float(outcomes.sum()), true, k)
        if others.count:  # else no case is worth what those that are not ranked would be
            self._far[key] += part * factors
            values = values - _of_outcomes(factors, outcomes)
            if len(left_out):
                self._near[own] -= part * _of_outcomes(factors, left_out)[0]
        self._near[near.cases] += part * values

    def _outcomes(self, cases: Ints, key: float) -> Floats:
        """Return whether cases have the true class; or their outcomes, less the mean one."""
        target = self._predictor.target
        outcomes = target.outcomes_of(cases)
        if target.n_classes:
            hits: Floats = np.where(np.isnan(outcomes), np.nan, outcomes == key)
            return hits
        return target.near(outcomes, np.array(key)) - target.mean

    def _sums_of(self, key: float) -> Unranked:
        """Return the sums over all cases; by value, so that their order does not matter."""
        if key not in self._sums:
            outcomes = np.sort(self._outcomes(self._known, key))
            squares = float(np.sort(outcomes**2).sum())
            self._sums[key] = Unranked(len(outcomes), float(outcomes.sum()), squares)
        return self._sums[key]


def _without(every: Unranked, outcomes: Floats) -> Unranked:
    """Return what remains of the cases without some."""
    count = every.count - len(outcomes)
    if not count:
        return Unranked()
    squares = every.squares - float((outcomes**2).sum())
    return Unranked(count, every.total - float(outcomes.sum()), squares)


def _of_outcomes(factors: Floats, outcomes: Floats) -> Floats:
    return factors[0] + outcomes * (factors[1] + outcomes * factors[2])
