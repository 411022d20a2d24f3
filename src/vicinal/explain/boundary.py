"""The nearest cases with another outcome, which show where the prediction would change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.fitted import Rows
from vicinal.index.metric import Metric
from vicinal.influence.target import Target
from vicinal.prediction.heaviest import mean_weights
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Bools, Floats, Ints

#: Number of neighbors to search first, and the factor to increase it by if they are too few.
_FIRST, _WIDER = 64, 8
#: A mean of equal outcomes differs from them by less than this share.
_ROUNDING = 1e-12


def mean_metric(predictor: Predictor) -> Metric:
    """Return the metric whose weights are the mean of those a target is predicted with.

    Each member of an ensemble weights features in its own way, but ordering cases by distance
    requires a single metric. Its terms are those of the context, as in `Model.neighbors`; the
    weights of the context are kept if all cases contribute equally.
    """
    base, ensemble = predictor.metric, predictor.ensemble
    used = {member.space for member in ensemble.members}
    metrics = {at: predictor.cases.metric(ensemble.spaces[at].metric) for at in used}
    members = [(metrics[member.space], member.share) for member in ensemble.members]
    total = np.where(base.weights > 0, mean_weights(members, len(base.weights)), 0.0)
    return replace(base, weights=total, p=members[-1][0].p) if total.any() else base


def find_boundary(
    predictor: Predictor, metric: Metric, rows: Rows, predicted: Floats, *, count: int
) -> Ints:
    """Find the nearest cases of each row (m, count) whose outcome is not the predicted one.

    For numbers, the outcome must differ by more than the usual error. Nearest first, ties broken
    by the lower case number; −1 where there are no more cases.
    """
    index, target, tolerance = predictor.index, predictor.target, predictor.calibration.error
    found = np.full((len(rows), count), -1, dtype=np.int64)
    left, k = np.arange(len(rows)), _FIRST
    while len(left):
        near = index.search(
            rows.values[left],
            metric,
            min(k, max(len(index), 1)),
            exclude=None if rows.exclude is None else rows.exclude[left],
            required=target.column,
            threads=predictor.threads,
        ).indices
        other = _is_other(target, near, predicted[left], tolerance)
        rank = np.cumsum(other, axis=1) - 1
        row, place = np.nonzero(other & (rank < count))
        found[left[row], rank[row, place]] = near[row, place]
        left = left[other.sum(axis=1) < count] if k < len(index) else left[:0]
        k *= _WIDER
    return found


def _is_other(target: Target, cases: Ints, predicted: Floats, tolerance: float) -> Bools:
    outcomes = target.outcomes_of(cases)
    if target.n_classes:
        other = outcomes != predicted[:, None]
    else:
        near = target.near(outcomes, predicted[:, None])
        rounding = _ROUNDING * np.abs(predicted[:, None])
        other = np.abs(near - predicted[:, None]) > np.maximum(tolerance, rounding)
    return other & (cases >= 0)
