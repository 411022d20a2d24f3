"""Which folds a changed row may be in: those of the stored cases that it can equal."""

from __future__ import annotations

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.prediction.predictor import Predictor
from vicinal.robustness.perturbation import Perturbation
from vicinal.typing import Floats, Ints


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
        self.costs, self.own = np.empty(0), np.empty(0, dtype=np.int64)
        self.fixed: int | None = None
        derived = predictor.derived
        if derived is None:
            return
        if exclude >= 0:
            self.fixed = int(derived.folds.of_rows(predictor.index.rows(np.array([exclude])))[0])
            return
        blocks = [_costs(derived, changes, values) for _, values in predictor.index.blocks()]
        self.costs = np.concatenate([self.costs, *(costs for costs, _ in blocks)])
        self.own = np.concatenate([self.own, *(folds for _, folds in blocks)])

    def within(self, radius: float) -> tuple[int, ...]:
        """Return the folds that rows within a radius may be in, −1 for the mean over all."""
        if self.fixed is not None:
            return (self.fixed,)
        return (-1, *np.unique(self.own[self.costs <= radius]).tolist())


def _costs(derived: DerivedColumns, changes: Perturbation, values: Floats) -> tuple[Floats, Ints]:
    """Return the radius within which a changed row may equal each case, if any, and its fold."""
    folds = derived.folds
    columns = folds.columns
    grain = 2.0 * np.abs(folds.halves) / 2**20
    cells, own = values[:, columns], changes.row[columns]
    gaps = np.abs(cells - own)
    periods = changes.periods[columns]
    around = periods > 0
    gaps[:, around] = np.minimum(gaps[:, around], periods[around] - gaps[:, around])
    gaps = np.where(np.isnan(cells) & np.isnan(own), 0.0, gaps)
    named = folds.nominal
    gaps = np.where(named, gaps != 0, np.maximum(gaps - grain, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = np.where(gaps == 0, 0.0, gaps / changes.units[columns])
    costs = np.where(np.isnan(costs), np.inf, costs).max(axis=1, initial=0.0)
    near = np.isfinite(costs)
    return costs[near], folds.of_rows(values[near])
