"""The ranges of the scores of trees.

Trees see bins. Where a changed row can be in few combinations of bins, all of them are scored,
and the range is exact. Otherwise the least and the greatest leaf that each tree can reach are
added up.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from vicinal.derived.bins import ALL, Bins
from vicinal.derived.trees import TreeScores
from vicinal.robustness.perturbation import ROUNDING, Box, Perturbation
from vicinal.robustness.shared_trees import shared_range
from vicinal.typing import Bools, Floats, Ints

#: Combinations that are scored, at most.
MOST_COMBINATIONS = 512


def tree_range(
    scores: TreeScores, box: Box, runs: list[int], changes: Perturbation, most: float | None
) -> tuple[Floats, Floats]:
    """Return the least and the greatest scores, (width,) each, as a mean over runs.

    Parameters
    ----------
    box : Box
        The values that columns may have.
    runs : list of int
        The runs that scores are the mean of.
    changes : Perturbation
        The row, and what changes cost.
    most : float, optional
        Where costs add up: the radius.
    """
    within = reachable(scores.bins, box)
    split = _split_columns(scores)
    costs = bin_costs(scores.bins, changes)
    found = combinations(within, split, costs, most)
    if found is not None:
        codes = found.astype(np.uint8)
        whole = len(runs) == len(scores.nodes)  # all of them at once
        every = [scores.scores_of(codes, np.full(len(codes), run)) for run in [-1] * whole or runs]
        means = np.mean(every, axis=0)
        return means.min(axis=0), means.max(axis=0)
    if most is not None:
        return shared_range(scores, within, costs, runs, most)
    return sum_of_ends(scores, within, runs)


def _split_columns(scores: TreeScores) -> Ints:
    """Return the columns that some tree splits, found once."""
    if scores not in _SPLIT:
        _SPLIT[scores] = np.unique(scores.nodes[scores.nodes >= 0] // 64)
    return _SPLIT[scores]


_SPLIT: WeakKeyDictionary[TreeScores, Ints] = WeakKeyDictionary()


def any_category(box: Box) -> Bools:
    """Return the columns that may have any category, numbers that are read as such included."""
    moved: Bools = box.free | (box.upper > box.lower)
    return moved


def reachable(bins: Bins, box: Box) -> Bools:
    """Return which bins each column may be in, (columns, bins)."""
    lower, upper = box.on_line()
    first, last = bins.codes(np.stack([lower, upper])).astype(np.intp)
    codes = np.arange(ALL)
    within = (codes >= np.minimum(first, last)[:, None]) & (
        codes <= np.maximum(first, last)[:, None]
    )
    within[any_category(box)[bins.columns] & bins.nominal] = True
    return within


def bin_costs(bins: Bins, changes: Perturbation) -> Floats:
    """Return what it costs at least to be in each bin, (columns, bins); 0 if it is not limited."""
    costs = np.zeros((len(bins.columns), ALL))
    for place, column in enumerate(bins.columns.tolist()):
        unit, own = changes.paid_units[column], changes.row[column]
        if bins.nominal[place] or not unit > 0 or changes.periods[column] > 0:
            continue
        edges = bins.edges_of(place)
        far = np.maximum(np.append(-np.inf, edges) - own, own - np.append(edges, np.inf))
        costs[place, : len(far)] = np.maximum(far, 0.0) / unit
    return costs


def combinations(within: Bools, split: Ints, costs: Floats, most: float | None) -> Ints | None:
    """Return all combinations of bins that can be reached, (m, columns); None if there are many.

    Columns that no tree splits are in any one bin.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.robustness.tree_ranges import combinations
    >>> within, costs = np.ones((2, 2), dtype=bool), np.array([[0.0, 0.4], [0.3, 0.0]])
    >>> combinations(within, np.arange(2), costs, 0.5).tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    found, spent = within.argmax(axis=1)[None], np.zeros(1)
    limit = np.inf if most is None else most * (1 + 1e-9) + ROUNDING
    for place in split[within[split].sum(axis=1) > 1].tolist():
        bins = np.flatnonzero(within[place])
        added = spent[:, None] + costs[place, bins]
        rows, chosen = np.nonzero(added <= limit)
        if len(rows) > MOST_COMBINATIONS:
            return None
        found, spent = found[rows], added[rows, chosen]
        found[:, place] = bins[chosen]
    return found


def sum_of_ends(scores: TreeScores, within: Bools, runs: list[int]) -> tuple[Floats, Floats]:
    """Add up the least and the greatest leaf that every tree can reach."""
    bits = (within * (np.uint64(1) << np.arange(ALL, dtype=np.uint64))).sum(
        axis=1, dtype=np.uint64
    )
    nodes = scores.nodes.reshape(-1, scores.nodes.shape[-1])
    sets = scores.sets.reshape(nodes.shape)
    reached = np.zeros(nodes.shape, dtype=bool)
    reached[:, 0] = True
    for place in range(nodes.shape[1]):
        trees = np.flatnonzero(reached[:, place] & (nodes[:, place] >= 0))
        if not len(trees):
            continue
        split = nodes[trees, place]
        seen, first = bits[split // 64], split % 64
        reached[trees, first] |= (seen & sets[trees, place]) != 0
        reached[trees, first + 1] |= (seen & ~sets[trees, place]) != 0
    ends = reached & (nodes < 0)
    leaves = scores.leaves.reshape(nodes.shape)
    shape = scores.nodes.shape[:3]
    low = np.where(ends, leaves, np.inf).min(axis=1).reshape(shape).sum(axis=1)
    high = np.where(ends, leaves, -np.inf).max(axis=1).reshape(shape).sum(axis=1)
    return low[runs].mean(axis=0), high[runs].mean(axis=0)
