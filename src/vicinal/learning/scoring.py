"""Leave-one-out predictions by each influence rule, and their loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.index.metric import MOST_DIRECTIONS
from vicinal.influence.influences import influence_paths, influence_shares
from vicinal.influence.losses import Judge
from vicinal.influence.nearby import Nearby
from vicinal.influence.outcomes import mean_outcomes
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints, Places

BANDWIDTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
#: Ridges of the rules that have one. Centered influences with smaller ones predict new rows no
#: better, and follow a row so stiffly that no change of it is proved to be harmless.
RIDGES = {"centered": (3.0, 0.3, 0.1), "linear": (3.0, 0.3, 0.03, 0.003)}

#: Neighbors treated at a time: half a megabyte of numbers.
_MOST_CELLS = 1 << 16

#: Offsets worked out at a time: eight megabytes.
_MOST_OFFSETS = 1 << 20

#: Predictions of a candidate that are kept until some are chosen: a megabyte of numbers.
_MOST_KEPT = 1 << 17


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


class Group(NamedTuple):
    """Some of the cases, and their neighbors."""

    cases: Ints
    near: Nearby


class _Piece:
    """Rows whose lists of neighbors are equally long, with the outcomes of these.

    Cases of several folds see different indexes, and so few at a time that a piece of them all
    takes much less time than each by itself.
    """

    def __init__(self, parts: list[tuple[Places, Nearby]], target: Target) -> None:
        self.rows = np.concatenate([rows for rows, _ in parts])
        self.near = [near for _, near in parts]
        self.outcomes = target.outcomes_of(self._joined([one.indices for one in self.near]))
        self.excess = self._joined([one.excess for one in self.near])
        self.counts = None
        if any(one.counts is not None for one in self.near):
            self.counts = self._joined(
                [np.ones(n.indices.shape) if n.counts is None else n.counts for n in self.near]
            )

    def paths(
        self, rule: str, bandwidth: float, ridges: tuple[float, ...], threads: int | None
    ) -> Floats:
        """Return the influences by a rule that needs offsets, (m, ridges, k).

        Some rows at a time: the offsets of all neighbors would be most of the memory.
        """
        shares = np.empty((len(self.rows), len(ridges), self.excess.shape[1]))
        first = 0
        for one in self.near:
            step = max(1, _MOST_OFFSETS // (max(one.indices.shape[1], 1) * MOST_DIRECTIONS))
            for start in range(0, len(one.indices), step):
                rows = np.arange(start, min(start + step, len(one.indices)))
                some = slice(first + start, first + start + len(rows))
                shares[some] = influence_paths(
                    rule,
                    self.excess[some],
                    one.find_offsets(rows, one.indices[rows]),
                    bandwidth=bandwidth,
                    ridges=ridges,
                    counts=None if self.counts is None else self.counts[some],
                    threads=threads,
                )
            first += len(one.indices)
        return shares

    @staticmethod
    def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _pieces(parts: list[tuple[Places, Nearby]], target: Target) -> list[_Piece]:
    """Put parts with lists of the same length together, as many as memory close by can hold."""
    pieces: list[list[tuple[Places, Nearby]]] = []
    for _, same in groupby(sorted(parts, key=_width), key=_width):
        cells = np.inf
        for rows, near in same:
            if cells + near.indices.size > _MOST_CELLS:
                pieces.append([])
                cells = 0
            pieces[-1].append((rows, near))
            cells += near.indices.size
    return [_Piece(some, target) for some in pieces]


def _width(part: tuple[Places, Nearby]) -> int:
    return part[1].indices.shape[1]


class Scorer:
    """Predicts cases from their neighbors in metrics that were learned on others.

    Where cases are judged at rows that they were moved to, `unmoved` predicts them where they are.
    """

    def __init__(
        self,
        reading: str,
        spaces: tuple[int, ...],
        groups: list[Group],
        target: Target,
        threads: int | None,
        unmoved: Scorer | None = None,
    ) -> None:
        self.reading, self.spaces, self.unmoved = reading, spaces, unmoved
        # Rows of all groups, with their neighbors; see `Nearby.parts`.
        starts = np.cumsum([0] + [len(group.cases) for group in groups])
        parts = [
            (start + rows, part)
            for start, group in zip(starts.tolist(), groups, strict=False)
            for rows, part in group.near.parts
        ]
        self.pieces = _pieces(parts, target)
        self.size = int(starts[-1])
        self.target = target
        # Groups are merged again by case number.
        numbers = np.concatenate([group.cases for group in groups])
        self.cases, self.order = np.unique(numbers, return_index=True)
        self.judge = Judge(self.cases, target)
        self.threads = threads

    def plain(self, bandwidth: float) -> Candidate:
        """Score the rule without a ridge."""
        return self._candidates("probability", bandwidth, (np.inf,))[0]

    def best_plain(self) -> Candidate:
        """Return the rule without a ridge that has the best bandwidth."""
        return min((self.plain(one) for one in BANDWIDTHS), key=lambda plain: plain.loss)

    def path(self, rule: str, bandwidth: float) -> list[Candidate]:
        """Score a rule with each of the ridges."""
        return self._candidates(rule, bandwidth, RIDGES[rule])

    def _shares(self, rule: str, bandwidth: float, ridges: tuple[float, ...]) -> list[Floats]:
        """Return the influences in each piece, (m, ridges, k)."""
        if rule == "probability":
            return [
                influence_shares(
                    rule,
                    piece.excess,
                    None,
                    bandwidth=bandwidth,
                    ridge=np.inf,
                    counts=piece.counts,
                )[:, None]
                for piece in self.pieces
            ]
        return [piece.paths(rule, bandwidth, ridges, self.threads) for piece in self.pieces]

    def _candidates(
        self, rule: str, bandwidth: float, ridges: tuple[float, ...]
    ) -> list[Candidate]:
        candidates = []
        shares = self._shares(rule, bandwidth, ridges)
        for step, ridge in enumerate(ridges):
            predictions = self._means(shares, step)
            guesses = self.judge.guesses(predictions)
            named = (self.reading, self.spaces, rule, bandwidth, ridge, guesses)
            loss = float(self.judge.losses(guesses))
            few = predictions.size <= _MOST_KEPT and self.unmoved is None
            again = partial((self.unmoved or self).predictions, rule, bandwidth, ridges, step)
            predict = partial(np.asarray, predictions) if few else again
            candidates.append(Candidate(*named, loss, predict))
        return candidates

    def predictions(
        self, rule: str, bandwidth: float, ridges: tuple[float, ...], step: int
    ) -> Floats:
        """Return the predictions with one of some ridges."""
        # With all ridges once more: each starts where the one before ended.
        return self._means(self._shares(rule, bandwidth, ridges), step)

    def _means(self, shares: list[Floats], step: int) -> Floats:
        found = np.empty((self.size, max(self.target.n_classes, 1)))
        for of_piece, piece in zip(shares, self.pieces, strict=True):
            found[piece.rows] = mean_outcomes(
                of_piece[:, step], piece.outcomes, self.target.n_classes
            )
        return found[self.order]
