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
from vicinal.typing import Floats, Ints

#: The kernels' exponential function stays at its value here for larger arguments.
_LARGEST_EXPONENT = 700.0
#: Cases compared at a time, which bounds the memory.
_BLOCK = 16_384


def key_limit(metric: Metric) -> float:
    """Return the key from which on a power may have been cut off, whatever the weight."""
    if metric.p <= 2 or not len(metric.active):
        return np.inf
    weights = metric.weights[metric.active]
    return float(np.exp(_LARGEST_EXPONENT - 1) * (weights.min() / weights.sum()))


def far_keys(distances: Floats) -> Floats:
    """Return keys in the order of distances, above all sums of powers that were not cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.large_powers import far_keys
    >>> keys = far_keys(np.array([1.5, 1e5, 1e300]))
    >>> bool((np.diff(keys) > 0).all() and np.isfinite(keys).all() and keys[0] > np.exp(700))
    True
    """
    keys: Floats = np.exp(_LARGEST_EXPONENT) * (1.0 + np.log(distances))
    return keys


def search_large_power(
    cases: CaseStorage,
    query: Floats,
    metric: Metric,
    found: tuple[Ints, Floats, Floats],
    *,
    excluded: int = -1,
    required: int | None = None,
    ceiling: float = np.inf,
    threads: int | None = None,
) -> tuple[Ints, Floats, Floats]:
    """Find the nearest cases of a query by their distances, where keys were cut off.

    Much slower than the kernels, which add up powers of terms; needed only where these overflow.

    Parameters
    ----------
    found : tuple of ndarray of shape (k,)
        Numbers, distances and keys that the kernels found.
    excluded : int
        Number of the case to leave out, −1 for none.
    required : int, optional
        A column that must not be missing in the cases found.
    ceiling : float
        Maximum key of the cases to find.

    Returns
    -------
    numbers, distances, keys : ndarray of shape (k,)
        The nearest first; ties go to the lower case number. −1 and infinities where there are no
        more.
    """
    numbers, distances, keys = found[0].copy(), found[1].copy(), found[2].copy()
    # Cases with whole keys are in order already, and keep the keys that other searches compare.
    whole = int(((numbers >= 0) & (keys < key_limit(metric))).sum())
    far, exact = np.empty(0, dtype=np.int64), np.empty(0)
    for named in _eligible(cases, excluded, required):
        others = named[~np.isin(named, numbers[:whole])]
        far, exact = (
            np.append(far, others),
            np.append(exact, _means(cases, query, metric, others, threads)),
        )
        first = np.lexsort((far, exact))[: len(numbers) - whole]
        far, exact = far[first], exact[first]
    within = far_keys(exact) <= ceiling
    far, exact = far[within], exact[within]
    numbers[whole:], distances[whole:], keys[whole:] = -1, np.inf, np.inf
    some = slice(whole, whole + len(far))
    numbers[some], distances[some], keys[some] = far, exact, far_keys(exact)
    return numbers, distances, keys


def _means(
    cases: CaseStorage, query: Floats, metric: Metric, numbers: Ints, threads: int | None
) -> Floats:
    """Return the distances of cases, with the largest term factored out."""
    terms = _native.terms(
        cases.table,
        metric.native,
        queries=checked_rows(query[None], cases.kinds),
        rows=cases.rows_of(numbers)[None],
        threads=thread_count(threads),
        path=None,
    )[0]
    return power_mean(terms[:, metric.active], metric.weights[metric.active], metric.p)


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
