"""The slow and obvious twin of the engine, to which it must be equal.

Imports numpy and `vicinal.formulas` only (``test_naive_is_independent.py`` holds it to that), so
that an error in the package cannot hide in its own reference. One feature, one query, one
feature left out at a time; nothing is pruned, packed or remembered.

A *metric* is anything with these attributes, one entry per column of the cases:

- ``kinds``: 0 numeric, 1 cyclic, 2 nominal; ``periods``: of cyclic features;
- ``residuals``: the residual, or for a nominal feature its contrast;
- ``weights``: at least 0, of any scale; ``p``: the power;
- ``supports``: (points, shares), the feature's distribution in short;
- ``distinct``: whether missing counts as a value of its own; if not, a missing value stands for
  the whole distribution.
"""

from __future__ import annotations

import numpy as np

from vicinal.formulas import (
    SAME,
    cyclic_gap,
    key_to_distance,
    laplace_term,
    nominal_term,
    power_key,
    power_mean,
)

NUMERIC, CYCLIC, NOMINAL = 0, 1, 2
SUPPORT_POINTS = 32


# --- terms and distances ---------------------------------------------------------------------


def value_term(x, y, i, metric):
    """Term of two observed values of feature i."""
    if metric.kinds[i] == NOMINAL:
        return nominal_term(x != y, metric.residuals[i])
    gap = cyclic_gap(x, y, metric.periods[i]) if metric.kinds[i] == CYCLIC else np.abs(x - y)
    return laplace_term(gap, metric.residuals[i])


def expected_term(x, i, metric):
    """Term of an observed value, expected over all that the other one may be."""
    points, shares = metric.supports[i]
    if len(points) == 0:  # nothing is known of the feature, so nothing can be told apart
        return np.full(np.shape(x), SAME)
    return (value_term(np.asarray(x)[..., None], points, i, metric) * shares).sum(axis=-1)


def random_pair_term(i, metric):
    """Term of feature i, expected over all that both values may be."""
    points, shares = metric.supports[i]
    return (expected_term(points, i, metric) * shares).sum() if len(points) else SAME


def one_missing_term(x, i, metric):
    """Term of an observed value and a missing one."""
    if not metric.distinct[i]:
        return expected_term(x, i, metric)
    if metric.kinds[i] == NOMINAL:
        return np.full(np.shape(x), SAME + metric.residuals[i])
    return np.full(np.shape(x), random_pair_term(i, metric))


def both_missing_term(i, metric):
    """Term of two missing values."""
    return SAME if metric.distinct[i] else random_pair_term(i, metric)


def terms(query, case, metric):
    """Terms of every feature of one query and one case, or an array of cases.

    Features that do not count, those of weight 0, have NaN.
    """
    case = np.asarray(case, dtype=float)
    result = np.full(case.shape, np.nan)
    for i in np.flatnonzero(np.asarray(metric.weights) > 0):
        x, y = query[i], case[..., i]
        if np.isnan(x):
            term = np.where(
                np.isnan(y), both_missing_term(i, metric), one_missing_term(y, i, metric)
            )
        elif np.isnan(y).any():
            term = np.where(
                np.isnan(y), one_missing_term(x, i, metric), value_term(x, y, i, metric)
            )
        else:
            term = value_term(x, y, i, metric)
        result[..., i] = term
    return result


def distance(query, case, metric):
    """Distance of one query and one case, or an array of cases."""
    return power_mean(terms(query, case, metric), metric.weights, metric.p)


def neighbors(queries, cases, metric, k, exclude=None, weights=None):
    """The k nearest cases of each query: (indices, distances), padded with −1 and infinity.

    Ties go to the lower case number. `exclude` names one case per query (−1 for none) of which
    one unit of weight is left out; cases without weight are absent.
    """
    weights = np.ones(len(cases)) if weights is None else np.asarray(weights, dtype=float)
    indices = np.full((len(queries), k), -1)
    distances = np.full((len(queries), k), np.inf)
    for q, query in enumerate(queries):
        left = weights.copy()
        if exclude is not None and exclude[q] >= 0:
            left[exclude[q]] -= 1
        present = np.flatnonzero(left > 0)
        away = distance(query, cases[present], metric)
        nearest = np.argsort(away, kind="stable")[:k]
        indices[q, : len(nearest)] = present[nearest]
        distances[q, : len(nearest)] = away[nearest]
    return indices, distances


# --- the distribution of a feature -----------------------------------------------------------


def support(column, weights=None, *, nominal=False):
    """A feature's observed distribution in short: points and their shares.

    All distinct values if there are at most 32 of them, else 32 mid-quantiles. Of nominal
    features every category from 0 to the largest code.
    """
    weights = np.ones(len(column)) if weights is None else np.asarray(weights, dtype=float)
    seen = ~np.isnan(column) & (weights > 0)
    column, weights = column[seen], weights[seen]
    points = np.unique(column)
    if nominal:
        points = np.arange(column.max(initial=-1) + 1)
    if nominal or len(points) <= SUPPORT_POINTS:
        shares = np.array([weights[column == point].sum() for point in points])
        return points, shares / weights.sum()
    order = np.argsort(column, kind="stable")
    column, reached = column[order], np.cumsum(weights[order])
    points = [
        column[np.flatnonzero(reached >= (m + 0.5) / SUPPORT_POINTS * reached[-1])[0]]
        for m in range(SUPPORT_POINTS)
    ]
    return np.array(points), np.full(SUPPORT_POINTS, 1 / SUPPORT_POINTS)


# --- leave-one-out ---------------------------------------------------------------------------


def fixed_point_keys(query, cases, metric):
    """Weighted keys of all features as integers, with their unit and the weights of mean one.

    As integers, sums of keys can lose one feature exactly, so that ties stay ties.
    """
    weights = np.asarray(metric.weights, dtype=float)
    weights = weights / weights.sum() * (weights > 0).sum()
    farthest = min(64.0, SAME * 2 ** (16 / metric.p)) if metric.p > 0 else 64.0
    reach = (weights * power_key(farthest, metric.p) + 1)[weights > 0].sum()
    scale = 2.0 ** np.floor(np.log2((2**31 - 1) / reach))
    near = np.minimum(terms(query, cases, metric), farthest)
    keys = np.floor(weights * power_key(near, metric.p) * scale + 0.5)
    return np.where(weights > 0, keys, 0).astype(np.int64), scale, weights


def is_close_call(keys, parts, left, k, slack):
    """Whether a case lies within the slack of the k-th place without being level with it.

    Level are those whose keys are sums of the same parts.
    """
    order = np.argsort(keys, kind="stable")
    reached = np.flatnonzero(np.cumsum(left[order]) >= k)
    if len(reached) == 0:
        return False
    last = order[reached[0]]
    parts = np.sort(parts, axis=1)
    level = np.isclose(parts, parts[last], rtol=1e-12, atol=0).all(axis=1)
    return bool((np.abs(keys - keys[last]) <= slack * (1 + keys[last]))[~level].any())


def influences(keys, left, k, p):
    """Influence of each case, given its mean key and its weight: k units, nearest first."""
    counts, units = np.zeros(len(keys)), float(k)
    for j in np.argsort(keys, kind="stable"):
        counts[j] = min(left[j], units)
        units -= counts[j]
        if units <= 0:
            break
    return counts / np.maximum(key_to_distance(keys, p), SAME)


def predict(outcomes, influence, truth, i, metric):
    """Outcome of feature i by influence; of a nominal feature the share of the true category.

    NaN where there is none: nobody to ask, or directions that cancel.
    """
    if influence.sum() <= 0:
        return np.nan
    if metric.kinds[i] == NOMINAL:
        return influence[outcomes == truth].sum() / influence.sum()
    if metric.kinds[i] == NUMERIC:
        return (influence * outcomes).sum() / influence.sum()
    mean = mean_direction(outcomes, influence, metric.periods[i])
    if abs(mean) < 1e-9:
        return np.nan
    return np.angle(mean) / (2 * np.pi) % 1.0 * metric.periods[i]


def mean_direction(outcomes, influence, period):
    """Mean of the directions of outcomes on a circle; short where they nearly cancel."""
    return (influence * np.exp(2j * np.pi * outcomes / period)).sum() / influence.sum()


def leave_one_out(cases, metric, k, weights=None, queries=None, slack=None):
    """Each feature of the query cases predicted from all its other features.

    An array of one row per query (all cases by default); NaN where the query lacks the feature,
    where the feature does not count, and where there is no prediction. With a slack, a share of
    keys, a second array says which predictions are close calls.
    """
    weights = np.ones(len(cases)) if weights is None else np.asarray(weights, dtype=float)
    queries = np.arange(len(cases)) if queries is None else queries
    active = np.flatnonzero(np.asarray(metric.weights) > 0)
    predictions = np.full((len(queries), cases.shape[1]), np.nan)
    close = np.zeros(predictions.shape, dtype=bool)
    for at, q in enumerate(queries):
        left = weights.copy()
        left[q] -= 1
        keys, scale, mean_one = fixed_point_keys(cases[q], cases, metric)
        for i in active[~np.isnan(cases[q, active])]:
            others = active[active != i]
            asked = np.flatnonzero((left > 0) & ~np.isnan(cases[:, i]))
            if len(others) == 0:  # nothing to tell near from far
                influence = left[asked]
            else:
                mean_keys = keys[asked][:, others].sum(axis=1) / scale / mean_one[others].sum()
                influence = influences(mean_keys, left[asked], k, metric.p)
                if slack is not None:
                    parts = (
                        metric.weights[others] * terms(cases[q], cases[asked], metric)[:, others]
                    )
                    close[at, i] = is_close_call(mean_keys, parts, left[asked], k, slack)
            if slack is not None and metric.kinds[i] == CYCLIC and influence.sum() > 0:
                there = abs(mean_direction(cases[asked, i], influence, metric.periods[i]))
                close[at, i] |= there < 10 * slack
            predictions[at, i] = predict(cases[asked, i], influence, cases[q, i], i, metric)
    return predictions if slack is None else (predictions, close)


def errors(cases, predictions, metric, queries=None):
    """Error of each prediction: absolute, the shorter way round, or the mass on other classes."""
    queries = np.arange(len(cases)) if queries is None else queries
    result = np.full(predictions.shape, np.nan)
    for i, kind in enumerate(metric.kinds):
        truth, guess = cases[queries, i], predictions[:, i]
        if kind == NUMERIC:
            result[:, i] = np.abs(guess - truth)
        elif kind == CYCLIC:
            result[:, i] = cyclic_gap(guess, truth, metric.periods[i])
        else:
            result[:, i] = 1 - guess
    return result


def residuals(cases, metric, k, weights=None, queries=None, mean="absolute"):
    """Mean leave-one-out error of every feature over the query cases; NaN where none has one.

    With "square" errors of numbers give the root of half their mean square.
    """
    weights = np.ones(len(cases)) if weights is None else np.asarray(weights, dtype=float)
    queries = np.arange(len(cases)) if queries is None else queries
    wrong = errors(cases, leave_one_out(cases, metric, k, weights, queries), metric, queries)
    result = np.full(cases.shape[1], np.nan)
    for i in range(cases.shape[1]):
        known = ~np.isnan(wrong[:, i]) & (weights[queries] > 0)
        if known.any():
            power = 2 if mean == "square" and metric.kinds[i] != NOMINAL else 1
            average = np.average(wrong[known, i] ** power, weights=weights[queries][known])
            result[i] = (average / power) ** (1 / power)
    return result
