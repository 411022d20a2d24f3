"""The difficulty of a prediction, from its cases' outcomes and how well others are predicted."""

from __future__ import annotations

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.influence.losses import errors_of
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats


def expected_errors(predictor: Predictor, found: CaseInfluences, answered: Answer) -> Floats:
    """Return the errors to expect of predictions.

    For classes, this is Σ p (1 − p): the probability not given to the true class, if the
    probabilities are right. For numbers it is the mean error of left-out cases, more where the
    outcomes of the influential cases are spread, and less where they agree. As far as all cases
    share a prediction equally, it is this mean itself.

    Notes
    -----
    How far outcomes are from a number is no measure of its error by itself: influences are
    centered on the row, so that outcomes on both sides cancel. On a linear function of four
    features with little noise, they are 1.9 times as far as the predictions are off, and without
    noise 100 times.
    """
    if answered.probabilities is not None:
        return (answered.probabilities * (1.0 - answered.probabilities)).sum(axis=1)
    assert answered.spread is not None
    known = predictor.calibration
    own = (1.0 - found.background) * known.expected_error(answered.spread)
    return own + found.background * known.error


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
