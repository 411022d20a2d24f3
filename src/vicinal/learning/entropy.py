"""Feature weights that minimize the surprisal of a target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.index.descent import LeftOut, descend
from vicinal.index.metric import Metric
from vicinal.index.pairs import Pairs
from vicinal.index.protocol import Index
from vicinal.index.terms import case_excess
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.index.ties import search_ties
from vicinal.influence.nearby import Nearby
from vicinal.influence.target import MIX, Target
from vicinal.typing import Floats, Ints, Places

#: Log weights that move less than this in a round have converged.
SETTLED = 0.1

#: Terms of pairs that are kept while the metrics of a reading are learned, at most: in all, and
#: of one case, beyond which it takes less time to search for the nearest again.
MOST_TERMS = 16_000_000
MOST_TERMS_OF_ONE = 50_000


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


def pool_of(near: Nearby | TiedNeighbors, rows: Places | slice = slice(None)) -> Pool:
    """Return the neighbors of some queries as candidates."""
    indices = near.indices[rows]
    masses = (indices >= 0).astype(np.float64) if near.masses is None else near.masses[rows]
    return Pool(indices, masses)


def all_pairs(
    index: Index, metric: Metric, target: Target, cases: Ints, *, threads: int | None = None
) -> Pairs | None:
    """Return the terms between the cases and all with the target; None if they are too many."""
    of_one = len(index) * (len(metric.active) + 8)
    if of_one > MOST_TERMS_OF_ONE or len(cases) * of_one > MOST_TERMS:
        return None
    pool, _ = index.sample(len(index), required=target.column)
    return Pairs(index, metric, cases, pool, threads=threads)


def plain_weights(metric: Metric) -> Floats:
    """Return the initial weights: equal for all active columns."""
    active = metric.active
    return _spread(np.full(len(active), len(active) ** -0.5), active, len(metric.weights))


def entropy_weights(
    index: Index,
    metric: Metric,
    target: Target,
    cases: Ints,
    *,
    pairs: Pairs | None = None,
    pool: Pool | None = None,
    candidates: int = 50,
    rounds: int = 3,
    iterations: int = 20,
    threads: int | None = None,
) -> Floats:
    r"""Learn weights that minimize the leave-one-out entropy of the target.

    Parameters
    ----------
    pairs : Pairs, optional
        Precomputed terms of these cases, from `all_pairs`.
    pool : Pool, optional
        Neighbors of the cases by the initial weights, if known; at least `candidates`, if there
        are that many.
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
    logs, sample = start, None
    for number in range(rounds):
        if pairs is None:
            weighted = metric.with_weights(_spread(np.exp(logs), active, len(metric.weights)))
            sample = None  # frees the terms of the last round, which wide tables have many of
            if number or pool is None:
                pool = _nearest(index, weighted, target, cases, candidates, threads)
            sample = _left_out(
                target,
                cases,
                pool,
                case_excess(index, index.rows(cases), pool.indices, weighted, threads=threads),
                np.arange(len(cases)),
                candidates,
                start,
            )
        elif sample is None:
            pool = _whole_pool(index, pairs.pool, cases)
            rows = pairs.rows_of(cases)
            sample = _left_out(target, cases, pool, pairs.excess, rows, candidates, start)
        previous, logs = logs, descend(sample, logs, iterations)
        if np.abs(logs - previous).max() < SETTLED:
            break
    return _spread(np.exp(logs), active, len(metric.weights))


def _nearest(
    index: Index,
    metric: Metric,
    target: Target,
    cases: Ints,
    candidates: int,
    threads: int | None,
) -> Pool:
    """Return the nearest cases that have the target, for each case."""
    found = search_ties(
        index,
        index.rows(cases),
        metric,
        candidates,
        exclude=cases,
        required=target.column,
        threads=threads,
    )
    return pool_of(found)


def _whole_pool(index: Index, pool: Ints, cases: Ints) -> Pool:
    """Return the same candidates for all cases."""
    known = index.weights_of(pool)
    weights = np.ones(len(pool)) if known is None else known
    # A case is not its own neighbor, but the rest of a weight above 1 remains.
    return Pool(np.tile(pool, (len(cases), 1)), weights - (pool == cases[:, None]))


def _left_out(
    target: Target,
    cases: Ints,
    pool: Pool,
    excess: NDArray[np.float32],
    rows: Ints,
    candidates: int,
    start: Floats,
) -> LeftOut:
    truth = target.outcomes_of(cases)
    unit = 1.0 if target.n_classes else target.scale or 1.0
    prior = target.shares[truth.astype(np.intp)] if target.n_classes else np.zeros(len(truth))
    return LeftOut(
        excess=excess,
        rows=rows,
        places=pool.masses,
        outcomes=target.outcomes_of(pool.indices) / unit,
        truth=truth / unit,
        prior=prior,
        weights=target.weights_of(cases),
        start=start,
        k=candidates,
        classes=bool(target.n_classes),
        mix=MIX,
    )


def _spread(values: Floats, active: Places, size: int) -> Floats:
    weights = np.zeros(size)
    weights[active] = values
    return weights
