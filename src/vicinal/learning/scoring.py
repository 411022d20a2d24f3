"""The loss of leave-one-out predictions by each influence rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from vicinal.influence.losses import Judge
from vicinal.influence.target import Target
from vicinal.learning.neighborhoods import MOST_KEPT, Neighborhoods
from vicinal.typing import Floats, Places

#: Bandwidths that are twice as large as the next ones are worked out together.
CHAINS = ((2.0, 1.0, 0.5, 0.25), (0.1,), (0.03,))
BANDWIDTHS = tuple(one for chain in CHAINS for one in chain)
#: Ridges of the rules that have one. Centered influences with smaller ones predict new rows no
#: better, and follow a row so stiffly that no change of it is proved to be harmless.
RIDGES = {"centered": (3.0, 0.3), "linear": (3.0, 0.3, 0.03, 0.003)}

#: Offsets that are kept while the neighbors of one space are balanced: 32 megabytes.
_MOST_OFFSETS_KEPT = 1 << 22

#: Predicts cases by a rule and a bandwidth, with each of the ridges.
_Means = Callable[[str, float], Floats]


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
        self.place = np.full(len(numbers), -1)
        self.place[self.order] = np.arange(len(self.cases))
        self.judge = Judge(self.cases, target)
        self.few = len(self.cases) * max(target.n_classes, 1) <= MOST_KEPT
        self.threads = threads

    def plain(self) -> list[Candidate]:
        """Score the rule without a ridge with each of the bandwidths.

        Of many predictions those of few bandwidths at a time, or they would fill the memory.
        """
        return [
            candidate
            for some in ([BANDWIDTHS] if self.few else CHAINS)
            for candidate in self._candidates(
                [("probability", one, np.inf) for one in some],
                self._plain(some),
                [partial((self.unmoved or self)._again, some, at) for at in range(len(some))],
                None if self.attacked is None else self.attacked._plain(some),
            )
        ]

    def best_plain(self) -> Candidate:
        """Return the rule without a ridge that has the best bandwidth."""
        return min(self.plain(), key=lambda plain: plain.loss)

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
        moved = None if attacked is None else attacked(rule, bandwidth)
        again = partial((self.unmoved or self)._predictions, rule, bandwidth)
        rules = [(rule, bandwidth, ridge) for ridge in RIDGES[rule]]
        every = [partial(again, step) for step in range(len(rules))]
        return self._candidates(rules, found, every, moved)

    def _means_of_path(self) -> _Means:
        """Return a function that predicts by a rule and a bandwidth, with each of the ridges."""
        room = _MOST_OFFSETS_KEPT // len(self.near)
        return partial(self._means, offsets=[one.offsets(room) for one in self.near])

    def _plain(self, bandwidths: tuple[float, ...]) -> Floats:
        if not self.few:
            return self._put_together(bandwidths, slice(None))
        each = [one.plain(bandwidths) for one in self.near]
        return np.concatenate(each, axis=1).take(self.order, axis=1)

    def _again(self, bandwidths: tuple[float, ...], place: int) -> Floats:
        if not self.few:
            return self._put_together(bandwidths, slice(place, place + 1))[0]
        return self._plain(bandwidths)[place]

    def _put_together(self, bandwidths: tuple[float, ...], some: slice) -> Floats:
        """Return predictions by some of the bandwidths, of which memory has no room for copies."""
        found = self._room(len(bandwidths[some]))
        for one, places in self._places():
            for rows, means in one.plain_parts(bandwidths):
                _put(found, places[rows], means[some])
        return found

    def _room(self, count: int) -> Floats:
        return np.empty((count, len(self.cases), max(self.near[0].target.n_classes, 1)))

    def _places(self) -> Iterator[tuple[Neighborhoods, Places]]:
        """Yield the parts of the cases, and where each of these is among all; −1 for nowhere."""
        first = 0
        for one in self.near:
            yield one, self.place[first : first + len(one.cases)]
            first += len(one.cases)

    def _predictions(self, rule: str, bandwidth: float, step: int) -> Floats:
        # With all ridges once more: each starts where the one before ended.
        return self._means(rule, bandwidth, [None] * len(self.near))[step]

    def _means(
        self, rule: str, bandwidth: float, offsets: list[list[Floats | None]] | list[None]
    ) -> Floats:
        found = self._room(len(RIDGES[rule]))
        for (one, at), of_one in zip(self._places(), offsets, strict=True):
            means = one.paths(rule, bandwidth, RIDGES[rule], of_one, self.threads)
            _put(found, at, means)
        return found

    def _candidates(
        self,
        rules: list[tuple[str, float, float]],
        predictions: Floats,
        again: Sequence[Callable[[], Floats]],
        attacked: Floats | None,
    ) -> list[Candidate]:
        """Return rules with their bandwidths and ridges, and what each predicts, as candidates."""
        guesses = self.judge.guesses(predictions)
        losses = self.judge.losses(guesses)
        kept = self.few and self.unmoved is None
        moved: Sequence[Floats | None] = [None] * len(rules)
        if self.attacked is not None and attacked is not None:
            moved = list(self.attacked.judge.guesses(attacked))
        return [
            Candidate(
                self.reading,
                self.spaces,
                *rule,
                guesses[at],
                float(losses[at]),
                partial(np.asarray, predictions[at]) if kept else again[at],
                moved[at],
            )
            for at, rule in enumerate(rules)
        ]


def _put(to: Floats, places: Places, values: Floats) -> None:
    """Put values at their places in the second dimension, but for those with −1."""
    if (kept := places >= 0).all():
        to[:, places] = values
    else:
        to[:, places[kept]] = values[:, kept]
