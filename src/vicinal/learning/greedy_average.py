"""Greedy averaging of the candidate predictors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.sampling import split_cases
from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.losses import Judge
from vicinal.influence.target import MIX, Target
from vicinal.influence.tuning import Trial, Tuning
from vicinal.learning.even_shares import even_shares
from vicinal.learning.robust_choice import robust_choice
from vicinal.learning.scoring import Candidate
from vicinal.typing import Bools, Floats, Ints

#: Random halves of the cases that members are chosen with.
BAGS = 8
#: With fewer cases than this, all of them choose; each of so many parts is predicted by what the
#: others choose.
FEWEST_TO_HALVE = 150
PARTS = 10
#: Members with a smaller share than this are left out.
LEAST_SHARE = 0.02
#: Losses that differ less are equal: rounding, which a unit decides, must not choose a member.
EQUAL_LOSSES = 1e-9


def greedy_average(
    draft: Ensemble,
    spaces: tuple[Space, ...],
    candidates: list[Candidate],
    target: Target,
    queries: Ints,
    contents: Floats,
    max_members: int,
    *,
    attacked: Ints | None = None,
    random_state: int = 0,
) -> Tuning:
    """Add members to the average one by one, each time the one that lowers the loss most.

    The prior, which uses no features, is one of the candidates. This is done with several random
    halves of the cases, and what they choose is averaged: chosen with all cases at once, the
    average would suit these cases alone. For the same reason, the reported prediction of a case
    is the average that other cases choose, and the prior in it is that of the others. Cases
    with the same `contents`, their features, choose together. If some cases are `attacked`, their
    losses where an attacker has moved them count as much as is affordable. For classes, shares are
    then drawn towards even ones.
    """
    prior = expected_without(target, queries)
    judge = Judge(queries, target)
    guesses = np.stack([*(one.guesses for one in candidates), judge.guesses(prior)])
    choosers = _choosers(contents, random_state)

    def chosen_by(given: Floats, judge: Judge, choosers: list[Bools]) -> Floats:
        return np.array([_chosen(given, judge, some, max_members) for some in choosers])

    def used(shares: Floats) -> Floats:
        # Predictions of numbers gain nothing by even shares.
        return even_shares(shares, [c.spaces for c in candidates]) if target.n_classes else shares

    if attacked is None:
        chosen = chosen_by(guesses, judge, choosers)
    else:
        at = np.searchsorted(queries, attacked)
        moved = [one.attacked for one in candidates if one.attacked is not None]
        both = np.append(guesses, np.stack([*moved, judge.guesses(prior)[at]]), axis=1)
        twice = [np.append(some, some[at]) for some in choosers]
        chosen = robust_choice(
            lambda share: chosen_by(both, judge.repeated(at, share), twice),
            lambda chosen: float(
                judge.losses((used(_chosen_by_others(choosers, chosen)) * guesses.T).sum(axis=1))
            ),
        )
    counts = chosen[0] if len(queries) < FEWEST_TO_HALVE else chosen.mean(axis=0)
    counts = used(_strongest(counts, max_members)[None])[0]
    by_others = used(_chosen_by_others(choosers, chosen))
    mean = np.zeros_like(prior)
    for i in np.flatnonzero(by_others.any(axis=0)).tolist():
        mean += by_others[:, [i]] * (candidates[i].predict() if i < len(candidates) else prior)
    # No class is ever impossible: all cases share a small part of the prediction.
    trace = MIX if target.n_classes else 0.0
    shares = (1 - trace) * counts / counts.sum()
    members = tuple(
        Member(space, c.rule, c.bandwidth, c.ridge, float(share) / len(c.spaces))
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
        (1 - trace) * mean + trace * target.expected,
    )


def expected_without(target: Target, cases: Ints) -> Floats:
    """Return what to expect of each case without any features: the mean of all other outcomes.

    A mean that contains the case itself is closer to its outcome than that of a new row.
    """
    mass = float(target.index.reduce("mass", required=target.column)["mass"])
    weights = target.index.weights_of(cases)
    unit = np.ones(len(cases)) if weights is None else np.minimum(weights, 1.0)
    own = target.outcomes_of(cases)[:, None]
    if target.n_classes:
        own = (own == np.arange(target.n_classes)).astype(np.float64)
    part = (unit / np.maximum(mass - unit, 1e-300))[:, None]
    alone = (mass <= unit)[:, None]  # no other case is left
    return np.where(alone, target.expected, target.expected + part * (target.expected - own))


def _choosers(contents: Floats, random_state: int) -> list[Bools]:
    """Return groups of cases that choose members, by their features.

    Many cases choose in random halves, so that each is left out of several. Few cases choose all
    together, and then without each of several parts.
    """
    if len(contents) >= FEWEST_TO_HALVE:
        seeds = range(random_state + 1, random_state + 1 + BAGS)
        return [split_cases(contents, 2, random_state=seed) == 0 for seed in seeds]
    part = split_cases(contents, PARTS, random_state=random_state)
    rest = [part != at for at in np.unique(part)]
    return [np.ones(len(contents), dtype=bool), *(some for some in rest if some.any())]


def _chosen_by_others(choosers: list[Bools], chosen: Floats) -> Floats:
    """Return for each case the mean of what the groups without it choose, if there are any."""
    without = ~np.array(choosers).T
    without[~without.any(axis=1)] = True
    shares: Floats = (without / without.sum(axis=1, keepdims=True)) @ chosen
    return shares


def _chosen(guesses: Floats, judge: Judge, bag: Bools, max_members: int) -> Floats:
    """Return the share of each candidate in an average that suits some of the cases."""
    judge, guesses = judge.taken(bag), guesses[:, bag]
    counts, total, best = np.zeros(len(guesses)), np.zeros(guesses.shape[1]), np.inf
    for size in range(1, max_members + 1):
        losses = judge.losses((total + guesses) / size)
        choice = int(np.argmax(losses <= losses.min() + EQUAL_LOSSES))
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
