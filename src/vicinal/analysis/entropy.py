"""Feature weights that make a target as unsurprising as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.formulas import SAME
from vicinal.index import ExactIndex, LeftOut, Metric, descend
from vicinal.prediction import MIX, Target

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Log weights that move less than this in a round have settled.
SETTLED = 0.1


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
    r"""Learn weights that minimise the leave-one-out entropy of the target.

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
    Influences are :math:`a_j \propto \exp(-\sum_i w_i x_{ij})` with excess terms x. For classes
    the loss is :math:`-\log \sum_{j \in hits} a_j`, whose gradient in :math:`w_i` is the mean
    excess over hits less the mean excess over all; for numbers a smooth absolute error.
    """
    queries = index.case_values(cases)
    truth = target.outcomes[cases]
    active = metric.active
    unit = 1.0 if target.n_classes else target.scale or 1.0
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
        outcomes = target.outcomes_of(found.indices) / unit
        sample = LeftOut(
            excess=np.where(there[:, :, None], terms - SAME, 0.0),
            mass=mass,
            outcomes=outcomes,
            truth=truth / unit,
            prior=target.shares[truth.astype(np.intp)]
            if target.n_classes
            else np.zeros(len(truth)),
            weights=target.weights_of(cases),
            start=start,
            classes=bool(target.n_classes),
            mix=MIX,
        )
        previous, logs = logs, descend(sample, logs, iterations)
        if np.abs(logs - previous).max() < SETTLED:
            break
    return _spread(np.exp(logs), active, len(metric.weights))


def _spread(values: Floats, active: NDArray[np.intp], size: int) -> Floats:
    weights = np.zeros(size)
    weights[active] = values
    return weights
