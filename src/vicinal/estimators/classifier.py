"""The classifier: class probabilities as sums of the influences of training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from vicinal.counterfactual.result import Counterfactuals
from vicinal.estimators.predictor import VicinalPredictor
from vicinal.estimators.training_rows import in_training_rows
from vicinal.exceptions import FileError, ParameterError
from vicinal.explain.contributions import Contributions
from vicinal.explain.explanation.result import Explanations
from vicinal.prediction.cases import CaseInfluences
from vicinal.tables.arrays import column_of_array
from vicinal.tables.table import Table
from vicinal.tables.values import to_python, value_key
from vicinal.typing import Bools, Floats


class VicinalClassifier(ClassifierMixin, VicinalPredictor):  # type: ignore[misc]
    """Classification by the nearest cases in surprisal space.

    Numbers, strings, categories, dates and missing values are taken as they are; there is
    nothing to scale, impute or encode. How features are weighed and how neighbors share a
    prediction is learned leave-one-out from the training rows.

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
        local regression, may speak against a row. "auto" is centered for classes.
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
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    model_ : Model
        The cases; all other questions can be put to it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X has names that are strings.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its labels.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels of any one type.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, at least 0: 2 counts like a repeated row, 0 like none.

        Returns
        -------
        VicinalClassifier
            Itself.
        """
        table, labels, weights = self._read(X, y, sample_weight, reset=True)
        self.classes_ = np.unique(labels if weights is None else labels[weights > 0])
        return self._fit_labels(table, labels, weights)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to those learned from.

        Residuals and weights are learned anew each time the table has doubled; in between they
        stay, and the new rows speak like all others.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Columns as in the first call.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like of shape (n_classes,), optional
            All labels that will ever come; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, at least 0.

        Returns
        -------
        VicinalClassifier
            Itself.
        """
        first = not hasattr(self, "model_")
        if first and classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit: all labels there are."
            )
        if not first and classes is not None and not _are_equal(np.unique(classes), self.classes_):
            raise ParameterError(
                f"classes={classes!r}; the first call of partial_fit said {self.classes_!r}."
            )
        table, labels, weights = self._read(X, y, sample_weight, reset=first)
        known = np.unique(classes) if first else self.classes_
        unknown = labels[~np.isin(labels, known)]
        if len(unknown):
            raise ParameterError(
                f"y has the label {unknown.tolist()[0]!r}, which is not among classes."
            )
        self.classes_ = known
        if first:
            return self._fit_labels(table, labels, weights)
        return self._add_targets(table, [labels.astype(known.dtype, copy=False)], weights)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Table, NDArray[Any], Floats | None]:
        table, weights = self._training_table(X, y, sample_weight, reset=reset)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        return table, labels, weights

    def _fit_labels(self, table: Table, labels: NDArray[Any], weights: Floats | None) -> Self:
        target = {"target": labels.astype(self.classes_.dtype, copy=False)}
        return self._fit_targets(table, target, weights, "nominal", self._class_labels())

    def _class_labels(self) -> list[Any]:
        """The labels in order, as the Model has them."""
        return [to_python(label) for label in self.classes_]

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the most probable label of each row.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class: the influence of the rows that have it.

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
        return self.model_.predict_proba(table, self._targets[0])

    def predict_set(self, X: Any, *, alpha: float = 0.1) -> Bools:
        """Give sets of classes that hold the true one with probability 1 − alpha.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            How often the sets may fail.

        Returns
        -------
        ndarray of bool of shape (n_queries, n_classes)
            Whether each of `classes_` is in the set. An empty set says that no class is
            sure enough.
        """
        table = self._table(X)
        return self.model_.predict_set(table, self._targets[0], alpha=alpha)

    def influences(self, X: Any) -> CaseInfluences:
        """Give the training rows behind each prediction, most influential first.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        CaseInfluences
            Indices are rows of the training table, outcomes are places in `classes_`; the frame
            has the labels themselves.
        """
        table = self._table(X)
        found = self.model_.influences(table, self._targets[0])
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
            Classes are in the order of `classes_`. With the baseline, the class shares, the
            contributions sum to the probabilities.
        """
        table = self._table(X)
        return self.model_.contributions(
            table,
            self._targets[0],
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
    ) -> Counterfactuals:
        """Find the least that has to change in a row for `predict` to give a desired label.

        Parameters
        ----------
        X : array-like or dataframe of shape (1, n_features)
            The row; columns as in `fit`.
        wanted : label or collection of labels
            The desired label, or several that would do.
        immutable, ranges, directions, allowed, n
            As in `Model.counterfactual`; features by name or by column number.

        Returns
        -------
        Counterfactuals
            The sparsest first; cases are rows of the training table. Arrays have features x0,
            x1, ….
        """
        check_is_fitted(self)
        if isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes):
            wanted = list(wanted)
        return self._counterfactual(
            X,
            self._targets[0],
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
        """Explain predictions: their cases, features and limits, and what would change them.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        alpha : float, default 0.1
            How often prediction sets may fail.
        features : bool or dict, default True
            Whether to find the contribution of each feature, which takes longest; a dict has
            arguments of `contributions`.
        counterfactuals : bool or dict, default False
            Whether to look for changes that would change the answer; a dict has arguments of
            `counterfactual`. By default the next most probable label is the goal.
        n_boundary : int, default 2
            How many of the nearest training rows with another outcome to show.

        Returns
        -------
        Explanations
            One `Explanation` for each row; cases are rows of the training table.
        """
        check_is_fitted(self)
        return self._explain(
            X,
            self._targets[0],
            counterfactuals,
            alpha=alpha,
            features=features,
            n_boundary=n_boundary,
        )

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if self.model_.schema_[self._targets[0]].classes is None:
            self._put_labels()
        known = self.model_.schema_[self._targets[0]].class_order
        if list(map(value_key, known)) != list(map(value_key, self._class_labels())):
            raise FileError("its classes are not those of its model")

    def _put_labels(self) -> None:
        """Give the Model the labels; in files of the first release it has their places."""
        [target], fitted, labels = self._targets, self.model_._ready(), self._class_labels()
        places = [int(place) for place in fitted.schema[target].categories or ()]
        if not all(0 <= place < len(labels) for place in places):
            raise FileError("its classes are not those of its model")
        self.model_.classes = {target: labels}
        fitted.schema = fitted.schema.replace(
            target,
            categories=tuple(labels[place] for place in places),
            classes=tuple(labels),
            dtype=column_of_array(self.classes_, target).dtype,
        )


def _are_equal(some: NDArray[Any], others: NDArray[Any]) -> bool:
    return len(some) == len(others) and bool((some == others).all())
