"""Leave-one-out predictions by each influence rule, and their loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.influence.influences import influence_paths, influence_shares
from vicinal.influence.losses import Judge
from vicinal.influence.nearby import Nearby
from vicinal.influence.outcomes import mean_outcomes
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints

BANDWIDTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
RIDGES = (3.0, 0.3, 0.03, 0.003)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One candidate predictor, its leave-one-out predictions, and its loss."""

    reading: str
    spaces: tuple[int, ...]
    rule: str
    bandwidth: float
    ridge: float
    predictions: Floats
    loss: float


class Scorer:
    """Predicts each half from its neighbors in the metric learned on the other."""

    def __init__(
        self,
        reading: str,
        spaces: tuple[int, ...],
        nearby: list[Nearby],
        target: Target,
        halves: tuple[Ints, Ints],
        threads: int | None,
    ) -> None:
        self.reading, self.spaces = reading, spaces
        # Rows of both halves, with their neighbors and outcomes; see `Nearby.parts`.
        starts = (0, len(halves[0]))
        self.parts = [
            (start + rows, part, target.outcomes_of(part.indices))
            for start, near in zip(starts, nearby, strict=False)
            for rows, part in near.parts
        ]
        self.size = sum(len(half) for half in halves)
        self.target = target
        # Halves are split and merged again by case number.
        self.cases, self.order = np.unique(np.concatenate(halves), return_index=True)
        self.judge = Judge(self.cases, target)
        self.threads = threads

    def plain(self, bandwidth: float) -> Candidate:
        """Score the rule without a ridge."""
        shares = [
            influence_shares(
                "probability",
                near.distance("probability"),
                None,
                bandwidth=bandwidth,
                ridge=np.inf,
                counts=near.counts,
            )[:, None]
            for _, near, _ in self.parts
        ]
        return self._candidates("probability", bandwidth, (np.inf,), shares)[0]

    def best_plain(self) -> Candidate:
        """Return the rule without a ridge that has the best bandwidth."""
        return min((self.plain(one) for one in BANDWIDTHS), key=lambda plain: plain.loss)

    def path(self, rule: str, bandwidth: float) -> list[Candidate]:
        """Score a rule with each of the ridges."""
        shares = [
            influence_paths(
                rule,
                near.distance(rule),
                near.offsets,
                bandwidth=bandwidth,
                ridges=RIDGES,
                counts=near.counts,
                threads=self.threads,
            )
            for _, near, _ in self.parts
        ]
        return self._candidates(rule, bandwidth, RIDGES, shares)

    def _candidates(
        self, rule: str, bandwidth: float, ridges: tuple[float, ...], shares: list[Floats]
    ) -> list[Candidate]:
        candidates = []
        for step, ridge in enumerate(ridges):
            found = np.empty((self.size, max(self.target.n_classes, 1)))
            for of_part, (rows, _, outcomes) in zip(shares, self.parts, strict=True):
                found[rows] = mean_outcomes(of_part[:, step], outcomes, self.target.n_classes)
            predictions = found[self.order]
            loss = float(self.judge.losses(self.judge.guesses(predictions)))
            candidates.append(
                Candidate(self.reading, self.spaces, rule, bandwidth, ridge, predictions, loss)
            )
        return candidates
