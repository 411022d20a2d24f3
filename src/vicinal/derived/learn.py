"""Learn what can be derived from the columns of the cases to predict a target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.derived.additive import SCORECARD_BINS, AdditiveScores, learn_additive
from vicinal.derived.bins import OTHERS, Bins
from vicinal.derived.category_groups import GroupedCases, learn_groups
from vicinal.derived.category_means import CategoryMeans
from vicinal.derived.columns import DerivedColumns
from vicinal.derived.estimators import EstimatorScores
from vicinal.derived.folds import Folds
from vicinal.derived.learn_estimators import EstimatorLearner, EstimatorTask
from vicinal.derived.ranks import Ranks, ranked_columns
from vicinal.derived.trees import (
    DEEP_OF_SEVERAL,
    PAIRS,
    SHAPES,
    TREE_BINS,
    Shape,
    TreeScores,
    learn_trees,
    middle_and_unit,
)
from vicinal.index.case_weights import units_of
from vicinal.index.kinds import NOMINAL, NUMERIC
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import content_order
from vicinal.typing import Bools, Floats, Ints, Places

#: Cases that scores are learned from, at most, and cells.
MOST_CASES = 50_000
MOST_CELLS = 4_000_000
#: Nothing is derived from fewer cases: more candidates than few cases can tell apart do harm.
FEWEST = 150
#: Up to so many cases, what is learned is learned without each pair of folds; with more, a single
#: outcome tells little, and it is learned without each of fewer folds.
FEW = 4000
FOLDS, FOLDS_OF_MANY = 13, 8
#: There are fewer pairs of folds if the cases have more cells than this: cases that are left out
#: see an index of their fold, and each of these has all columns.
MOST_SEEN, FOLDS_OF_WIDE = 1_000_000, 7
#: Most classes that have scores, each of them one. With more than a few, there are fewer kinds of
#: scores, and categories have no means and no groups, because every column takes time.
MOST_CLASSES, FEW_CLASSES = 12, 6
#: Most coefficients of an additive score.
MOST_COEFFICIENTS = 2000
#: Cases by which it is measured how much each column matters to a score, at most.
MOST_MEASURED = 250
#: Categories have means if there are more of them than the first, and at most the second.
FEW_CATEGORIES, MOST_CATEGORIES = 8, 20_000


def learn_derived(
    index: Index,
    metric: Metric,
    column: int,
    *,
    n_classes: int,
    period: float = 0.0,
    scores: bool = True,
    estimators: EstimatorTask | None = None,
    random_state: int = 0,
    threads: int | None = None,
) -> DerivedColumns | None:
    """Learn derived columns for a target; None if there are none.

    Parameters
    ----------
    index : Index
        The cases.
    metric : Metric
        Its active columns are the context.
    column : int
        Encoded column of the target.
    n_classes, period : int, float
        As in `Target`. Cyclic numbers have no scores.
    scores : bool
        Whether to learn scores.
    estimators : EstimatorTask, optional
        A user's own estimators, whose scores are learned, too.
    """
    active = metric.active.astype(np.int64)
    most = min(MOST_CASES, max(1000, MOST_CELLS // max(len(active), 1)))
    numbers, values = index.sample(most, random_state=random_state, required=column)
    if len(values) < FEWEST:
        return None
    order = content_order(values)  # so that rounding does not depend on the order of rows
    values = values[order]
    sample = _Sample(values, active, metric, units_of(index, numbers[order]))
    few = len(index) <= FEW
    count = _fold_count(len(index), len(active))
    fold_of = Folds.of(values, active, sample.nominal, count=count, seed=random_state, pairs=few)
    found = DerivedColumns(
        columns=active,
        typical=sample.typical(),
        folds=fold_of,
        ranks=sample.ranks(),
        means=(),
        additive=(),
        trees=(),
        shares=np.empty((0, values.shape[1])),
        ignored=np.empty(0, dtype=np.int64),
    )
    if np.ptp(values[:, column]) > 0 and not period and n_classes <= MOST_CLASSES and scores:
        learner = _ScoreLearner(sample, column, n_classes, fold_of, threads)
        found = replace(
            found, means=learner.means(), additive=learner.additive(), trees=learner.trees()
        )
        if estimators is not None:
            found = replace(found, estimators=learner.estimators(estimators, len(index), found))
    found = replace(found, shares=sample.shares(found))
    return found if found.count else None


def _fold_count(n_cases: int, n_columns: int) -> int:
    if n_cases > FEW:
        return FOLDS_OF_MANY
    return FOLDS if n_cases * n_columns <= MOST_SEEN else FOLDS_OF_WIDE


class _Sample:
    """The cases that derived columns are learned from."""

    def __init__(self, values: Floats, active: Ints, metric: Metric, weights: Floats) -> None:
        self.values, self.active, self.weights = values, active, weights
        self.kinds = metric.kinds[active]
        self.nominal: Bools = self.kinds == NOMINAL

    def typical(self) -> Floats:
        """Return the median of each column, or its commonest category."""
        bins = [_weighted_middle(cells, self.weights) for cells in self.values.T]
        out = np.array(bins)
        for column in self.active[self.nominal].tolist():
            codes = self.values[:, column]
            seen = ~np.isnan(codes)
            if seen.any():
                masses = np.bincount(codes[seen].astype(np.intp), self.weights[seen])
                out[column] = masses.argmax()
        return out

    def ranks(self) -> tuple[Ranks, ...]:
        """Learn the ranks of numbers."""
        numbers = self.active[self.kinds == NUMERIC]
        return tuple(
            Ranks.of(column, self.values[:, column], self.weights)
            for column in ranked_columns(self.values, numbers, self.weights).tolist()
        )

    def shares(self, derived: DerivedColumns) -> Floats:
        """Return how much each encoded column matters to each score."""
        # The parts of estimators take long, so they have learned the sizes from fewer rows.
        own = replace(derived, estimators=())
        # The first are a random sample, because cases are ordered by a hash of their content.
        parts = own.sizes(self.values[:MOST_MEASURED])
        weights = self.weights[:MOST_MEASURED]
        middle = (weights[:, None, None] * parts).sum(axis=0) / weights.sum()
        sizes = (weights[:, None, None] * np.abs(parts - middle)).sum(axis=0).T
        sizes = np.concatenate([sizes, *(one.sizes for one in derived.estimators)])
        out = np.zeros((len(sizes), derived.width))
        out[:, derived.columns] = sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1e-300)
        return out


class _ScoreLearner:
    """Learns what depends on the outcomes."""

    def __init__(
        self, sample: _Sample, column: int, n_classes: int, folds: Folds, threads: int | None
    ) -> None:
        self.sample, self.n_classes, self.threads = sample, n_classes, threads
        self.truth = sample.values[:, column]
        self.pairs = folds.pairs
        self.fold_of, self.left_out = folds.of_rows(sample.values), folds.left_out
        self.held = self.left_out[:, self.fold_of]

    def means(self) -> tuple[CategoryMeans, ...]:
        """Learn the mean outcomes of categories, of columns that have many."""
        # Where runs are without a single fold, the means of other cases hold the outcome that is
        # left out, and tell it where few cases have the category.
        if self.n_classes > FEW_CLASSES or not self.pairs:
            return ()
        outcomes = self._outcomes()
        sample = self.sample
        return tuple(
            CategoryMeans.learn(
                column, sample.values[:, column], outcomes, sample.weights, self.held
            )
            for column in self._many_categories()
        )

    def _many_categories(self) -> list[int]:
        columns = self.sample.active[self.sample.nominal].tolist()
        most = min(MOST_CATEGORIES, len(self.truth) / 3)
        return [column for column in columns if FEW_CATEGORIES < self._size(column) <= most]

    def _size(self, column: int) -> int:
        return len(np.unique(self.sample.values[:, column]))

    def _outcomes(self) -> Floats:
        """Return what is averaged over the cases of a category, (n, width)."""
        if not self.n_classes:
            return self.truth[:, None]
        classes = np.arange(self.n_classes if self.n_classes > 2 else 1)
        return (self.truth[:, None] == classes).astype(np.float64)

    def additive(self) -> tuple[AdditiveScores, ...]:
        """Learn a linear score, and one by bins."""
        bins = self._bins(SCORECARD_BINS)
        codes = bins.codes(self.sample.values)
        if sum(len(np.unique(one)) for one in codes.T) > MOST_COEFFICIENTS:
            return ()
        return tuple(
            learn_additive(
                self.sample.values,
                bins,
                self.truth,
                self.sample.weights,
                self.held,
                n_classes=self.n_classes,
                linear=linear,
            )
            for linear in ((True, False) if self.n_classes <= FEW_CLASSES else (False,))
        )

    def trees(self) -> tuple[TreeScores, ...]:
        """Grow boosted trees, if they predict anything."""
        bins = self._bins(TREE_BINS)
        grouped = self._grouped(bins)
        found = [
            learn_trees(
                self.sample.values,
                bins,
                self.truth,
                self.sample.weights,
                self.held,
                n_classes=self.n_classes,
                typical=self.sample.typical(),
                shapes=shapes,
                few=len(self.truth) <= FEW,
                grouped=grouped,
                threads=self.threads,
            )
            for shapes in self._shapes()
        ]
        return tuple(one for one in found if one is not None)

    def _grouped(self, bins: Bins) -> GroupedCases | None:
        """Group the categories of columns in which some have no bin of their own."""
        if self.n_classes > FEW_CLASSES:
            return None
        shared = (bins.codes(self.sample.values) == OTHERS).any(axis=0) & bins.nominal
        many = [c for c in bins.columns[shared].tolist() if self._size(c) <= MOST_CATEGORIES]
        outcomes = self._outcomes()
        if not self.n_classes:
            middle, unit = middle_and_unit(self.truth, self.sample.weights)
            outcomes = (outcomes - middle) / (unit or 1.0)
        return learn_groups(
            self.sample.values,
            many,
            outcomes,
            self.sample.weights,
            self.fold_of,
            self.left_out,
            most=TREE_BINS,
        )

    def _shapes(self) -> tuple[tuple[Shape, ...], ...]:
        """Return the shapes of trees whose mean is each of the scores."""
        # Symmetric trees predict one of several classes worse in as many tables as better.
        if self.n_classes > 2:
            deep = DEEP_OF_SEVERAL if len(self.truth) <= FEW else DEEP_OF_SEVERAL.larger
            return ((PAIRS,), (deep,)) if self.n_classes <= FEW_CLASSES else ((deep,),)
        shapes: tuple[Shape, ...] = SHAPES
        # Most outcomes depend on more columns than pairs of them, where there are more.
        if len(self.sample.active) > PAIRS.path_columns:
            shapes = tuple(shape for shape in SHAPES if shape != PAIRS)
        return (shapes if len(self.truth) <= FEW else tuple(one.larger for one in shapes),)

    def estimators(
        self, task: EstimatorTask, n_cases: int, derived: DerivedColumns
    ) -> tuple[EstimatorScores, ...]:
        """Fit a user's own estimators."""
        return EstimatorLearner(
            task,
            self.sample.values,
            self.truth,
            self.sample.weights,
            self.held,
            columns=derived.columns,
            typical=derived.typical,
            n_classes=self.n_classes,
            n_cases=n_cases,
            random_state=derived.folds.seed,
            threads=self.threads,
        ).learn()

    def _bins(self, most: int) -> Bins:
        sample = self.sample
        return Bins.of(sample.values, sample.active, sample.nominal, sample.weights, most=most)


def _weighted_middle(cells: Floats, weights: Floats) -> float:
    known: Places = np.flatnonzero(~np.isnan(cells))
    if not len(known):
        return float("nan")
    order = known[np.argsort(cells[known], kind="stable")]
    reached = np.cumsum(weights[order])
    return float(cells[order[np.searchsorted(reached, reached[-1] / 2)]])
