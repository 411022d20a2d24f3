"""The method `score` of the classifier and the regressor: rows without a target do not count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_consistent_length

from vicinal.estimators.labels import checked_labels, known_labels
from vicinal.estimators.tables import row_weights
from vicinal.estimators.targets import checked_numbers, missing_targets
from vicinal.exceptions import ParameterError
from vicinal.typing import Bools


def score_labels(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the share of rows whose label is predicted.

    Parameters
    ----------
    X : array-like or dataframe of shape (n_queries, n_features)
        Columns as in `fit`.
    y : array-like of shape (n_queries,)
        The true labels; as in `fit`, a series may have missing ones, which do not count.
    sample_weight : array-like of shape (n_queries,), optional
        Weights of the rows.

    Returns
    -------
    float
    """
    if (missing := missing_targets(y)) is None:
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
    labels = known_labels(checked_labels(X, y))
    return _score_known(accuracy_score, self.predict(X), labels, ~missing, sample_weight)


def score_numbers(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return R², the share of the variance that is predicted.

    Parameters
    ----------
    X : array-like or dataframe of shape (n_queries, n_features)
        Columns as in `fit`.
    y : array-like of shape (n_queries,) or (n_queries, n_outputs)
        The true outcomes; as in `fit`, a series or a dataframe may have missing ones. Rows that
        have one do not count.
    sample_weight : array-like of shape (n_queries,), optional
        Weights of the rows.

    Returns
    -------
    float
    """
    if (missing := missing_targets(y)) is None:
        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))
    outcomes = checked_numbers(y, self)[~missing]
    return _score_known(r2_score, self.predict(X), outcomes, ~missing, sample_weight)


def _score_known(
    measure: Callable[..., float],
    predicted: Any,
    truth: NDArray[Any],
    known: Bools,
    sample_weight: Any,
) -> float:
    """Score the predictions of the rows whose target is known; of a collection, compute them."""
    if not len(truth):
        raise ParameterError("All values of y are missing; expected at least one.")
    weights = row_weights(sample_weight, len(known))
    check_consistent_length(values := np.asarray(predicted), known)
    asked = None if weights is None else weights[known]
    return float(measure(truth, values[known], sample_weight=asked))
