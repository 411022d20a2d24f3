"""Whether probabilities and prediction intervals are calibrated."""

from __future__ import annotations

import numpy as np

from vicinal.formatting.values import format_percent
from vicinal.index.sampling import split_cases
from vicinal.prediction.conformal import Calibration
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import CalibrationCurve
from vicinal.typing import Bools

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
    covered, size = 0.0, 0.0
    for half, limit in _limits(held, _first_half(held), _COVERAGE):
        inside = 1.0 - probabilities[half] <= limit
        covered += float(held.weights[half] @ (held.scores[half] <= limit))
        size += float(held.weights[half] @ inside.sum(axis=1))
    sentence = (
        f"Probabilities are off by {100 * error:.1f} percentage points on average. Prediction "
        f"sets with a nominal coverage of {100 * _COVERAGE:.0f} % contained the true class in "
        f"{format_percent(share(covered))} of the cases, with {size:.2f} classes on average."
    )
    return CalibrationCurve("classes", tuple(points), error, sentence)


def _interval_calibration(held: HeldOut) -> CalibrationCurve:
    points, first = [], _first_half(held)
    for coverage in _COVERAGES:
        covered = sum(
            float(held.weights[half] @ (held.scores[half] <= limit))
            for half, limit in _limits(held, first, coverage)
        )
        points.append((coverage, share(covered), float(len(held.cases))))
    error = float(np.mean([abs(x - y) for x, y, _ in points]))
    observed = points[_COVERAGES.index(_COVERAGE)][1]
    sentence = (
        f"Prediction intervals with a nominal coverage of {100 * _COVERAGE:.0f} % contained the "
        f"true value in {format_percent(observed)} of the cases."
    )
    return CalibrationCurve("intervals", tuple(points), error, sentence)


def _first_half(held: HeldOut) -> Bools:
    """Say of each case whether it is in the first half; equal cases are in the same one."""
    values, seed = held.fitted.index.rows(held.cases), held.fitted.settings.random_state
    return split_cases(values, 2, random_state=seed) == 0


def _limits(held: HeldOut, first: Bools, coverage: float) -> list[tuple[Bools, float]]:
    """Each half of the cases, with the limit of the scores that the other half leads to."""
    limits = []
    for half in (first, ~first):
        cases, scores = held.cases[~half], held.scores[~half]
        order = np.argsort(scores, kind="stable")
        weights = held.fitted.index.weights_of(cases[order])
        made = Calibration(scores[order], weights=weights)
        limits.append((half, made.quantile(1 - coverage)))
    return limits
