"""Feature weights that make a target as unsurprising as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from vicinal.formulas import SAME
from vicinal.index import ExactIndex, Metric

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Logarithms of weights stay within these bounds.
LOWEST, HIGHEST = -8.0, 6.0

#: Strength of the pull of each log weight towards its start.
PULL = 1e-3

#: Class shares mixed into probabilities, so that no class is ever impossible.
MIX = 1e-3


@dataclass(frozen=True, eq=False)
class Target:
    """A target column: its outcomes by case number, and how errors in it are counted.

    Parameters
    ----------
    column : int
        Encoded column.
    outcomes : ndarray
        Value of each case, by row of the index; NaN where missing.
    n_classes : int
        Number of classes, 0 for a number.
    shares : ndarray
        Class shares, for classes.
    scale : float
        Mean absolute deviation, for a number.
    """

    column: int
    outcomes: Floats
    n_classes: int
    shares: Floats
    scale: float


def entropy_weights(
    index: ExactIndex,
    metric: Metric,
    target: Target,
    cases: Ints,
    *,
    candidates: int = 50,
    rounds: int = 3,
    iterations: int = 30,
    threads: int | None = None,
) -> Floats:
    """Learn weights that minimise the leave-one-out entropy of the target.

    Parameters
    ----------
    index : ExactIndex
        The cases.
    metric : Metric
        Terms to weigh; of power 1.
    target : Target
        What is to be predicted.
    cases : ndarray of int64
        Numbers of the cases to learn from.
    candidates : int
        Nearest cases that take part for each of them.
    rounds : int
        How often candidates are sought anew with the weights learned so far.
    iterations : int
        Steps of the optimiser in each round.

    Returns
    -------
    ndarray of shape (d,)
        Weights; 0 for columns that do not count.

    Notes
    -----
    Influences are :math:`a_j \\propto \\exp(-\\sum_i w_i x_{ij})` with excess terms x. For classes
    the loss is :math:`-\\log \\sum_{j \\in hits} a_j`, whose gradient in :math:`w_i` is the mean
    excess over hits less the mean excess over all; for numbers a smooth absolute error.
    """
    queries = index.case_values(cases)
    truth = target.outcomes[cases]
    active = metric.active
    start = np.full(len(active), -0.5 * np.log(len(active)))
    logs = start
    for _ in range(rounds):
        weighted = metric.with_weights(_spread(np.exp(logs), active, len(metric.weights)))
        found = index.search(
            queries, weighted, candidates, exclude=cases, required=target.column, threads=threads
        )
        terms = index.terms(queries, found.indices, weighted, threads=threads)[:, :, active]
        there = found.indices >= 0
        excess = np.where(there[:, :, None], terms - SAME, 0.0)
        outcomes = target.outcomes[np.where(there, found.indices, 0)]
        loss = _class_loss if target.n_classes else _number_loss
        objective = loss(excess, outcomes, truth, there, target)
        logs = _minimise(objective, logs, start, iterations)
    return _spread(np.exp(logs), active, len(metric.weights))


Objective = Callable[[Floats], tuple[float, Floats]]


def _spread(values: Floats, active: NDArray[np.intp], size: int) -> Floats:
    weights = np.zeros(size)
    weights[active] = values
    return weights


def _minimise(objective: Objective, logs: Floats, start: Floats, iterations: int) -> Floats:
    def penalised(x: Floats) -> tuple[float, Floats]:
        weights = np.exp(x)
        value, slope = objective(weights)
        off = x - start
        return value + PULL * float(off @ off) / len(x), slope * weights + 2 * PULL * off / len(x)

    found = minimize(
        penalised,
        logs,
        jac=True,
        method="L-BFGS-B",
        bounds=[(LOWEST, HIGHEST)] * len(logs),
        options={"maxiter": iterations},
    )
    return np.asarray(found.x)


def _shares(excess: Floats, weights: Floats, there: NDArray[np.bool_]) -> Floats:
    logits = np.where(there, -(excess @ weights), -np.inf)
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _class_loss(
    excess: Floats, outcomes: Floats, truth: Floats, there: NDArray[np.bool_], target: Target
) -> Objective:
    hits = (outcomes == truth[:, None]) & there
    prior = MIX * target.shares[truth.astype(np.intp)]
    flat = excess.reshape(-1, excess.shape[2])

    def objective(weights: Floats) -> tuple[float, Floats]:
        shares = _shares(excess, weights, there)
        on_hits = np.where(hits, shares, 0.0)
        hit = on_hits.sum(axis=1)
        mixed = (1 - MIX) * hit + prior
        # d loss / d logit_j = −(1 − MIX)(a_j [hit] − a_j · hit) / mixed, and logit_j = −w·x_j.
        pull = (1 - MIX) * (on_hits - shares * hit[:, None]) / mixed[:, None]
        slope = pull.ravel() @ flat / len(truth)
        return float(-np.log(mixed).mean()), slope

    return objective


def _number_loss(
    excess: Floats, outcomes: Floats, truth: Floats, there: NDArray[np.bool_], target: Target
) -> Objective:
    scale = target.scale or 1.0
    values = np.where(there, outcomes, 0.0) / scale
    wanted = truth / scale
    smooth = 0.1
    flat = excess.reshape(-1, excess.shape[2])

    def objective(weights: Floats) -> tuple[float, Floats]:
        shares = _shares(excess, weights, there)
        guess = (shares * values).sum(axis=1)
        error = guess - wanted
        size = np.sqrt(error**2 + smooth**2)
        pull = shares * (values - guess[:, None]) * (error / size)[:, None]
        return float(size.mean()), -(pull.ravel() @ flat) / len(wanted)

    return objective
