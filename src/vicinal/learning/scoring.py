"""What the neighbours of left-out cases say, by each rule, and how surprising that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.prediction.ensemble import Nearby
from vicinal.prediction.influences import influence_paths, influence_shares
from vicinal.prediction.outcomes import class_probabilities, expected_values
from vicinal.prediction.target import MIX, Target
from vicinal.typing import Floats, Ints

BANDWIDTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
RIDGES = (3.0, 0.3, 0.03, 0.003)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to predict, what it says of the left-out cases, and its loss."""

    reading: str
    spaces: tuple[int, ...]
    rule: str
    bandwidth: float
    ridge: float
    predictions: Floats
    loss: float


class Scorer:
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
        self.judge = Judge(self.cases, target)
        self.threads = threads

    def plain(self, bandwidth: float) -> Candidate:
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

    def best_plain(self) -> Candidate:
        """The rule without a ridge, with the bandwidth that has the least loss."""
        return min((self.plain(one) for one in BANDWIDTHS), key=lambda plain: plain.loss)

    def path(self, rule: str, bandwidth: float) -> list[Candidate]:
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
    ) -> list[Candidate]:
        candidates = []
        for step, ridge in enumerate(ridges):
            parts = [
                self._predictions(of_half[:, step], outcomes)
                for of_half, outcomes in zip(shares, self.outcomes, strict=True)
            ]
            predictions = np.concatenate(parts)[self.order]
            loss = float(self.judge.losses(self.judge.guesses(predictions)))
            candidates.append(
                Candidate(self.reading, self.spaces, rule, bandwidth, ridge, predictions, loss)
            )
        return candidates

    def _predictions(self, shares: Floats, outcomes: Floats) -> Floats:
        if self.target.n_classes:
            return class_probabilities(shares, outcomes, self.target.n_classes)
        return expected_values(shares, outcomes)[:, None]


def target_loss(predictions: Floats, cases: Ints, target: Target) -> float:
    """Return the log loss, or the root mean squared error over the standard deviation."""
    judge = Judge(cases, target)
    return float(judge.losses(judge.guesses(predictions)))


class Judge:
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
            return self._mean(self.surprisals(guesses))
        return np.sqrt(self._mean((guesses - self.truth) ** 2)) / self.unit

    def surprisals(self, guesses: Floats) -> Floats:
        """Return how surprising each true class is, in nats, given its probability."""
        surprisals: Floats = -np.log((1 - MIX) * np.clip(guesses, 0, 1) + self.trace)
        return surprisals

    def _mean(self, values: Floats) -> Floats:
        # Not a product of matrices, whose sums may depend on the number of threads.
        mean: Floats = (values * self.weights).sum(axis=-1)
        return mean
