"""The regressor: predictions as influence-weighted means of the outcomes of training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from vicinal.counterfactual.result import Counterfactuals
from vicinal.estimators.predictor import VicinalPredictor
from vicinal.estimators.training_rows import in_training_rows
from vicinal.exceptions import ParameterError
from vicinal.explain.contributions import Contributions
from vicinal.explain.explanation.result import Explanations
from vicinal.prediction.cases import CaseInfluences
from vicinal.tables.table import Table
from vicinal.typing import Floats


class VicinalRegressor(RegressorMixin, VicinalPredictor):  # type: ignore[misc]
    """Regression by the nearest cases in surprisal space.

    Numbers, strings, categories, dates and missing values are taken as they are; there is
    nothing to scale, impute or encode. How features are weighed and how neighbors share a
    prediction is learned leave-one-out from the training rows. Several outputs are learned one
    by one.

    Parameters
    ----------
    n_neighbors : int, default 10
        Cases that the residual of each feature is learned from, and the default of `kneighbors`.
        How many have a say in a prediction is learned.
    p : float, default 1
        Power of the mean that makes a distance of the features' terms, for residuals and
        `kneighbors`.
    weighting : {"entropy", "irw", "mda"}, default "entropy"
        How features are weighed: so that the target is least surprising, by their residuals
        alone (the paper's way), or by how much leaving each out hurts.
    influence : {"auto", "centered", "linear", "probability"}, default "auto"
        How neighbors share a prediction under entropy weights; the other weightings have shares
        ∝ 1/distance. "centered" and "probability" are never negative; "linear",
        local regression, may speak against a row. "auto" is linear for numbers.
    max_queries : int, default 1200
        Training rows that weights and tuning are learned from, at most.
    max_members : int, default 20
        Members of the average that predicts, at most.
    categorical_features : "from_dtype", list of str, list of int, or list of bool
        Columns to read as categories besides those whose dtype says so.
    ordinal_features : list or dict, optional
        Columns whose values have an order; a dict gives the order, the lowest first.
    cyclic_features : dict, optional
        Columns that go round, and their periods: ``{"hour": 24}``.
    missing_values : value, list, or dict
        Values that mean missing besides NaN and None.
    missing : {"expected", "distinct"} or dict, default "expected"
        Whether a missing value is compared by what is expected of the feature, or as a value of
        its own.
    random_state : int or RandomState, optional
        Which rows of a large table are learned from. None is 0, so fits always repeat.
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

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal import VicinalRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = VicinalRegressor().fit(X, 3 * X[:, 0])
    >>> model.predict([[10.0]]).round()
    array([30.])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its outcomes.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, at least 0: 2 counts like a repeated row, 0 like none.

        Returns
        -------
        VicinalRegressor
            Itself.
        """
        table, outcomes, weights = self._read(X, y, sample_weight, reset=True)
        self._single = outcomes.ndim == 1
        columns = {"target": outcomes} if self._single else _named_columns(outcomes)
        return self._fit_targets(table, columns, weights, "continuous")

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to those learned from, or `fit` where there are none.

        Residuals and weights are learned anew each time the table has doubled; in between they
        stay, and the new rows speak like all others.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Columns as in the first call.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers, as many as in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, at least 0.

        Returns
        -------
        VicinalRegressor
            Itself.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight)
        table, outcomes, weights = self._read(X, y, sample_weight, reset=False)
        given = 1 if outcomes.ndim == 1 else outcomes.shape[1]
        if given != len(self._targets):
            raise ParameterError(f"y has {given} outputs; expected {len(self._targets)}.")
        return self._add_targets(table, list(outcomes.reshape(len(outcomes), -1).T), weights)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Table, Floats, Floats | None]:
        table, weights = self._training_table(X, y, sample_weight, reset=reset)
        outcomes = check_array(
            y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=self
        )
        check_consistent_length(X, outcomes)
        return table, outcomes, weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: Any) -> Floats:
        """Give the expected outcome of each row.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        table = self._table(X)
        return self._shaped([self.model_.predict(table, target) for target in self._targets])

    def predict_interval(self, X: Any, *, alpha: float = 0.1) -> tuple[Floats, Floats]:
        """Give intervals that hold the true outcome with probability 1 − alpha.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            How often the intervals may fail, each output by itself.

        Returns
        -------
        lower, upper : ndarray
            Of the shape of the predictions; infinite where there are too few rows to tell.
        """
        table = self._table(X)
        ends = [self.model_.predict_interval(table, t, alpha=alpha) for t in self._targets]
        return self._shaped([low for low, _ in ends]), self._shaped([high for _, high in ends])

    def influences(self, X: Any, *, output: int = 0) -> CaseInfluences:
        """Give the training rows behind each prediction, most influential first.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        output : int, default 0
            Which output, where there are several.

        Returns
        -------
        CaseInfluences
            Indices are rows of the training table.
        """
        table = self._table(X)
        found = self.model_.influences(table, self._target(output))
        return in_training_rows(found, self._rows)

    def contributions(
        self, X: Any, *, output: int = 0, n_permutations: int | None = None, exact_up_to: int = 10
    ) -> Contributions:
        """Divide each prediction among the features; see `Model.contributions`.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        output : int, default 0
            Which output, where there are several.
        n_permutations, exact_up_to
            As in `Model.contributions`.

        Returns
        -------
        Contributions
            With the baseline they sum to the predictions.
        """
        table = self._table(X)
        return self.model_.contributions(
            table,
            self._target(output),
            n_permutations=n_permutations,
            exact_up_to=exact_up_to,
        )

    def counterfactual(
        self,
        X: Any,
        wanted: Any,
        *,
        immutable: Iterable[Any] = (),
        ranges: Mapping[Any, Any] | None = None,
        directions: Mapping[Any, str] | None = None,
        allowed: Mapping[Any, Any] | None = None,
        n: int = 1,
        output: int = 0,
    ) -> Counterfactuals:
        """Find the least that has to change in a row for `predict` to lie in a desired range.

        Parameters
        ----------
        X : array-like or dataframe of shape (1, n_features)
            The row; columns as in `fit`.
        wanted : (low, high)
            The range, with None for an end that is open.
        immutable, ranges, directions, allowed, n
            As in `Model.counterfactual`; features by name or by column number.
        output : int, default 0
            Which output, where there are several.

        Returns
        -------
        Counterfactuals
            The sparsest first; cases are rows of the training table. Arrays have features x0,
            x1, ….
        """
        return self._counterfactual(
            X,
            self._target(output),
            wanted,
            immutable=immutable,
            ranges=ranges,
            directions=directions,
            allowed=allowed,
            n=n,
        )

    def explain(
        self,
        X: Any,
        *,
        output: int = 0,
        alpha: float = 0.1,
        features: bool | Mapping[str, Any] = True,
        counterfactuals: bool | Mapping[str, Any] = False,
        n_boundary: int = 2,
    ) -> Explanations:
        """Explain predictions: their cases, features and limits, and what would change them.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        output : int, default 0
            Which output, where there are several.
        alpha : float, default 0.1
            How often intervals may fail.
        features : bool or dict, default True
            Whether to find the contribution of each feature, which takes longest; a dict has
            arguments of `contributions`.
        counterfactuals : bool or dict, default False
            Whether to look for changes that would change the answer; a dict has arguments of
            `counterfactual`, ``wanted`` among them.
        n_boundary : int, default 2
            How many of the nearest training rows with another outcome to show.

        Returns
        -------
        Explanations
            One `Explanation` for each row; cases are rows of the training table.
        """
        return self._explain(
            X,
            self._target(output),
            counterfactuals,
            alpha=alpha,
            features=features,
            n_boundary=n_boundary,
        )

    def _target(self, output: int) -> str:
        check_is_fitted(self)
        if not 0 <= output < len(self._targets):
            raise ParameterError(f"output={output}; there are {len(self._targets)}, from 0 on.")
        return self._targets[output]

    def _shaped(self, outputs: list[Floats]) -> Floats:
        return outputs[0] if self._single else np.column_stack(outputs)


def _named_columns(outcomes: Floats) -> dict[str, Floats]:
    return {f"target{i}": column for i, column in enumerate(outcomes.T)}
