"""Whether probabilities and prediction intervals are calibrated."""

from __future__ import annotations

import numpy as np

from vicinal.formatting.values import format_percent
from vicinal.index.sampling import split_cases
from vicinal.prediction.conformal import Calibration
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import CalibrationCurve
from vicinal.typing import Bools, Floats

#: Nominal coverages that are checked, and the one that is put into words.
_COVERAGES, _COVERAGE = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95), 0.9


def gather_calibration(held: HeldOut) -> CalibrationCurve:
    """Compare probabilities, or the nominal coverage of intervals, with what was observed."""
    return _class_calibration(held) if held.is_class else _interval_calibration(held)


def share(mass: float) -> float:
    """Return a sum of shares without what rounding added to it or took away."""
    return min(max(round(float(mass), 12), 0.0), 1.0)


def _class_calibration(held: HeldOut) -> CalibrationCurve:
    probabilities = held.predicted.probabilities
    assert probabilities is not None
    given = probabilities.max(axis=1)
    right = held.predicted.values == held.truth
    group = np.minimum((10 * given).astype(int), 9)
    points, error = [], 0.0
    for one in np.unique(group):
        some = group == one
        mass = held.weights[some].sum()
        expected = float(held.weights[some] @ given[some] / mass)
        observed = float(held.weights[some] @ right[some] / mass)
        points.append((expected, observed, float(some.sum())))
        error += float(mass) * abs(expected - observed)
    inside = _sets(held, probabilities)
    size = float(held.weights @ inside.sum(axis=1))
    truth = held.truth.astype(np.intp)
    held_in = inside[np.arange(len(truth)), truth]
    masses = np.bincount(truth, held.weights)
    there = masses > 0
    by_class = np.bincount(truth, held.weights * held_in)[there] / masses[there]
    least = np.flatnonzero(there)[by_class.argmin()]
    sentence = (
        f"Probabilities are off by {100 * error:.1f} percentage points on average. Prediction "
        f"sets with a nominal coverage of {100 * _COVERAGE:.0f} % of each class contained the "
        f"true class in {format_percent(share(float(held.weights @ held_in)))} of the cases (of "
        f"{held.labels[least]}, the class covered least, in "
        f"{format_percent(share(by_class.min()))}), with {size:.2f} classes on average."
    )
    return CalibrationCurve("classes", tuple(points), error, sentence)


def set_coverage(held: HeldOut) -> list[tuple[float, float, float]]:
    """Return nominal and observed coverage of prediction sets, and the number of cases."""
    probabilities = held.predicted.probabilities
    assert probabilities is not None
    truth = held.truth.astype(np.intp)
    found = []
    for coverage in _COVERAGES:
        inside = _sets(held, probabilities, coverage)[np.arange(len(truth)), truth]
        found.append((coverage, share(float(held.weights @ inside)), float(len(truth))))
    return found


def _sets(held: HeldOut, probabilities: Floats, coverage: float = _COVERAGE) -> Bools:
    """Return the classes in the prediction set of each case, calibrated on the other half."""
    inside = np.zeros(probabilities.shape, dtype=bool)
    for half, made in _halves(held, first_half(held)):
        limits = made.limits(1 - coverage, probabilities.shape[1])
        inside[half] = (1.0 - probabilities[half] <= limits) & (held.target.shares > 0)
    inside[np.arange(len(inside)), probabilities.argmax(axis=1)] = True
    return inside


def _interval_calibration(held: HeldOut) -> CalibrationCurve:
    points, first = [], first_half(held)
    for coverage in _COVERAGES:
        covered = sum(
            float(held.weights[half] @ (held.scores[half] <= made.quantile(1 - coverage)))
            for half, made in _halves(held, first)
        )
        points.append((coverage, share(covered), float(len(held.cases))))
    error = float(np.mean([abs(x - y) for x, y, _ in points]))
    observed = points[_COVERAGES.index(_COVERAGE)][1]
    sentence = (
        f"Prediction intervals with a nominal coverage of {100 * _COVERAGE:.0f} % contained the "
        f"true value in {format_percent(observed)} of the cases."
    )
    return CalibrationCurve("intervals", tuple(points), error, sentence)


def first_half(held: HeldOut) -> Bools:
    """Say of each case whether it is in the first half; equal cases are in the same one."""
    values, seed = held.fitted.index.rows(held.cases), held.fitted.settings.random_state
    return split_cases(values, 2, random_state=seed) == 0


def _halves(held: HeldOut, first: Bools) -> list[tuple[Bools, Calibration]]:
    """Each half of the cases, with the calibration that the other half leads to."""
    found = []
    for half in (first, ~first):
        cases, scores, truth = held.cases[~half], held.scores[~half], held.truth[~half]
        order = np.argsort(scores, kind="stable")
        weights = held.fitted.index.weights_of(cases[order])
        classes = truth[order].astype(np.int64) if held.is_class else None
        found.append((half, Calibration(scores[order], weights=weights, classes=classes)))
    return found
