"""The loss of leave-one-out predictions by each influence rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from vicinal.influence.losses import Judge
from vicinal.influence.target import Target
from vicinal.learning.neighborhoods import MOST_KEPT, Neighborhoods
from vicinal.typing import Floats

BANDWIDTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
RIDGES = (3.0, 0.3, 0.03, 0.003)

#: Offsets that are kept while the neighbors of one space are balanced: 32 megabytes.
_MOST_OFFSETS_KEPT = 1 << 22


@dataclass(frozen=True, eq=False)
class Candidate:
    """One candidate predictor, its leave-one-out predictions, and their loss.

    Of many classes the predictions of all candidates would fill the memory: `predict` works them
    out again, and only what the loss depends on is kept, the `guesses`.
    """

    reading: str
    spaces: tuple[int, ...]
    rule: str
    bandwidth: float
    ridge: float
    guesses: Floats
    loss: float
    predict: Callable[[], Floats]


class Scorer:
    """Scores predictions of cases from their neighbors in metrics that were learned on others."""

    def __init__(
        self,
        reading: str,
        spaces: tuple[int, ...],
        near: list[Neighborhoods],
        target: Target,
        threads: int | None,
    ) -> None:
        self.reading, self.spaces, self.near = reading, spaces, near
        # All are merged again by case number.
        numbers = np.concatenate([one.cases for one in near])
        self.cases, self.order = np.unique(numbers, return_index=True)
        self.judge = Judge(self.cases, target)
        self.threads = threads

    def plain(self, bandwidth: float) -> Candidate:
        """Score the rule without a ridge."""

        def predict() -> Floats:
            return np.concatenate([one.plain(bandwidth) for one in self.near])[self.order]

        return self._candidate("probability", bandwidth, np.inf, predict(), predict)

    def best_plain(self) -> Candidate:
        """Return the rule without a ridge that has the best bandwidth."""
        return min((self.plain(one) for one in BANDWIDTHS), key=lambda plain: plain.loss)

    def paths(self) -> Callable[[str, float], list[Candidate]]:
        """Return a function that scores a rule and a bandwidth with each of the ridges.

        It keeps the offsets, or as many as memory has room for: they are the same for all.
        """
        room = _MOST_OFFSETS_KEPT // len(self.near)
        return partial(self._path, offsets=[one.offsets(room) for one in self.near])

    def _path(
        self, rule: str, bandwidth: float, *, offsets: list[list[Floats | None]]
    ) -> list[Candidate]:
        def shares(known: list[list[Floats | None]] | list[None]) -> list[list[Floats]]:
            return [
                one.paths(rule, bandwidth, RIDGES, of_one, self.threads)
                for one, of_one in zip(self.near, known, strict=True)
            ]

        def means(shares: list[list[Floats]], step: int) -> Floats:
            each = [one.means(some, step) for one, some in zip(self.near, shares, strict=True)]
            return np.concatenate(each)[self.order]

        def again(step: int) -> Floats:
            # With all ridges once more: each starts where the one before ended.
            return means(shares([None] * len(self.near)), step)

        found = shares(offsets)
        return [
            self._candidate(rule, bandwidth, ridge, means(found, step), partial(again, step))
            for step, ridge in enumerate(RIDGES)
        ]

    def _candidate(
        self,
        rule: str,
        bandwidth: float,
        ridge: float,
        predictions: Floats,
        again: Callable[[], Floats],
    ) -> Candidate:
        guesses = self.judge.guesses(predictions)
        few = predictions.size <= MOST_KEPT
        return Candidate(
            self.reading,
            self.spaces,
            rule,
            bandwidth,
            ridge,
            guesses,
            float(self.judge.losses(guesses)),
            partial(np.asarray, predictions) if few else again,
        )
