"""Which of some doubtful cases are certainly neighbors after all, and which are not: two by two.

Against a common reference, two distances may seem to change places, although they move together:
where two cases are on the same side of the row in a column, its changes leave their difference as
it is. So the differences of all pairs of doubtful cases are bounded. Let certain neighbors leave m
places. A doubtful case is a neighbor if fewer than m of the others can come before it. It is none
if m of the others certainly do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.kinds import CYCLIC
from vicinal.robustness.budget import Budget
from vicinal.robustness.candidates import BEND, TOLERANCE
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.places import Places
from vicinal.typing import Floats

#: Pairs of doubtful cases times columns, at most: the time is that of these.
_MOST_PAIRS = 50_000


def settled(near: Neighborhood, places: Places) -> Places:
    """Return places with fewer doubtful cases.

    Parameters
    ----------
    near : Neighborhood
        The candidates, and how their distances may change.
    places : Places
        What is known of them.
    """
    doubtful = np.flatnonzero(places.possible & ~places.certain)
    known = near.metric.p == 1 and places.alike and not places.crowded
    if not known or not 0 < len(doubtful) ** 2 * len(near.columns) <= _MOST_PAIRS:
        return places
    apart = most_apart(near.take(np.isin(np.arange(len(places.possible)), doubtful)))
    apart += TOLERANCE * (1.0 + np.abs(apart) + near.anchor[doubtful])
    np.fill_diagonal(apart, np.inf)
    behind, before = apart >= 0, apart.T < 0  # [i, j]: j may, or must, come before i
    certain = np.zeros(len(doubtful), dtype=bool)
    rest, left = ~certain, places.left
    while True:
        found = rest & (behind[:, rest].sum(axis=1) - 1 < left * (1 - TOLERANCE))
        lost = rest & ~found & (before[:, rest].sum(axis=1) >= left * (1 + TOLERANCE))
        if not (found | lost).any():
            break
        certain, rest, left = certain | found, rest & ~found & ~lost, left - float(found.sum())
    every, possible = places.certain.copy(), places.possible.copy()
    every[doubtful[certain]] = True
    possible[doubtful[~certain & ~rest]] = False
    return replace(places, certain=every, possible=possible, left=max(left, 0.0))


def most_apart(near: Neighborhood) -> Floats:
    """Return how far the excess of each case may lie above that of each other, (n, n)."""
    found: Floats = near.constant[:, None] - near.constant
    free = ~near.limited
    for one in near.named:
        found += _most(one, one)
    for terms, slack in zip(near.terms[free], near.slack[free], strict=True):
        found += _most(terms, terms)
        found += slack
    if near.budget is None or not near.limited.any():
        return found
    return found + _shared(near, near.budget)


def _shared(near: Neighborhood, budget: Budget) -> Floats:
    """Return the same of the columns whose costs add up."""
    some = np.flatnonzero(near.limited)
    columns, terms = near.columns[some], near.terms[some]
    start = terms[:, near.half].sum(axis=0)
    moves = terms - terms[:, [near.half]]
    gains = np.stack([_most(one, one) for one in moves]) + near.slack[some, None, None]
    # All of the radius for every column, or a price at which no change pays.
    units = budget.units[columns] / near.metric.residuals[columns]
    scale = near.metric.weights[columns] * units
    # Slopes rise, so between two points of the grid they lie between those there.
    steep = np.stack([_most(one[1:], one[:-1]) for one in near.slopes])
    steep = np.maximum(steep, steep.transpose(0, 2, 1))
    sharp = near.metric.kinds[columns] == CYCLIC
    steep = np.where(sharp[:, None, None], 2.0, steep) * scale[:, None, None]
    price = steep.max(axis=0) * (1 + TOLERANCE)
    paid = np.minimum(budget.free[columns, None, None] * price, gains).sum(axis=0)
    most = np.minimum(gains.sum(axis=0), paid + price * budget.radius)
    if not sharp.any() and not budget.free[columns].any():
        slopes = near.own_slopes
        steep = np.abs(slopes[:, :, None] - slopes[:, None]) * scale[:, None, None]
        most = np.minimum(most, _at_corners(steep, scale * units * BEND / 2, budget))
    return start[:, None] - start + most


def _most(one: Floats, other: Floats) -> Floats:
    """Return the most of differences at points of a grid (points, n) for all pairs, (n, n)."""
    found = np.subtract.outer(one[0], other[0])
    apart = np.empty_like(found)
    for at in range(1, len(one)):
        np.maximum(found, np.subtract.outer(one[at], other[at], out=apart), out=found)
    return found


def _at_corners(steep: Floats, bends: Floats, budget: Budget) -> Floats:
    """Return the most of slopes and curvature: it is convex, so that it is at a corner."""
    bends = bends[:, None, None]
    most, rest = budget.most * budget.radius, (1 - budget.most) * budget.radius
    found = steep * most + bends * most**2
    if rest > 0 and len(found) > 1:  # another column takes what one leaves
        others = steep * rest + bends * rest**2
        second, first = np.partition(others, -2, axis=0)[-2:]
        found = found + np.where(others == first, second, first)
    return np.asarray(found.max(axis=0) * (1 + TOLERANCE))
