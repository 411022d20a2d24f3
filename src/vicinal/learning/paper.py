"""The paper's way: inverse distances, residual weights, k and p chosen leave-one-out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.weights import counted_weights
from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.losses import target_loss
from vicinal.influence.outcomes import mean_outcomes
from vicinal.influence.target import MIX, Target
from vicinal.influence.tuning import Trial, Tuning
from vicinal.learning.tuning import reachable
from vicinal.typing import Floats, Ints

#: Numbers of neighbors tried.
FIBONACCI = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)
#: Powers tried, where the model's own is not asked for.
POWERS = (0.0, 0.5, 1.0, 2.0)


def tune_paper(
    index: Index,
    metric: Metric,
    target: Target,
    *,
    mda: bool = False,
    powers: tuple[float, ...] = POWERS,
    max_queries: int = 1200,
    random_state: int = 0,
    threads: int | None = None,
) -> Tuning:
    """Choose k and p for a target, leave-one-out, with influences ∝ 1/distance.

    Parameters
    ----------
    mda : bool
        Whether to weigh each feature by how much leaving it out raises the loss (mean decrease
        in accuracy); else the weights stay.
    """
    cases, _ = index.sample(max_queries, random_state=random_state, required=target.column)
    if mda:
        metric = metric.with_weights(_mda_weights(index, metric, target, cases, threads))
    trials: list[Trial] = []
    best: tuple[float, Metric, int, Floats] | None = None
    for p in powers:
        powered = replace(metric, p=p)
        for k, predictions in _for_each_k(index, powered, target, cases, threads):
            loss = target_loss(predictions, cases, target)
            # Classes are chosen by the share of wrong ones first, as in the paper.
            score = _error_rate(predictions, cases, target) + 1e-3 * loss
            trials.append(Trial(f"p = {p:g}, k = {k}", "inverse", 1.0, np.inf, loss))
            if best is None or score < best[0]:
                best = (score, powered, k, predictions)
    assert best is not None
    _, chosen, k, predictions = best
    trace = MIX if target.n_classes else 0.0
    ensemble = Ensemble(
        target.column,
        (Space(chosen, "residuals"),),
        (Member(0, "inverse", 1.0, np.inf, 1.0 - trace),),
        k,
        trace,
    )
    if target.n_classes:
        predictions = (1 - trace) * predictions + trace * target.shares
    loss = target_loss(predictions, cases, target)
    return Tuning(ensemble, tuple(sorted(trials, key=lambda t: t.loss)), loss, cases, predictions)


def _error_rate(predictions: Floats, cases: Ints, target: Target) -> float:
    if not target.n_classes:
        return target_loss(predictions, cases, target)
    wrong = predictions.argmax(axis=1) != target.outcomes_of(cases)
    return float(wrong @ target.weights_of(cases))


def _for_each_k(
    index: Index, metric: Metric, target: Target, cases: Ints, threads: int | None
) -> list[tuple[int, Floats]]:
    """Predict with every k from one search for the largest."""
    most = reachable(index, FIBONACCI[-1])
    found = index.search(
        index.rows(cases),
        metric,
        most,
        exclude=cases,
        required=target.column,
        threads=threads,
    )
    there = found.indices >= 0
    outcomes = target.outcomes_of(found.indices)
    results = []
    for k in [k for k in FIBONACCI if k <= most]:
        counts = counted_weights(index, found.indices[:, :most], k, cases)
        counted = there & (np.arange(most) < k) if counts is None else counts
        influence = counted / found.distances
        totals = influence.sum(axis=1, keepdims=True)
        shares = influence / np.where(totals > 0, totals, 1.0)
        results.append((k, mean_outcomes(shares, outcomes, target.n_classes)))
    return results


def _mda_weights(
    index: Index, metric: Metric, target: Target, cases: Ints, threads: int | None
) -> Floats:
    """How much the loss grows without each feature; features that only harm keep a trace."""

    def loss_of(one: Metric) -> float:
        return min(
            target_loss(predictions, cases, target)
            for _, predictions in _for_each_k(index, one, target, cases, threads)
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
