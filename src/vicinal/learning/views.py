"""The cases as those that are left out may see them: without what was learned from these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.columns import DerivedColumns
from vicinal.derived.stored_columns import StoredColumns
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases, Index
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

    @property
    def differing(self) -> Places:
        """Columns that cases see in different ways."""
        if not self.by_fold or self.derived is None:
            return np.empty(0, dtype=np.intp)
        return np.asarray(self.derived.learned)

    def seen_by(self, metric: Metric) -> Views:
        """Return views that differ in the columns of a metric: if none does, there is one."""
        if self.derived is None or np.isin(metric.active, self.derived.learned).any():
            return self
        return Views(self.index, moved=self.moved)

    def judging(self, cases: Ints, rows: Floats) -> Views:
        """Return the same views of cases, ascending, that are judged at other rows."""
        return replace(self, moved=(cases, rows))

    @property
    def judged(self) -> Ints:
        """Cases that are judged at other rows than their own, ascending."""
        return np.empty(0, dtype=np.int64) if self.moved is None else self.moved[0]

    def rows(self, index: Cases, cases: Ints) -> Floats:
        """Return the rows at which cases are judged that are left out of an index."""
        if self.moved is None:
            return index.rows(cases)
        numbers, rows = self.moved
        return rows[np.searchsorted(numbers, cases)]

    def split(self, cases: Ints) -> Iterator[tuple[Cases, Places]]:
        """Yield each index, and the positions of the cases that see it."""
        if not self.by_fold or self.derived is None:
            yield self.index, np.arange(len(cases))
            return
        folds = self._folds_of(cases, self.derived)
        for fold in np.unique(folds).tolist():
            yield self.by_fold[fold], np.flatnonzero(folds == fold)

    @cached_property
    def _known_folds(self) -> NDArray[np.int16]:
        """The fold of each case that was asked about, by its number; −1 for the others."""
        return np.full(self.index.next_number, -1, dtype=np.int16)

    def _folds_of(self, cases: Ints, derived: DerivedColumns) -> NDArray[np.int16]:
        known = self._known_folds
        new = cases[known[cases] < 0]
        if len(new):
            known[new] = derived.folds.of_rows(self.index.rows(new)[:, : derived.width])
        return known[cases]
