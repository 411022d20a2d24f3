"""The slow and obvious twin of `vicinal.conviction.within_table`: one case, one sum at a time."""

from __future__ import annotations

import math

import numpy as np

from tests.naive import conviction as naive


def surprise(cases, metric):
    """Log of the mean of three standardized surprisals."""
    views = [
        [math.log(one) for one in wide(cases, metric)],
        [math.log(max(one, 1e-3)) for one in tails(cases, metric)],
        [math.log(max(math.sqrt(max(one, 0.0)), 1e-3)) for one in correlations(cases, metric)],
    ]
    views = [standardized(one) for one in views]
    return [math.log(sum(math.exp(one[j]) for one in views) / 3) for j in range(len(cases))]


def standardized(scores):
    """From the (lower) median, in standard deviations."""
    mean = sum(scores) / len(scores)
    spread = math.sqrt(sum((one - mean) ** 2 for one in scores) / len(scores))
    return [(one - quantile(scores, 0.5)) / max(spread, 1e-9) for one in scores]


def quantile(values, share):
    """The smallest value with this share of the values up to it."""
    return sorted(values)[math.ceil(share * len(values) - 1e-9) - 1]


def wide(cases, metric):
    """Harmonic mean distance to a tenth of the cases, or 3 √n if these are more."""
    k = round(max(len(cases) / 10, 3 * len(cases) ** 0.5))
    usual = naive.usual_terms(cases, metric, 30)
    grain = naive.grain(cases, metric, k, 0.0, usual)
    return naive.contributions(cases, metric, k, "excess", grain, usual, rank_decay=0.0)


def tails(cases, metric):
    """Mean surprisal of the values that are there: numbers and categories."""
    means = []
    for case in cases:
        found = [
            -math.log(share(case[i], [one for one in cases[:, i] if one == one], kind))
            for i, kind in enumerate(metric.kinds)
            if metric.weights[i] > 0 and kind != 1 and case[i] == case[i]
        ]
        means.append(sum(found) / max(len(found), 1))
    return means


def share(value, column, kind):
    """The share of a column as far out as a value, or as rare as a category."""
    if kind == 2:
        often = [column.count(one) for one in column]
        return sum(one <= column.count(value) for one in often) / len(column)
    return min(sum(o <= value for o in column), sum(o >= value for o in column)) / len(column)


def correlations(cases, metric):
    """Squared Mahalanobis distance by numeric column, by the three quarters that fit best."""
    columns = []
    for i, kind in enumerate(metric.kinds):
        known = [one for one in cases[:, i] if one == one]
        if metric.weights[i] > 0 and kind == 0 and len(set(known)) > 1:
            middle, spread = quantile(known, 0.5), np.std(known)
            columns.append([(one - middle) / spread if one == one else 0.0 for one in cases[:, i]])
    scaled, d = np.array(columns).T, len(columns)
    trusted = list(range(len(cases)))
    for _ in range(8):
        center, covariance = scaled[trusted].mean(axis=0), np.cov(scaled[trusted].T, ddof=0)
        variance = np.diag(np.diag(covariance))
        kept = len(trusted) / (len(trusted) + d)
        covariance = kept * covariance + (1 - kept) * variance
        covariance += np.eye(d) * 1e-6 * np.diag(variance).mean()
        inverse = np.linalg.inv(covariance)
        squared = [(one - center) @ inverse @ (one - center) / d for one in scaled]
        limit = quantile(squared, 0.75)
        trusted = [j for j, one in enumerate(squared) if one <= limit * (1 + 1e-9)]
    return squared
