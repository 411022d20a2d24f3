"""The Model: every question about a table, each answered in a room of its own."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from vicinal.conviction.anomalies import anomalies
from vicinal.conviction.residual import residual_convictions
from vicinal.conviction.results import conviction
from vicinal.counterfactual.find import counterfactual
from vicinal.density.mixture import density
from vicinal.density.synthesis import synthesize
from vicinal.explain.contributions import contributions
from vicinal.explain.data_values import data_values
from vicinal.explain.explanation.explain import explain
from vicinal.explain.information import information
from vicinal.explain.information_matrix import information_matrix
from vicinal.learning.fit import fit_table, refit
from vicinal.model import files, updates
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
from vicinal.settings import Settings
from vicinal.tables.table import read_table
from vicinal.typing import Ints
from vicinal.validation import check_parameter, check_parameters, checked_weights


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

    def fit(self, table: Any, *, sample_weight: ArrayLike | None = None) -> Self:
        """Take in a table and learn the residuals of its features.

        Parameters
        ----------
        table : dataframe, ndarray, dict of sequences, or list of dicts
            One row per case.
        sample_weight : array_like of shape (n,), optional
            Weight of each case, at least 0. A whole number means the same as repeating the row
            (in tables large enough to be sampled for residuals: nearly the same).

        Returns
        -------
        Model
            Itself.
        """
        settings = self._settings()
        check_parameters(vars(settings))
        check_parameter("random_state", self.random_state, rule="seed")
        read = read_table(table)
        weights = checked_weights(sample_weight, len(read))
        # Only now: a fit that fails leaves the model as it was.
        fitted = fit_table(read, settings, weights)
        return self._begin(fitted, ChangeLog(), "fit", np.arange(len(read)))

    neighbors = question(neighbors)

    predict = question(predicting.predict)
    predict_proba = question(predicting.predict_proba)
    predict_interval = question(predicting.predict_interval)
    predict_set = question(predicting.predict_set)
    influences = question(predicting.influences)
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
        """Make a model of fewer cases, each of which represents those merged into it.

        The most similar cases are merged first; the one that stays takes over the weight of the
        other. Say how many are to be left, or how large a loss is acceptable.

        Parameters
        ----------
        share : float, optional
            Share of the cases to keep.
        n_cases : int, optional
            Instead: how many to keep.
        max_loss : float, optional
            Instead: keep about as few as raise the loss by no more than this.
        target : str, optional
            A feature to be predicted; similar are then cases that predict it alike. Its loss is
            the log loss in nats, for numbers the root mean squared error over the standard
            deviation. Without a target all features count, and the loss is the mean error in
            predicting each from the others, relative to that of all cases.

        Returns
        -------
        Reduction
            The smaller model, and its loss beside that of this one, both measured on cases held
            out for it. This model stays as it is. What it has learned about targets is kept;
            targets the smaller one is asked about for the first time are learned from its own
            cases, so ask those questions before.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model(max_queries=100).fit(load_penguins())
        >>> small = model.reduce(share=0.25, target="species")
        >>> len(small.model), small.loss < 0.1
        (86, True)
        """
        fitted = self._ready()
        found = reduce_cases(
            fitted, share=share, n_cases=n_cases, max_loss=max_loss, target=target
        )
        smaller = type(self)(**vars(fitted.settings))
        # A history of its own: what happens to one model is no news of the other.
        kept = with_cases(fitted, found.cases, found.weights)
        smaller._begin(kept, ChangeLog(), "reduce", found.cases)
        return replace(found, model=smaller)

    def add(self, rows: Any, *, sample_weight: ArrayLike | None = None) -> Ints:
        """Add cases; residuals and weights stay as they are.

        Every answer is then that of a model with the same residuals and weights that was built
        from all the cases at once. One case costs O(d), amortised.

        Parameters
        ----------
        rows : table
            With all the columns, in any form `fit` takes. New categories are welcome.
        sample_weight : array_like, optional
            Weight of each case, at least 0.

        Returns
        -------
        ndarray of int64
            The numbers of the new cases.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
        >>> model.add({"height": [1.2], "color": ["c"]})
        array([3])
        >>> model.neighbors({"height": [1.2], "color": ["c"]}, k=1).indices
        array([[3]])
        """
        return updates.add(self._ready(), self._history, rows, sample_weight)

    def update(
        self, cases: ArrayLike, rows: Any, *, sample_weight: ArrayLike | None = None
    ) -> None:
        """Give cases other values; they keep their numbers, and residuals and weights stay.

        Parameters
        ----------
        cases : int or array_like of int
            Case numbers, each once.
        rows : table
            One row for each of them. Columns that are left out keep their values.
        sample_weight : array_like, optional
            Their new weights; by default they keep the old ones.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
        >>> model.update(1, {"height": [1.4]})
        >>> model.neighbors({"height": [1.4], "color": ["a"]}, k=1).indices
        array([[1]])
        """
        updates.update(self._ready(), self._history, cases, rows, sample_weight)

    def remove(self, cases: ArrayLike) -> None:
        """Remove cases by number; residuals and weights stay as they are.

        Their values are wiped. What was learned from them, residuals, weights and quantiles, stays
        until `refresh`.
        """
        updates.remove(self._ready(), self._history, cases)

    def refresh(self) -> Self:
        """Learn residuals and weights anew from the cases that are there now.

        The model is then what a new `fit` to these cases would give, but that they keep their
        numbers and the log goes on. Weights for a target are learned at the next question.

        Returns
        -------
        Model
            Itself.
        """
        # It is of all cases, so the log need not list them again.
        none = np.empty(0, dtype=np.int64)
        return self._begin(refit(self._ready()), self._history.log, "refresh", none)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which `vicinal.load` reads.

        The file holds the training data, everything learned so far, and the log of changes; it
        is data, not code. A file that is there is replaced at once: whoever reads it finds the
        old model or the new one, even if the process is killed meanwhile.

        Parameters
        ----------
        path : path
            Where to; by custom it ends in ``.vicinal``.

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
        files.save(self, path)
