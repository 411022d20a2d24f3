"""Select the leave-one-out cases that are informative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import random_keys
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.nearby import search_neighbors
from vicinal.influence.target import Target
from vicinal.learning.entropy import plain_weights
from vicinal.learning.scoring import Group, Scorer
from vicinal.typing import Floats, Ints

#: A case whose class has at least this surprisal, in nats, before learning is always sampled;
#: others are sampled with a probability proportional to their surprisal, but at least the
#: second value.
DOUBT = 0.1
LEAST_CHANCE = 0.25

#: Minimum number of sampled cases, or all.
FEWEST = 200

#: Maximum number of neighbors used to tell whether a class is uncertain.
NEIGHBORS = 20


def hard_cases(
    index: Index,
    metric: Metric,
    target: Target,
    cases: Ints,
    values: Floats,
    draft: Ensemble,
    *,
    random_state: int = 0,
    threads: int | None = None,
) -> tuple[Ints, Target]:
    """Choose the cases whose class is uncertain, and a weighted sample of the others.

    If most classes are easy to predict, the loss comes mainly from the few that are not: sampling
    a few easy cases, each with a larger weight, gives nearly the same loss in a fraction of the
    time. The metric has no weights for the target yet; `values` are the rows that the cases are
    judged at; the draft gives the number of neighbors.

    Returns
    -------
    cases : ndarray of int64
        The chosen ones, ascending.
    target : Target
        The same, with each sampled case weighted by the number of cases it represents.
    """
    near = search_neighbors(
        index,
        metric.with_weights(plain_weights(metric)),
        min(draft.k, NEIGHBORS),
        values,
        required=draft.target,
        exclude=cases,
        threads=threads,
    )
    scorer = Scorer("", (), [Group(cases, near)], target, threads)
    losses = scorer.judge.surprisals(scorer.judge.guesses(scorer.best_plain().predictions))
    chances = _chances(losses)
    chosen = random_keys(values, random_state=random_state) < chances
    counted = 1.0 / chances
    weights = index.weights_of(cases)
    if weights is not None:
        counted = counted * weights
    return cases[chosen], replace(target, asked=(cases, counted))


def _chances(losses: Floats) -> Floats:
    """Return the sampling probability of each case."""
    if len(losses) <= FEWEST:
        return np.ones(len(losses))
    chances = np.clip(losses / DOUBT, LEAST_CHANCE, 1.0)
    short = FEWEST - chances.sum()
    if short <= 0:
        return chances
    # The rest is distributed among those that are not certain to be sampled.
    return chances + short * (1.0 - chances) / (1.0 - chances).sum()
