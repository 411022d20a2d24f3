"""What a row has to be like to end at each leaf of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from vicinal.derived.bins import ALL
from vicinal.derived.trees import TreeScores
from vicinal.typing import Bools, Floats, Ints, Words

_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, eq=False)
class TreePaths:
    """The conditions on the way to the leaves of some trees.

    Parameters
    ----------
    trees, leaves : ndarray of shape (m,)
        The tree of each leaf, of all runs, rounds and scores, and its value. Leaves of a tree
        follow each other.
    places : ndarray of int of shape (c,)
        The leaf that each condition is of.
    kinds : ndarray of int of shape (c,)
        Which of the different conditions it is.
    columns : ndarray of int of shape (kinds,)
        The column that a condition is about.
    bins : ndarray of bool of shape (kinds, bins)
        The bins of it that lead to the leaf.
    pairs : ndarray of int of shape (c,)
        A number of the tree and the column of each condition; pairs of the same column and score
        follow each other.
    starts : ndarray of int
        The first pair of each column and score.
    """

    trees: Ints
    leaves: Floats
    places: Ints
    kinds: Ints
    columns: Ints
    bins: Bools
    pairs: Ints
    starts: Ints

    @classmethod
    def of(cls, scores: TreeScores) -> TreePaths:
        """Return those of scores, found once."""
        if scores not in _KNOWN:
            _KNOWN[scores] = cls._found(scores)
        return _KNOWN[scores]

    @classmethod
    def _found(cls, scores: TreeScores) -> TreePaths:
        nodes = scores.nodes.reshape(-1, scores.nodes.shape[-1])
        sets = scores.sets.reshape(nodes.shape)
        columns, bits = _conditions(nodes, sets)
        trees, ends = np.nonzero(_reached(nodes) & (nodes < 0))
        columns, bits = columns[trees, ends], bits[trees, ends]
        places, at = np.nonzero(columns >= 0)
        each = np.stack([columns[places, at].astype(np.uint64), bits[places, at]])
        different, kinds = np.unique(each, axis=1, return_inverse=True)
        leaves, kinds = scores.leaves.reshape(nodes.shape)[trees, ends], kinds.ravel()
        about = different[0].astype(np.int64)
        bins = (different[1][:, None] >> np.arange(ALL, dtype=np.uint64)) & np.uint64(1)
        groups = about[kinds] * scores.width + trees[places] % scores.width
        each_pair, pairs = np.unique(groups * len(nodes) + trees[places], return_inverse=True)
        starts = np.unique(each_pair // len(nodes), return_index=True)[1]
        return cls(trees, leaves, places, kinds, about, bins > 0, pairs, starts)


_KNOWN: WeakKeyDictionary[TreeScores, TreePaths] = WeakKeyDictionary()


def _reached(nodes: Ints) -> Bools:
    """Return which nodes a tree has; the others only fill the array."""
    reached = np.zeros(nodes.shape, dtype=bool)
    reached[:, 0] = True
    for place in range(nodes.shape[1]):
        trees = np.flatnonzero(reached[:, place] & (nodes[:, place] >= 0))
        first = nodes[trees, place] % 64
        reached[trees, first] = reached[trees, first + 1] = True
    return reached


def _conditions(nodes: Ints, sets: Words) -> tuple[Ints, Words]:
    """Return the columns that matter on the way to each node, −1 for none, and their bins."""
    columns = np.full((*nodes.shape, 1), -1, dtype=np.int64)
    bits = np.full((*nodes.shape, 1), _ALL_BITS, dtype=np.uint64)
    reached = _reached(nodes)
    for place in range(nodes.shape[1]):
        trees = np.flatnonzero(reached[:, place] & (nodes[:, place] >= 0))
        if not len(trees):
            continue
        split = nodes[trees, place]
        column, first, chosen = split // 64, split % 64, sets[trees, place]
        own = columns[trees, place]
        fits = (own == column[:, None]) | (own < 0)
        if not fits.any(axis=1).all():  # one more column on some way
            columns = np.concatenate([columns, np.full_like(columns[:, :, :1], -1)], axis=2)
            bits = np.concatenate([bits, np.full_like(bits[:, :, :1], _ALL_BITS)], axis=2)
            own = columns[trees, place]
            fits = (own == column[:, None]) | (own < 0)
        slot = fits.argmax(axis=1)
        for child, part in ((first, chosen), (first + 1, ~chosen)):
            columns[trees, child], bits[trees, child] = own, bits[trees, place]
            columns[trees, child, slot] = column
            bits[trees, child, slot] &= part
    return columns, bits
