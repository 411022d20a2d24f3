"""What the classifier and the regressor share: parameters, the fit of the Model, neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from vicinal.estimators.observer import STALE
from vicinal.estimators.parameters import check_parameters, seed_of
from vicinal.estimators.saving import SavedEstimator
from vicinal.estimators.tables import (
    checked_table,
    checked_weights,
    counted_rows,
    declarations,
    free_name,
)
from vicinal.exceptions import FileError, ParameterError
from vicinal.explain.contributions import Contributions
from vicinal.model.model import Model
from vicinal.prediction.cases import CaseInfluences
from vicinal.tables.arrays import column_of_array
from vicinal.tables.table import Table
from vicinal.typing import Floats, Ints

__all__ = ["VicinalPredictor"]


class VicinalPredictor(SavedEstimator, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that predict; see `VicinalClassifier` and `VicinalRegressor`."""

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        p: float = 1.0,
        weighting: str = "entropy",
        influence: str = "auto",
        max_queries: int = 1200,
        max_members: int = 20,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        cyclic_features: Any = None,
        missing_values: Any = (),
        missing: Any = "expected",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.p = p
        self.weighting = weighting
        self.influence = influence
        self.max_queries = max_queries
        self.max_members = max_members
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.cyclic_features = cyclic_features
        self.missing_values = missing_values
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[Floats, Ints] | Ints:
        """Find the nearest training rows, in the surprisal space of the features.

        Every feature counts alike here, in units of its residual; the weights learned for the
        target are not used.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features), optional
            By default the training rows, each without itself.
        n_neighbors : int, optional
            How many; the parameter of the same name by default.
        return_distance : bool, default True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Mean surprisal per feature, in nats; 1.5 for equal rows.
        indices : ndarray of shape (n_queries, n_neighbors)
            Rows of the training table; ties go to the lower one.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_parameters({"n_neighbors": k})
        most = len(self.model_) - (X is None)
        if k > most:
            raise ParameterError(
                f"n_neighbors={k}; expected n_neighbors <= n_samples_fit, which is {most} here"
                + " with each row left out." * (X is None)
            )
        found = self.model_.neighbors(None if X is None else self._table(X), int(k))
        indices = self._rows[found.indices]
        return (found.distances, indices) if return_distance else indices

    def _influences(self, table: Table, target: str) -> CaseInfluences:
        found = self.model_.influences(table, target)
        rows = np.where(found.indices >= 0, self._rows[found.indices], -1)
        return replace(found, indices=rows)

    def _contributions(
        self, X: Any, target: str, n_permutations: int | None, exact_up_to: int
    ) -> Contributions:
        return self.model_.contributions(
            self._table(X), target, n_permutations=n_permutations, exact_up_to=exact_up_to
        )

    def _fit_model(
        self, table: Table, targets: Mapping[str, NDArray[Any]], weights: Floats | None, kind: str
    ) -> Self:
        """Build the Model of the features and the targets, and learn each target.

        Columns are known by their place, as scikit-learn has it: arrays, which have no names, and
        dataframes give the same answers.
        """
        self._names = table.names
        self._targets = tuple(free_name(target, table.names) for target in targets)
        columns = {
            name: column_of_array(values, name)
            for name, values in zip(self._targets, targets.values(), strict=True)
        }
        self.model_ = Model(
            # A target says nothing about the features it is predicted from.
            feature_weights=dict.fromkeys(self._targets, 0.0),
            kinds=dict.fromkeys(self._targets, kind),
            random_state=seed_of(self.random_state),
            **declarations(self, table.names),
            **{name: getattr(self, name) for name in _PASSED_ON},
        )
        total = len(table)
        table, weights, self._rows = counted_rows(
            Table({**table.columns, **columns}, by_name=False), weights
        )
        self.model_.fit(table, sample_weight=weights)
        self._n_rows = total
        return self._learn_targets()

    def _learn_targets(self) -> Self:
        for target in self._targets:
            self.model_.tuning(target, context=self._names)
        return self

    def _add_rows(
        self, table: Table, targets: Sequence[NDArray[Any]], weights: Floats | None
    ) -> Self:
        """Add rows to the Model, which learns anew whenever it has doubled."""
        columns = dict(zip(self._names, table.columns.values(), strict=True))
        for name, values in zip(self._targets, targets, strict=True):
            columns[name] = column_of_array(values, name)
        kept, weights, rows = counted_rows(Table(columns), weights)
        self.model_.add(kept, sample_weight=weights)
        self._rows = np.concatenate([self._rows, self._n_rows + rows])
        self._n_rows += len(table)
        if self.model_.changed_share > STALE:
            self.model_.refresh()
        return self._learn_targets()

    def _training_table(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True
    ) -> tuple[Table, Floats | None]:
        """Check parameters, X and the weights; `reset` unless there are rows before these."""
        check_parameters(self.get_params(deep=False))
        table = checked_table(self, X, y, reset=reset)
        return table, checked_weights(sample_weight, len(table))

    def _table(self, X: Any) -> Table:
        """Read X, with the columns called as they were in `fit`."""
        check_is_fitted(self)
        return checked_table(self, X, reset=False).rename(self._names)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        check_parameters(self.get_params(deep=False))
        held = self.model_.index_.numbers
        if self._rows.ndim != 1 or (held[-1] if len(held) else -1) >= len(self._rows):
            raise FileError("its rows are not those of its cases")
        named = [*self._names, *self._targets]
        if not self._targets or named != list(self.model_.schema_.names):
            raise FileError("its columns are not those of its model")


_PASSED_ON = (
    "n_neighbors",
    "p",
    "weighting",
    "influence",
    "max_queries",
    "max_members",
    "n_jobs",
)
