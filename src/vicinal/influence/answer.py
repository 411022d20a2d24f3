"""A prediction with the cases behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.index.protocol import Index
from vicinal.index.sampling import distinct_cases
from vicinal.index.sharded import ShardedIndex
from vicinal.influence.ensemble import Ensemble, Influences, find_influences
from vicinal.influence.outcomes import (
    class_probabilities,
    expected_values,
    power_of_two,
    sequential_sums,
)
from vicinal.influence.target import Target
from vicinal.progress import track
from vicinal.typing import Floats, Ints, Places

#: Rows predicted at a time, which bounds the memory.
BATCH = 1024


@dataclass(frozen=True, eq=False)
class Answer:
    """The predictions for some rows.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Encoded prediction: the expected value, or the code of the most probable class.
    probabilities : ndarray of shape (m, n_classes), optional
        For classes.
    spread : ndarray of shape (m,), optional
        For numbers: the standard deviation of the outcome under the influences.
    """

    values: Floats
    probabilities: Floats | None
    spread: Floats | None

    @classmethod
    def joined(cls, parts: list[Answer]) -> Answer:
        """Return the predictions of several parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.values for part in parts]),
            _joined([part.probabilities for part in parts]),
            _joined([part.spread for part in parts]),
        )

    def take(self, rows: Places) -> Answer:
        """Return the predictions for some of the rows."""
        return Answer(
            self.values[rows],
            None if self.probabilities is None else self.probabilities[rows],
            None if self.spread is None else self.spread[rows],
        )


def answer(
    index: Index,
    ensemble: Ensemble,
    target: Target,
    queries: Floats,
    *,
    exclude: Ints | None = None,
    threads: int | None = None,
) -> Answer:
    """Predict the target of some rows, a batch at a time; equal rows are predicted once."""
    if exclude is None and len(queries) > 1:
        others = np.delete(queries, target.column, axis=1)
        places, which, _ = distinct_cases(others)
        if 2 * len(places) <= len(queries):
            return answer(index, ensemble, target, queries[places], threads=threads).take(which)
    if len(queries) > BATCH and ensemble.plan and isinstance(index, ShardedIndex):
        # Shards may be on disk, so that every batch asks few of them.
        order = index.together(queries, ensemble.plan[0].metric)
        own = None if exclude is None else exclude[order]
        found = _in_batches(index, ensemble, target, queries[order], own, threads)
        return found.take(np.argsort(order))
    return _in_batches(index, ensemble, target, queries, exclude, threads)


def _in_batches(
    index: Index,
    ensemble: Ensemble,
    target: Target,
    queries: Floats,
    exclude: Ints | None,
    threads: int | None,
) -> Answer:
    parts = []
    starts = range(0, max(len(queries), 1), BATCH)
    for start in track(starts, total=len(starts), what="predicting"):
        rows = slice(start, start + BATCH)
        found = find_influences(
            index,
            ensemble,
            queries[rows],
            target=target,
            exclude=None if exclude is None else exclude[rows],
            listed=False,
            threads=threads,
        )
        parts.append(combine(found, target))
    return Answer.joined(parts)


def combine(found: Influences, target: Target) -> Answer:
    """Turn influences into predictions: Σ influence × outcome, including the background."""
    outcomes = target.outcomes_of(found.indices)
    if target.n_classes:
        probabilities = class_probabilities(found.shares, outcomes, target.n_classes)
        probabilities = np.maximum(probabilities + found.background * target.shares, 0.0)
        return Answer(probabilities.argmax(axis=1).astype(np.float64), probabilities, None)
    values = expected_values(found.shares, outcomes) + found.background * target.mean
    if target.period:
        values = _mean_directions(found, outcomes, target, otherwise=values)
    gaps = target.near(outcomes, values[:, None]) - values[:, None]
    off = target.near(target.mean, values) - values
    unit = power_of_two(np.maximum(np.abs(gaps).max(axis=1, initial=0.0), np.abs(off)))
    squares = expected_values(np.abs(found.shares), (gaps / unit[:, None]) ** 2)
    squares = squares + found.background * (off / unit) ** 2
    return Answer(values, None, np.sqrt(squares) * unit)


def _mean_directions(
    found: Influences, outcomes: Floats, target: Target, *, otherwise: Floats
) -> Floats:
    """Return circular means, or the fallback if directions cancel."""
    turns = np.exp(2j * np.pi * outcomes / target.period)
    means = sequential_sums(found.shares * turns) + found.background * target.turn
    values = np.angle(means) / (2 * np.pi) * target.period
    return np.where(np.abs(means) < 1e-9, otherwise, values)


def _joined(parts: list[Floats | None]) -> Floats | None:
    arrays = [part for part in parts if part is not None]
    return np.concatenate(arrays) if arrays else None
