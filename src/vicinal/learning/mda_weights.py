"""MDA weights: each feature by the mean decrease in accuracy when it is left out."""

from __future__ import annotations

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


def mda_weights(
    index: Index, metric: Metric, target: Target, cases: Ints, threads: int | None
) -> Floats:
    """Return the rise in loss without each feature; harmful features keep a small weight."""
    judge = Judge(cases, target)

    def loss_of(one: Metric) -> float:
        return min(
            judge.loss(predictions)
            for _, predictions in predict_for_each_k(index, one, target, cases, threads)
        )

    whole = loss_of(metric)
    active = metric.active
    if len(active) < 2:
        return metric.weights
    rises = np.array([loss_of(metric.restricted(active[active != i])) - whole for i in active])
    weights = np.zeros_like(metric.weights)
    top = rises.max()
    weights[active] = np.maximum(rises / top, 0.01) if top > 0 else 1.0
    return weights * metric.weights


def predict_for_each_k(
    index: Index, metric: Metric, target: Target, cases: Ints, threads: int | None
) -> list[tuple[int, Floats]]:
    """Predict with every k from one search for the largest."""
    most = reachable(index, FIBONACCI[-1])
    found = search_ties(
        index,
        index.rows(cases),
        metric,
        most,
        exclude=cases,
        required=target.column,
        threads=threads,
    )
    outcomes = target.outcomes_of(found.indices)
    tried = [k for k in FIBONACCI if k <= most]
    results = []
    for k, places in zip(tried, found.places_of_each(tried), strict=True):
        influence = places / found.distances
        totals = influence.sum(axis=1, keepdims=True)
        shares = influence / np.where(totals > 0, totals, 1.0)
        results.append((k, mean_outcomes(shares, outcomes, target.n_classes)))
    return results
