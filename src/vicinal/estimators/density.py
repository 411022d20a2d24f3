"""The density estimator: log density in nats, and samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from vicinal.estimators.base import VicinalEstimator, seed_of
from vicinal.typing import Floats


class VicinalDensity(DensityMixin, VicinalEstimator):  # type: ignore[misc]
    """Kernel density estimation for mixed tables, with bandwidths learned leave-one-out.

    Parameters
    ----------
    p : float, default 1
        Power of the mean that combines the features' terms into a distance.
    categorical_features, ordinal_features, cyclic_features, missing_values, missing, bounds
        The types of the columns; see `VicinalClassifier`.
    random_state : int or RandomState, optional
        Random seed for sampling rows of a large table. None means 0.
    n_jobs : int, optional
        Number of threads; None and −1 mean all processors. It does not affect the results.

    Attributes
    ----------
    model_ : Model
        The fitted Model, which offers all further methods.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X has column names that are strings.

    Examples
    --------
    >>> from vicinal import VicinalDensity
    >>> density = VicinalDensity().fit([[1.0], [1.1], [1.2], [1.3], [1.5]])
    >>> near, far = density.score_samples([[1.15], [4.0]])
    >>> bool(near > far)
    True
    """

    def __init__(
        self,
        *,
        p: float = 1.0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        cyclic_features: Any = None,
        missing_values: Any = (),
        missing: Any = "expected",
        bounds: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.p = p
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.cyclic_features = cyclic_features
        self.missing_values = missing_values
        self.missing = missing
        self.bounds = bounds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Place a kernel on each training row and learn the bandwidths.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights: 2 counts like a repeated row, 0 like no row.

        Returns
        -------
        VicinalDensity
            The fitted estimator.
        """
        table, weights = self._training_table(X, sample_weight=sample_weight)
        self._fit_model(table, weights, table.names)
        self.model_.synthesize(0)  # learns the bandwidths now rather than at the first call
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add training rows, or call `fit` if there are none yet.

        Residuals are relearned each time the table has doubled, bandwidths in every call.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Columns as in the first call.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights.

        Returns
        -------
        VicinalDensity
            The fitted estimator.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight)
        table, weights = self._training_table(X, sample_weight=sample_weight, reset=False)
        self._add_rows(table.rename(self._names), weights)
        self.model_.synthesize(0)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the log density of each row, in nats.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        table = self._table(X)
        return self.model_.density(table)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the total log density of the rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        y : ignored
        """
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Sample new rows whose values can exist; see `Model.synthesize`.

        Parameters
        ----------
        n_samples : int, default 1
            Number of rows.
        random_state : int or RandomState, optional
            Random seed; by default the parameter of the estimator.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Floats if all features are numeric, otherwise objects. Values are missing (NaN or None)
            where they are in similar training rows.
        """
        check_is_fitted(self)
        given = self.random_state if random_state is None else random_state
        drawn = self.model_.synthesize(n_samples, random_state=seed_of(given))
        unknown = [None] * n_samples  # of ignored columns
        columns = [_array(drawn.columns.get(name, unknown)) for name in self._names]
        if all(column.dtype.kind in "biuf" for column in columns):
            return np.column_stack(columns).astype(np.float64)
        return np.column_stack([column.astype(object) for column in columns])


def _array(values: list[Any]) -> NDArray[Any]:
    """Return a column as an array: of numbers, NaN where missing, if all known values are."""
    numbers = np.asarray([np.nan if value is None else value for value in values])
    if numbers.dtype.kind in "biuf":
        return numbers
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
