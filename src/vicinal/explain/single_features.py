"""Predictions of columns with gaps from single features: each from the cases that have it.

Every column would need a search of its own among the cases that have it. But in a single feature
cases lie on a line, and all that have the same value are equally near, so one order of the values
serves all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.terms import case_terms
from vicinal.typing import Bools, Floats, Ints, Places

#: Queries that are treated at a time, and with all values those whose arrays have so many cells.
_AT_ONCE, _MOST_CELLS = 64, 1 << 19
#: Keys are compared in so many steps, as coalitions do; terms beyond `_FARTHEST` count as this.
_STEPS, _FARTHEST, _BITS = 2.0**51, 16384.0, 24.0


@dataclass(frozen=True, eq=False)
class KnownOutcomes:
    """What is to be predicted, and of which cases it is known.

    Parameters
    ----------
    numbers : ndarray of int64 of shape (n,)
        All cases.
    known : ndarray of bool of shape (n, t)
        Whether each case has each of the columns.
    outcomes : ndarray of shape (n, w)
        Outcomes to be averaged, 0 where they are not known.
    owners : ndarray of int of shape (w,)
        The column that each outcome is of.
    weights : ndarray of shape (n,)
        Case weights.
    """

    numbers: Ints
    known: Bools
    outcomes: Floats
    owners: Places
    weights: Floats


def means_by_feature(
    ks: Sequence[int],
    index: Index,
    metric: Metric,
    feature: int,
    cases: Ints,
    told: KnownOutcomes,
    *,
    threads: int | None = None,
) -> Floats:
    """Predict outcomes of left-out cases from those that are nearest in one feature.

    Returns
    -------
    ndarray of shape (len(ks), m, w)
        Means by influence ∝ 1/distance, for each number of neighbors; 0 where there are none. Ties
        for the last places share them, as in `predict_coalitions_from`.
    """
    levels, place = np.unique(index.cells(told.numbers, feature), return_inverse=True)
    by_number = np.argsort(told.numbers)
    own = by_number[np.searchsorted(told.numbers[by_number], cases)]
    alone = metric.taken(np.array([feature]))
    terms = case_terms(
        ExactIndex(levels[:, None], alone.kinds),
        index.cells(cases, feature)[:, None],
        np.tile(np.arange(len(levels)), (len(cases), 1)),
        alone,
        threads=threads,
    )[:, :, 0]
    keys = _whole_keys(terms, metric.p, metric.weights[feature] / metric.total)
    by_level = _Levels.of(told, place, len(levels))
    found = np.zeros((len(ks), len(cases), len(told.owners)))
    width = min(len(levels), max(ks) + max(ks) // 3 + 4)
    left = np.arange(len(cases))
    while len(left):
        cells = width * max(len(told.owners), 1)
        step = _AT_ONCE if width < len(levels) else max(1, _MOST_CELLS // cells)
        again = []
        for start in range(0, len(left), step):
            some = left[start : start + step]
            nearest = _nearest(keys[some], width)
            near = by_level.around(nearest, place[own[some]], own[some], told)
            order = np.take_along_axis(keys[some], nearest, axis=1)
            enough = near.enough(order, max(ks)) | (width == len(levels))
            distances = np.take_along_axis(terms[some], nearest, axis=1)
            found[:, some[enough]] = near.means(ks, order, distances, told.owners)[:, enough]
            again.append(some[~enough])
        left, width = np.concatenate(again), len(levels)
    return found


def _whole_keys(terms: Floats, p: float, weight: float) -> Floats:
    """Return terms above those of equal values in whole steps: rounding tells none apart."""
    farthest = min(_FARTHEST, SAME * 2 ** (_BITS / p)) if p > 0 else _FARTHEST

    def key(s: Floats) -> Floats:
        return np.asarray(s**p if p > 0 else np.log(s))

    base, most = key(np.array(SAME)), key(np.array(farthest))
    steps = _STEPS / (most - base)
    return np.maximum(np.rint((key(np.minimum(terms, farthest)) - base) * weight * steps), 0.0)


def _nearest(keys: Floats, width: int) -> Places:
    """Return the values of the least keys, in order."""
    if width == keys.shape[1]:
        return np.argsort(keys, axis=1, kind="stable")
    least = np.sort(np.argpartition(keys, width - 1, axis=1)[:, :width], axis=1)
    order = np.argsort(np.take_along_axis(keys, least, axis=1), axis=1, kind="stable")
    return np.take_along_axis(least, order, axis=1)


@dataclass(frozen=True, eq=False)
class _Levels:
    """What the cases of each value of a feature have: how many, their weight, and their outcomes.

    Attributes
    ----------
    counts, masses : ndarray of shape (…, t)
        By column that is to be predicted.
    sums : ndarray of shape (…, w)
        Weighted outcomes.
    """

    counts: Floats
    masses: Floats
    sums: Floats

    @classmethod
    def of(cls, told: KnownOutcomes, place: Places, count: int) -> _Levels:
        def added(rows: Floats) -> Floats:
            columns = [np.bincount(place, weights=one, minlength=count) for one in rows.T]
            return np.stack(columns, axis=1)

        there = told.known * (told.weights > 0)[:, None]
        weighted = told.outcomes * told.weights[:, None]
        masses = told.known * told.weights[:, None]
        return cls(added(there.astype(np.float64)), added(masses), added(weighted))

    def around(self, nearest: Places, level: Places, own: Places, told: KnownOutcomes) -> _Levels:
        """Return what is near some cases, less one unit of weight of each of them."""
        near = _Levels(self.counts[nearest], self.masses[nearest], self.sums[nearest])
        query, at = np.nonzero(nearest == level[:, None])
        mine = own[query]
        less = np.minimum(told.weights[mine], 1.0)[:, None]
        gone = (told.weights[mine] > 0) & (told.weights[mine] <= 1)
        near.counts[query, at] -= told.known[mine] * gone[:, None]
        near.masses[query, at] -= told.known[mine] * less
        near.sums[query, at] -= told.outcomes[mine] * less
        return near

    def enough(self, keys: Floats, k: int) -> Bools:
        """Return of which queries all neighbors are here: those at the end may lack ties."""
        complete = keys < keys[:, -1:]
        return np.asarray(((self.counts * complete[:, :, None]).sum(axis=1) >= k).all(axis=1))

    def means(self, ks: Sequence[int], keys: Floats, distances: Floats, owners: Places) -> Floats:
        """Return mean outcomes from each number of neighbors, (len(ks), m, w)."""
        groups = _Groups.of(keys)
        before, count = groups.sums(self.counts)
        lighter, mass = groups.sums(self.masses)
        alike = groups.firsts(distances)[:, :, None]
        means = np.zeros((len(ks), len(keys), len(owners)))
        for row, k in enumerate(ks):
            # Places are taken by cases, and by their weight; those that tie share what is left.
            of_cases = np.clip(_ratio(k - before, count), 0.0, 1.0)
            of_mass = _ratio(np.maximum(k - lighter, 0.0), mass)
            share = np.minimum(of_cases, of_mass)
            # Those that share places stand as one case. Of terms beyond the farthest these differ.
            influence = share / np.where(share < 1, alike, distances[:, :, None])
            total = (influence * self.masses).sum(axis=1)
            sums = np.einsum("qlw,qlw->qw", influence[:, :, owners], self.sums)
            means[row] = _ratio(sums, total[:, owners])
        return means


@dataclass(frozen=True, eq=False)
class _Groups:
    """Values whose keys are equal, one after the other: where the group of each begins and ends.

    None where no two are equal.
    """

    first: Places | None
    last: Places | None

    @classmethod
    def of(cls, keys: Floats) -> _Groups:
        new = np.diff(keys, axis=1, prepend=-1.0) > 0
        if new.all():
            return cls(None, None)
        every = np.broadcast_to(np.arange(keys.shape[1]), keys.shape)
        ends = np.append(new[:, 1:], np.ones((len(keys), 1), dtype=bool), axis=1)
        last = np.where(ends, every, keys.shape[1])[:, ::-1]
        return cls(
            np.maximum.accumulate(np.where(new, every, 0), axis=1),
            np.minimum.accumulate(last, axis=1)[:, ::-1],
        )

    def sums(self, amounts: Floats) -> tuple[Floats, Floats]:
        """Return what comes before the group of each value, and what it has in all."""
        reached = np.cumsum(amounts, axis=1)
        if self.first is None or self.last is None:
            return reached - amounts, amounts
        before = np.take_along_axis(reached - amounts, self.first[:, :, None], axis=1)
        return before, np.take_along_axis(reached, self.last[:, :, None], axis=1) - before

    def firsts(self, values: Floats) -> Floats:
        """Return what the first of its group has."""
        return values if self.first is None else np.take_along_axis(values, self.first, axis=1)


def _ratio(parts: Floats, wholes: Floats) -> Floats:
    """Return ratios, 0 where there is nothing to divide by."""
    found: Floats = np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)
    return found
