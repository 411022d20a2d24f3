"""The regressor: predictions as influence-weighted means of the outcomes of training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from vicinal.counterfactual.result import Counterfactuals
from vicinal.estimators.predictor import VicinalPredictor
from vicinal.estimators.scoring import score_numbers
from vicinal.estimators.targets import checked_numbers, target_names
from vicinal.estimators.training_rows import in_training_rows
from vicinal.exceptions import ParameterError
from vicinal.explain.contributions import Contributions
from vicinal.explain.explanation.result import Explanations
from vicinal.prediction.cases import CaseInfluences
from vicinal.tables.table import Table
from vicinal.typing import Floats


class VicinalRegressor(RegressorMixin, VicinalPredictor):  # type: ignore[misc]
    """Regression by the nearest cases in surprisal space.

    Numbers, strings, categories, dates and missing values are used as they are, without scaling,
    imputation or encoding. The weights of the features and the influence of the neighbors are
    learned leave-one-out from the training rows. Multiple outputs are learned
    separately.

    Parameters
    ----------
    n_neighbors : int, default 10
        Neighbors used to estimate the residual of each feature, and the default of `kneighbors`.
        The number that contributes to a prediction is learned.
    p : float, default 1
        Power of the mean that combines the features' terms into a distance, for residuals and
        `kneighbors`.
    weighting : {"entropy", "irw", "mda", "paper"}, default "entropy"
        How features are weighted: to minimize the surprisal of the target, by their residuals
        alone, by the loss of accuracy when each is left out, or as reproduces the paper's results.
    influence : {"auto", "centered", "linear", "probability"}, default "auto"
        How neighbors are weighted under entropy weights; the other weightings use influences
        ∝ 1/distance, or a power of it. "centered" and "probability" are never negative; "linear",
        local regression, can give a row negative influence. "auto" is linear for numbers.
    scores : bool, regressor, or list of regressors or of pairs (name, regressor), default True
        Whether neighbors are also searched by scores of all features, learned out of fold under
        entropy weights: cases with the same score tend to have the same outcome. Regressors add
        scores of their own.
    max_queries : int, default 2400
        Maximum number of training rows used to learn weights and tuning.
    max_members : int, default 20
        Maximum number of members in the ensemble.
    categorical_features : "from_dtype", list of str, list of int, or list of bool
        Columns to treat as categorical, even identifiers, besides those with a categorical dtype.
    ordinal_features : list or dict, optional
        Columns whose values are ordered; a dict gives the order, lowest first.
    cyclic_features : dict, optional
        Periodic columns and their periods: ``{"hour": 24}``.
    missing_values : value, list, or dict
        Values to treat as missing besides NaN and None.
    missing : {"expected", "distinct"} or dict, default "expected"
        Whether a missing value is compared by the expected value of the feature, or treated as a
        separate value.
    bounds : dict, optional
        The values that columns can have: ``{"age": (0, 120), "target": (0, None)}``. A feature is
        given by name or number; the target by the name of y, or "target". Prediction intervals
        stay within the bounds, and training rows outside are refused; see `Model`.
    random_state : int or RandomState, optional
        Random seed for sampling rows of a large table. None means 0, so fits are reproducible.
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
            Numbers. The names of a series or a dataframe name the targets in all results. Both
            may have missing values: such rows are not used to predict the target.
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights: 2 counts like a repeated row, 0 like no row.

        Returns
        -------
        VicinalRegressor
            The fitted estimator.
        """
        table, outcomes, weights = self._read(X, y, sample_weight, reset=True)
        self._single = outcomes.ndim == 1
        names = target_names(y, None if self._single else outcomes.shape[1])
        columns = dict(zip(names, outcomes.reshape(len(outcomes), -1).T, strict=True))
        return self._fit_targets(table, columns, weights, "continuous")

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add training rows, or call `fit` if there are none yet.

        Residuals and weights are relearned each time the table has doubled; until then they stay
        fixed, and the new rows contribute to predictions like all others.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Columns as in the first call.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers, as many as in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights.

        Returns
        -------
        VicinalRegressor
            The fitted estimator.
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
        outcomes = checked_numbers(y, self)
        check_consistent_length(X, outcomes)
        return table, outcomes, weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: Any) -> Floats:
        """Predict the expected outcome of each row.

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

    score = score_numbers

    def predict_interval(self, X: Any, *, alpha: float = 0.1) -> tuple[Floats, Floats]:
        """Return prediction intervals that contain the outcome with probability 1 − alpha.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            Share of the intervals that may miss the outcome, for each output separately.

        Returns
        -------
        lower, upper : ndarray
            Same shape as the predictions; infinite if there are too few rows.
        """
        table = self._table(X)
        ends = [self.model_.predict_interval(table, t, alpha=alpha) for t in self._targets]
        return self._shaped([low for low, _ in ends]), self._shaped([high for _, high in ends])

    def influences(self, X: Any, *, output: int = 0) -> CaseInfluences:
        """Return the training rows behind each prediction, most influential first.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        output : int, default 0
            Which output, if there are several.

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
            Which output, if there are several.
        n_permutations, exact_up_to
            As in `Model.contributions`.

        Returns
        -------
        Contributions
            The contributions and the baseline sum to the predictions.
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
        """Find the smallest change to a row that moves its prediction into a desired range.

        Parameters
        ----------
        X : array-like or dataframe of shape (1, n_features)
            The row; columns as in `fit`.
        wanted : (low, high)
            The range, with None for an open end.
        immutable, ranges, directions, allowed, n
            As in `Model.counterfactual`; features are given by name or by column number.
        output : int, default 0
            Which output, if there are several.

        Returns
        -------
        Counterfactuals
            The sparsest first; cases are rows of the training table. Features of arrays are named
            x0, x1, ….
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
        """Explain predictions: their cases, features, uncertainty, and what would change them.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        output : int, default 0
            Which output, if there are several.
        alpha : float, default 0.1
            Share of the prediction intervals that may miss the outcome.
        features : bool or dict, default True
            Whether to compute feature contributions, the slowest part; a dict passes arguments to
            `contributions`.
        counterfactuals : bool or dict, default False
            Whether to look for changes that would change the prediction; a dict passes arguments
            to `counterfactual`, including ``wanted``.
        n_boundary : int, default 2
            Number of nearest training rows with a different outcome to show.

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
            raise ParameterError(f"output={output}; there are {len(self._targets)} outputs.")
        return self._targets[output]

    def _shaped(self, outputs: list[Floats]) -> Floats:
        return outputs[0] if self._single else np.column_stack(outputs)
