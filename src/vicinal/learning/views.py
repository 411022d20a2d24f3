"""The cases as those that are left out may see them: without what was learned from these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.derived.stored_columns import StoredColumns
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases, Index
from vicinal.index.terms import case_offsets
from vicinal.typing import Floats, Ints, Places


@dataclass(frozen=True, eq=False)
class Views:
    """One index for all cases, or for each fold one that was learned without its outcomes.

    Scores of the other cases have seen the outcome of a case that is left out. Where these are few
    they tell it, so that leave-one-out would promise what no new row gets.

    Parameters
    ----------
    index : Index
        The cases as new rows see them.
    by_fold : tuple of Cases
        The same cases under the same numbers, seen from each fold; empty if they are the same.
    derived : DerivedColumns, optional
        Tells the fold of a case, and which columns differ.
    moved : tuple of ndarray, optional
        Case numbers, ascending, and the rows that these are judged at, if not at their own.
    """

    index: Index
    by_fold: tuple[Cases, ...] = ()
    derived: DerivedColumns | None = None
    moved: tuple[Ints, Floats] | None = None

    @classmethod
    def of(cls, index: Index, stored: StoredColumns) -> Views:
        """Return the views of cases that have derived columns."""
        return cls(index, stored.views(index), stored.derived)

    def seen_by(self, metric: Metric) -> Views:
        """Return views that differ in the columns of a metric: if none does, there is one."""
        if self.derived is None or np.isin(metric.active, self.derived.learned).any():
            return self
        return Views(self.index, moved=self.moved)

    def judging(self, cases: Ints, rows: Floats) -> Views:
        """Return the same views of cases, ascending, that are judged at other rows."""
        return replace(self, moved=(cases, rows))

    def rows(self, index: Cases, cases: Ints) -> Floats:
        """Return the rows at which cases are judged that are left out of an index."""
        if self.moved is None:
            return index.rows(cases)
        numbers, rows = self.moved
        return rows[np.searchsorted(numbers, cases)]

    def offsets(
        self, cases: Ints, indices: Ints, metric: Metric, *, threads: int | None = None
    ) -> Floats:
        """Return `case_offsets` of the neighbors of cases, each as it sees them."""
        found: Floats | None = None
        for index, at in self.split(cases):
            rows = self.rows(index, cases[at])
            some = case_offsets(index, rows, indices[at], metric, threads=threads)
            if len(at) == len(cases):
                return some
            found = np.empty((len(cases), *some.shape[1:])) if found is None else found
            found[at] = some
        assert found is not None
        return found

    def split(self, cases: Ints) -> Iterator[tuple[Cases, Places]]:
        """Yield each index, and the positions of the cases that see it."""
        if not self.by_fold or self.derived is None:
            yield self.index, np.arange(len(cases))
            return
        derived = self.derived
        folds = derived.folds.of_rows(self.index.rows(cases)[:, : derived.width])
        for fold in np.unique(folds).tolist():
            yield self.by_fold[fold], np.flatnonzero(folds == fold)
