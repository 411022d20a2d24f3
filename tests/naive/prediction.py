"""The slow and obvious twin of prediction, to which it must be equal.

Imports numpy, scipy, `vicinal.formulas` and `tests.naive` only (``test_naive_is_independent.py``
holds it to that). One query at a time; convex problems are left to scipy, gradients to finite
differences.

A *metric* is what it is in `tests.naive`. Neighbours of a query are given by their rows.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.optimize import minimize

from tests.naive.distance import CYCLIC, NOMINAL, distance, neighbors
from vicinal.formulas import SAME

FIBONACCI = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)
MIX = 1e-3
MOST_TILT = 4.0


# --- influences -----------------------------------------------------------------------------


def total_excess(query, cases, metric):
    """Distance of each case above that of equal ones, times all weights; a sum for p = 1."""
    return (distance(query, cases, metric) - SAME) * np.sum(metric.weights)


def signed_gap(x, y, i, metric):
    """How far y lies from x in feature i, with its sign; 0 when one is missing."""
    if np.isnan(x) or np.isnan(y):
        return 0.0
    if metric.kinds[i] == NOMINAL:
        return float(x != y) * np.sqrt(metric.residuals[i])
    gap = y - x
    if metric.kinds[i] == CYCLIC and abs(gap) > metric.periods[i] / 2:
        gap -= np.copysign(metric.periods[i], gap)
    return gap / metric.residuals[i]


def offsets(query, cases, metric):
    """Scaled offsets of each case from the query, one column per feature that counts."""
    active = np.flatnonzero(np.asarray(metric.weights) > 0)
    return np.array(
        [
            [
                np.clip(
                    signed_gap(query[i], case[i], i, metric) * np.sqrt(metric.weights[i]),
                    -1e4,
                    1e4,
                )
                for i in active
            ]
            for case in cases
        ]
    ).reshape(len(cases), len(active))


def inverse_shares(distances, counts=None, power=1.0):
    """Influences ∝ weight / distance^power."""
    shares = (np.ones(len(distances)) if counts is None else counts) / distances**power
    return shares / shares.sum()


def probability_shares(excess, bandwidth, counts=None):
    """Influences ∝ weight · exp(−bandwidth · excess)."""
    shares = np.exp(-bandwidth * (excess - excess.min()))
    shares = shares * (1 if counts is None else counts)
    return shares / shares.sum()


def tilted(kernel, z, tilt):
    """Shares ∝ kernel · exp(tilt · z)."""
    logits = z @ tilt
    shares = kernel * np.exp(logits - logits[kernel > 0].max(initial=-np.inf))
    return shares / shares.sum()


def centered_shares(kernel, z, ridge):
    """The convex problem of the centered rule, solved by scipy."""

    def dual(tilt):
        logits = z @ tilt
        top = logits.max()
        value = top + np.log(kernel @ np.exp(logits - top)) + ridge / 2 * tilt @ tilt
        return value, tilted(kernel, z, tilt) @ z + ridge * tilt

    def curvature(tilt):
        shares = tilted(kernel, z, tilt)
        centered = z - shares @ z
        return (centered * shares[:, None]).T @ centered + ridge * np.eye(z.shape[1])

    found = minimize(
        dual,
        np.zeros(z.shape[1]),
        jac=True,
        hess=curvature,
        method="trust-exact",
        options={"gtol": 1e-10, "maxiter": 500},
    )
    return tilted(kernel, z, found.x)


def off_balance(shares, kernel, z, ridge):
    """How far shares are from the optimum, where Σ a z + ridge · tilt = 0.

    That condition names the tilt, so shares at the optimum must be the kernel tilted by it.
    """
    tilt = -(shares @ z) / ridge
    return np.abs(tilted(kernel, z, tilt) - shares).max()


def linear_shares(kernel, z, ridge):
    """Weights of outcomes in the intercept of a ridge regression on z, the intercept free.

    They differ from the kernel by `MOST_TILT` in all, at most.
    """
    mean = kernel @ z
    centered = z - mean
    covariance = (centered * kernel[:, None]).T @ centered
    slope_weights = np.linalg.solve(
        covariance + ridge * np.eye(z.shape[1]), (centered * kernel[:, None]).T
    )
    tilt = mean @ slope_weights
    return kernel - tilt * MOST_TILT / max(np.abs(tilt).sum(), MOST_TILT)


def influences(rule, query, cases, metric, *, bandwidth=1.0, ridge=np.inf, counts=None):
    """Influences of the neighbours of one query by any rule."""
    if rule == "inverse":
        return inverse_shares(distance(query, cases, metric), counts, bandwidth)
    kernel = probability_shares(total_excess(query, cases, metric), bandwidth, counts)
    if rule == "probability" or not np.isfinite(ridge):
        return kernel
    z = offsets(query, cases, metric) * np.sqrt(bandwidth)
    return {"centered": centered_shares, "linear": linear_shares}[rule](kernel, z, ridge)


# --- answers and losses ---------------------------------------------------------------------


def class_probabilities(shares, codes, n_classes):
    """Influence that falls on each class."""
    return np.array([shares[codes == c].sum() for c in range(n_classes)])


def expected_value(shares, outcomes):
    """Influence-weighted outcome."""
    return sum(a * y for a, y in zip(shares, outcomes, strict=True))


def log_loss(probabilities, truth, prior, weights=None):
    """Mean surprisal of the true classes, mixed with a trace of the prior."""
    weights = np.ones(len(truth)) if weights is None else weights
    losses = [
        -np.log((1 - MIX) * p[int(c)] + MIX * prior[int(c)])
        for p, c in zip(probabilities, truth, strict=True)
    ]
    return np.average(losses, weights=weights)


def relative_error(predictions, truth, weights=None):
    """Root mean squared error over the standard deviation of the truth."""
    mean = np.average(truth, weights=weights)
    spread = np.sqrt(np.average((truth - mean) ** 2, weights=weights))
    error = np.sqrt(np.average((predictions - truth) ** 2, weights=weights))
    return error / (spread if spread > 0 else 1.0)


# --- entropy weights ------------------------------------------------------------------------


def entropy_objective(log_weights, excess, outcomes, truth, prior, *, start, pull=1e-3):
    """Mean −log of the influence on hits, with the pull of the log weights to their start.

    `excess` and `outcomes` list the candidates of each left-out case.
    """
    loss = 0.0
    for terms_, codes, own in zip(excess, outcomes, truth, strict=True):
        shares = probability_shares(terms_ @ np.exp(log_weights), 1.0)
        loss -= np.log((1 - MIX) * shares[codes == own].sum() + MIX * prior[int(own)])
    return loss / len(truth) + pull * np.mean((log_weights - start) ** 2)


def number_objective(log_weights, excess, outcomes, truth, scale, *, start, pull=1e-3):
    """The same for numbers: a smooth absolute error in units of the mean absolute deviation."""
    loss = 0.0
    for terms_, values, own in zip(excess, outcomes, truth, strict=True):
        shares = probability_shares(terms_ @ np.exp(log_weights), 1.0)
        loss += np.hypot((expected_value(shares, values) - own) / scale, 0.1)
    return loss / len(truth) + pull * np.mean((log_weights - start) ** 2)


def hit_gradient(weights, excess, outcomes, own):
    """Gradient of −log Σ_hits a in the weights: mean excess over hits less that over all."""
    shares = probability_shares(excess @ weights, 1.0)
    hits = outcomes == own
    return shares[hits] @ excess[hits] / shares[hits].sum() - shares @ excess


def finite_differences(function, x, step=1e-6):
    """Gradient of a function by central differences."""
    gradient = np.empty(len(x))
    for i in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[i] += step
        behind[i] -= step
        gradient[i] = (function(ahead) - function(behind)) / (2 * step)
    return gradient


# --- the paper's way ------------------------------------------------------------------------


def classic_predictions(cases, metric, column, k, n_classes=0, power=1.0):
    """Leave-one-out predictions of a column by the k nearest that have it, ∝ 1/distance^power."""
    known = np.flatnonzero(~np.isnan(cases[:, column]))
    result = []
    for at, q in enumerate(known):
        found, away = neighbors(
            cases[[q]], cases[known], metric, len(known), exclude=np.array([at])
        )
        real = found[0][: min(k, len(known) - 1)]
        shares = inverse_shares(away[0][: len(real)], power=power)
        outcomes = cases[known[real], column]
        if n_classes:
            result.append(class_probabilities(shares, outcomes, n_classes))
        else:
            result.append(np.array([expected_value(shares, outcomes)]))
    return known, np.array(result)


def mda_weights(rises, exponent=1.0):
    """What features tell as parts of the largest, never below 0.01; then raised to a power."""
    if max(rises) <= 0:
        return np.ones(len(rises))
    return np.array([max(rise / max(rises), 0.01) ** exponent for rise in rises])


# --- conformal ------------------------------------------------------------------------------


def conformal_quantile(scores, alpha):
    """The smallest score that at least (1 − alpha)(m + 1) of the m scores do not exceed."""
    needed = (1 - Fraction(str(alpha))) * (len(scores) + 1)
    for score in sorted(scores):
        if sum(other <= score for other in scores) >= needed:
            return score
    return np.inf
