"""Everything that is derived from the columns of a table to predict one target."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.additive import AdditiveScores
from vicinal.derived.category_means import CategoryMeans
from vicinal.derived.estimators import EstimatorScores
from vicinal.derived.folds import Folds
from vicinal.derived.ranks import RankColumns, Ranks
from vicinal.derived.trees import TreeScores
from vicinal.index.kinds import NUMERIC
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.typing import Floats, Ints, Places

#: The groups of derived columns, in the order in which they are appended.
GROUPS = ("ranks", "means", "additive", "trees", "estimators")


@dataclass(frozen=True, eq=False)
class DerivedColumns:
    """Columns appended to encoded rows, all of them numbers.

    Parameters
    ----------
    columns : ndarray of int64
        Encoded columns that they are made of: the context, as far as it varies.
    typical : ndarray of shape (d,)
        A typical value of each encoded column, which stands for ignored ones.
    folds : Folds
        The fold of a row.
    ranks : tuple of Ranks
        Numbers by their ranks.
    means : tuple of CategoryMeans
        Categories by the outcomes of other cases.
    additive : tuple of AdditiveScores
        Scores that are sums over the features.
    trees : tuple of TreeScores
        Scores of boosted trees.
    shares : ndarray of shape (scores, d)
        How much each encoded column matters to each score; every row sums to 1. All other derived
        columns are made of one column each.
    ignored : ndarray of int64
        Encoded columns that take no part in scores.
    estimators : tuple of EstimatorScores
        Scores of a user's own estimators.
    """

    columns: Ints
    typical: Floats
    folds: Folds
    ranks: tuple[Ranks, ...]
    means: tuple[CategoryMeans, ...]
    additive: tuple[AdditiveScores, ...]
    trees: tuple[TreeScores, ...]
    shares: Floats
    ignored: Ints
    estimators: tuple[EstimatorScores, ...] = ()

    @property
    def width(self) -> int:
        """Number of encoded columns, before those that are derived."""
        return len(self.typical)

    @property
    def count(self) -> int:
        """Number of derived columns."""
        return len(self._owners) + len(self.shares)

    @cached_property
    def _owners(self) -> Ints:
        """The column that each derived one is made of, but for scores."""
        owners = [one.column for one in self.ranks]
        owners += [one.column for one in self.means for _ in range(one.width)]
        return np.array(owners, dtype=np.int64)

    @property
    def groups(self) -> dict[str, Places]:
        """Positions of the derived columns in extended rows, by group."""
        widths = {
            "ranks": len(self.ranks),
            **{name: sum(one.width for one in getattr(self, name)) for name in GROUPS[1:]},
        }
        ends = self.width + np.cumsum(list(widths.values()))
        return {
            name: np.arange(end - width, end)
            for (name, width), end in zip(widths.items(), ends.tolist(), strict=True)
        }

    @property
    def all_scores(self) -> list[AdditiveScores | TreeScores | EstimatorScores]:
        """The scores, in the order of their columns."""
        return [*self.additive, *self.trees, *self.estimators]

    @property
    def learned(self) -> Places:
        """Positions in extended rows of what was learned from outcomes."""
        groups = self.groups
        return np.concatenate([groups[name] for name in GROUPS if name != "ranks"])

    @property
    def scores(self) -> Places:
        """Positions of the scores in extended rows."""
        groups = self.groups
        return np.concatenate([groups["additive"], groups["trees"], groups["estimators"]])

    def columns_of(self, column: int) -> tuple[int, ...]:
        """Return the positions in extended rows of all that is made of one column alone."""
        alone = np.flatnonzero(self._owners == column)
        return (column, *(self.width + alone).tolist())

    def extended(self, rows: Floats, folds: Ints) -> Floats:
        """Append the derived columns to encoded rows.

        Parameters
        ----------
        folds : ndarray of int64 of shape (m,)
            What was learned without this fold is used; −1 for the mean over all folds, as for new
            rows.
        """
        return self.with_learned(rows, self._learned_columns(rows, folds))

    def _learned_columns(self, rows: Floats, folds: Ints) -> Floats:
        """Return the columns learned from outcomes."""
        return self._mean_of_runs(lambda at, runs: self._of_runs(rows[at], runs), folds)

    def of_each_run(self, rows: Floats, folds: Ints) -> Floats:
        """Return what stored cases get from each of the runs without their fold.

        Columns learned from outcomes alone, of shape (runs without a fold, m, columns).
        """
        return np.stack([self._of_runs(rows, runs) for runs in self.folds.runs_of(folds)])

    def with_learned(self, rows: Floats, learned: Floats) -> Floats:
        """Append ranks, and columns learned from outcomes, to encoded rows."""
        return np.concatenate([rows, self._rank_columns.values(rows), learned], axis=1)

    def _of_runs(self, rows: Floats, runs: Ints) -> Floats:
        """Return the columns learned from outcomes, each row by one run; by all for the run −1."""
        seen = self._seen(rows)
        parts = [one.values(rows, runs) for one in self.means]
        parts += [one.values(seen, runs) for one in self.all_scores]
        return np.concatenate([np.empty((len(rows), 0)), *parts], axis=1)

    @cached_property
    def _rank_columns(self) -> RankColumns:
        return RankColumns.of(self.ranks)

    def cases(self, rows: Floats) -> Floats:
        """Append the derived columns to stored cases, each without its own fold."""
        return self.extended(rows, self.folds.of_rows(rows))

    def sizes(self, rows: Floats) -> Floats:
        """Return what each of `columns` adds to the scores of stored cases, by one run of each."""
        seen, run = self._seen(rows), self.folds.left_out.argmax(axis=0)
        parts = [one.parts(seen, run[self.folds.of_rows(rows)]) for one in self.all_scores]
        return np.concatenate([np.empty((len(rows), len(self.columns), 0)), *parts], axis=2)

    def parts(self, rows: Floats, folds: Ints) -> Floats:
        """Return what each of `columns` adds to the scores: (m, columns, scores)."""
        seen = self._seen(rows)

        def compute(at: Places, runs: Ints) -> Floats:
            parts = [one.parts(seen[at], runs) for one in self.all_scores]
            return np.concatenate([np.empty((len(at), len(self.columns), 0)), *parts], axis=2)

        return self._mean_of_runs(compute, folds)

    def _mean_of_runs(self, compute: Callable[[Places, Ints], Floats], folds: Ints) -> Floats:
        """Return the mean of what rows get from the runs without their fold."""
        every = np.arange(len(folds))
        if not self.folds.pairs or (folds < 0).all():
            return compute(every, folds)
        stored, new = np.flatnonzero(folds >= 0), np.flatnonzero(folds < 0)
        each = self.folds.runs_of(folds[stored])
        means = np.mean([compute(stored, runs) for runs in each], axis=0)
        if not len(new):
            return means
        both = np.concatenate([means, compute(new, folds[new])])
        return both[np.argsort(np.concatenate([stored, new]))]

    def _seen(self, rows: Floats) -> Floats:
        """Return rows as scores see them, ignored columns at their typical value."""
        if not len(self.ignored):
            return rows
        seen = rows.copy()
        seen[:, self.ignored] = self.typical[self.ignored]
        return seen

    def kinds(self, index: Index) -> NDArray[np.uint8]:
        """Return the kinds of extended rows; derived columns are numbers."""
        return np.append(index.kinds, np.full(self.count, NUMERIC, dtype=np.uint8))

    def terms(self, terms: TermSettings) -> TermSettings:
        """Return how extended rows are compared; derived columns have weight 0."""
        more = self.count
        return TermSettings(
            kinds=np.append(terms.kinds, np.full(more, NUMERIC, dtype=np.uint8)),
            periods=np.append(terms.periods, np.zeros(more)),
            weights=np.append(terms.weights, np.zeros(more)),
            p=terms.p,
            distinct=np.append(terms.distinct, np.zeros(more, dtype=bool)),
        )

    def handed_back(self, metric: Metric) -> Metric:
        """Return the metric of encoded rows in which derived columns hand back their weight."""
        d = self.width
        first = d + len(self._owners)
        own = np.bincount(self._owners, metric.weights[d:first], minlength=d)
        weights = metric.weights[:d] + own
        for weight, shares in zip(metric.weights[first:], self.shares, strict=True):
            weights = weights + weight * shares
        return metric.taken(np.arange(d)).with_weights(weights)

    def with_shares_of_scores(self) -> DerivedColumns:
        """Return the same with shares of scores alone; earlier files have those of all columns."""
        return replace(self, shares=self.shares[len(self.shares) - len(self.scores) :])

    def kept(self, used: Collection[int]) -> tuple[DerivedColumns | None, Places]:
        """Drop groups, and estimators, of which no position of extended rows is used.

        Returns
        -------
        derived : DerivedColumns or None
            What remains, if anything.
        positions : ndarray of int
            The positions that remain, of all.
        """
        groups = self.groups
        ends = np.cumsum([one.width for one in self.estimators], dtype=np.intp)[:-1]
        each = np.split(groups.pop("estimators"), ends) if self.estimators else []
        kept = {name for name, at in groups.items() if set(at.tolist()) & set(used)}
        some = [number for number, at in enumerate(each) if set(at.tolist()) & set(used)]
        raw = np.arange(self.width)
        if not kept and not some:
            return None, raw
        positions = np.concatenate(
            [raw, *(at for name, at in groups.items() if name in kept), *(each[i] for i in some)]
        )
        dropped: dict[str, Any] = {name: () for name in groups if name not in kept}
        dropped["estimators"] = tuple(self.estimators[number] for number in some)
        first = self.width + len(self._owners)
        shares = self.shares[positions[positions >= first] - first]
        return replace(self, shares=shares, **dropped), positions
