"""Predictions and convictions of stored cases, each without itself, as columns of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.conviction.measure import Measure
from vicinal.conviction.results import directions, stored_convictions
from vicinal.explorer.tasks import Report
from vicinal.fitted import Fitted
from vicinal.formatting.values import format_count
from vicinal.index.protocol import Index
from vicinal.influence.losses import errors_of
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Bools, Floats, Ints

#: Up to so many cases all are predicted, beyond a sample.
MOST_PREDICTED, PREDICTED_SAMPLE = 20_000, 5_000
#: Up to so many cases all are judged, beyond a sample, which is compared within itself.
MOST_JUDGED, JUDGED_SAMPLE = 50_000, 20_000
#: Error rate of the intervals outside of which a prediction is called wrong.
ALPHA = 0.1
_BATCH = 512


@dataclass(frozen=True, eq=False)
class CasePredictions:
    """Leave-one-out predictions; arrays run over `numbers`, ascending."""

    numbers: Ints
    n_cases: int  # of which these are all or a sample
    is_class: bool
    values: Floats  # encoded predictions
    truth: Floats  # encoded; NaN where missing
    probability: Floats  # of the predicted class; NaN for numbers
    error: Floats  # probability not given to the true class, or absolute error; NaN if not known
    signed: Floats  # predicted − true number; NaN for classes
    wrong: Bools  # another class, or outside of the interval
    positive: Floats  # (n, K): all probabilities by code; (n, 0) for numbers


@dataclass(frozen=True, eq=False)
class CaseConvictions:
    """How surprising cases are; arrays run over `numbers`, ascending."""

    numbers: Ints
    n_cases: int
    similarity: Floats
    p_value: Floats

    @property
    def direction(self) -> Ints:
        """1 for outliers, −1 for inliers, 0 for ordinary cases."""
        named = directions(self.similarity)
        return (named == "outlier").astype(np.int64) - (named == "inlier")


def all_numbers(index: Index) -> Ints:
    """Return the numbers of all cases, ascending."""
    last = getattr(index, "next_number", None)
    assert last is not None
    return np.flatnonzero(index.contains(np.arange(last))).astype(np.int64)


def predict_stored(predictor: Predictor, report: Report) -> CasePredictions:
    """Predict all stored cases, or a sample of many, each from the others."""
    fitted = predictor.fitted
    numbers, n_cases = all_numbers(fitted.index), len(fitted.index)
    if n_cases > MOST_PREDICTED:
        seed = fitted.settings.random_state
        numbers = np.sort(fitted.index.sample(PREDICTED_SAMPLE, random_state=seed)[0])
    parts = []
    for start in range(0, len(numbers), _BATCH):
        report(start / len(numbers), f"Predicted {start} of {format_count(len(numbers), 'case')}")
        parts.append(predict_cases(predictor, numbers[start : start + _BATCH]))
    report(1.0, f"Predicted {format_count(len(numbers), 'case')}")
    return joined(parts, n_cases)


def predict_cases(predictor: Predictor, numbers: Ints) -> CasePredictions:
    """Predict stored cases, each from the others."""
    fitted, target = predictor.fitted, predictor.target
    answered = predictor.left_out(numbers)
    truth = fitted.index.cells(numbers, predictor.column).copy()
    error = errors_of(answered, target, truth)
    known = ~np.isnan(truth)
    given = answered.probabilities
    if given is None:
        signed = answered.values - target.near(truth, answered.values)
        outside = error > predictor.half_widths(answered, ALPHA)
        probability, wrong, given = (
            np.full(len(numbers), np.nan),
            outside,
            np.empty((len(truth), 0)),
        )
    else:
        signed = np.full(len(numbers), np.nan)
        probability = given[np.arange(len(given)), answered.values.astype(np.intp)]
        wrong = answered.values != truth
    return CasePredictions(
        numbers=numbers,
        n_cases=len(fitted.index),
        is_class=bool(target.n_classes),
        values=answered.values,
        truth=truth,
        probability=probability,
        error=np.where(known, error, np.nan),
        signed=np.where(known, signed, np.nan),
        wrong=wrong & known,
        positive=given,
    )


def joined(parts: list[CasePredictions], n_cases: int) -> CasePredictions:
    """Put the parts of a table together."""
    names = ("numbers", "values", "truth", "probability", "error", "signed", "wrong", "positive")
    arrays = {name: np.concatenate([getattr(one, name) for one in parts]) for name in names}
    return CasePredictions(**arrays, n_cases=n_cases, is_class=parts[0].is_class)


def judge_stored(reference: Fitted, n_cases: int, report: Report) -> CaseConvictions:
    """Judge all cases of a table, or of the sample of it that stands for it."""
    report(0.0, f"Comparing {format_count(len(reference.index), 'case')}")
    columns = reference.schema.columns(reference.schema.names)
    found = stored_convictions(reference, columns, Measure())
    return CaseConvictions(found.cases, n_cases, found.similarity, found.p_value)
