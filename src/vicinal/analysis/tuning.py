"""How a target is best predicted, chosen leave-one-out on the stored cases."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vicinal.analysis.entropy import entropy_weights
from vicinal.analysis.sampling import sample_cases, split_cases
from vicinal.index import ExactIndex, Metric
from vicinal.prediction import (
    MIX,
    Ensemble,
    Member,
    Space,
    Target,
    class_probabilities,
    expected_values,
    influence_shares,
)
from vicinal.prediction.ensemble import Nearby, seek

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BANDWIDTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
RIDGES = (3.0, 0.3, 0.03, 0.003)
NEIGHBORS = 60


@dataclass(frozen=True)
class Trial:
    """One way of predicting that was tried, and its leave-one-out loss."""

    reading: str
    rule: str
    bandwidth: float
    ridge: float
    loss: float


@dataclass(frozen=True, eq=False)
class Tuning:
    """What was tried for a target, and what came of it.

    Parameters
    ----------
    ensemble : Ensemble
        How the target is predicted.
    trials : tuple of Trial
        Everything that was tried, best first. The loss is log loss in nats for classes, and the
        root mean squared error over the standard deviation for numbers.
    loss : float
        Leave-one-out loss of the ensemble.
    queries : ndarray of int64
        Cases that were left out and predicted.
    predictions : ndarray
        Their predictions: values, or class probabilities.
    """

    ensemble: Ensemble
    trials: tuple[Trial, ...]
    loss: float
    queries: Ints
    predictions: Floats


def tune(
    index: ExactIndex,
    readings: dict[str, Metric],
    target: Target,
    *,
    max_queries: int = 1200,
    max_members: int = 20,
    rule: str = "centred",
    random_state: int = 0,
    threads: int | None = None,
) -> Tuning:
    """Choose metrics, bandwidths and ridges for a target.

    Every reading of the columns gets two metrics, each learned on one half of the sampled cases
    and scored on the other, so that no loss is measured on the cases it was learned from. All
    combinations of bandwidth and ridge are scored, and members are added to the average one by
    one, each time the one that lowers the loss most.

    Parameters
    ----------
    index : ExactIndex
        The cases.
    readings : dict of str to Metric
        Metrics without weights for the target, by name.
    target : Target
        What is to be predicted.
    max_queries : int
        Cases to learn from and to score on, at most.
    max_members : int
        Members of the average, counted with repetition.
    rule : {"centred", "linear", "probability"}
        Influence rule; without ridge all are ``probability``.
    random_state : int
        Which cases are sampled.
    """
    halves = _halves(index, target, max_queries, random_state)
    draft = Ensemble(target.column, (), (), min(NEIGHBORS, max(1, len(index) - 1)), 0.0)
    spaces: list[Space] = []
    candidates: list[_Candidate] = []
    for name, metric in readings.items():
        nearby = []
        for half in (0, 1):
            weights = entropy_weights(index, metric, target, halves[half], threads=threads)
            learned = replace(metric.with_weights(weights), p=1.0)
            spaces.append(Space(learned, f"{name}, half {half + 1}"))
            other = halves[1 - half]
            queries = index.case_values(other)
            nearby.append(seek(index, learned, draft, queries, exclude=other, threads=threads))
        scorer = _Scorer(nearby, target, halves, rule, threads)
        candidates += _candidates(scorer, name, first_space=len(spaces) - 2)
    queries = np.concatenate([halves[1], halves[0]])
    return _average(draft, tuple(spaces), candidates, target, queries, max_members)


def known_cases(index: ExactIndex, target: Target, count: int, random_state: int) -> Ints:
    """Choose cases that have the target and a weight."""
    numbers = index.numbers
    known = ~np.isnan(target.outcomes[numbers])
    if target.weights is not None:
        known &= target.weights[numbers] > 0
    numbers = numbers[known]
    return numbers[sample_cases(index.case_values(numbers), count, random_state=random_state)]


def _halves(index: ExactIndex, target: Target, count: int, random_state: int) -> tuple[Ints, Ints]:
    chosen = known_cases(index, target, count, random_state)
    first = split_cases(index.case_values(chosen), random_state=random_state)
    if first.all() or not first.any():  # all cases are alike
        return chosen, chosen
    return chosen[first], chosen[~first]


@dataclass(frozen=True, eq=False)
class _Candidate:
    reading: str
    spaces: tuple[int, ...]
    rule: str
    bandwidth: float
    ridge: float
    predictions: Floats
    loss: float


class _Scorer:
    """Predicts the halves from their neighbours in the metric of the other half."""

    def __init__(
        self,
        nearby: list[Nearby],
        target: Target,
        halves: tuple[Ints, Ints],
        rule: str,
        threads: int | None,
    ) -> None:
        self.nearby = nearby
        self.target = target
        self.cases = np.concatenate([halves[1], halves[0]])
        self.rule = rule
        self.threads = threads

    def predict(self, bandwidth: float, ridge: float) -> Floats:
        parts = []
        for near in self.nearby:
            shares = influence_shares(
                self.rule,
                near.reach(self.rule),
                near.offsets,
                bandwidth=bandwidth,
                ridge=ridge,
                counts=near.counts,
                threads=self.threads,
            )
            there = near.indices >= 0
            outcomes = np.where(there, self.target.outcomes[np.where(there, near.indices, 0)], 0.0)
            if self.target.n_classes:
                parts.append(class_probabilities(shares, outcomes, self.target.n_classes))
            else:
                parts.append(expected_values(shares, outcomes)[:, None])
        return np.concatenate(parts)


def target_loss(predictions: Floats, cases: Ints, target: Target) -> float:
    """Return the log loss, or the root mean squared error over the standard deviation."""
    truth, weights = target.outcomes[cases], target.weights_of(cases)
    if target.n_classes:
        codes = truth.astype(np.intp)
        right = np.clip(predictions[np.arange(len(codes)), codes], 0, 1)
        return float(-np.log((1 - MIX) * right + MIX * target.shares[codes]) @ weights)
    spread = np.sqrt((truth - truth @ weights) ** 2 @ weights)
    return float(np.sqrt((predictions[:, 0] - truth) ** 2 @ weights) / (spread or 1.0))


def _candidates(scorer: _Scorer, reading: str, first_space: int) -> list[_Candidate]:
    def candidate(bandwidth: float, ridge: float) -> _Candidate:
        predictions = scorer.predict(bandwidth, ridge)
        rule = scorer.rule if np.isfinite(ridge) else "probability"
        loss = target_loss(predictions, scorer.cases, scorer.target)
        spaces = (first_space, first_space + 1)
        return _Candidate(reading, spaces, rule, bandwidth, ridge, predictions, loss)

    plain = [candidate(bandwidth, np.inf) for bandwidth in BANDWIDTHS]
    if scorer.rule == "probability":
        return plain
    # Balance takes away the bias of wide kernels, so the best width moves outwards only.
    best = int(np.argmin([c.loss for c in plain]))
    wide = BANDWIDTHS[max(0, best - 1) :]
    return plain + [candidate(b, ridge) for b in wide for ridge in RIDGES]


def _average(
    draft: Ensemble,
    spaces: tuple[Space, ...],
    candidates: list[_Candidate],
    target: Target,
    queries: Ints,
    max_members: int,
) -> Tuning:
    if target.n_classes:
        prior = np.tile(target.shares, (len(queries), 1))
    else:
        prior = np.full((len(queries), 1), target.mean)
    stack = np.stack([c.predictions for c in candidates] + [prior])
    counts = np.zeros(len(stack))
    total = np.zeros_like(prior)
    best = np.inf
    for size in range(1, max_members + 1):
        losses = [target_loss((total + one) / size, queries, target) for one in stack]
        choice = int(np.argmin(losses))
        if losses[choice] >= best - 1e-7:
            break
        best = losses[choice]
        total = total + stack[choice]
        counts[choice] += 1
    # No class is ever impossible: a trace of the answer is common to all cases.
    trace = MIX if target.n_classes else 0.0
    shares = (1 - trace) * counts / counts.sum()
    members = tuple(
        Member(space, c.rule, c.bandwidth, c.ridge, share / len(c.spaces))
        for c, share in zip(candidates, shares, strict=False)
        if share > 0
        for space in c.spaces
    )
    ensemble = replace(draft, spaces=spaces, members=members, background=float(shares[-1] + trace))
    trials = [Trial(c.reading, c.rule, c.bandwidth, c.ridge, c.loss) for c in candidates]
    return Tuning(
        ensemble,
        tuple(sorted(trials, key=lambda trial: trial.loss)),
        best,
        queries,
        (1 - trace) * total / counts.sum() + trace * prior,
    )
