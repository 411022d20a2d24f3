"""How a target is best predicted, chosen leave-one-out on the stored cases."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vicinal.analysis.entropy import all_pairs, entropy_weights
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
    influence_paths,
    influence_shares,
)
from vicinal.prediction.ensemble import Nearby, nearby_of, seek

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BANDWIDTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
RIDGES = (3.0, 0.3, 0.03, 0.003)
NEIGHBORS = 60

#: With fewer cases than this, chance decides much in a split; so there are several. Classes gain
#: more by metrics learned from other halves than by more cases, numbers do not.
FEW_CASES = 600
HALVINGS = 2

#: A reading whose loss is larger than the best one's by this factor is not refined; on a half of
#: the cases, where chance has more say, it must be larger by the second one to be left.
HOPELESS = 1.15
HOPELESS_ON_HALF = 1.3


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
    rules: tuple[str, ...] = ("centred", "linear"),
    halvings: int | None = None,
    random_state: int = 0,
    threads: int | None = None,
) -> Tuning:
    """Choose metrics, bandwidths and ridges for a target.

    The sampled cases are split in halves. Every reading of the columns gets a metric for each
    half, learned on the other and scored on this one, so that no loss is measured on the cases
    it was learned from. Bandwidths and ridges are scored, and members are added to the average
    one by one, each time the one that lowers the loss most.

    Parameters
    ----------
    index : ExactIndex
        The cases.
    readings : dict of str to Metric
        Metrics without weights for the target, by name.
    target : Target
        What is to be predicted.
    max_queries : int
        Cases to learn from and to score on, at most; each counts as often as they are halved.
    max_members : int
        Members of the average, counted with repetition.
    rules : tuple of str
        Influence rules with a ridge to try, "centred" or "linear"; "probability" is tried always.
    halvings : int, optional
        How often the cases are halved anew; by default twice for classes and where they are few.
    random_state : int
        Which cases are sampled.
    """
    if halvings is None:
        few = target.mass_of(known_numbers(index, target)) < FEW_CASES
        halvings = HALVINGS if few or target.n_classes else 1
    cases = known_cases(index, target, max(1, max_queries // halvings), random_state)
    draft = Ensemble(target.column, (), (), reachable(index, NEIGHBORS), 0.0)
    splits = [_halves(index, cases, random_state + halving) for halving in range(halvings)]

    learners = {
        name: _Learner(index, metric, target, cases, draft, threads)
        for name, metric in readings.items()
    }
    begun = {name: learner.learn(*splits[0]) for name, learner in learners.items()}
    hopeful = _hopeful({name: near for name, (_, near) in begun.items()}, splits[0][0], target)
    learners = {name: learners[name] for name in hopeful}
    spaces: list[Space] = []
    scorers: list[_Scorer] = []
    for name, learner in learners.items():
        for number, halves in enumerate(splits):
            first = learner.learn(*halves) if number else begun[name]
            both = (first, learner.learn(*halves[::-1]))
            spaces += [Space(both[i][0], f"{name}, half {i + 1}") for i in range(2)]
            nearby = [near for _, near in both]
            scorers.append(_Scorer(name, len(spaces) - 2, nearby, target, halves, threads))
    candidates = _candidates(scorers, rules)
    return _average(draft, tuple(spaces), candidates, target, cases, max_members)


class _Learner:
    """Learns metrics of one reading; where all terms fit in memory they are worked out once."""

    def __init__(
        self,
        index: ExactIndex,
        metric: Metric,
        target: Target,
        cases: Ints,
        draft: Ensemble,
        threads: int | None,
    ) -> None:
        self.index, self.metric, self.target = index, metric, target
        self.draft, self.threads = draft, threads
        self.pairs = all_pairs(index, metric, target, cases, threads=threads)

    def learn(self, half: Ints, other: Ints) -> tuple[Metric, Nearby]:
        """A metric learned on one half, and the neighbours of the other in it."""
        index, k, threads = self.index, self.draft.k, self.threads
        weights = entropy_weights(
            index, self.metric, self.target, other, pairs=self.pairs, threads=threads
        )
        metric = replace(self.metric.with_weights(weights), p=1.0)
        queries = index.case_values(half)
        if self.pairs is None:
            near = seek(index, metric, self.draft, queries, exclude=half, threads=threads)
        else:
            found = self.pairs.search(half, metric, k, exclude=half, threads=threads)
            near = nearby_of(index, metric, k, queries, found, exclude=half, threads=threads)
        return metric, near


def _hopeful(begun: dict[str, Nearby], half: Ints, target: Target) -> list[str]:
    """Readings that come near the best one on the first half; the others are not gone on with."""
    if len(begun) == 1:
        return list(begun)
    losses = {}
    for name, near in begun.items():
        scorer = _Scorer(name, 0, [near], target, (half, half[:0]), None)
        losses[name] = min(scorer.plain(bandwidth).loss for bandwidth in BANDWIDTHS)
    least = min(losses.values())
    return [name for name, loss in losses.items() if loss <= HOPELESS_ON_HALF * least]


def reachable(index: ExactIndex, most: int) -> int:
    """Return how many neighbours can be asked for; a case that weighs 2 counts as two."""
    units = 0 if index.weights is None else int(np.ceil(index.weights.sum()))
    # Cases of small weight, or none, must not make it fewer than there are to be found.
    return max(1, min(most, max(len(index), units)))


def known_cases(index: ExactIndex, target: Target, count: int, random_state: int) -> Ints:
    """Choose cases that have the target and a weight."""
    numbers = known_numbers(index, target)
    return numbers[sample_cases(index.case_values(numbers), count, random_state=random_state)]


def known_numbers(index: ExactIndex, target: Target) -> Ints:
    """Return the numbers of all cases that have the target and a weight."""
    numbers = index.numbers
    known = ~np.isnan(target.outcomes[numbers])
    if target.weights is not None:
        known &= target.weights[numbers] > 0
    return numbers[known]


def _halves(index: ExactIndex, cases: Ints, random_state: int) -> tuple[Ints, Ints]:
    """Split the cases to learn from in two."""
    second = split_cases(index.case_values(cases), 2, random_state=random_state) == 1
    if second.all() or not second.any():  # all cases are alike: there is nothing to hold back
        return cases, cases
    return cases[~second], cases[second]


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
    """Predicts each half from its neighbours in the metric learned on the other."""

    def __init__(
        self,
        reading: str,
        first_space: int,
        nearby: list[Nearby],
        target: Target,
        halves: tuple[Ints, Ints],
        threads: int | None,
    ) -> None:
        self.reading = reading
        self.spaces = (first_space, first_space + 1)
        self.nearby = nearby
        self.outcomes = [target.outcomes_of(near.indices) for near in nearby]
        self.target = target
        # Halves are taken apart and put together again by case number.
        self.cases, self.order = np.unique(np.concatenate(halves), return_index=True)
        self.judge = _Judge(self.cases, target)
        self.threads = threads

    def plain(self, bandwidth: float) -> _Candidate:
        """The rule without a ridge."""
        shares = [
            influence_shares(
                "probability",
                near.reach("probability"),
                None,
                bandwidth=bandwidth,
                ridge=np.inf,
                counts=near.counts,
            )[:, None]
            for near in self.nearby
        ]
        return self._candidates("probability", bandwidth, (np.inf,), shares)[0]

    def path(self, rule: str, bandwidth: float) -> list[_Candidate]:
        """A rule with each of the ridges."""
        shares = [
            influence_paths(
                rule,
                near.reach(rule),
                near.offsets,
                bandwidth=bandwidth,
                ridges=RIDGES,
                counts=near.counts,
                threads=self.threads,
            )
            for near in self.nearby
        ]
        return self._candidates(rule, bandwidth, RIDGES, shares)

    def _candidates(
        self, rule: str, bandwidth: float, ridges: tuple[float, ...], shares: list[Floats]
    ) -> list[_Candidate]:
        candidates = []
        for step, ridge in enumerate(ridges):
            parts = [
                self._predictions(of_half[:, step], outcomes)
                for of_half, outcomes in zip(shares, self.outcomes, strict=True)
            ]
            predictions = np.concatenate(parts)[self.order]
            loss = float(self.judge.losses(self.judge.guesses(predictions)))
            candidates.append(
                _Candidate(self.reading, self.spaces, rule, bandwidth, ridge, predictions, loss)
            )
        return candidates

    def _predictions(self, shares: Floats, outcomes: Floats) -> Floats:
        if self.target.n_classes:
            return class_probabilities(shares, outcomes, self.target.n_classes)
        return expected_values(shares, outcomes)[:, None]


def target_loss(predictions: Floats, cases: Ints, target: Target) -> float:
    """Return the log loss, or the root mean squared error over the standard deviation."""
    judge = _Judge(cases, target)
    return float(judge.losses(judge.guesses(predictions)))


class _Judge:
    """Compares predictions of some cases with what they have."""

    def __init__(self, cases: Ints, target: Target) -> None:
        self.truth, self.weights = target.outcomes[cases], target.weights_of(cases)
        self.classes = bool(target.n_classes)
        if self.classes:
            self.codes = self.truth.astype(np.intp)
            self.trace = MIX * target.shares[self.codes]
        else:
            off = self.truth - self.truth @ self.weights
            self.unit = float(np.sqrt(self._mean(off**2))) or 1.0

    def guesses(self, predictions: Floats) -> Floats:
        """Of each prediction what the loss depends on: the true class, or the value."""
        return predictions[np.arange(len(self.truth)), self.codes if self.classes else 0]

    def losses(self, guesses: Floats) -> Floats:
        """Return the loss of each row of guesses."""
        if self.classes:
            return self._mean(-np.log((1 - MIX) * np.clip(guesses, 0, 1) + self.trace))
        return np.sqrt(self._mean((guesses - self.truth) ** 2)) / self.unit

    def _mean(self, values: Floats) -> Floats:
        # Not a product of matrices, whose sums may depend on the number of threads.
        mean: Floats = (values * self.weights).sum(axis=-1)
        return mean


def _candidates(scorers: list[_Scorer], rules: tuple[str, ...]) -> list[_Candidate]:
    plain = [[scorer.plain(bandwidth) for bandwidth in BANDWIDTHS] for scorer in scorers]
    candidates = [candidate for of_one in plain for candidate in of_one]
    least = min(candidate.loss for candidate in candidates)
    for scorer, of_one in zip(scorers, plain, strict=True):
        best = int(np.argmin([candidate.loss for candidate in of_one]))
        if of_one[best].loss > HOPELESS * least:
            continue
        # Balance takes away the bias of wide kernels, so the best width moves outwards.
        for bandwidth in BANDWIDTHS[best : best + 3]:
            for rule in rules:
                candidates += scorer.path(rule, bandwidth)
    return candidates


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
    answers = [c.predictions for c in candidates] + [prior]
    judge = _Judge(queries, target)
    guesses = np.stack([judge.guesses(one) for one in answers])
    counts = np.zeros(len(answers))
    total = np.zeros(len(queries))
    best = np.inf
    for size in range(1, max_members + 1):
        losses = judge.losses((total + guesses) / size)
        choice = int(np.argmin(losses))
        if losses[choice] >= best - 1e-7:
            break
        best = float(losses[choice])
        total = total + guesses[choice]
        counts[choice] += 1
    chosen = np.flatnonzero(counts)
    mean = sum(counts[i] * answers[i] for i in chosen) / counts.sum()
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
        (1 - trace) * mean + trace * prior,
    )
