"""Leave-one-out predictions by each influence rule, and their loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


class Group(NamedTuple):
    """Some of the cases, and their neighbors."""

    cases: Ints
    near: Nearby


class Scorer:
    """Predicts cases from their neighbors in metrics that were learned on others."""

    def __init__(
        self,
        reading: str,
        spaces: tuple[int, ...],
        groups: list[Group],
        target: Target,
        threads: int | None,
    ) -> None:
        self.reading, self.spaces = reading, spaces
        # Rows of all groups, with their neighbors and outcomes; see `Nearby.parts`.
        starts = np.cumsum([0] + [len(group.cases) for group in groups])
        self.parts = [
            (start + rows, part, target.outcomes_of(part.indices))
            for start, group in zip(starts.tolist(), groups, strict=False)
            for rows, part in group.near.parts
        ]
        self.size = int(starts[-1])
        self.target = target
        # Groups are merged again by case number.
        numbers = np.concatenate([group.cases for group in groups])
        self.cases, self.order = np.unique(numbers, return_index=True)
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
