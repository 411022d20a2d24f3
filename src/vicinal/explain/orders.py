"""Orders of the features, as samples of all orders in which they could become known."""

from __future__ import annotations

import numpy as np

Chain = tuple[int, ...]

#: Number of orders to sample at most if there are too many features for all orders.
PERMUTATIONS = 32
#: Of thousands of features fewer, with so many features in all orders together.
_MOST_PLACES, _LEAST_PERMUTATIONS = 64_000, 8
#: Pairs that are balanced among themselves.
_TOGETHER = 4


def usual_permutations(n_features: int) -> int:
    """Return how many orders of so many features are sampled at most by default.

    Examples
    --------
    >>> from vicinal.explain.orders import usual_permutations
    >>> usual_permutations(2000), usual_permutations(5000), usual_permutations(100_000)
    (32, 12, 8)
    """
    pairs = _MOST_PLACES // max(2 * n_features, 1)
    return min(PERMUTATIONS, max(_LEAST_PERMUTATIONS, 2 * pairs))


def orders(columns: list[int], count: int, random_state: int) -> list[Chain]:
    """Sample orders, each followed by its reverse: early columns in one are late in the other.

    How far a column is from the middle is divided evenly over the pairs: over every four that
    follow each other, and more finely over all of them (a sliced Latin hypercube). What a column
    adds depends on its place, so contributions vary less than with orders drawn one by one.

    Examples
    --------
    >>> from vicinal.explain.orders import orders
    >>> first, second, *_ = orders([3, 5, 8], 4, random_state=0)
    >>> sorted(first), second == first[::-1]
    ([3, 5, 8], True)
    """
    rng, pairs, d = np.random.default_rng(random_state), (count + 1) // 2, len(columns)
    slices = -(-pairs // _TOGETHER)
    # Each slice has one fine part of every coarse one, for each column in an order of its own.
    fine = rng.permuted(np.tile(np.arange(slices), (d, _TOGETHER, 1)), axis=2)
    parts = np.arange(_TOGETHER)[:, None] * slices + fine
    parts = rng.permuted(parts.transpose(0, 2, 1), axis=2).reshape(d, -1)[:, :pairs]
    places = (parts + rng.random(parts.shape)) / (2 * slices * _TOGETHER)
    places = np.where(rng.random(parts.shape) < 0.5, places, 1.0 - places)
    drawn = []
    for ranked in np.argsort(places, axis=0, kind="stable").T:
        order = tuple(columns[at] for at in ranked)
        drawn += [order, order[::-1]]
    return drawn
