"""The paper's method: inverse distances, residual weights, k and p chosen leave-one-out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.losses import Judge
from vicinal.influence.target import MIX, Target
from vicinal.influence.tuning import Trial, Tuning
from vicinal.learning.mda_weights import mda_weights, predict_for_each_k
from vicinal.typing import Floats

#: Powers tried, unless the model's own is required.
POWERS = (0.0, 0.5, 1.0, 2.0)


def tune_paper(
    index: Index,
    metric: Metric,
    target: Target,
    *,
    mda: bool = False,
    powers: tuple[float, ...] = POWERS,
    max_queries: int = 2400,
    random_state: int = 0,
    threads: int | None = None,
) -> Tuning:
    """Choose k and p for a target, leave-one-out, with influences ∝ 1/distance.

    Parameters
    ----------
    mda : bool
        Whether to weight each feature by the rise in loss without it (mean decrease in
        accuracy); otherwise the weights stay.
    """
    cases, _ = index.sample(max_queries, random_state=random_state, required=target.column)
    if mda:
        metric = metric.with_weights(mda_weights(index, metric, target, cases, threads))
    judge = Judge(cases, target)
    trials: list[Trial] = []
    best: tuple[float, Metric, int, Floats] | None = None
    for p in powers:
        powered = replace(metric, p=p)
        for k, predictions in predict_for_each_k(index, powered, target, cases, threads):
            loss = judge.loss(predictions)
            # For classes the error rate is compared first, as in the paper.
            first = judge.error_rate(predictions) if target.n_classes else loss
            score = first + 1e-3 * loss
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
    loss = judge.loss(predictions)
    return Tuning(ensemble, tuple(sorted(trials, key=lambda t: t.loss)), loss, cases, predictions)
