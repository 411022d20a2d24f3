"""The cases that predictions are calibrated on, predicted by what has not seen their outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.learning.greedy_average import FEWEST_TO_HALVE
from vicinal.prediction.conformal import Calibration, calibrate
from vicinal.prediction.cross_fitting import n_parts, without_parts
from vicinal.typing import Floats, Ints

if TYPE_CHECKING:
    from vicinal.prediction.predictor import Predictor

#: Minimum number of cases outside the learning sample for calibrating on them.
_ENOUGH_FRESH = 300


def calibrated(predictor: Predictor) -> Calibration:
    """Return the errors of cases that were predicted without their own outcomes.

    These are fresh cases, if there are enough. Otherwise parts of the cases are predicted by what
    was learned without them, where this matters, and by leave-one-out elsewhere.
    """
    target, tuning = predictor.target, predictor.tuning
    fresh = fresh_cases(predictor)
    if fresh is None and _is_cross_fitted(predictor):
        cases, answered = predict_parts(predictor)
        if len(cases) or target.n_classes:  # there are none if all cases are equal
            return calibrate(target, cases, answered)
    if target.n_classes:
        cases, given = predictor.left_out_probabilities()
        answered = Answer(given.argmax(axis=1).astype(np.float64), given, None)
        return calibrate(target, cases, answered)
    cases = tuning.queries if fresh is None else fresh
    again = predictor.left_out(cases)
    # Tuning ignores cycles, so its means are wrong where a cycle wraps around.
    if fresh is None and not target.period:
        again = replace(again, values=tuning.predictions[:, 0])
    return calibrate(target, cases, again)


def probabilities_without(predictor: Predictor) -> tuple[Ints, Floats]:
    """Return cases with a known class, and their leave-one-out probabilities by code."""
    tuning, n_classes = predictor.tuning, predictor.target.n_classes
    cases = fresh_cases(predictor)
    if cases is not None:
        given = np.full((len(cases), n_classes), np.nan)
    else:
        cases = predictor.still_known(tuning.queries)
        given = tuning.predictions[np.isin(tuning.queries, cases)]
        # Classes that were added later had no probability.
        given = np.pad(given, ((0, 0), (0, n_classes - given.shape[1])))
    # Nothing was learned from these cases, so all members may predict them.
    open_ = np.isnan(given).any(axis=1)
    given[open_] = predictor.left_out(cases[open_]).probabilities
    return cases, given


def _is_cross_fitted(predictor: Predictor) -> bool:
    """Return whether calibration has to learn the target again without parts of the cases.

    What was learned from all cases has seen each outcome, if only among the neighbors of others.
    It is too sure of rare classes, and of numbers if so few cases choose members that each of them
    matters.
    """
    mass = float(predictor.index.reduce("mass", required=predictor.column)["mass"])
    return bool(predictor.target.n_classes) or mass < FEWEST_TO_HALVE


def predict_parts(predictor: Predictor) -> tuple[Ints, Answer]:
    """Predict cases as new rows, by what was learned again without their part of the cases."""
    size = (len(predictor.index), len(predictor.context))
    parts = n_parts(*size, classes=bool(predictor.target.n_classes))
    cases: list[Ints] = [np.empty(0, dtype=np.int64)]
    answers: list[Answer] = [predictor.left_out(cases[0])]
    for part, fitted in without_parts(predictor.fitted, predictor.column, parts):
        cases.append(part)
        answers.append(predictor.learned_again(fitted).predict(predictor.index.rows(part)))
    return np.concatenate(cases), Answer.joined(answers)


def fresh_cases(predictor: Predictor) -> Ints | None:
    """Return cases that the target was not learned from; None if there are too few.

    All members predict them, as they predict new rows. Cases in the learning sample are predicted
    only by members learned from other cases.
    """
    learned = predictor.still_known(predictor.tuning.queries)
    mass = float(predictor.index.reduce("mass", required=predictor.column)["mass"])
    if mass - predictor.target.mass_of(learned) < _ENOUGH_FRESH:
        return None
    settings = predictor.fitted.settings
    return predictor.index.sample(
        settings.max_queries,
        random_state=settings.random_state,
        required=predictor.column,
        without=learned,
        distinct=True,
    )[0]
