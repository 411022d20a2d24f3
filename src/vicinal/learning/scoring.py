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
#: Ridges of the rules that have one. Centered influences with smaller ones predict new rows no
#: better, and follow a row so stiffly that no change of it is proved to be harmless.
RIDGES = {"centered": (3.0, 0.3, 0.1), "linear": (3.0, 0.3, 0.03, 0.003)}

#: Offsets that are kept while the neighbors of one space are balanced: 32 megabytes.
_MOST_OFFSETS_KEPT = 1 << 22

#: Predicts cases by a rule and a bandwidth, with each of the ridges.
_Means = Callable[[str, float], list[Floats]]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One candidate predictor, its leave-one-out predictions, and their loss.

    Of many classes the predictions of all candidates would fill the memory: `predict` works them
    out again, and only what the loss depends on is kept, the `guesses`. With `attacked`, the same
    of cases where an attacker has moved them.
    """

    reading: str
    spaces: tuple[int, ...]
    rule: str
    bandwidth: float
    ridge: float
    guesses: Floats
    loss: float
    predict: Callable[[], Floats]
    attacked: Floats | None = None


class Scorer:
    """Scores predictions of cases from their neighbors in metrics that were learned on others.

    Where cases are judged at rows that they were moved to, `unmoved` predicts them where they are.
    Where they are not, `attacked` may predict some of them at such rows.
    """

    def __init__(
        self,
        reading: str,
        spaces: tuple[int, ...],
        near: list[Neighborhoods],
        target: Target,
        threads: int | None,
        unmoved: Scorer | None = None,
        attacked: Scorer | None = None,
    ) -> None:
        self.reading, self.spaces, self.near = reading, spaces, near
        self.unmoved, self.attacked = unmoved, attacked
        # All are merged again by case number.
        numbers = np.concatenate([one.cases for one in near])
        self.cases, self.order = np.unique(numbers, return_index=True)
        self.judge = Judge(self.cases, target)
        self.threads = threads

    def plain(self, bandwidth: float) -> Candidate:
        """Score the rule without a ridge."""
        again = partial((self.unmoved or self)._plain, bandwidth)
        found, attacked = self._plain(bandwidth), None
        if self.attacked is not None:
            attacked = self.attacked._plain(bandwidth)
        return self._candidate("probability", bandwidth, np.inf, found, again, attacked)

    def best_plain(self) -> Candidate:
        """Return the rule without a ridge that has the best bandwidth."""
        return min((self.plain(one) for one in BANDWIDTHS), key=lambda plain: plain.loss)

    def paths(self) -> Callable[[str, float], list[Candidate]]:
        """Return a function that scores a rule and a bandwidth with each of the ridges.

        It keeps the offsets, or as many as memory has room for: they are the same for all.
        """
        attacked = None if self.attacked is None else self.attacked._means_of_path()
        return partial(self._path, means=self._means_of_path(), attacked=attacked)

    def _path(
        self, rule: str, bandwidth: float, *, means: _Means, attacked: _Means | None
    ) -> list[Candidate]:
        found = means(rule, bandwidth)
        moved = attacked(rule, bandwidth) if attacked is not None else [None] * len(found)
        again = partial((self.unmoved or self)._predictions, rule, bandwidth)
        return [
            self._candidate(rule, bandwidth, ridge, found[step], partial(again, step), moved[step])
            for step, ridge in enumerate(RIDGES[rule])
        ]

    def _means_of_path(self) -> _Means:
        """Return a function that predicts by a rule and a bandwidth, with each of the ridges."""
        room = _MOST_OFFSETS_KEPT // len(self.near)
        offsets = [one.offsets(room) for one in self.near]

        def means(rule: str, bandwidth: float) -> list[Floats]:
            shares = self._shares(rule, bandwidth, offsets)
            return [self._means(shares, step) for step in range(len(RIDGES[rule]))]

        return means

    def _plain(self, bandwidth: float) -> Floats:
        each = [one.plain(bandwidth, BANDWIDTHS) for one in self.near]
        return np.concatenate(each)[self.order]

    def _predictions(self, rule: str, bandwidth: float, step: int) -> Floats:
        # With all ridges once more: each starts where the one before ended.
        return self._means(self._shares(rule, bandwidth, [None] * len(self.near)), step)

    def _shares(
        self, rule: str, bandwidth: float, offsets: list[list[Floats | None]] | list[None]
    ) -> list[list[Floats]]:
        return [
            one.paths(rule, bandwidth, RIDGES[rule], of_one, self.threads)
            for one, of_one in zip(self.near, offsets, strict=True)
        ]

    def _means(self, shares: list[list[Floats]], step: int) -> Floats:
        each = [one.means(some, step) for one, some in zip(self.near, shares, strict=True)]
        return np.concatenate(each)[self.order]

    def _candidate(
        self,
        rule: str,
        bandwidth: float,
        ridge: float,
        predictions: Floats,
        again: Callable[[], Floats],
        attacked: Floats | None,
    ) -> Candidate:
        guesses, moved = self.judge.guesses(predictions), None
        if self.attacked is not None and attacked is not None:
            moved = self.attacked.judge.guesses(attacked)
        kept = predictions.size <= MOST_KEPT and self.unmoved is None
        return Candidate(
            self.reading,
            self.spaces,
            rule,
            bandwidth,
            ridge,
            guesses,
            float(self.judge.losses(guesses)),
            partial(np.asarray, predictions) if kept else again,
            moved,
        )
