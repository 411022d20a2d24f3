"""Rows with missing cells: each is judged by the features that it has.

A cell that is missing can neither be ordinary nor strange. So a row looks for its nearest cases by
the features that it has, and every feature that it lacks counts in the distance as much as it
usually does between nearest cases. Columns in which "missing" is a value of its own (`distinct`)
have no gaps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from vicinal.formulas import SAME, power_mean
from vicinal.index.metric import Metric
from vicinal.index.protocol import Found, Index
from vicinal.index.terms import case_terms
from vicinal.index.tied_neighbors import TiedNeighbors, combined
from vicinal.index.ties import search_ties
from vicinal.typing import Bools, Floats, Ints, Places

#: Terms computed at a time, which bounds the memory.
_MOST_TERMS = 1 << 20


def gaps_of(values: Floats, metric: Metric) -> Bools:
    """Return which cells are missing and have no value of their own, of columns that count."""
    return np.isnan(values) & ((metric.weights > 0) & ~metric.distinct)


def patterns(gaps: Bools) -> Iterator[tuple[Places, Bools]]:
    """Yield the rows that have the same gaps, and these gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.gaps import patterns
    >>> gaps = np.array([[False, True], [False, False], [False, True]])
    >>> [(rows.tolist(), columns.tolist()) for rows, columns in patterns(gaps)]
    [([1], [False, False]), ([0, 2], [False, True])]
    """
    bits = np.packbits(gaps, axis=1)
    _, which = np.unique(bits, axis=0, return_inverse=True)
    which = which.ravel()
    order = np.argsort(which, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
        if len(rows):
            yield rows, gaps[rows[0]]


def without(metric: Metric, gaps: Bools) -> Metric:
    """Return the metric of the features that are no gaps."""
    return metric.with_weights(np.where(gaps, 0.0, metric.weights)) if gaps.any() else metric


def search_known(
    index: Index,
    rows: Floats,
    metric: Metric,
    k: int,
    *,
    exclude: Ints | None = None,
    threads: int | None = None,
) -> TiedNeighbors:
    """Find the nearest cases of rows by the features that each has; see `search_ties`.

    The distances are those over these features; `fill` adds the others.
    """
    gaps = gaps_of(rows, metric)
    if not gaps.any():
        return search_ties(index, rows, metric, k, exclude=exclude, threads=threads)
    indices, distances = np.full((len(rows), k), -1), np.full((len(rows), k), np.inf)
    parts, evaluated = [], 0
    for some, lacking in patterns(gaps):
        left_out = None if exclude is None else np.asarray(exclude)[some]
        found = search_ties(
            *(index, rows[some], without(metric, lacking), k),
            exclude=left_out,
            alike=metric,
            threads=threads,
        )
        indices[some], distances[some] = found.nearest.indices, found.nearest.distances
        evaluated += found.nearest.evaluated
        parts.append((some, found))
    return replace(combined(parts, len(rows)), found=Found(indices, distances, evaluated))


def fill(distances: Floats, gaps: Bools, usual: Floats, metric: Metric) -> Floats:
    r"""Return distances over all features, from those over the features that rows have.

    Parameters
    ----------
    distances : ndarray of shape (m, k)
        Over the features that each row has; infinite where there is no case.
    gaps : ndarray of bool of shape (m, d)
        The features that it lacks.
    usual : ndarray of shape (d,)
        The usual term of each feature between nearest cases, which stands for the missing one.

    Notes
    -----
    With O the features that a row has and M those that it lacks,

    .. math:: D = \Bigl(\sum_{i \in O} \bar w_i s_i^p + \sum_{i \in M} \bar w_i g_i^p\Bigr)^{1/p}.

    Rows without gaps keep their distances bit by bit.
    """
    rows = np.flatnonzero(gaps.any(axis=1))
    if not len(rows):
        return distances
    lacking = np.where(gaps[rows], metric.weights, 0.0)
    known = np.where(gaps[rows], 0.0, metric.weights).sum(axis=1)
    standing_in = power_mean(usual, lacking, metric.p)
    there = np.isfinite(distances[rows])
    pairs = np.stack(
        np.broadcast_arrays(np.where(there, distances[rows], 1.0), standing_in[:, None]), axis=-1
    )
    weights = np.stack([known, lacking.sum(axis=1)], axis=-1)[:, None, :]
    filled = distances.copy(order="K")
    filled[rows] = np.where(there, power_mean(pairs, weights, metric.p), np.inf)
    return filled


def mean_excess(
    index: Index,
    metric: Metric,
    rows: Floats,
    found: TiedNeighbors,
    shares: Floats,
    threads: int | None = None,
) -> Floats:
    """Return the mean excess of every column over the cases found; 0 where there is none."""
    means = np.zeros(rows.shape)
    for some in _chunks(len(rows), found.width * rows.shape[1]):
        terms = case_terms(index, rows[some], found.indices[some], metric, threads=threads)
        means[some] = np.nansum(shares[some, :, None] * (terms - SAME), axis=1)
    return means


def usual_terms(excess: Floats, gaps: Bools, weights: Floats | None) -> Floats:
    """Return the usual term of each column, over the cases that have a value there.

    Parameters
    ----------
    excess : ndarray of shape (n, d)
        Mean excess of each case from its nearest cases.
    gaps : ndarray of bool of shape (n, d)
        Cells that are missing.
    weights : ndarray of shape (n,), optional
        Case weights.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.gaps import usual_terms
    >>> usual_terms(np.array([[0.25], [0.75], [9.0]]), np.array([[False], [False], [True]]), None)
    array([2.])
    """
    means = [
        usual_mean(excess[~gap, i], None if weights is None else weights[~gap])
        for i, gap in enumerate(gaps.T)
    ]
    return SAME + np.array(means, dtype=np.float64)


def usual_mean(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean, the largest twentieth counted no more than the value next to it.

    What is usual must not depend on how strange the strangest are.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.gaps import usual_mean
    >>> usual_mean(np.array([1.0] * 19 + [1e9]))
    1.0
    """
    mass = np.ones(len(values)) if weights is None else weights
    if not mass.any():
        return 0.0
    if weights is None:
        place = max(math.ceil(0.95 * len(values) * (1 - 1e-12)) - 1, 0)
        limit = np.partition(values, place)[place]
    else:
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(mass[order])
        limit = values[order[np.searchsorted(reached, 0.95 * reached[-1] * (1 - 1e-12))]]
    return float(mass @ np.minimum(values, limit) / mass.sum())


def distances_back(
    index: Index,
    rows: Floats,
    found: TiedNeighbors,
    gaps: Bools,
    usual: Floats,
    metric: Metric,
    threads: int | None = None,
) -> Floats:
    """Return the distances of cases found from the rows, by the features that the cases have.

    Parameters
    ----------
    gaps : ndarray of bool of shape (m, w, d)
        The features that the cases found lack.
    """
    distances = np.full(found.indices.shape, np.inf)
    there = found.indices >= 0
    for some in _chunks(len(rows), found.width * rows.shape[1]):
        terms = case_terms(index, rows[some], found.indices[some], metric, threads=threads)
        mean = power_mean(np.where(gaps[some], usual, terms), metric.weights, metric.p)
        distances[some] = np.where(there[some], mean, np.inf)
    return distances


def _chunks(size: int, each: int) -> Iterator[slice]:
    """Yield so many rows at a time as have terms in bounded memory."""
    step = max(1, _MOST_TERMS // max(1, each))
    for start in range(0, size, step):
        yield slice(start, start + step)
