"""Greedy averaging of the candidate predictors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.sampling import random_keys
from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.losses import Judge
from vicinal.influence.target import MIX, Target
from vicinal.influence.tuning import Trial, Tuning
from vicinal.learning.scoring import Candidate
from vicinal.typing import Bools, Floats, Ints

#: Random halves of the cases that members are chosen with.
BAGS = 8
#: With fewer cases than this, all of them choose.
FEWEST_TO_HALVE = 150
#: Members with a smaller share than this are left out.
LEAST_SHARE = 0.02


def greedy_average(
    draft: Ensemble,
    spaces: tuple[Space, ...],
    candidates: list[Candidate],
    target: Target,
    queries: Ints,
    max_members: int,
    *,
    random_state: int = 0,
) -> Tuning:
    """Add members to the average one by one, each time the one that lowers the loss most.

    The prior, which uses no features, is one of the candidates. This is done with several random
    halves of the cases, and what they choose is averaged: chosen with all cases at once, the
    average would suit these cases alone.
    """
    prior = np.tile(target.expected, (len(queries), 1))
    answers = [c.predictions for c in candidates] + [prior]
    judge = Judge(queries, target)
    guesses = np.stack([judge.guesses(one) for one in answers])
    bags = _bags(target.index.rows(queries), random_state)
    counts = np.mean([_chosen(guesses, judge, bag, max_members) for bag in bags], axis=0)
    counts = _strongest(counts, max_members)
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
    loss = float(judge.losses(judge.guesses(mean)))
    return Tuning(
        ensemble,
        tuple(sorted(trials, key=lambda trial: trial.loss)),
        loss,
        queries,
        (1 - trace) * mean + trace * prior,
    )


def _bags(values: Floats, random_state: int) -> list[Bools]:
    """Return random halves of the cases, by their content."""
    if len(values) < FEWEST_TO_HALVE:
        return [np.ones(len(values), dtype=bool)]
    seeds = range(random_state + 1, random_state + 1 + BAGS)
    return [random_keys(values, random_state=seed) < 0.5 for seed in seeds]


def _chosen(guesses: Floats, judge: Judge, bag: Bools, max_members: int) -> Floats:
    """Return the share of each candidate in an average that suits some of the cases."""
    judge, guesses = judge.taken(bag), guesses[:, bag]
    counts, total, best = np.zeros(len(guesses)), np.zeros(guesses.shape[1]), np.inf
    for size in range(1, max_members + 1):
        losses = judge.losses((total + guesses) / size)
        choice = int(np.argmin(losses))
        if losses[choice] >= best - 1e-7:
            break
        best = float(losses[choice])
        total = total + guesses[choice]
        counts[choice] += 1
    return counts / max(counts.sum(), 1.0)


def _strongest(shares: Floats, most: int) -> Floats:
    """Keep the candidates with the largest shares; each of them costs time in every prediction."""
    kept = np.zeros_like(shares)
    order = np.argsort(-shares, kind="stable")[:most]
    order = order[shares[order] >= LEAST_SHARE * shares.sum()]
    kept[order] = shares[order]
    return kept
