"""The cases as a predictor searches them: with the columns derived for its target."""

from __future__ import annotations

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.fitted import Fitted, Rows
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.players import Players
from vicinal.typing import Floats, Ints


class ExtendedCases:
    """The cases of a table and the columns that are derived from others, if any.

    They are derived when first needed, and follow the changes of the cases.

    Parameters
    ----------
    fitted : Fitted
        The fitted state, which has the cases.
    derived : DerivedColumns, optional
        What is derived.
    """

    def __init__(self, fitted: Fitted, derived: DerivedColumns | None) -> None:
        self._fitted, self._derived = fitted, derived
        self._made: tuple[int, ExactIndex] | None = None
        self._parts: tuple[int, Floats] | None = None

    @property
    def index(self) -> ExactIndex:
        """The index in which neighbors are searched."""
        index = self._fitted.index
        if self._derived is None:
            return index
        if self._made is None or self._made[0] != index.version:
            self._made = (index.version, self._derived.index(index))
        return self._made[1]

    def like(self, index: ExactIndex) -> ExactIndex:
        """Return an index of other cases with the derived columns."""
        return index if self._derived is None else self._derived.index(index)

    def rows(self, values: Floats, exclude: Ints | None = None) -> Floats:
        """Append the derived columns to encoded rows.

        Those of a stored case do not depend on its own outcome: rows with a case to exclude get
        what was learned without the fold of that case.
        """
        if self._derived is None:
            return values
        return self._derived.extended(values, self._folds(self._derived, len(values), exclude))

    def metric(self, metric: Metric) -> Metric:
        """Return a metric of extended rows for encoded rows; see `DerivedColumns.handed_back`."""
        return metric if self._derived is None else self._derived.handed_back(metric)

    def columns_of(self, feature: int) -> tuple[int, ...]:
        """Return the columns of the index that come from this feature alone."""
        return (feature,) if self._derived is None else self._derived.columns_of(feature)

    def players(self, features: list[int], metric: Metric, rows: Rows) -> Players | None:
        """Return what each feature brings to a space; None if it is its own column."""
        derived = self._derived
        if derived is None:
            return None
        places = np.searchsorted(derived.columns, features)
        active = np.flatnonzero(metric.weights[derived.scores] > 0)
        folds = self._folds(derived, len(rows), rows.exclude)
        of_cases, of_rows = self._case_parts(derived), derived.parts(rows.values, folds)
        return Players(
            columns=tuple(self.columns_of(feature) for feature in features),
            scores=derived.scores[active].astype(np.int64),
            case_parts=of_cases[:, places][:, :, active],
            query_parts=of_rows[:, places][:, :, active],
        )

    def _folds(self, derived: DerivedColumns, count: int, exclude: Ints | None) -> Ints:
        """Return the fold of each case to exclude, −1 for none."""
        folds = np.full(count, -1)
        if exclude is not None:
            stored = np.flatnonzero(exclude >= 0)
            folds[stored] = derived.folds.of_rows(self._fitted.index.rows(exclude[stored]))
        return folds

    def _case_parts(self, derived: DerivedColumns) -> Floats:
        """Return what each feature adds to the scores of the cases, which is cached."""
        index = self._fitted.index
        if self._parts is None or self._parts[0] != index.version:
            empty = np.empty((0, len(derived.columns), len(derived.scores)))
            blocks = [
                derived.parts(values, derived.folds.of_rows(values))
                for _, values in index.blocks()
            ]
            self._parts = (index.version, np.concatenate([empty, *blocks]))
        return self._parts[1]

    @property
    def current(self) -> bool:
        """Whether the derived columns of all cases are at hand."""
        return self._made is not None and self._made[0] == self._fitted.index.version

    def add(self, values: Floats, weights: Floats | None) -> None:
        """Add cases that were just added to the table, if `current` before."""
        assert self._derived is not None
        assert self._made is not None
        self._made[1].add(self._derived.cases(values), weights)
        self._made = (self._fitted.index.version, self._made[1])

    def update(self, numbers: Ints, values: Floats, weights: Floats | None) -> None:
        """Change cases that were just changed in the table, if `current` before."""
        assert self._derived is not None
        assert self._made is not None
        self._made[1].update(numbers, self._derived.cases(values), weights)
        self._made = (self._fitted.index.version, self._made[1])

    def remove(self, numbers: Ints) -> None:
        """Remove cases that were just removed from the table, if `current` before."""
        assert self._made is not None
        self._made[1].remove(numbers)
        self._made = (self._fitted.index.version, self._made[1])
