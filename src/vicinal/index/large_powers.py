"""Search where powers exceed the range of floats: the largest term is factored out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vicinal.formulas import power_mean
from vicinal.index import _native
from vicinal.index.checks import checked_rows
from vicinal.index.metric import Metric
from vicinal.index.storage import CaseStorage
from vicinal.index.threads import thread_count
from vicinal.typing import Bools, Floats, Ints

#: The kernels' exponential function stays at its value here for larger arguments.
_LARGEST_EXPONENT = 700.0
#: Cases compared at a time, which bounds the memory.
_BLOCK = 16_384


def overflowed(indices: Ints, keys: Floats, metric: Metric) -> Bools:
    """Return the queries whose nearest cases have keys beyond floats, so that they seem to tie."""
    if metric.p <= 2 or not len(metric.active):
        return np.zeros(len(indices), dtype=bool)
    # A key that is smaller holds no power that was cut off, whatever the weight of its column.
    weights = metric.weights[metric.active]
    limit = np.exp(_LARGEST_EXPONENT - 1) * (weights.min() / weights.sum())
    return ((indices >= 0) & (keys >= limit)).any(axis=1)


def search_large_power(
    cases: CaseStorage,
    query: Floats,
    metric: Metric,
    k: int,
    *,
    excluded: int = -1,
    required: int | None = None,
    threads: int | None = None,
) -> tuple[Ints, Floats]:
    """Find the k nearest cases of a query by their distances instead of keys.

    Much slower than the kernels, which add up powers of terms; needed only where these overflow.

    Parameters
    ----------
    excluded : int
        Number of the case to leave out, −1 for none.
    required : int, optional
        A column that must not be missing in the cases found.

    Returns
    -------
    numbers, distances : ndarray of shape (at most k,)
        The nearest first; ties go to the lower case number.
    """
    active = metric.active
    numbers, distances = np.empty(0, dtype=np.int64), np.empty(0)
    for named in _eligible(cases, excluded, required):
        terms = _native.terms(
            cases.table,
            metric.native,
            queries=checked_rows(query[None], cases.kinds),
            rows=cases.rows_of(named)[None],
            threads=thread_count(threads),
            path=None,
        )[0]
        means = power_mean(terms[:, active], metric.weights[active], metric.p)
        numbers, distances = np.append(numbers, named), np.append(distances, means)
        first = np.lexsort((numbers, distances))[:k]
        numbers, distances = numbers[first], distances[first]
    return numbers, distances


def _eligible(cases: CaseStorage, excluded: int, required: int | None) -> Iterator[Ints]:
    for start in range(0, len(cases), _BLOCK):
        numbers = cases.numbers[start : start + _BLOCK]
        rows = cases.rows_of(numbers)
        weights = cases.weights_at(rows)
        units = np.ones(len(numbers)) if weights is None else weights
        # Leaving out removes one unit of weight.
        there = units - (numbers == excluded) * np.minimum(units, 1.0) > 0
        if required is not None:
            there &= ~np.isnan(cases.values_at(rows)[:, required])
        if there.any():
            yield numbers[there]
