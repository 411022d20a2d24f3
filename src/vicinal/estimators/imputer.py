"""The imputer: missing values imputed from the other columns, as a pipeline step."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from vicinal.estimators.base import VicinalEstimator
from vicinal.quality.imputation import Imputation
from vicinal.tables.frames import as_frame
from vicinal.tables.iso_text import values_like
from vicinal.tables.table import Table
from vicinal.tables.write_cells import write_cells
from vicinal.typing import Places


class VicinalImputer(OneToOneFeatureMixin, TransformerMixin, VicinalEstimator):  # type: ignore[misc]
    """Imputation of missing values by the nearest cases in surprisal space.

    Numbers, strings, categories and dates are used as they are. Each column is predicted from the
    other columns, using the training rows in which it is observed.

    Parameters
    ----------
    effort : {"low", "medium", "high"}, default "medium"
        Computing time per column: ``"low"`` weights features by their residuals alone,
        ``"medium"`` learns weights for each column from a few hundred rows, ``"high"`` from more,
        and imputes in one more pass.
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

    Notes
    -----
    A dataframe is returned as a dataframe of the same library with the same column types, an array
    as an array; `set_output` overrides this. Columns without any value in training stay empty, so
    the column order never changes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal import VicinalImputer
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, np.nan], [np.nan, 5.0]])
    >>> filled = VicinalImputer().fit_transform(X)
    >>> bool(np.isnan(filled).any()), filled.shape
    (False, (5, 2))
    """

    def __init__(
        self,
        *,
        effort: str = "medium",
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
        self.effort = effort
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
        """Store the training rows from which missing values are imputed.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights: 2 counts like a repeated row, 0 like no row.

        Returns
        -------
        VicinalImputer
            The fitted estimator.
        """
        table, weights = self._training_table(X, sample_weight=sample_weight)
        self._fit_model(table, weights, table.names)
        # Learns the columns that have missing values now rather than at the first call.
        self.model_.impute(effort=self.effort, intervals=False)
        return self

    def transform(self, X: Any) -> Any:
        """Impute the missing values of rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray or dataframe of shape (n_queries, n_features)
        """
        table = self._table(X)
        filled = self.model_.impute(table, effort=self.effort, intervals=False)
        cells = self._cells(filled, table)
        if as_frame(X) is not None:
            names = dict(zip(table.names, as_frame(X).columns, strict=True))  # type: ignore[union-attr]
            return write_cells(X, {str(names[name]): cell for name, cell in cells.items()})
        return _array(table, cells)

    def impute(self, X: Any, *, alpha: float = 0.1) -> Imputation:
        """Impute the missing values of rows, with an interval and a conviction for each cell.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            Share of the prediction intervals and sets that may miss the true value.

        Returns
        -------
        Imputation
        """
        table = self._table(X)
        return self.model_.impute(table, effort=self.effort, alpha=alpha)

    def _cells(self, filled: Imputation, table: Table) -> dict[str, tuple[Places, list[Any]]]:
        """Return the rows and values of the imputed cells, by column."""
        features = np.array(filled.features, dtype=object)
        cells = {}
        for name in table.names:
            places = np.flatnonzero(features == name)
            if len(places):
                values = [filled.values[at] for at in places]
                cells[name] = (filled.rows[places].astype(np.intp), values)
        return cells


def _array(table: Table, cells: dict[str, tuple[Places, list[Any]]]) -> NDArray[Any]:
    """Return the table as an array: floats if all columns are numeric, otherwise objects."""
    numbers = all(column.family in ("number", "bool") for column in table.columns.values())
    numbers &= all(
        isinstance(value, int | float) for _, values in cells.values() for value in values
    )
    filled = np.empty((len(table), len(table.names)), dtype=np.float64 if numbers else object)
    for at, (name, column) in enumerate(table.columns.items()):
        if numbers:
            filled[:, at] = column.numbers()
        else:
            codes, levels = column.labels()
            filled[:, at] = [None if code < 0 else levels[code] for code in codes.tolist()]
        if name in cells:
            rows, values = cells[name][0], values_like(column, cells[name][1])
            for row, value in zip(rows.tolist(), values, strict=True):
                filled[row, at] = value
    return filled
