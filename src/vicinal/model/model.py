"""The Model: every question about a table, each answered in a room of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.conviction.anomalies import Anomalies, anomalies
from vicinal.conviction.measure import Measure
from vicinal.conviction.residual import residual_convictions
from vicinal.conviction.results import Convictions, conviction
from vicinal.counterfactual.find import counterfactual
from vicinal.counterfactual.result import Counterfactuals
from vicinal.density.mixture import density
from vicinal.density.synthesis import Synthetic, synthesize
from vicinal.explain.contributions import Contributions, contributions
from vicinal.explain.data_values import DataValues, data_values
from vicinal.explain.explanation.explain import explain
from vicinal.explain.explanation.result import Explanations
from vicinal.explain.information import Information, information
from vicinal.explain.information_matrix import InformationMatrix, information_matrix
from vicinal.influence.tuning import Tuning
from vicinal.learning.fit import fit_table, refit
from vicinal.model import files, updates
from vicinal.model.changelog import ChangeLog
from vicinal.model.documented import documented_by, with_parameters_of
from vicinal.model.state import FittedState
from vicinal.neighbors import Neighbors, neighbors
from vicinal.prediction import predict as predicting
from vicinal.prediction.cases import CaseInfluences
from vicinal.quality.audit import Audit, audit
from vicinal.quality.drift import Drift, drift
from vicinal.quality.imputation import Imputation
from vicinal.quality.impute import impute
from vicinal.quality.reduce import reduce_cases, with_cases
from vicinal.quality.reduction import Reduction
from vicinal.report.page import write_report
from vicinal.settings import Settings
from vicinal.tables.table import read_table
from vicinal.typing import Bools, Floats, Ints
from vicinal.validation import check_parameter, check_parameters, checked_weights

__all__ = ["Model"]


@with_parameters_of(Settings)
class Model(FittedState):
    """Cases in surprisal space.

    Attributes
    ----------
    schema_ : Schema
        What the columns are.
    residuals_, residual_history_ : dict of str to float, list of dict
        Expected error in predicting each feature from the others, in the feature's own unit, for
        nominal features the probability not given to the true category; and the residuals of
        each round, beginning with the spread of each feature by itself. NaN for features that
        tell nothing apart.
    residuals_converged_, residual_sample_ : bool, tuple of int
        Whether the last round changed next to nothing; how many cases were predicted for the
        residuals, and from how many.
    metric_, index_ : Metric, ExactIndex
        What distance means here, and the cases.
    log_, stale_ : ChangeLog, Staleness
        What was done to the cases, when (UTC), and to which; and how far they have moved since
        residuals and weights were learned.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 3.0, 3.2], "color": ["red", "red", "blue", None]}
    >>> model = vicinal.Model().fit(table)
    >>> model.neighbors({"height": [3.1], "color": ["blue"]}, k=2)
    Neighbors of 1 row, k = 2
      row 0: #2 at 1.501, #3 at 1.636
    """

    @documented_by(fit_table)
    def fit(self, table: Any, *, sample_weight: ArrayLike | None = None) -> Self:
        """Take in a table and learn the residuals of its features."""
        settings = self._settings()
        check_parameters(vars(settings))
        check_parameter("random_state", self.random_state, rule="seed")
        read = read_table(table)
        weights = checked_weights(sample_weight, len(read))
        # Only now: a fit that fails leaves the model as it was.
        fitted = fit_table(read, settings, weights)
        return self._begin(fitted, ChangeLog(), "fit", np.arange(len(read)))

    @documented_by(neighbors)
    def neighbors(
        self,
        rows: Any = None,
        k: int | None = None,
        *,
        context: Iterable[str] | None = None,
        terms: bool = False,
    ) -> Neighbors:
        """Find the nearest cases of some rows."""
        return neighbors(self._ready(), rows, k, context=context, terms=terms)

    @documented_by(predicting.predict)
    def predict(
        self, rows: Any, target: str | Iterable[str], *, context: Iterable[str] | None = None
    ) -> Any:
        """Predict any feature from any others."""
        return predicting.predict(self._ready(), rows, target, context=context)

    @documented_by(predicting.predict_proba)
    def predict_proba(
        self, rows: Any, target: str, *, context: Iterable[str] | None = None
    ) -> Floats:
        """Give the probability of each class of a nominal feature."""
        return predicting.predict_proba(self._ready(), rows, target, context=context)

    @documented_by(predicting.predict_interval)
    def predict_interval(
        self,
        rows: Any,
        target: str,
        *,
        alpha: float = 0.1,
        context: Iterable[str] | None = None,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Give intervals that hold the true value with probability 1 − alpha."""
        return predicting.predict_interval(
            self._ready(), rows, target, alpha=alpha, context=context
        )

    @documented_by(predicting.predict_set)
    def predict_set(
        self,
        rows: Any,
        target: str,
        *,
        alpha: float = 0.1,
        context: Iterable[str] | None = None,
    ) -> Bools:
        """Give sets of classes that hold the true one with probability 1 − alpha."""
        return predicting.predict_set(self._ready(), rows, target, alpha=alpha, context=context)

    @documented_by(predicting.influences)
    def influences(
        self, rows: Any, target: str, *, context: Iterable[str] | None = None
    ) -> CaseInfluences:
        """Give the cases behind each prediction."""
        return predicting.influences(self._ready(), rows, target, context=context)

    @documented_by(predicting.tuning)
    def tuning(self, target: str, *, context: Iterable[str] | None = None) -> Tuning:
        """Give what was tried to predict a target, and what was chosen."""
        return predicting.tuning(self._ready(), target, context=context)

    @documented_by(contributions)
    def contributions(
        self,
        rows: Any,
        target: str,
        *,
        context: Iterable[str] | None = None,
        n_permutations: int | None = None,
        exact_up_to: int = 10,
        random_state: int | None = None,
    ) -> Contributions:
        """Divide predictions among the features that made them."""
        return contributions(
            self._ready(),
            rows,
            target,
            context=context,
            n_permutations=n_permutations,
            exact_up_to=exact_up_to,
            random_state=random_state,
        )

    @documented_by(explain)
    def explain(
        self,
        rows: Any,
        target: str,
        *,
        context: Iterable[str] | None = None,
        alpha: float = 0.1,
        features: bool | Mapping[str, Any] = True,
        counterfactuals: bool | Mapping[str, Any] = False,
        n_boundary: int = 2,
    ) -> Explanations:
        """Explain predictions: their cases, features and limits."""
        return explain(
            self._ready(),
            rows,
            target,
            context=context,
            alpha=alpha,
            features=features,
            counterfactuals=counterfactuals,
            n_boundary=n_boundary,
        )

    @documented_by(counterfactual)
    def counterfactual(
        self,
        row: Any,
        target: str,
        wanted: Any,
        *,
        immutable: Iterable[str] = (),
        ranges: Mapping[str, Any] | None = None,
        directions: Mapping[str, str] | None = None,
        allowed: Mapping[str, Any] | None = None,
        n: int = 1,
        context: Iterable[str] | None = None,
    ) -> Counterfactuals:
        """Find the least that has to change in a row."""
        return counterfactual(
            self._ready(),
            row,
            target,
            wanted,
            immutable=immutable,
            ranges=ranges,
            directions=directions,
            allowed=allowed,
            n=n,
            context=context,
        )

    @documented_by(information)
    def information(self, target: str, *, context: Iterable[str] | None = None) -> Information:
        """Measure what features tell about a target."""
        return information(self._ready(), target, context=context)

    @documented_by(information_matrix)
    def information_matrix(self) -> InformationMatrix:
        """Measure what each feature tells about each other one."""
        return information_matrix(self._ready())

    @documented_by(data_values)
    def data_values(
        self,
        rows: Any,
        target: str,
        *,
        context: Iterable[str] | None = None,
        k: int | None = None,
    ) -> DataValues:
        """Say what each stored case is worth to the predictions of some rows."""
        return data_values(self._ready(), rows, target, context=context, k=k)

    @documented_by(conviction)
    def conviction(
        self,
        rows: Any = None,
        *,
        context: Iterable[str] | None = None,
        measure: Measure | None = None,
        familiarity: bool = True,
    ) -> Convictions:
        """Say how surprising rows are, against what is expected of them."""
        return conviction(
            self._ready(), rows, context=context, measure=measure, familiarity=familiarity
        )

    @documented_by(anomalies)
    def anomalies(
        self,
        rows: Any = None,
        *,
        threshold: float = 0.7,
        alpha: float | None = None,
        false_discovery_rate: float | None = None,
        inliers: bool = False,
        context: Iterable[str] | None = None,
        measure: Measure | None = None,
    ) -> Anomalies:
        """List the rows that are surprising, with the features responsible."""
        return anomalies(
            self._ready(),
            rows,
            threshold=threshold,
            alpha=alpha,
            false_discovery_rate=false_discovery_rate,
            inliers=inliers,
            context=context,
            measure=measure,
        )

    @documented_by(residual_convictions)
    def residual_conviction(
        self, rows: Any = None, features: Iterable[str] | None = None
    ) -> dict[str, Floats]:
        """Say how far off features of rows are, against their neighbors'."""
        return residual_convictions(self._ready(), rows, features)

    @documented_by(density)
    def density(self, rows: Any = None) -> Floats:
        """Give the log density of rows, in nats."""
        return density(self._ready(), rows)

    @documented_by(synthesize)
    def synthesize(
        self, n: int, *, given: Mapping[str, Any] | None = None, random_state: int | None = None
    ) -> Synthetic:
        """Draw rows from the density."""
        return synthesize(self._ready(), n, given=given, random_state=random_state)

    @documented_by(impute)
    def impute(
        self,
        table: Any = None,
        *,
        effort: str = "medium",
        alpha: float = 0.1,
        intervals: bool = True,
    ) -> Imputation:
        """Impute missing values, with an interval for each."""
        return impute(self._ready(), table, effort=effort, alpha=alpha, intervals=intervals)

    @documented_by(audit)
    def audit(
        self,
        target: str | None = None,
        *,
        test: Any = None,
        by_chance: float = 0.05,
        threshold: float = 0.4,
    ) -> Audit:
        """Look for likely errors in the table, each with its evidence."""
        return audit(self._ready(), target, test=test, by_chance=by_chance, threshold=threshold)

    @documented_by(drift)
    def drift(self, new: Any, *, shuffles: int = 999, max_rows: int = 2000) -> Drift:
        """Say whether new rows differ from the stored cases, and where."""
        return drift(self._ready(), new, shuffles=shuffles, max_rows=max_rows)

    @documented_by(reduce_cases)
    def reduce(
        self,
        *,
        share: float | None = None,
        n_cases: int | None = None,
        max_loss: float | None = None,
        target: str | None = None,
    ) -> Reduction:
        """Make a model of fewer cases, each representing others."""
        fitted = self._ready()
        found = reduce_cases(
            fitted, share=share, n_cases=n_cases, max_loss=max_loss, target=target
        )
        smaller = type(self)(**vars(fitted.settings))
        # A history of its own: what happens to one model is no news of the other.
        kept = with_cases(fitted, found.cases, found.weights)
        smaller._begin(kept, ChangeLog(), "reduce", found.cases)
        return Reduction(model=smaller, **vars(found))

    @documented_by(write_report)
    def report(
        self,
        path: str | os.PathLike[str],
        target: str | None = None,
        *,
        title: str | None = None,
    ) -> None:
        """Write a report on the stored cases as one HTML file."""
        write_report(self._ready(), path, target, title=title)

    @documented_by(updates.add)
    def add(self, rows: Any, *, sample_weight: ArrayLike | None = None) -> Ints:
        """Add cases; residuals and weights stay as they are."""
        return updates.add(self._ready(), self._history, rows, sample_weight=sample_weight)

    @documented_by(updates.update)
    def update(
        self, cases: ArrayLike, rows: Any, *, sample_weight: ArrayLike | None = None
    ) -> None:
        """Give cases other values; they keep their numbers."""
        updates.update(self._ready(), self._history, cases, rows, sample_weight=sample_weight)

    @documented_by(updates.remove)
    def remove(self, cases: ArrayLike) -> None:
        """Remove cases by number."""
        updates.remove(self._ready(), self._history, cases)

    @documented_by(refit)
    def refresh(self) -> Self:
        """Learn residuals and weights anew from the cases that are there now."""
        # It is of all cases, so the log need not list them again.
        none = np.empty(0, dtype=np.int64)
        return self._begin(refit(self._ready()), self._history.log, "refresh", none)

    @documented_by(files.save)
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which `vicinal.load` reads."""
        files.save(self, path)
