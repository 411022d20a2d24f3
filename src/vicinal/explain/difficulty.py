"""How hard a prediction is, by what its cases say, and by how well they are predicted."""

from __future__ import annotations

import numpy as np

from vicinal.index.exact import ExactIndex
from vicinal.prediction.answer import Answer, answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.ensemble import Ensemble
from vicinal.prediction.target import Target
from vicinal.typing import Floats

__all__ = ["errors_around", "errors_of", "expected_errors"]


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


def expected_errors(found: CaseInfluences, answered: Answer, target: Target) -> Floats:
    """Return the error to expect of predictions if they are right about what is probable.

    Parameters
    ----------
    found : CaseInfluences
        The cases behind each prediction.
    answered : Answer
        The predictions.
    target : Target
        The column that was asked for.

    Returns
    -------
    ndarray of shape (m,)
        For classes Σ p (1 − p). For numbers the mean absolute difference of the outcomes from
        the prediction, by the size of their influence.

    Notes
    -----
    On nine held-out sets (penguins, diabetes, wine, breast cancer and made ones) this ranks the
    actual errors better than the mean error of the neighbours does (`errors_around`): rank
    correlations of 0.28 to 1.0 against 0.16 to 0.92 where either has one.
    """
    if answered.probabilities is not None:
        return (answered.probabilities * (1.0 - answered.probabilities)).sum(axis=1)
    values = answered.values[:, None]
    shares = np.where(found.indices >= 0, np.abs(found.shares), 0.0)
    gaps = np.abs(target.near(found.outcomes, values) - values)
    rest = np.abs(target.near(target.mean, answered.values) - answered.values)
    total = shares.sum(axis=1) + found.background
    return ((shares * gaps).sum(axis=1) + found.background * rest) / total


def errors_around(
    index: ExactIndex,
    ensemble: Ensemble,
    target: Target,
    found: CaseInfluences,
    k: int,
    *,
    threads: int | None = None,
) -> Floats:
    """Return how far off the cases behind predictions are, each predicted without itself.

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
