"""Scores of small boosted trees, which see features together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.bins import Bins
from vicinal.derived.category_groups import GroupedCases, columns_apart
from vicinal.derived.mean_trees import Trees, mean_trees
from vicinal.index.trees import Forest, grow_trees
from vicinal.typing import Bools, Floats, Ints, Words

#: Bins of a number.
TREE_BINS = 60
#: Columns that trees look at, at most: of more, those that promise most, or growing trees would
#: take most of the time in wide tables.
MOST_TREE_COLUMNS = 256
#: Rounds of boosting, at most; what follows the best one is dropped. A run ends when its loss has
#: not fallen for `PATIENCE` rounds. Several classes have fewer, since each has a tree in all, and
#: few cases of these fewer still, at a higher rate.
ROUNDS = 200
ROUNDS_OF_SEVERAL, ROUNDS_OF_SEVERAL_FEW = 120, 100
PATIENCE = 15
#: All runs end when their losses together, which are less noisy, have not fallen so many rounds.
PATIENCE_TOGETHER = 8
RATE = 0.1
RATE_OF_SEVERAL_FEW = 0.15
#: Numbers take more rounds at that rate, but no more error at twice the rate.
ROUNDS_OF_NUMBERS = 150
PATIENCE_OF_NUMBERS = 10
RATE_OF_NUMBERS = 0.2
#: Every round adds this part of the first rate to it: small steps matter at first, where noise
#: would lead astray, while outcomes with little noise take many rounds.
FASTER = 0.05
#: Added to the curvature of a leaf; of splits between categories, of which there are many, more.
RIDGE = 1.0
NOMINAL_RIDGE = 10.0
#: Least mass of a leaf: this part of the cases, but within these bounds.
LEAF_PART = 1 / 40
LEAST_LEAF, MOST_LEAF = 3.0, 20.0


class Shape(NamedTuple):
    """The most leaves, the most features split on the way to one, and how trees are grown."""

    leaves: int
    path_columns: int
    symmetric: bool = False

    @property
    def larger(self) -> Shape:
        """The shape with twice the leaves, for many cases."""
        return Shape(2 * self.leaves, 2 * self.path_columns + 1, self.symmetric)


#: The first sees pairs of features, the others more, which takes more cases. A symmetric tree
#: makes the same split in all leaves of a level, which few cases cannot suggest by chance.
PAIRS = Shape(8, 2)
DEEP = Shape(16, 15)
#: Each of several classes has a tree of its own in every round, which needs fewer leaves.
DEEP_OF_SEVERAL = Shape(8, 7)
SYMMETRIC = Shape(16, 15, symmetric=True)
SHAPES = (PAIRS, DEEP, SYMMETRIC)
#: How often symmetric trees count in a mean of several shapes, of the trees of two classes.
SYMMETRIC_OF_CLASSES = 3.0
#: A shape is left out of the mean of two classes if its held-out loss exceeds that of the best by
#: this factor. Numbers gain from the mean even then.
HOPELESS = 1.05


@dataclass(frozen=True, eq=False)
class TreeScores:
    """Scores of boosted trees, grown in several runs; see `Folds`.

    Parameters
    ----------
    bins : Bins
        Bins of the features. Each run splits groups of categories that are its own.
    nodes : ndarray of int64 of shape (runs, trees, width, nodes)
        64 times the column of the bins that a node splits, plus the first of its two children; −1
        for a leaf.
    sets : ndarray of uint64 of the same shape
        Bins that go to the first child, as bits.
    leaves : ndarray of the same shape
        What a leaf adds to the score.
    reference : ndarray of uint8 of shape (columns of the bins,)
        The bin of a typical value of each.
    """

    bins: Bins
    nodes: Ints
    sets: Words
    leaves: Floats
    reference: NDArray[np.uint8]

    @property
    def width(self) -> int:
        """Number of scores."""
        return self.nodes.shape[2]

    @cached_property
    def _forest(self) -> Forest:
        return Forest(self.nodes, self.sets, self.leaves)

    def values(self, rows: Floats, runs: Ints) -> Floats:
        """Return the scores of encoded rows, (m, width); the mean over runs for the run −1."""
        return self.scores_of(self.bins.codes(rows), runs)

    def scores_of(self, codes: NDArray[np.uint8], runs: Ints) -> Floats:
        """Return the scores of rows whose bins are known, (m, columns of the bins)."""
        return self._forest.scores(codes, runs)

    def parts(self, rows: Floats, runs: Ints) -> Floats:
        """Return what each feature adds to the scores: (m, features, width).

        They sum to the score less that of the reference: Shapley values of the score, with absent
        features at the reference.
        """
        codes = self.bins.codes(rows)
        return self._forest.parts(codes, self.reference, self.bins.owners, runs)

    def check(self) -> None:
        """Raise a ValueError unless the trees are sound."""
        if self._forest is None or self.nodes.max(initial=-1) // 64 >= len(self.reference):
            raise ValueError("a tree splits an unknown feature")

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_forest"}


def learn_trees(
    values: Floats,
    bins: Bins,
    truth: Floats,
    weights: Floats,
    held: Bools,
    *,
    n_classes: int,
    typical: Floats,
    shapes: tuple[Shape, ...] = SHAPES,
    few: bool = True,
    grouped: GroupedCases | None = None,
    threads: int | None = None,
) -> TreeScores | None:
    """Grow trees without the cases held in each run, as many rounds as predict these best.

    A score is the mean over the shapes: stored cases have the trees of few runs, whose noise
    differs between shapes. The reference is the row of `typical` values. With `few` cases, several
    classes are boosted at a higher rate. Trees split `grouped` categories as they split numbers,
    and may still split the categories. Returns None where no tree helps.
    """
    codes, nominal = bins.codes(values), bins.nominal
    if grouped is not None:
        nominal = np.append(nominal, np.zeros(len(grouped.groups), dtype=bool))
    mass = float(weights.sum())
    middle, unit = (0.0, 1.0) if n_classes else middle_and_unit(truth, weights)
    if not unit:
        return None
    rounds, rate = _rounds_and_rate(n_classes, few)
    found, weighed, losses = [], [], []
    for shape in shapes:
        grown = grow_trees(
            codes,
            nominal,
            (truth - middle) / unit,
            weights,
            held,
            None if grouped is None else grouped.codes,
            n_classes=n_classes,
            rounds=rounds,
            patience=PATIENCE if n_classes else PATIENCE_OF_NUMBERS,
            patience_together=PATIENCE_TOGETHER if n_classes else PATIENCE_OF_NUMBERS,
            leaves=shape.leaves,
            path_columns=shape.path_columns,
            most_columns=MOST_TREE_COLUMNS,
            symmetric=shape.symmetric,
            rate=rate,
            ridge=RIDGE,
            nominal_ridge=NOMINAL_RIDGE,
            least_mass=float(np.clip(mass * LEAF_PART, LEAST_LEAF, MOST_LEAF)),
            faster=FASTER,
            threads=threads,
        )
        best = int(grown.losses.sum(axis=0).argmin())
        if best:
            weighed.append(SYMMETRIC_OF_CLASSES if n_classes and shape.symmetric else 1.0)
            losses.append(float(grown.losses[:, best].sum()))
            used = np.s_[:, :best, :, : 2 * shape.leaves - 1]
            found.append(Trees(grown.nodes[used], grown.sets[used], grown.values[used]))
    if not found:
        return None
    most = HOPELESS * min(losses) if n_classes else np.inf
    good = [at for at, loss in enumerate(losses) if loss <= most]
    nodes, sets, leaves = mean_trees([found[at] for at in good], [weighed[at] for at in good])
    if grouped is not None:
        nodes = columns_apart(nodes, bins.features)
        bins = bins.with_groups(grouped.groups)
    return TreeScores(bins, nodes, sets, leaves * unit, bins.codes(typical[None])[0])


def middle_and_unit(truth: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of numbers; 0 if it is not a finite one."""
    mass = float(weights.sum())
    middle = float(weights @ truth / mass)
    away = truth - middle
    # By a power of two, which changes no digit, because squares of huge numbers overflow.
    power = int(np.frexp(np.abs(away).max())[1])
    unit = float(np.ldexp(np.sqrt(weights @ np.ldexp(away, -power) ** 2 / mass), power))
    return middle, unit if np.isfinite(unit) and unit > 0 else 0.0


def _rounds_and_rate(n_classes: int, few: bool) -> tuple[int, float]:
    if not n_classes:
        return ROUNDS_OF_NUMBERS, RATE_OF_NUMBERS
    if n_classes == 2:
        return ROUNDS, RATE
    return (ROUNDS_OF_SEVERAL_FEW, RATE_OF_SEVERAL_FEW) if few else (ROUNDS_OF_SEVERAL, RATE)
