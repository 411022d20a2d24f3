"""The ranges of the scores of trees, where the costs of all changes add up to the radius.

A score is a sum over trees, and the least and the greatest leaf of each tree, added up, are more
than any changed row can reach: every tree would have all of the radius for itself. So each leaf is
charged a part of what it costs to get there, such that no row is charged more than its change
costs. Then the sum over the trees is one of parts that share a radius.

A leaf that gains g over the leaves that cost nothing, and needs a cost of c in one column, is
charged g · min c'/G(c') for c' ≥ c, where G(c) adds up over the trees the most that leaves gain
which need no more than c in this column, on the same side of the row. A row that spends c there is
charged Σ g · c/G(c) ≤ c in all. This is exact for trees of one split each, of a column that gains
steadily.
"""

from __future__ import annotations

import numpy as np

from vicinal.derived.bins import ALL
from vicinal.derived.trees import TreeScores
from vicinal.robustness.perturbation import ROUNDING
from vicinal.robustness.shared_radius import most_gained
from vicinal.robustness.tree_paths import TreePaths
from vicinal.typing import Bools, Floats, Ints

#: Steps of costs, as parts of the radius, at which sums of gains are known.
_STEPS = 17


def shared_range(
    scores: TreeScores, within: Bools, costs: Floats, runs: list[int], radius: float
) -> tuple[Floats, Floats]:
    """Return the least and the greatest scores, (width,) each, as a mean over runs.

    Parameters
    ----------
    within : ndarray of bool of shape (columns, bins)
        The bins that each column may be in.
    costs : ndarray of shape (columns, bins)
        What it costs at least to be there.
    radius : float
        What all of them may cost together.
    """
    paths, radius = TreePaths.of(scores), radius * (1 + 1e-9) + ROUNDING
    needed, above = _needed(paths, within, costs)
    each = scores.nodes.shape[1] * scores.width
    total = np.bincount(paths.places, needed[paths.kinds], minlength=len(paths.trees))
    alive = total <= radius
    if len(runs) < len(scores.nodes):
        alive &= np.isin(paths.trees // each, runs)
    paying = np.flatnonzero(alive[paths.places] & (above[paths.kinds] >= 0))
    found = np.empty((2, scores.width))
    for side, sign in enumerate((-1.0, 1.0)):
        values, own = sign * paths.leaves, np.full(int(paths.trees[-1]) + 1, -np.inf)
        free = alive & (total <= 0)
        np.maximum.at(own, paths.trees[free], values[free])
        gains = np.maximum(np.where(alive, values - own[paths.trees], 0.0), 0.0)
        some = paying[gains[paths.places[paying]] > 0]
        charges = _charges(paths, some, gains, needed, above, radius)
        for at in range(scores.width):
            better = (gains > 0) & (paths.trees % scores.width == at)
            most = most_gained(gains[better], charges[better], paths.trees[better], radius)
            bases = own[at :: scores.width]
            base = float(bases[np.isfinite(bases)].sum())
            found[side, at] = sign * (base + most) / len(runs)
    return found[0], found[1]


def _needed(paths: TreePaths, within: Bools, costs: Floats) -> tuple[Floats, Ints]:
    """Return what each kind of condition costs at least, and whether it is met above the row.

    The latter is −1 if it costs nothing, or is met on both sides.
    """
    least = np.where(within, costs, np.inf)
    least = least - least.min(axis=1, keepdims=True)
    there = np.where(paths.bins, least[paths.columns], np.inf)
    needed = there.min(axis=1)
    own = least.argmin(axis=1)[paths.columns, None]
    met = np.isfinite(there)
    first, last = met.argmax(axis=1)[:, None], ALL - 1 - met[:, ::-1].argmax(axis=1)[:, None]
    alone = (needed > 0) & np.isfinite(needed) & ((first > own) | (last < own))[:, 0]
    return needed, np.where(alone, (first > own)[:, 0], -1)


def _charges(
    paths: TreePaths, some: Ints, gains: Floats, needed: Floats, above: Ints, radius: float
) -> Floats:
    """Return what leaves are charged, given the conditions of which they pay."""
    if not len(some):
        return np.zeros(len(gains))
    kinds, places = paths.kinds[some], paths.places[some]
    costs, gained, side = needed[kinds], gains[places], above[kinds]
    step = (costs / radius * (_STEPS - 1)).astype(np.intp)
    # The most that each tree gains by what is needed in one column, up to each step.
    most = np.zeros((int(paths.pairs.max()) + 1) * 2 * _STEPS)
    np.maximum.at(most, (paths.pairs[some] * 2 + side) * _STEPS + step, gained)
    most = np.maximum.accumulate(most.reshape(-1, 2, _STEPS), axis=2)
    sums = np.maximum(np.add.reduceat(most, paths.starts, axis=0), 1e-300)
    # Within a step, sums rise at the first cost that is needed there.
    group = np.searchsorted(paths.starts, paths.pairs[some], side="right") - 1
    at, first = (group, side, step), np.full_like(sums, np.inf)
    np.minimum.at(first, at, costs)
    steps = np.arange(1, _STEPS) / (_STEPS - 1) * radius
    later = np.minimum(steps / sums[:, :, :-1], first[:, :, 1:] / sums[:, :, 1:])
    later = np.minimum.accumulate(later[:, :, ::-1], axis=2)[:, :, ::-1]
    later = np.concatenate([later, np.full_like(sums[:, :, :1], np.inf)], axis=2)
    charged = gained * np.minimum(costs / sums[at], later[at]) * (1 - 1e-9)
    found: Floats = np.bincount(places, charged, minlength=len(gains)).astype(np.float64)
    return found
