"""Base class of the classifier and the regressor: parameters, targets, neighbors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vicinal.counterfactual.result import Counterfactuals
from vicinal.derived.learn_estimators import check_estimators
from vicinal.estimators.base import VicinalEstimator
from vicinal.estimators.tables import free_name, named_constraints, with_targets
from vicinal.estimators.training_rows import in_training_rows
from vicinal.exceptions import FileError, ParameterError
from vicinal.explain.explanation.changes import with_counterfactuals
from vicinal.explain.explanation.result import Explanations
from vicinal.robustness.result import Certificates
from vicinal.tables.table import Table
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter


class VicinalPredictor(VicinalEstimator):
    """Base of the estimators that predict; see `VicinalClassifier` and `VicinalRegressor`."""

    _passed_on: ClassVar[tuple[str, ...]] = (
        "n_neighbors",
        "p",
        "weighting",
        "influence",
        "scores",
        "max_queries",
        "max_members",
        "n_jobs",
    )

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        p: float = 1.0,
        weighting: str = "entropy",
        influence: str = "auto",
        scores: Any = True,
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
    ) -> None:
        self.n_neighbors = n_neighbors
        self.p = p
        self.weighting = weighting
        self.influence = influence
        self.scores = scores
        self.max_queries = max_queries
        self.max_members = max_members
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.cyclic_features = cyclic_features
        self.missing_values = missing_values
        self.missing = missing
        self.bounds = bounds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[Floats, Ints] | Ints:
        """Find the nearest training rows, in the surprisal space of the features.

        All features have equal weight here, in units of their residuals; the weights learned for
        the target are not used.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features), optional
            By default the training rows, each excluded from its own neighbors.
        n_neighbors : int, optional
            Number of neighbors; by default the parameter of the same name.
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
        check_parameter("n_neighbors", k)
        most = len(self.model_) - (X is None)
        if k > most:
            raise ParameterError(
                f"n_neighbors={k}; expected n_neighbors <= n_samples_fit, which is {most} here"
                + " with each row left out." * (X is None)
            )
        found = self.model_.neighbors(None if X is None else self._table(X), int(k))
        indices = self._rows[found.indices]
        return (found.distances, indices) if return_distance else indices

    def certify(
        self,
        X: Any,
        *,
        norm: str = "max",
        immutable: Iterable[Any] = (),
        categories: bool = False,
        steps: bool = False,
        tolerance: float | None = None,
        attack: bool = True,
        training: bool = True,
        max_boxes: int | None = None,
        time_budget: float | None = None,
        output: int = 0,
    ) -> Certificates:
        """Prove how far rows and training data can change without changing predictions.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows to predict.
        norm, categories, steps, tolerance, attack, training, max_boxes, time_budget
            As in `Model.certify`.
        immutable : list
            Features that cannot change, by name or by column number.
        output : int, default 0
            Which output, if there are several.

        Returns
        -------
        Certificates
            The certified radius of each row, the smallest change that is known to change its
            prediction, and how many training cases it depends on.
        """
        check_is_fitted(self)
        named = named_constraints({"immutable": immutable}, self._names)
        return self.model_.certify(
            self._table(X),
            self._target(output),
            norm=norm,
            categories=categories,
            steps=steps,
            tolerance=tolerance,
            attack=attack,
            training=training,
            max_boxes=max_boxes,
            time_budget=time_budget,
            **named,
            **self._rule(),
        )

    @property
    def _only_target(self) -> str:
        check_is_fitted(self)
        return str(self._targets[0])

    def _target(self, output: int) -> str:
        """Return the name of an output; a classifier has one."""
        return self._only_target

    def _rule(self) -> dict[str, Any]:
        """Return how classes are decided, as arguments of the Model's methods."""
        return {}

    def _counterfactual(
        self, X: Any, target: str, wanted: Any, **constraints: Any
    ) -> Counterfactuals:
        table, named = self._table(X), named_constraints(constraints, self._names)
        found = self.model_.counterfactual(table, target, wanted, **named, **self._rule())
        return in_training_rows(found, self._rows)

    def _explain(
        self, X: Any, target: str, counterfactuals: bool | Mapping[str, Any], **options: Any
    ) -> Explanations:
        table = self._table(X)

        def change(at: int, wanted: Any, constraints: dict[str, Any]) -> Counterfactuals:
            # Use the row as given: 3.0 in a column of integers stays 3.0.
            named = named_constraints(constraints, self._names)
            one = table.take([at])
            return self.model_.counterfactual(one, target, wanted, **named, **self._rule())

        found = self.model_.explain(table, target, **options, **self._rule())
        return in_training_rows(with_counterfactuals(found, counterfactuals, change), self._rows)

    def _fit_targets(
        self,
        table: Table,
        targets: Mapping[str, NDArray[Any]],
        weights: Floats | None,
        kind: str,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Fit the Model to the features and the targets, and learn each target.

        Columns are identified by position, as in scikit-learn, so arrays without names and
        dataframes give the same predictions.
        """
        settings = self._target_settings(tuple(targets), table.names, kind, classes)
        named = dict(zip(self._targets, targets.values(), strict=True))
        whole = with_targets(table, table.names, named)
        self._fit_model(whole, weights, table.names, **settings)
        return self._learn_targets()

    def _target_settings(
        self,
        targets: Sequence[str],
        names: Sequence[str],
        kind: str,
        classes: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Name the targets, and return what the Model is told about them."""
        check_estimators(self.scores, classes=kind == "nominal")
        self._targets = tuple(free_name(target, names) for target in targets)
        return {
            # A target must not influence the distances between feature values.
            "feature_weights": dict.fromkeys(self._targets, 0.0),
            "kinds": dict.fromkeys(self._targets, kind),
            "classes": None if classes is None else dict.fromkeys(self._targets, classes),
        }

    def _add_targets(
        self, table: Table, targets: Sequence[NDArray[Any]], weights: Floats | None
    ) -> Self:
        named = dict(zip(self._targets, targets, strict=True))
        self._add_rows(with_targets(table, self._names, named), weights)
        return self._learn_targets()

    def _learn_targets(self) -> Self:
        schema = self.model_.schema_
        features = [name for name in self._names if name in schema]  # all that are not ignored
        for target in self._targets:
            self.model_.tuning(target, context=features)
        return self

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if not self._targets:
            raise FileError("the estimator has no target")
