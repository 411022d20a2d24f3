"""Feature weights that make a target as unsurprising as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from vicinal.formulas import SAME
from vicinal.index import ExactIndex, Metric
from vicinal.prediction import MIX, Target

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Logarithms of weights stay within these bounds.
LOWEST, HIGHEST = -8.0, 6.0

#: Strength of the pull of each log weight towards its start.
PULL = 1e-3


#: Log weights that move less than this in a round have settled.
SETTLED = 0.1

#: Errors below this share of the mean absolute deviation count as if squared.
SMOOTH = 0.1


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
        counts = index.counted_weights(found.indices, candidates, cases)
        with np.errstate(divide="ignore"):
            mass = np.log(found.indices >= 0 if counts is None else counts)
        there = np.isfinite(mass)
        sample = _Sample(
            excess=np.where(there[:, :, None], terms - SAME, 0.0),
            outcomes=np.where(there, target.outcomes[np.maximum(found.indices, 0)], np.nan),
            mass=mass,
            truth=truth,
            weights=target.weights_of(cases),
        )
        loss = _class_loss if target.n_classes else _number_loss
        previous, logs = logs, _minimise(loss(sample, target), logs, start, iterations)
        if np.abs(logs - previous).max() < SETTLED:
            break
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


@dataclass(frozen=True, eq=False)
class _Sample:
    """Left-out cases with their candidates."""

    excess: Floats  # (m, k, d) terms above those of equal values
    outcomes: Floats  # (m, k), NaN where there is no candidate
    mass: Floats  # (m, k) logarithm of the candidates' weights
    truth: Floats  # (m,)
    weights: Floats  # (m,) sums to 1

    def shares(self, feature_weights: Floats) -> Floats:
        logits = self.mass - self.excess @ feature_weights
        shares: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def slope(self, pull: Floats) -> Floats:
        """Gradient in the feature weights, given −d loss / d logit of every candidate."""
        weighted = pull * self.weights[:, None]
        flat: Floats = weighted.ravel() @ self.excess.reshape(-1, self.excess.shape[2])
        return flat


def _class_loss(sample: _Sample, target: Target) -> Objective:
    hits = sample.outcomes == sample.truth[:, None]
    prior = MIX * target.shares[sample.truth.astype(np.intp)]

    def objective(weights: Floats) -> tuple[float, Floats]:
        shares = sample.shares(weights)
        on_hits = np.where(hits, shares, 0.0)
        hit = on_hits.sum(axis=1)
        mixed = (1 - MIX) * hit + prior
        pull = (1 - MIX) * (on_hits - shares * hit[:, None]) / mixed[:, None]
        return float(-np.log(mixed) @ sample.weights), sample.slope(pull)

    return objective


def _number_loss(sample: _Sample, target: Target) -> Objective:
    scale = target.scale or 1.0
    values = np.nan_to_num(sample.outcomes) / scale
    truth = sample.truth / scale

    def objective(weights: Floats) -> tuple[float, Floats]:
        shares = sample.shares(weights)
        guess = (shares * values).sum(axis=1)
        error = guess - truth
        size = np.sqrt(error**2 + SMOOTH**2)
        pull = -shares * (values - guess[:, None]) * (error / size)[:, None]
        return float(size @ sample.weights), sample.slope(pull)

    return objective
