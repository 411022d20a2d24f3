"""The Model: a method for every question about a table, each implemented in its own package."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from vicinal.conviction.anomalies import anomalies
from vicinal.conviction.residual import residual_convictions
from vicinal.conviction.results import conviction
from vicinal.counterfactual.find import counterfactual
from vicinal.density.log_density import density
from vicinal.density.synthesis import synthesize
from vicinal.exceptions import IgnoredColumnWarning
from vicinal.explain.contributions import contributions
from vicinal.explain.data_values import data_values
from vicinal.explain.explanation.explain import explain
from vicinal.explain.information import information
from vicinal.explain.information_matrix import information_matrix
from vicinal.learning.fit import fit_table, refit
from vicinal.model import files, store, updates
from vicinal.model.changelog import ChangeLog
from vicinal.model.questions import question, with_parameters_of
from vicinal.model.state import FittedState
from vicinal.neighbors import neighbors
from vicinal.prediction import predict as predicting
from vicinal.quality.audit import audit
from vicinal.quality.drift import drift
from vicinal.quality.impute import impute
from vicinal.quality.reduce import reduce_cases, with_cases
from vicinal.quality.reduction import Reduction
from vicinal.report.page import write_report
from vicinal.robustness.certify import certify
from vicinal.schema.roles import HOW_TO_NAME, HOW_TO_USE, ignored_text
from vicinal.settings import Settings, with_text_names
from vicinal.stores.manifest import is_store
from vicinal.tables.asked_names import text_name
from vicinal.tables.reading_labels import labels_of_fit
from vicinal.tables.table import read_table
from vicinal.typing import Ints
from vicinal.validation import check_parameter, check_parameters, checked_weights


@with_parameters_of(Settings)
class Model(FittedState):
    """An interpretable, instance-based model of a table.

    Attributes
    ----------
    schema_ : Schema
        The kinds and properties of the columns, and which columns are ignored.
    residuals_, residual_history_ : dict of str to float, list of dict
        Expected error of predicting each feature from the others, in the feature's own unit; for
        nominal features, the probability not given to the true category. The history has the
        residuals of each round, starting with the spread of each feature. NaN for features that
        do not vary.
    residuals_converged_, residual_sample_ : bool, tuple of int
        Whether the residuals converged; how many cases were predicted to learn them, and from
        how many.
    metric_, index_ : Metric, Index
        The distance metric, and the index that holds the training cases.
    labels_ : CaseLabels
        The labels of the cases, if they have any.
    log_, stale_ : ChangeLog, Staleness
        The log of changes to the cases, with times (UTC) and case numbers; and how much the cases
        have changed since residuals and weights were learned.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 3.0, 3.2], "color": ["red", "red", "blue", None]}
    >>> model = vicinal.Model().fit(table)
    >>> model.neighbors({"height": [3.1], "color": ["blue"]}, k=2)
    Neighbors of 1 row, k = 2
                distance  height  color
      this row               3.1  blue
      #2           1.501       3  blue
      #3           1.636     3.2  ?
    """

    def fit(
        self,
        table: Any,
        *,
        id: str | None = None,  # noqa: A002
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Store a table and learn the residuals of its features.

        Parameters
        ----------
        table : dataframe, ndarray, dict of sequences, or list of dicts
            One row per case.
        id : str, optional
            The column with the labels of the cases, such as patient numbers. Its values must
            differ. It is not a feature: it only names the cases in all results, and in ``case=``
            of all questions. By default the index of a pandas dataframe has the labels, unless it
            is the default one or has duplicates; cases without labels are named by their numbers.
        sample_weight : array_like of shape (n,), optional
            Nonnegative weight of each case. An integer weight has the same effect as repeating
            the row (nearly the same in tables so large that residuals are learned from a sample).

        Returns
        -------
        Model
            The fitted model.
        """
        advice = (HOW_TO_USE, HOW_TO_NAME) if id is None else (HOW_TO_USE,)
        return self._fit(table, id, sample_weight, advice, stacklevel=3)

    def _fit(
        self,
        table: Any,
        id: str | None,  # noqa: A002
        sample_weight: ArrayLike | None,
        advice: tuple[str, ...],
        stacklevel: int,
    ) -> Self:
        """Fit a table; `advice` says how to use a column that is ignored, as its caller can."""
        read, labels = labels_of_fit(read_table(table), id)
        settings = with_text_names(self._settings(), read.names)
        check_parameters(vars(settings))
        check_parameter("random_state", self.random_state, rule="seed")
        # Assign only now, so that a failed fit leaves the model unchanged.
        fitted = fit_table(read, settings, checked_weights(sample_weight, len(read)), labels)
        vars(self).update(vars(settings))
        if fitted.schema.ignored and isinstance(self.ignore, str):
            said = ignored_text(fitted.schema.ignored, *advice)
            warn(said, IgnoredColumnWarning, stacklevel=stacklevel)
        return self._begin(fitted, ChangeLog(), "fit", range(len(read)))

    neighbors = question(neighbors)

    predict = question(predicting.predict)
    predict_proba = question(predicting.predict_proba)
    predict_interval = question(predicting.predict_interval)
    predict_set = question(predicting.predict_set)
    influences = question(predicting.influences)
    certify = question(certify)
    tuning = question(predicting.tuning)

    explain = question(explain)
    contributions = question(contributions)
    counterfactual = question(counterfactual)
    information = question(information)
    information_matrix = question(information_matrix)
    data_values = question(data_values)

    conviction = question(conviction)
    anomalies = question(anomalies)
    residual_conviction = question(residual_convictions)
    density = question(density)
    synthesize = question(synthesize)

    impute = question(impute)
    audit = question(audit)
    drift = question(drift)
    report = question(write_report)

    def reduce(
        self,
        *,
        share: float | None = None,
        n_cases: int | None = None,
        max_loss: float | None = None,
        target: str | None = None,
    ) -> Reduction:
        """Build a smaller model whose cases represent the cases merged into them.

        The most similar cases are merged first; the one that is kept takes over the weight of
        the other. Give either the number of cases to keep or the acceptable loss.

        Parameters
        ----------
        share : float, optional
            Share of the cases to keep.
        n_cases : int, optional
            Alternatively, the number of cases to keep.
        max_loss : float, optional
            Alternatively, keep about as few cases as raise the loss by no more than this.
        target : str, optional
            The feature to predict; cases are then similar if they predict it alike. The loss is
            the log loss in nats, or for numbers the root mean squared error over the standard
            deviation. Without a target, all features count, and the loss is the mean error of
            predicting each from the others, relative to that with all cases.

        Returns
        -------
        Reduction
            The smaller model, its loss, and the loss of this model, both measured on held-out
            cases. This model does not change. The smaller model keeps what this one has learned
            about targets but learns new targets from its own cases only, so predict every target
            you need before reducing.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model(max_queries=100).fit(load_penguins())
        >>> small = model.reduce(share=0.25, target="species")
        >>> len(small.model), small.loss < 0.1
        (86, True)
        """
        with self._lock.reading():
            fitted = self._ready()
            target = text_name(target, fitted.schema.table_names)
            found = reduce_cases(
                fitted, share=share, n_cases=n_cases, max_loss=max_loss, target=target
            )
            kept = with_cases(fitted, found.cases, found.weights)
        smaller = type(self)(**vars(fitted.settings))
        # A separate history, because changes to one model do not affect the other.
        smaller._begin(kept, ChangeLog(), "reduce", found.cases)
        return replace(found, model=smaller)

    def add(self, rows: Any, *, sample_weight: ArrayLike | None = None) -> Ints:
        """Add cases without changing residuals and weights.

        All results are then those of a model with the same residuals and weights that was built
        from all the cases at once. Adding a case takes amortized O(d) time.

        Parameters
        ----------
        rows : table
            The new cases with all columns, in any form `fit` takes. New categories are allowed.
            If the table has an id column, they need it, too, with labels that no case has.
        sample_weight : array_like, optional
            Nonnegative weight of each case.

        Returns
        -------
        ndarray of int64
            The case numbers of the new cases.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
        >>> model.add({"height": [1.2], "color": ["c"]})
        array([3])
        >>> model.neighbors({"height": [1.2], "color": ["c"]}, k=1).indices
        array([[3]])
        """
        with self._lock.writing():
            return updates.add(self._ready(), self._history, rows, sample_weight)

    def update(
        self,
        cases: Any,
        rows: Any,
        *,
        by: str | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        """Change the values of cases without changing case numbers, labels, residuals or weights.

        Parameters
        ----------
        cases : label, int, or array_like of them
            Labels or case numbers, without duplicates.
        rows : table
            One row for each case. Columns that are absent keep their values.
        by : {"label", "number"}, optional
            What `cases` has. It is only needed if labels are whole numbers.
        sample_weight : array_like, optional
            New weights of the cases; unchanged by default.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
        >>> model.update(1, {"height": [1.4]})
        >>> model.neighbors({"height": [1.4], "color": ["a"]}, k=1).indices
        array([[1]])
        """
        with self._lock.writing():
            fitted = self._ready()
            numbers = updates.cases_to_change(fitted, cases, by)
            updates.update(fitted, self._history, numbers, rows, sample_weight)

    def remove(self, cases: Any, *, by: str | None = None) -> None:
        """Remove cases without changing residuals and weights.

        The values of the cases are erased. Residuals, weights and quantiles learned from them
        remain until `refresh`.

        Parameters
        ----------
        cases : label, int, or array_like of them
            Labels or case numbers.
        by : {"label", "number"}, optional
            What `cases` has. It is only needed if labels are whole numbers.
        """
        with self._lock.writing():
            fitted = self._ready()
            updates.remove(fitted, self._history, updates.cases_to_change(fitted, cases, by))

    def refresh(self) -> Self:
        """Relearn residuals and weights from the current cases.

        The result is that of a new `fit` to these cases, except that they keep their case numbers
        and the log continues. Weights for a target are learned when they are next needed.

        Returns
        -------
        Model
            The refreshed model.
        """
        # A refresh concerns all cases, so the log need not list them again.
        none = np.empty(0, dtype=np.int64)
        # Questions are answered from what was learned before, until all is learned anew.
        with self._lock.changing():
            return self._begin(refit(self._ready()), self._history.log, "refresh", none)

    def explore(
        self, target: str | None = None, *, port: int = 0, open_browser: bool = True
    ) -> Any:
        """Look at the model in the browser; see `vicinal.explore`.

        Parameters
        ----------
        target : str, optional
            The feature to predict.
        port : int, default 0
            Port of the service; by default any that is free.
        open_browser : bool, default True
            Whether to open a browser.

        Returns
        -------
        Explorer
            It answers until ``stop()`` is called or the process ends.
        """
        # The explorer is above the Model, so it is looked up like any user does.
        show = import_module("vicinal").explore
        return show(self, target, port=port, open_browser=open_browser)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `vicinal.load` can read.

        The file holds the training data, everything learned so far, and the log of changes; it
        contains data only, no code. An existing file is replaced atomically: a reader finds
        either the old model or the new one, even if the process is killed while writing.

        Parameters
        ----------
        path : path
            Path of the file; by convention it ends in ``.vicinal``. A Model whose cases are in a
            store is saved to a folder, which ends in ``.vicinal.d`` or is a store already.

        Examples
        --------
        >>> import tempfile, vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/heights.vicinal")
        ...     again = vicinal.load(f"{folder}/heights.vicinal")
        >>> again
        Model(p=1.0) of 3 cases, 1 feature
        """
        with self._lock.reading():
            if is_store(Path(path)):
                store.save_store(self, Path(path))
            else:
                files.save(self, path)
