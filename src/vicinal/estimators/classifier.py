"""The classifier: class probabilities as sums of the influences of training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from vicinal.counterfactual.result import Counterfactuals
from vicinal.estimators.labels import (
    agreed_classes,
    checked_labels,
    classes_of,
    match_labels,
    plain_labels,
    positions,
    typed_labels,
)
from vicinal.estimators.predictor import VicinalPredictor
from vicinal.estimators.scoring import score_labels
from vicinal.estimators.targets import target_names
from vicinal.estimators.training_rows import in_training_rows
from vicinal.explain.contributions import Contributions
from vicinal.explain.explanation.result import Explanations
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.rule import check_rule
from vicinal.tables.table import Table
from vicinal.typing import Bools, Floats


class VicinalClassifier(ClassifierMixin, VicinalPredictor):  # type: ignore[misc]
    """Classification by the nearest cases in surprisal space.

    Numbers, strings, categories, dates and missing values are used as they are. The weights of the
    features and the influence of the neighbors are learned leave-one-out from the training rows.

    Parameters
    ----------
    n_neighbors : int, default 10
        Neighbors used to estimate the residual of each feature, and the default of `kneighbors`.
        The number that contributes to a prediction is learned.
    p : float, default 1
        Power of the mean of the features' terms in a distance, for residuals and `kneighbors`.
    weighting : {"entropy", "irw", "mda", "paper"}, default "entropy"
        How features are weighted: to minimize the surprisal of the target, by their residuals
        alone, by the loss of accuracy when each is left out, or as reproduces the paper's results.
    influence : {"auto", "centered", "linear", "probability"}, default "auto"
        How neighbors are weighted under entropy weights; the other weightings use influences
        ∝ 1/distance, or a power of it. "centered" and "probability" are never negative; "linear",
        local regression, can give a row negative influence. "auto" is centered for classes.
    scores : bool, classifier, or list of classifiers or of pairs (name, classifier), default True
        Whether neighbors are also searched by scores learned out of fold; classifiers add theirs.
    robust_radius : float or "auto", default 0
        How far an attacker may move each number of a row, in standard deviations; see `Model`.
    max_queries, max_members : int, default 2400 and 20
        Maximum numbers of training rows to learn weights from, and of members in the ensemble.
    categorical_features : "from_dtype", list of str, list of int, or list of bool
        Columns to treat as categorical, even identifiers, besides those with a categorical dtype.
    ordinal_features, cyclic_features : list or dict, and dict, optional
        Ordered columns, in a dict with their order, lowest first; periods: ``{"hour": 24}``.
    missing_values, missing : value, list, or dict, and {"expected", "distinct"} or dict
        Values to treat as missing besides NaN and None; and whether missing values are compared
        by the expected value, or are a separate value.
    bounds : dict, optional
        The values that columns can have, by name or number: ``{"age": (0, 120)}``; see `Model`.
    random_state : int or RandomState, optional
        Random seed for sampling rows of a large table. None means 0, so fits are reproducible.
    n_jobs : int, optional
        Number of threads; None and −1 mean all. It does not affect the results.
    class_weight : "balanced" or dict, optional
        How many times a case of each class counts when `predict` decides: it returns the class
        with the largest weight × probability. "balanced" weights are inversely proportional to
        the weighted class frequencies; a dict gives others than 1.
    decision : {"accuracy", "balanced_accuracy", "f1", "mcc"} or array-like, optional
        What `predict` maximizes; by default it returns the most probable class. For a goal, it
        returns the class with the largest multiplier × probability, where the multipliers (of two
        classes: a threshold) maximize the goal on leave-one-out predictions of the training rows;
        "f1" is that of the second of two classes, or the mean over more. For a square matrix of
        costs, rows for true and columns for predicted classes in the order of `classes_`, it
        returns the class of the least expected cost. Class weights weigh true classes in both.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    model_ : Model
        The fitted Model, which offers all further methods.
    n_features_in_, feature_names_in_ : int and ndarray of str
        Number of features, and their names if X has column names that are strings.

    Notes
    -----
    `class_weight` and `decision` affect what `predict`, `explain` and `counterfactual` decide on,
    not `predict_proba` and `predict_set`, which stay calibrated.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vicinal import VicinalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = VicinalClassifier().fit(X[::2], y[::2])
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _passed_on = (*VicinalPredictor._passed_on, "robust_radius")

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        p: float = 1.0,
        weighting: str = "entropy",
        influence: str = "auto",
        scores: Any = True,
        robust_radius: Any = 0.0,
        max_queries: int = 2400,
        max_members: int = 20,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        cyclic_features: Any = None,
        missing_values: Any = (),
        missing: Any = "expected",
        bounds: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        class_weight: Any = None,
        decision: Any = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            p=p,
            weighting=weighting,
            influence=influence,
            scores=scores,
            max_queries=max_queries,
            max_members=max_members,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            cyclic_features=cyclic_features,
            missing_values=missing_values,
            missing=missing,
            bounds=bounds,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.class_weight, self.decision = class_weight, decision
        self.robust_radius = robust_radius

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its labels.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels of any one type; a series names the target, and may have missing ones.
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights: 2 counts like a repeated row, 0 like no row.

        Returns
        -------
        VicinalClassifier
            The fitted estimator.
        """
        table, labels, weights = self._read(X, y, sample_weight, reset=True)
        self.classes_ = classes_of(labels, weights)
        return self._fit_labels(table, labels, weights, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add training rows.

        Residuals and weights are relearned each time the table has doubled; until then they stay
        fixed, and the new rows contribute to predictions like all others.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Columns as in the first call.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like of shape (n_classes,), optional
            All labels that can occur; required in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights.

        Returns
        -------
        VicinalClassifier
            The fitted estimator.
        """
        first = not hasattr(self, "model_")
        known = agreed_classes(classes, None if first else self.classes_)
        table, labels, weights = self._read(X, y, sample_weight, reset=first, known=known)
        self.classes_ = known
        if first:
            return self._fit_labels(table, labels, weights, y)
        return self._add_targets(table, [typed_labels(labels, known)], weights)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool, known: Any = None
    ) -> tuple[Table, NDArray[Any], Floats | None]:
        table, weights = self._training_table(X, y, sample_weight, reset=reset)
        return table, checked_labels(X, y, known), weights

    def _fit_labels(self, table: Table, labels: NDArray[Any], weights: Any, y: Any) -> Self:
        check_rule(plain_labels(self.classes_), **self._rule())
        target = {target_names(y)[0]: typed_labels(labels, self.classes_)}
        return self._fit_targets(table, target, weights, "nominal", plain_labels(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_queries,)
            The most probable labels, unless `class_weight` or `decision` says otherwise.
        """
        table = self._table(X)
        found = self.model_.predict(table, self._only_target, **self._rule())
        return self.classes_[positions(found, self.classes_)]

    score = score_labels

    def _rule(self) -> dict[str, Any]:
        return {"decision": self.decision, "class_weight": self.class_weight}

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class: the total influence of the rows that have it.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
            In the order of `classes_`; each row sums to 1.
        """
        table = self._table(X)
        return self.model_.predict_proba(table, self._only_target)

    def predict_set(self, X: Any, *, alpha: float = 0.1, coverage: str = "class") -> Bools:
        """Return prediction sets that contain the true class with probability 1 − alpha.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            Share of the sets that may miss the true class.
        coverage : {"class", "overall"}, default "class"
            Whether this holds within each class, however rare, or only over all rows.

        Returns
        -------
        ndarray of bool of shape (n_queries, n_classes)
            Whether each of `classes_` is in the set; the most probable one always is.
        """
        table, target = self._table(X), self._only_target
        return self.model_.predict_set(table, target, alpha=alpha, coverage=coverage)

    def influences(self, X: Any) -> CaseInfluences:
        """Return the training rows behind each prediction, most influential first.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        CaseInfluences
            Indices are rows of the training table, outcomes are positions in `classes_`; the frame
            has the labels themselves.
        """
        table = self._table(X)
        found = self.model_.influences(table, self._only_target)
        labels = self.classes_[found.outcomes.astype(np.intp)]
        return replace(in_training_rows(found, self._rows), labels=labels)

    def contributions(
        self, X: Any, *, n_permutations: int | None = None, exact_up_to: int = 10
    ) -> Contributions:
        """Divide the probability of each class among the features; see `Model.contributions`.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        n_permutations, exact_up_to
            As in `Model.contributions`.

        Returns
        -------
        Contributions
            Classes are in the order of `classes_`. The contributions and the baseline (the
            class frequencies) sum to the probabilities.
        """
        asked: dict[str, Any] = {"n_permutations": n_permutations, "exact_up_to": exact_up_to}
        table = self._table(X)
        return self.model_.contributions(table, self._only_target, **asked)

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
    ) -> Counterfactuals:
        """Find the smallest change to a row that makes `predict` return a desired label.

        Parameters
        ----------
        X : array-like or dataframe of shape (1, n_features)
            The row; columns as in `fit`.
        wanted : label or collection of labels
            The desired label, or several acceptable ones.
        immutable, ranges, directions, allowed, n
            As in `Model.counterfactual`; features are given by name or by column number.

        Returns
        -------
        Counterfactuals
            The sparsest first; cases are rows of the training table. Features of arrays are named
            x0, x1, ….
        """
        if isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes):
            wanted = list(wanted)
        return self._counterfactual(
            X,
            self._only_target,
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
        alpha : float, default 0.1
            Share of the prediction sets that may miss the true class.
        features : bool or dict, default True
            Whether to compute feature contributions, the slowest part; a dict passes arguments to
            `contributions`.
        counterfactuals : bool or dict, default False
            Whether to look for changes that would change the prediction; a dict passes arguments
            to `counterfactual`. The default goal is the second most probable label.
        n_boundary : int, default 2
            Number of nearest training rows with a different outcome to show.

        Returns
        -------
        Explanations
            One `Explanation` for each row; cases are rows of the training table.
        """
        return self._explain(
            X,
            self._only_target,
            counterfactuals,
            alpha=alpha,
            features=features,
            n_boundary=n_boundary,
        )

    def _check_loaded(self) -> None:
        super()._check_loaded()
        match_labels(self.model_, self._targets[0], self.classes_)
