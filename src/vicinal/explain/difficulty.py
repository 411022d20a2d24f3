"""How hard a prediction is: the errors of the cases behind it, each predicted without itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.index import ExactIndex
from vicinal.prediction import Answer, CaseInfluences, Ensemble, Target, answer

__all__ = ["errors_of", "expected_errors"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def errors_of(answered: Answer, target: Target, truth: Floats) -> Floats:
    """Return how far off answers are: absolute error, or probability not given to the truth.

    Parameters
    ----------
    answered : Answer
        What was predicted.
    target : Target
        The column that was asked for.
    truth : ndarray of shape (m,)
        Encoded true values; NaN where not known, and beyond the classes where never seen.
    """
    if answered.probabilities is None:
        return np.abs(target.near(truth, answered.values) - answered.values)
    known = np.isfinite(truth) & (truth < target.n_classes)
    codes = np.where(known, truth, 0).astype(np.intp)
    missed = 1.0 - answered.probabilities[np.arange(len(codes)), codes]
    return np.where(known, missed, np.where(np.isnan(truth), np.nan, 1.0))


def expected_errors(
    index: ExactIndex,
    ensemble: Ensemble,
    target: Target,
    found: CaseInfluences,
    k: int,
    *,
    threads: int | None = None,
) -> Floats:
    """Return the error to expect of predictions from the errors of the cases behind them.

    Parameters
    ----------
    index, ensemble, target
        The cases and how the target is predicted.
    found : CaseInfluences
        The cases behind each prediction.
    k : int
        How many of them to predict, the most influential ones.

    Returns
    -------
    ndarray of shape (m,)
        Mean error of these cases by their influence; NaN where there is none.
    """
    cases, shares = found.indices[:, :k], np.abs(found.shares[:, :k])
    named = np.unique(cases[cases >= 0])
    if not len(named):
        return np.full(len(cases), np.nan)
    again = answer(
        index, ensemble, target, index.case_values(named), exclude=named, threads=threads
    )
    errors = errors_of(again, target, target.outcomes[named])
    places = np.searchsorted(named, np.where(cases >= 0, cases, named[0]))
    shares = np.where(cases >= 0, shares, 0.0)
    total = shares.sum(axis=1)
    means = (shares * errors[places]).sum(axis=1) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, means, np.nan)
