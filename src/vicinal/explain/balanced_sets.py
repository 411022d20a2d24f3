r"""Sets of features from whose predictions, and those of all others, contributions follow.

With v(S) the prediction from a set S of d features and u(S) half of what it exceeds that of all
others by, contributions that sum to a given total are, but for their mean, the sum over sizes s of
:math:`\frac{d}{s(d-s)}` times the mean of (S − s ÷ d) u(S) over all sets of that size, S as zeros
and ones: every size counts the same. A weighted regression of u on the sets estimates them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vicinal.typing import Bools, Floats, Places

#: Sets for each feature that are drawn at first, and at most.
FEWEST, MOST = 3, 8
#: Sets to choose each from, and how often sizes are weighed anew.
_CHOICE, _WEIGHINGS = 32, 12
#: Multiples of it, but for whole numbers, are spread evenly over (0, 1).
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class BalancedSets:
    """Sets of features, each of at most half of them, and how contributions follow from them.

    Parameters
    ----------
    sets : ndarray of shape (n, d)
        Which features are in each set.
    turns : ndarray of shape (n,)
        Numbers spread evenly over (0, 1), by which sets are divided among several games.
    matrix : ndarray of shape (n, d)
        What a set adds to each contribution, for every unit of u.
    leverages : ndarray of shape (n,)
        The part of its own u that a set explains.
    """

    sets: Bools
    turns: Floats
    matrix: Floats
    leverages: Floats


@lru_cache(maxsize=32)
def balanced_sets(d: int, rounds: int, random_state: int) -> BalancedSets:
    """Draw `rounds` · d sets of d features, those of fewer rounds first, all sizes alike.

    Of several sets of a size, the one that is least determined by those before it is taken. So the
    sets estimate contributions about as precisely as any, and yet all features are equally likely
    to be in a set: estimates have no bias, because weights make every size count as it must.

    Examples
    --------
    >>> from vicinal.explain.balanced_sets import balanced_sets
    >>> drawn = balanced_sets(12, 3, 0)
    >>> sizes = drawn.sets.sum(axis=1)
    >>> drawn.sets.shape, int(sizes.min()), int(sizes.max())
    ((36, 12), 1, 6)
    """
    sets, turns = _drawn(d, rounds, random_state)
    matrix, leverages = _weighed(sets)
    return BalancedSets(sets, turns, matrix, leverages)


@lru_cache(maxsize=32)
def _drawn(d: int, rounds: int, random_state: int) -> tuple[Bools, Floats]:
    if rounds <= FEWEST:
        sets, turns, count = np.empty((0, d), dtype=bool), np.empty(0), rounds * d
    else:
        (sets, turns), count = _drawn(d, rounds - 1, random_state), d
    rng = np.random.default_rng([random_state, d, rounds])
    bounds = np.cumsum([_part(size, d) for size in _sizes(d)])
    sizes = 1 + np.searchsorted(bounds, (np.arange(count) + rng.random()) / count)
    spread = (rng.random() + _GOLDEN * np.arange(count)) % 1.0
    order = rng.permutation(count)
    return _chosen(sets, sizes[order], rng), np.concatenate([turns, spread[order]])


def _sizes(d: int) -> range:
    return range(1, d // 2 + 1)


def _part(size: int, d: int) -> float:
    """The part of the contributions that follows from sets of a size and all others."""
    return (2.0 if 2 * size < d else 1.0) / (d - 1)


def _chosen(sets: Bools, sizes: Places, rng: np.random.Generator) -> Bools:
    """Add sets of some sizes, each as far as possible from those before it."""
    d = sets.shape[1]
    left = np.eye(d) * d  # the inverse of what the sets determine, and a little of everything
    for row in _scaled(sets):
        left = _without(left, row)
    taken = list(sets)
    for size in sizes:
        drawn = np.argsort(rng.random((_CHOICE, d)), axis=1) < size
        rows = _scaled(drawn)
        # Rounded, so that equal ones are, on every processor.
        news = np.round(((rows @ left) * rows).sum(axis=1), 9)
        best = int(np.argmax(news))
        taken.append(drawn[best])
        left = _without(left, rows[best])
    return np.array(taken)


def _scaled(sets: Bools) -> Floats:
    sizes = sets.sum(axis=1, keepdims=True)
    d = sets.shape[1]
    return (sets - sizes / d) / np.sqrt(sizes * (d - sizes))


def _without(left: Floats, row: Floats) -> Floats:
    image = left @ row
    return left - np.outer(image, image) / (1.0 + row @ image)


def _weighed(sets: Bools) -> tuple[Floats, Floats]:
    """Return the matrix and the leverages of a regression in which sizes count as they must."""
    d, sizes = sets.shape[1], sets.sum(axis=1)
    centered = sets - sizes[:, None] / d
    wanted = np.array([0.0, *(_part(size, d) for size in _sizes(d))]) * (d - 1)
    weights = (wanted / np.maximum(np.bincount(sizes, minlength=len(wanted)), 1))[sizes]
    weights *= d / (sizes * (d - sizes))
    for _ in range(_WEIGHINGS):
        # Sums over features are given, so all of them together are left out.
        inverse = np.linalg.inv((centered.T * weights) @ centered + 1.0 / d) - 1.0 / d
        matrix = weights[:, None] * (centered @ inverse)
        leverages = (matrix * centered).sum(axis=1)
        given = np.bincount(sizes, leverages, minlength=len(wanted))
        weights *= (wanted / np.where(given > 0, given, 1.0))[sizes]
    return matrix, leverages
