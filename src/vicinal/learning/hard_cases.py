"""Which of the left-out cases there is something to learn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import random_keys
from vicinal.influence.ensemble import Ensemble, search_neighbors
from vicinal.influence.target import Target
from vicinal.learning.entropy import plain_weights
from vicinal.learning.scoring import Scorer
from vicinal.typing import Floats, Ints

#: A case whose class is as surprising as this, in nats, before anything is learned is always
#: asked; one that is less surprising is asked with a probability in proportion, but with no
#: smaller one than the second.
DOUBT = 0.1
LEAST_CHANCE = 0.25

#: So many are asked at least, or all.
FEWEST = 200

#: Neighbors that tell whether a class is in doubt, at most.
NEIGHBORS = 20


def hard_cases(
    index: Index,
    metric: Metric,
    target: Target,
    cases: Ints,
    draft: Ensemble,
    *,
    random_state: int = 0,
    threads: int | None = None,
) -> tuple[Ints, Target]:
    """Choose the cases whose class is in doubt, and some of the others to stand for them all.

    Where most classes are plain from the outset, a loss is a sum over the few that are not: it
    is nearly the same, and known in a fraction of the time, if few of the plain ones are asked
    and each counts for several. The metric has no weights for the target yet; the draft says how
    many neighbors there are to ask.

    Returns
    -------
    cases : ndarray of int64
        The chosen ones, ascending.
    target : Target
        The same, where every case counts as many as it stands for when it is left out.
    """
    values = index.rows(cases)
    near = search_neighbors(
        index,
        metric.with_weights(plain_weights(metric)),
        replace(draft, k=min(draft.k, NEIGHBORS)),
        values,
        exclude=cases,
        threads=threads,
    )
    scorer = Scorer("", 0, [near], target, (cases, cases[:0]), threads)
    losses = scorer.judge.surprisals(scorer.judge.guesses(scorer.best_plain().predictions))
    chances = _chances(losses)
    chosen = random_keys(values, random_state=random_state) < chances
    counted = 1.0 / chances
    weights = index.weights_of(cases)
    if weights is not None:
        counted = counted * weights
    return cases[chosen], replace(target, asked=(cases, counted))


def _chances(losses: Floats) -> Floats:
    """The probability with which each is asked."""
    if len(losses) <= FEWEST:
        return np.ones(len(losses))
    chances = np.clip(losses / DOUBT, LEAST_CHANCE, 1.0)
    short = FEWEST - chances.sum()
    if short <= 0:
        return chances
    # The rest is shared out among those that are not certain to be asked.
    return chances + short * (1.0 - chances) / (1.0 - chances).sum()
