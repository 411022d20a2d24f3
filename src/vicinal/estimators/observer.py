"""What the estimators without a target share: parameters, the fit of the Model, known rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from vicinal.estimators.parameters import check_parameters, seed_of
from vicinal.estimators.saving import SavedEstimator
from vicinal.estimators.tables import checked_table, checked_weights, counted_rows, declarations
from vicinal.exceptions import FileError
from vicinal.model.model import Model
from vicinal.schema.encode import encode
from vicinal.tables.table import Table
from vicinal.typing import Floats, Places

__all__ = ["STALE", "VicinalObserver"]


#: Once more than this share of the cases came after residuals and weights were learned, they are
#: learned anew: each time the table has doubled, so that it costs a constant per row.
STALE = 0.5


class VicinalObserver(SavedEstimator, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that learn from a table alone.

    Subclasses have the parameters ``categorical_features``, ``ordinal_features``,
    ``cyclic_features``, ``missing_values``, ``missing``, ``p``, ``random_state`` and ``n_jobs``.
    """

    _unsaved = frozenset({"model_", "_places"})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit_model(self, X: Any, sample_weight: Any, **settings: Any) -> None:
        """Check the parameters, X and the weights, and build the Model with further settings."""
        check_parameters(self.get_params(deep=False))
        table = checked_table(self, X, reset=True)
        weights = checked_weights(sample_weight, len(table))
        total = len(table)
        table, weights, rows = counted_rows(table, weights)
        self._names = table.names
        self.model_ = Model(
            p=self.p,
            random_state=seed_of(self.random_state),
            n_jobs=None if self.n_jobs == -1 else self.n_jobs,
            **declarations(self, table.names),
            **settings,
        ).fit(table, sample_weight=weights)
        self._n_rows, self._kept = total, rows

    def _add_rows(self, X: Any, sample_weight: Any) -> None:
        """Add rows to the Model, which learns anew whenever it has doubled."""
        table = self._table(X)
        weights = checked_weights(sample_weight, len(table))
        total = len(table)
        table, weights, rows = counted_rows(table, weights)
        self.model_.add(table, sample_weight=weights)
        self._kept = np.concatenate([self._kept, self._n_rows + rows])
        self._n_rows += total
        if self.model_.changed_share > STALE:
            self.model_.refresh()

    def _of_all_rows(self, values: Floats) -> Floats:
        """Values of the cases as values of the training rows, NaN where one has weight 0."""
        rows = np.full(self._n_rows, np.nan)
        rows[self._kept] = values
        return rows

    def _table(self, X: Any) -> Table:
        """Read X, with the columns called as they were in `fit`."""
        check_is_fitted(self)
        return checked_table(self, X, reset=False).rename(self._names)

    def _known(self, table: Table) -> Places:
        """The training row that each row is equal to, as a place in the Model; −1 for none."""
        if not hasattr(self, "_places"):  # it comes from a file
            self._find_places()
        rows = _keys(encode(table, self.model_.schema_))
        return np.array([self._places.get(key, -1) for key in rows], dtype=np.intp)

    def _find_places(self) -> None:
        keys = _keys(self.model_.index_.values)
        self._places = {key: place for place, key in reversed(list(enumerate(keys)))}

    def _check_loaded(self) -> None:
        super()._check_loaded()
        check_parameters(self.get_params(deep=False))
        fits = len(self._kept) == len(self.model_) and self._kept.ndim == 1
        if not fits or not (self._kept >= 0).all() or not (self._kept < self._n_rows).all():
            raise FileError("its rows are not those of its cases")
        if list(self._names) != list(self.model_.schema_.names):
            raise FileError("its columns are not those of its model")


def _keys(values: Floats) -> list[bytes]:
    """Bytes that are equal where rows are."""
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, and no −0
    return [row.tobytes() for row in np.ascontiguousarray(plain)]
