"""MDA weights: each feature by the mean decrease in accuracy when it is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.ties import search_ties
from vicinal.influence.losses import Judge
from vicinal.influence.outcomes import mean_outcomes
from vicinal.influence.target import Target
from vicinal.learning.tuning import reachable
from vicinal.typing import Floats, Ints

#: Numbers of neighbors tried.
FIBONACCI = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)

#: No feature weighs less than this part of the heaviest one, before the exponent.
_LEAST = 0.01


def mda_weights(rises: Floats, metric: Metric, exponent: float = 1.0) -> Floats:
    """Return weights by how informative features are; harmful features keep a small weight.

    Parameters
    ----------
    rises : ndarray
        The information of each active feature, such as the rise in loss without it.
    metric : Metric
        Its own weights remain, as factors.
    exponent : float
        Power that the parts of the largest rise are raised to.
    """
    weights = np.zeros_like(metric.weights)
    top = rises.max(initial=0.0)
    parts = np.maximum(rises / top, _LEAST) ** exponent if top > 0 else np.ones(len(rises))
    weights[metric.active] = parts
    return weights * metric.weights


@dataclass(frozen=True, eq=False)
class Candidate:
    """Leave-one-out predictions by the k nearest in a metric, influences ∝ 1/distance^power."""

    metric: Metric
    k: int
    inverse_power: float
    predictions: Floats


@dataclass(frozen=True, eq=False)
class Judged:
    """Some cases by whose leave-one-out predictions metrics are judged."""

    index: Index
    target: Target
    cases: Ints
    threads: int | None = None

    @cached_property
    def judge(self) -> Judge:
        """What compares predictions of the cases with their outcomes."""
        return Judge(self.cases, self.target)

    def candidates(self, metric: Metric, inverse_powers: tuple[float, ...]) -> Iterator[Candidate]:
        """Predict with every k and power of the distance, from one search for the largest k."""
        most = reachable(self.index, FIBONACCI[-1])
        found = search_ties(
            self.index,
            self.index.rows(self.cases),
            metric,
            most,
            exclude=self.cases,
            required=self.target.column,
            threads=self.threads,
        )
        outcomes = self.target.outcomes_of(found.indices)
        # In parts of the least distance, whose powers neither overflow nor all vanish.
        nearest = np.where(np.isfinite(found.distances[:, :1]), found.distances[:, :1], 1.0)
        kernels = {one: (nearest / found.distances) ** one for one in inverse_powers}
        tried = [k for k in FIBONACCI if k <= most]
        for k, places in zip(tried, found.places_of_each(tried), strict=True):
            width = int(np.flatnonzero(places.any(axis=0)).max(initial=0)) + 1
            near, known = places[:, :width], outcomes[:, :width]
            for power, kernel in kernels.items():
                influence = near * kernel[:, :width]
                totals = influence.sum(axis=1, keepdims=True)
                shares = influence / np.where(totals > 0, totals, 1.0)
                predictions = mean_outcomes(shares, known, self.target.n_classes)
                yield Candidate(metric, k, power, predictions)

    def least_loss(self, metric: Metric, inverse_power: float = 1.0) -> float:
        """Return the loss with the best number of neighbors."""
        return min(
            self.judge.loss(one.predictions) for one in self.candidates(metric, (inverse_power,))
        )

    def losses_without(self, metric: Metric, inverse_power: float = 1.0) -> tuple[float, Floats]:
        """Return the loss with all features, and the losses without each one."""
        whole, active = self.least_loss(metric, inverse_power), metric.active
        if len(active) < 2:
            return whole, np.full(len(active), whole)
        rests = [metric.restricted(active[active != i]) for i in active]
        return whole, np.array([self.least_loss(rest, inverse_power) for rest in rests])

    def losses_alone(self, metric: Metric, inverse_power: float = 1.0) -> tuple[float, Floats]:
        """Return the loss without any feature, and the losses with each one alone."""
        nothing = np.tile(self.target.expected, (len(self.cases), 1))
        none = self.judge.loss(nothing)
        every = [metric.restricted(np.array([i])) for i in metric.active]
        return none, np.array([self.least_loss(one, inverse_power) for one in every])
