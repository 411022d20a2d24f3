"""Feature weights that minimize the surprisal of a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.index.candidates import Candidates
from vicinal.index.descent import (
    LeftOut,
    LeftOutOfCandidates,
    LeftOutOfPairs,
    Sample,
    descend,
)
from vicinal.index.metric import Metric
from vicinal.index.pairs import Pairs
from vicinal.index.protocol import Index
from vicinal.index.terms import case_excess
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.index.ties import search_ties
from vicinal.influence.target import MIX, Target
from vicinal.learning.views import Views
from vicinal.typing import Floats, Ints, Places

#: Log weights that move less than this in a round have converged.
SETTLED = 0.1

#: Terms between one case and all others, at most, that are worked out for each search: beyond
#: this, searches that rule out most cases by bounds take less time.
MOST_TERMS_OF_ONE = 60_000
#: In columns of at most so many values they are worked out once for all cases, and then take this
#: part of the time.
FEW_VALUES = 32
PART_OF_FEW_VALUES = 0.25
#: Terms of candidates that are worked out at once, at most: 64 megabytes, and as many again of
#: those that are near enough. More are worked out case by case.
MOST_AT_ONCE = 16_000_000
#: Beyond so many, those that are near enough are kept as bytes: errors of many terms cancel out.
MOST_SINGLES = 24_000_000


class Pool(NamedTuple):
    """Candidate neighbors of left-out cases.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, pool)
        Case numbers; −1 for none.
    masses : ndarray of shape (m, pool)
        The weight that each stands for, less the unit left out.
    """

    indices: Ints
    masses: Floats


def _pool_of(near: Sequence[tuple[Places, TiedNeighbors]]) -> Pool:
    """Return the neighbors of some queries as candidates, by the positions of the queries."""
    size = sum(len(at) for at, _ in near)
    width = max((one.indices.shape[1] for _, one in near), default=0)
    width += -width % 8  # eight are treated at a time
    pool = Pool(np.full((size, width), -1, dtype=np.int64), np.zeros((size, width)))
    for at, one in near:
        indices = one.indices
        pool.indices[at, : indices.shape[1]] = indices
        masses = (indices >= 0).astype(np.float64) if one.masses is None else one.masses
        pool.masses[at, : indices.shape[1]] = masses
    return pool


def all_pairs(views: Views, metric: Metric, target: Target, cases: Ints) -> Pairs | None:
    """Return the cases beside all with the target; None if these are too many."""
    index = views.index
    if views.moved is not None:  # pairs are those of the cases themselves
        return None
    room = MOST_TERMS_OF_ONE / max(len(index), 1) - 8
    if PART_OF_FEW_VALUES * len(metric.active) > room:
        return None
    pool, _ = index.sample(len(index), required=target.column)
    if len(metric.active) > room and _columns_to_work_out(index, metric, pool) > room:
        return None
    parts = list(views.split(np.sort(cases)))
    return Pairs(index, metric, cases, pool, parts=parts, differing=views.differing)


def _columns_to_work_out(index: Index, metric: Metric, pool: Ints) -> float:
    """Return how many columns there are, those of few values counted in part."""
    parts = (
        PART_OF_FEW_VALUES if len(np.unique(index.cells(pool, column))) <= FEW_VALUES else 1.0
        for column in metric.active.tolist()
    )
    return sum(parts)


def plain_weights(metric: Metric) -> Floats:
    """Return the initial weights: equal for all active columns."""
    active = metric.active
    return _spread(np.full(len(active), len(active) ** -0.5), active, len(metric.weights))


def entropy_weights(
    views: Views,
    metric: Metric,
    target: Target,
    cases: Ints,
    *,
    begin: Floats | None = None,
    pairs: Pairs | None = None,
    candidates: int = 50,
    rounds: int = 3,
    iterations: int = 20,
    threads: int | None = None,
) -> Floats:
    r"""Learn weights that minimize the leave-one-out entropy of the target.

    Parameters
    ----------
    views : Views
        Where each of the cases sees the others.
    begin : ndarray, optional
        Weights that were learned from some of the cases; by default equal ones.
    pairs : Pairs, optional
        These cases and others, from `all_pairs`.
    candidates : int
        Number of nearest cases that contribute to each.
    rounds : int
        How often candidates are chosen again with the weights learned so far.

    Notes
    -----
    Influences are :math:`a_j \propto \exp(-\sum_i w_i x_{ij})` with excess terms x. For classes
    the loss is :math:`-\log \sum_{j \in hits} a_j`, whose gradient in :math:`w_i` is the mean
    excess over hits less the mean excess over all; for numbers a smooth absolute error.
    """
    active = metric.active
    start = np.log(plain_weights(metric)[active])
    logs = start if begin is None else np.log(begin[active])
    sample: Sample | None = None
    for _ in range(rounds):
        if pairs is None:
            weighted = metric.with_weights(_spread(np.exp(logs), active, len(metric.weights)))
            sample = None  # frees the terms of the last round, which wide tables have many of
            pool = _nearest(views, weighted, target, cases, candidates, threads)
            sample = _left_out(views, weighted, target, cases, pool, candidates, start, threads)
        elif sample is None:
            sample = _left_out_of_pairs(target, cases, pairs, candidates, start)
        previous, logs = logs, descend(sample, logs, iterations)
        if np.abs(logs - previous).max() < SETTLED:
            break
    return _spread(np.exp(logs), active, len(metric.weights))


def _nearest(
    views: Views,
    metric: Metric,
    target: Target,
    cases: Ints,
    candidates: int,
    threads: int | None,
) -> Pool:
    """Return the nearest cases that have the target, for each case."""
    found = [
        (
            at,
            search_ties(
                index,
                views.rows(index, cases[at]),
                metric,
                candidates,
                exclude=cases[at],
                required=target.column,
                threads=threads,
            ),
        )
        for index, at in views.split(cases)
    ]
    return _pool_of(found)


def _left_out(
    views: Views,
    metric: Metric,
    target: Target,
    cases: Ints,
    pool: Pool,
    candidates: int,
    start: Floats,
    threads: int | None,
) -> LeftOut | LeftOutOfCandidates:
    """Return left-out cases with their pools, and with the terms of these unless they are many."""
    about = _about(target, cases)
    about |= {
        "rows": np.arange(len(cases)),
        "places": pool.masses,
        "outcomes": target.outcomes_of(pool.indices) / about.pop("unit"),
        "start": start,
        "k": candidates,
    }
    size = pool.indices.size * len(metric.active)
    if size > MOST_AT_ONCE:
        parts = ((one, at, views.rows(one, cases[at])) for one, at in views.split(cases))
        if known := Candidates.of(parts, pool.indices, metric):
            return LeftOutOfCandidates(candidates=known, coded=size > MOST_SINGLES, **about)
    return LeftOut(excess=_excess(views, cases, pool, metric, threads), **about)


def _excess(
    views: Views, cases: Ints, pool: Pool, metric: Metric, threads: int | None
) -> NDArray[np.float32]:
    """Return the excess terms of the candidates of each case."""
    size, width = pool.indices.shape
    found = np.empty((size, len(metric.active), width), dtype=np.float32)
    for index, at in views.split(cases):
        rows = views.rows(index, cases[at])
        found[at] = case_excess(index, rows, pool.indices[at], metric, threads=threads)
    return found


def _left_out_of_pairs(
    target: Target, cases: Ints, pairs: Pairs, candidates: int, start: Floats
) -> LeftOutOfPairs:
    about = _about(target, cases)
    weights = pairs.index.weights_of(pairs.pool)
    return LeftOutOfPairs(
        pairs=pairs,
        rows=pairs.rows_of(cases),
        own=pairs.places_of(cases),
        places=np.ones(len(pairs.pool)) if weights is None else weights,
        outcomes=target.outcomes_of(pairs.pool) / about.pop("unit"),
        start=start,
        k=candidates,
        **about,
    )


def _about(target: Target, cases: Ints) -> dict[str, Any]:
    """Return what is known of left-out cases, and the unit of outcomes."""
    truth = target.outcomes_of(cases)
    unit = 1.0 if target.n_classes else target.scale or 1.0
    return {
        "unit": unit,
        "truth": truth / unit,
        "prior": target.shares[truth.astype(np.intp)]
        if target.n_classes
        else np.zeros(len(truth)),
        "weights": target.weights_of(cases),
        "classes": bool(target.n_classes),
        "mix": MIX,
    }


def _spread(values: Floats, active: Places, size: int) -> Floats:
    weights = np.zeros(size)
    weights[active] = values
    return weights
