"""Rounds of learning residuals, written out plainly, and tables to learn from."""

from __future__ import annotations

import numpy as np

from tests.naive import distance as naive
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.sampling import content_order
from vicinal.learning.residuals import learn_residuals

NUMERIC, CYCLIC, NOMINAL = naive.NUMERIC, naive.CYCLIC, naive.NOMINAL
KINDS = np.array([NUMERIC, NUMERIC, CYCLIC, NOMINAL, NOMINAL], dtype=np.uint8)


def term_settings(kinds, p=1.0, periods=24.0, weights=1.0, distinct=False):
    d = len(kinds)
    return TermSettings(
        kinds=np.asarray(kinds, dtype=np.uint8),
        periods=np.where(np.asarray(kinds) == CYCLIC, periods, 0.0),
        weights=np.broadcast_to(np.asarray(weights, dtype=float), d).copy(),
        p=p,
        distinct=np.full(d, distinct),
    )


def mixed_cases(n, seed=0, missing=0.1):
    """Two numbers, an hour, and two categories, all of which follow from something hidden."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n)
    cases = np.column_stack(
        [
            hidden + rng.normal(size=n) * 0.3,
            np.round(5 * hidden + rng.normal(size=n)),
            (12 + 3 * hidden + rng.normal(size=n)) % 24,
            np.digitize(hidden + rng.normal(size=n) * 0.4, [-1, 0, 1]),
            rng.integers(0, 3, size=n),
        ]
    )
    cases[rng.random(cases.shape) < missing] = np.nan
    return cases


def limits(cases, kinds, weights):
    """Half the typical gap between values, and 0.8 of chance; NaN where nothing differs."""
    low, high = np.full((2, len(kinds)), np.nan)
    for i, kind in enumerate(kinds):
        distinct = np.unique(cases[:, i][~np.isnan(cases[:, i])])
        if len(distinct) < 2:
            continue
        low[i], high[i] = np.median(np.diff(distinct)) / 2, np.inf
        if kind == NOMINAL:
            low[i], high[i] = 0.5 / (weights.sum() + 1), 0.8 * (1 - 1 / len(distinct))
    return low, high


def spread(cases, metric):
    """Error of predicting a feature from nothing, over its distribution in short."""
    result = np.full(len(metric.kinds), np.nan)
    for i, (points, shares) in enumerate(metric.supports):
        if len(points) == 0:
            continue
        if metric.kinds[i] == NOMINAL:
            result[i] = 1 - (shares**2).sum()
        elif metric.kinds[i] == CYCLIC:
            period = metric.periods[i]
            result[i] = min((naive.cyclic_gap(x, points, period) * shares).sum() for x in points)
        else:
            result[i] = min((np.abs(x - points) * shares).sum() for x in points)
    return result


def metric_of(residuals, cases, given, weights):
    """The metric of these residuals."""
    scales = np.where(np.isnan(residuals), 1.0, residuals)
    for i in np.flatnonzero((given.kinds == NOMINAL) & ~np.isnan(residuals)):
        classes = len(np.unique(cases[:, i][~np.isnan(cases[:, i])]))
        e = residuals[i]
        scales[i] = np.log((1 - e) * (classes - 1) / e)
    return Metric(
        kinds=given.kinds,
        residuals=scales,
        periods=given.periods,
        weights=np.where(np.isnan(residuals), 0.0, given.weights),
        p=given.p,
        supports=tuple(
            naive.support(column, weights, nominal=kind == NOMINAL)
            for column, kind in zip(cases.T, given.kinds, strict=True)
        ),
        distinct=given.distinct,
    )


def naive_history(cases, given, k, weights, rounds, tolerance, mean="absolute"):
    """The residuals of every round."""
    weights = np.ones(len(cases)) if weights is None else weights
    low, high = limits(cases, given.kinds, weights)
    start = metric_of(np.full(len(low), np.nan), cases, given, weights)
    history = [np.clip(spread(cases, start), low, high)]
    for _ in range(rounds):
        metric = metric_of(history[-1], cases, given, weights)
        counted = metric.weights > 0
        found = history[-1]
        if counted.any():
            found = naive.residuals(cases, metric, k, weights, mean=mean)
        history.append(np.clip(np.where(np.isnan(found), history[-1], found), low, high))
        moved = np.abs(history[-1] - history[-2])[counted] / history[-2][counted]
        if (moved <= tolerance).all():
            break
    return history


def assert_same_history(cases, given, k, weights=None, rounds=3, tolerance=0.02, mean="absolute"):
    # Ties go to the case that comes first; in this order both see the same ones first.
    order = content_order(cases)
    cases, weights = cases[order], None if weights is None else weights[order]
    learned = learn_residuals(
        *(cases, given),
        k=k,
        case_weights=weights,
        max_rounds=rounds,
        tolerance=tolerance,
        mean=mean,
    )
    expected = naive_history(cases, given, k, weights, rounds, tolerance, mean)
    assert len(learned.history) == len(expected)
    np.testing.assert_allclose(learned.history, expected, rtol=1e-4)
    np.testing.assert_array_equal(learned.values, learned.history[-1])
    scales = metric_of(learned.values, cases, given, np.ones(len(cases))).residuals
    np.testing.assert_allclose(learned.metric.residuals, scales, rtol=1e-12)
    return learned
