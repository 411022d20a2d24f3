"""Case weights: how many of the nearest places each case takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from vicinal.index import _native
from vicinal.index.protocol import Cases
from vicinal.typing import Floats, Ints

_NO_CASE: Ints = np.empty(0, dtype=np.int64)


def masses_of(index: Cases, indices: Ints, exclude: Ints | None = None) -> Floats | None:
    """Return the weights of the cases found, 0 where there is none; None where all weigh 1.

    The case left out weighs one unit less.
    """
    if index.weights_of(_NO_CASE) is None:
        return None
    there = indices >= 0
    weights = np.zeros(indices.shape)
    weights[there] = index.weights_of(indices[there])
    if exclude is not None:
        weights -= there & (indices == np.asarray(exclude)[:, None])
    return weights


def units_of(index: Cases, numbers: Ints) -> Floats:
    """Return the weights of cases, 1 where they have none."""
    weights = index.weights_of(numbers)
    return np.ones(len(numbers)) if weights is None else weights


def counted_weights(
    index: Cases, indices: Ints, k: int, exclude: Ints | None = None
) -> Floats | None:
    """Return how many of the k places each case found takes; None where all weigh 1.

    Nearest first, each case takes as many places as it weighs, until the k are taken. The case
    left out takes one place less. Of cases at the same distance the first ones take the last
    places; where it matters which cases these are, see `shared_places`.
    """
    weights = masses_of(index, indices, exclude)
    if weights is None:
        return None
    before = np.cumsum(weights, axis=1) - weights
    return np.clip(k - before, 0.0, weights)


def shared_places(keys: Floats, masses: Floats, cases: Floats | None, k: int) -> Floats:
    """Return how many of the k places each neighbor takes; those tied for the last share them.

    Parameters
    ----------
    keys : ndarray of shape (m, w)
        What neighbors are ordered by, nearest first. Neighbors with the same key are tied.
    masses, cases : ndarray of shape (m, w)
        The weight and the number of cases that each neighbor stands for; both 0 where there is
        none. Cases may be None if they are k at most in all.

    Returns
    -------
    ndarray of shape (m, w)
        Nearest first, each takes as many places as it weighs, until the k are taken, by k cases
        at most. If there are not enough for a group of ties, each takes the same part of its
        weight.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.case_weights import shared_places
    >>> masses = np.array([[1.0, 6.0, 2.0]])
    >>> shared_places(np.array([[0.5, 0.7, 0.7]]), masses, np.ones((1, 3)), k=5)
    array([[1., 3., 1.]])
    """
    return next(shared_places_of_each(keys, masses, cases, [k]))


def shared_places_of_each(
    keys: Floats, masses: Floats, cases: Floats | None, several: Iterable[int]
) -> Iterator[Floats]:
    """Yield `shared_places` for several k."""
    order, weights = np.ascontiguousarray(keys), np.ascontiguousarray(masses)
    counts = None if cases is None else np.ascontiguousarray(cases)
    for k in several:
        yield _native.shared_places(order, weights, counts, k)
