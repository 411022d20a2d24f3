"""What the estimators without a target share: parameters, the fit of the Model, known rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from vicinal.estimators.parameters import check_parameters, seed_of
from vicinal.estimators.tables import checked_table, checked_weights, declarations, taken_rows
from vicinal.features import Table, encode
from vicinal.model import Model

__all__ = ["VicinalObserver"]

Floats = NDArray[np.float64]


class VicinalObserver(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that learn from a table alone.

    Subclasses have the parameters ``categorical_features``, ``ordinal_features``,
    ``cyclic_features``, ``missing_values``, ``missing``, ``p``, ``random_state`` and ``n_jobs``.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit_model(self, X: Any, sample_weight: Any) -> None:
        """Check the parameters, X and the weights, and build the Model."""
        check_parameters(self.get_params(deep=False))
        table = checked_table(self, X, reset=True)
        weights = checked_weights(sample_weight, len(table))
        self._n_rows = len(table)
        self._kept = np.arange(len(table))
        if weights is not None and not (weights > 0).all():
            # Rows of weight 0 must count like rows that are not there.
            self._kept = np.flatnonzero(weights > 0)
            table, weights = taken_rows(table, self._kept), weights[self._kept]
        self._names = table.names
        self.model_ = Model(
            p=self.p,
            random_state=seed_of(self.random_state),
            n_jobs=None if self.n_jobs == -1 else self.n_jobs,
            **declarations(self, table.names),
        ).fit(table, sample_weight=weights)
        keys = _keys(self.model_.index_.values)
        self._places = {key: place for place, key in reversed(list(enumerate(keys)))}

    def _of_all_rows(self, values: Floats) -> Floats:
        """Values of the cases as values of the training rows, NaN where one has weight 0."""
        rows = np.full(self._n_rows, np.nan)
        rows[self._kept] = values
        return rows

    def _table(self, X: Any) -> Table:
        """Read X, with the columns called as they were in `fit`."""
        check_is_fitted(self)
        read = checked_table(self, X, reset=False)
        return Table(dict(zip(self._names, read.columns.values(), strict=True)))

    def _known(self, table: Table) -> NDArray[np.intp]:
        """The training row that each row is equal to, as a place in the Model; −1 for none."""
        rows = _keys(encode(table, self.model_.schema_))
        return np.array([self._places.get(key, -1) for key in rows], dtype=np.intp)


def _keys(values: Floats) -> list[bytes]:
    """Bytes that are equal where rows are."""
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, and no −0
    return [row.tobytes() for row in np.ascontiguousarray(plain)]
