"""Which folds a changed row may be in: those of the stored cases that it can equal."""

from __future__ import annotations

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.prediction.predictor import Predictor
from vicinal.robustness.perturbation import Perturbation
from vicinal.typing import Floats, Ints

#: How much farther is looked than asked for, and at how many columns at a time.
_AHEAD, _AT_ONCE = 4.0, 2


class StoredFolds:
    """The folds without which derived columns may have been learned.

    A row that equals a stored case gets what was learned without the fold of that case, any other
    one the mean over all folds; see `ExtendedCases`. Rows are equal if their hashes are: numbers
    may differ by a millionth of their range.

    Parameters
    ----------
    predictor : Predictor
        Has the derived columns.
    changes : Perturbation
        The row, and how it may change.
    exclude : int
        The case to leave out, whose fold counts whatever the change; −1 for none.
    """

    def __init__(self, predictor: Predictor, changes: Perturbation, exclude: int) -> None:
        self.predictor, self.changes = predictor, changes
        self.costs, self.own = np.empty(0), np.empty(0, dtype=np.int64)
        #: Cases farther away have not been looked at.
        self.farthest = -1.0
        self.fixed: int | None = None
        derived = predictor.derived
        if derived is not None and exclude >= 0:
            self.fixed = int(derived.folds.of_rows(predictor.index.rows(np.array([exclude])))[0])

    def within(self, radius: float) -> tuple[int, ...]:
        """Return the folds that rows within a radius may be in, −1 for the mean over all."""
        if self.fixed is not None:
            return (self.fixed,)
        derived, index = self.predictor.derived, self.predictor.index
        if derived is not None and radius > self.farthest:
            self.farthest = _AHEAD * radius
            given = derived, self.changes, self.farthest
            blocks = [_costs(*given, values) for _, values in index.blocks()]
            self.costs = np.concatenate([np.empty(0), *(costs for costs, _ in blocks)])
            self.own = np.concatenate([self.own[:0], *(folds for _, folds in blocks)])
        return (-1, *np.unique(self.own[self.costs <= radius]).tolist())


def _costs(
    derived: DerivedColumns, changes: Perturbation, most: float, values: Floats
) -> tuple[Floats, Ints]:
    """Return the radius within which a changed row may equal each case, and its fold.

    Only cases within some radius are returned. Few are near in one of the first columns already.
    """
    folds = derived.folds
    rows = np.arange(len(values))
    found = np.zeros(len(values))
    for at in range(0, len(folds.columns), _AT_ONCE):
        costs = _column_costs(derived, changes, slice(at, at + _AT_ONCE), values[rows])
        found = np.maximum(found, costs)
        near = found <= most
        rows, found = rows[near], found[near]
    return found, folds.of_rows(values[rows])


def _column_costs(
    derived: DerivedColumns, changes: Perturbation, some: slice, values: Floats
) -> Floats:
    """Return what it costs at least to equal cases in some columns, (n,)."""
    folds = derived.folds
    columns = folds.columns[some]
    grain = 2.0 * np.abs(folds.halves[some]) / 2**20
    cells, own = values[:, columns], changes.row[columns]
    gaps = np.abs(cells - own)
    periods = changes.periods[columns]
    around = periods > 0
    gaps[:, around] = np.minimum(gaps[:, around], periods[around] - gaps[:, around])
    gaps = np.where(np.isnan(cells) & np.isnan(own), 0.0, gaps)
    named = folds.nominal[some]
    gaps = np.where(named, gaps != 0, np.maximum(gaps - grain, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = np.where(gaps == 0, 0.0, gaps / changes.units[columns])
    return np.where(np.isnan(costs), np.inf, costs).max(axis=1, initial=0.0)
