"""The imputer: missing values filled from the other columns, as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from vicinal.estimators.base import VicinalEstimator
from vicinal.quality.imputation import Imputation
from vicinal.tables.frames import as_frame
from vicinal.tables.table import Table
from vicinal.tables.write_cells import write_cells
from vicinal.typing import Places


class VicinalImputer(OneToOneFeatureMixin, TransformerMixin, VicinalEstimator):  # type: ignore[misc]
    """Imputation of missing values by the nearest cases in surprisal space.

    Numbers, strings, categories and dates are taken as they are. Every column is predicted from
    the others by the training rows that have it.

    Parameters
    ----------
    effort : {"low", "medium", "high"}, default "medium"
        What may be spent on a column: ``"low"`` weighs features by their residuals alone,
        ``"medium"`` learns weights for each column from a few hundred rows, ``"high"`` from more,
        and fills once more.
    p : float, default 1
        Power of the mean that makes a distance of the features' terms.
    categorical_features, ordinal_features, cyclic_features, missing_values, missing
        What the columns are; see `VicinalClassifier`.
    random_state : int or RandomState, optional
        Which rows of a large table are learned from. None is 0.
    n_jobs : int, optional
        Threads; None and −1 mean all there are. No answer depends on it.

    Attributes
    ----------
    model_ : Model
        The cases; all other questions can be put to it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X has names that are strings.

    Notes
    -----
    A dataframe becomes a dataframe of the same library, with the types of its columns; an array
    becomes an array; `set_output` asks for something else. Columns that had no value in training
    stay empty, so that columns stay where they are.

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
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in the rows that missing values are filled from.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weights, at least 0: 2 counts like a repeated row, 0 like none.

        Returns
        -------
        VicinalImputer
            Itself.
        """
        table, weights = self._training_table(X, sample_weight=sample_weight)
        self._fit_model(table, weights, table.names)
        # Learns the columns that have missing values now, not at the first question.
        self.model_.impute(effort=self.effort, intervals=False)
        return self

    def transform(self, X: Any) -> Any:
        """Fill the missing values of rows.

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
        """Fill the missing values of rows, with an interval and a conviction for each cell.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            How often intervals, and sets of categories, may miss the true value.

        Returns
        -------
        Imputation
        """
        table = self._table(X)
        return self.model_.impute(table, effort=self.effort, alpha=alpha)

    def _cells(self, filled: Imputation, table: Table) -> dict[str, tuple[Places, list[Any]]]:
        """Rows and values of the filled cells, by column."""
        features = np.array(filled.features, dtype=object)
        cells = {}
        for name in table.names:
            places = np.flatnonzero(features == name)
            if len(places):
                values = [filled.values[at] for at in places]
                cells[name] = (filled.rows[places].astype(np.intp), values)
        return cells


def _array(table: Table, cells: dict[str, tuple[Places, list[Any]]]) -> NDArray[Any]:
    """The table as an array: of floats where all columns are numbers, else of objects."""
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
            rows, values = cells[name]
            for row, value in zip(rows.tolist(), values, strict=True):
                filled[row, at] = value
    return filled
