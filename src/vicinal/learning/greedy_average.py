"""Greedy averaging of the candidate predictors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.losses import Judge
from vicinal.influence.target import MIX, Target
from vicinal.influence.tuning import Trial, Tuning
from vicinal.learning.scoring import Candidate
from vicinal.typing import Ints


def greedy_average(
    draft: Ensemble,
    spaces: tuple[Space, ...],
    candidates: list[Candidate],
    target: Target,
    queries: Ints,
    max_members: int,
) -> Tuning:
    """Add members to the average one by one, each time the one that lowers the loss most.

    The prior, which uses no features, is one of the candidates.
    """
    prior = np.tile(target.expected, (len(queries), 1))
    answers = [c.predictions for c in candidates] + [prior]
    judge = Judge(queries, target)
    guesses = np.stack([judge.guesses(one) for one in answers])
    counts = np.zeros(len(answers))
    total = np.zeros(len(queries))
    best = np.inf
    for size in range(1, max_members + 1):
        losses = judge.losses((total + guesses) / size)
        choice = int(np.argmin(losses))
        if losses[choice] >= best - 1e-7:
            break
        best = float(losses[choice])
        total = total + guesses[choice]
        counts[choice] += 1
    chosen = np.flatnonzero(counts)
    mean = sum(counts[i] * answers[i] for i in chosen) / counts.sum()
    # No class is ever impossible: all cases share a small part of the prediction.
    trace = MIX if target.n_classes else 0.0
    shares = (1 - trace) * counts / counts.sum()
    members = tuple(
        Member(space, c.rule, c.bandwidth, c.ridge, share / len(c.spaces))
        for c, share in zip(candidates, shares, strict=False)
        if share > 0
        for space in c.spaces
    )
    ensemble = replace(draft, spaces=spaces, members=members, background=float(shares[-1] + trace))
    trials = [Trial(c.reading, c.rule, c.bandwidth, c.ridge, c.loss) for c in candidates]
    return Tuning(
        ensemble,
        tuple(sorted(trials, key=lambda trial: trial.loss)),
        best,
        queries,
        (1 - trace) * mean + trace * prior,
    )
