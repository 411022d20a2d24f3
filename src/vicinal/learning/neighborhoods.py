"""Left-out cases with their neighbors in one space, and what influence rules predict for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vicinal.index.outcome_sums import kernel_means
from vicinal.index.shares import path_means
from vicinal.influence.influences import kernel_logits, log_counts
from vicinal.influence.nearby import Nearby
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints, Places

#: Neighbors treated at a time: half a megabyte of numbers.
_MOST_CELLS = 1 << 16

#: Offsets worked out at a time: eight megabytes.
_MOST_OFFSETS = 1 << 20

#: Predictions that are kept until some are chosen: a megabyte of numbers.
MOST_KEPT = 1 << 17


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
        self.directions = max(one.directions for one in self.near)
        self.outcomes = target.outcomes_of(self._joined([one.indices for one in self.near]))
        self.excess = self._joined([one.excess for one in self.near])
        self.counts: Floats | None = None
        if any(one.counts is not None for one in self.near):
            self.counts = self._joined(
                [np.ones(n.indices.shape) if n.counts is None else n.counts for n in self.near]
            )

    @cached_property
    def logs(self) -> Floats | float:
        """Logarithms of what neighbors count."""
        return log_counts(self.counts)

    def plain(self, bandwidths: Sequence[float], n_classes: int) -> Floats:
        """Return predictions by the rule without a ridge, (bandwidths, m, n_classes or 1)."""
        return kernel_means(self.excess, self.counts, self.outcomes, n_classes, bandwidths)

    def paths(
        self,
        rule: str,
        bandwidth: float,
        ridges: tuple[float, ...],
        offsets: Floats | None,
        n_classes: int,
        threads: int | None,
    ) -> Floats:
        """Return predictions by a rule that needs offsets, (ridges, m, n_classes or 1).

        Without these, some rows at a time: the offsets of all neighbors would be most of the
        memory.
        """
        about = (rule, bandwidth, ridges, n_classes, threads)
        if offsets is not None:
            return self._paths(slice(None), offsets, *about)
        means = np.empty((len(ridges), len(self.rows), max(n_classes, 1)))
        first = 0
        for one in self.near:
            step = max(1, _MOST_OFFSETS // max(one.indices.shape[1] * self.directions, 1))
            for start in range(0, len(one.indices), step):
                rows = np.arange(start, min(start + step, len(one.indices)))
                some = slice(first + start, first + start + len(rows))
                found = one.find_offsets(rows, one.indices[rows])
                means[:, some] = self._paths(some, found, *about)
            first += len(one.indices)
        return means

    def _paths(
        self,
        some: slice,
        offsets: Floats,
        rule: str,
        bandwidth: float,
        ridges: tuple[float, ...],
        n_classes: int,
        threads: int | None,
    ) -> Floats:
        logs = self.logs if isinstance(self.logs, float) else self.logs[some]
        return path_means(
            kernel_logits(rule, self.excess[some], bandwidth, logs),
            offsets,
            ridges,
            self.outcomes[some],
            n_classes,
            scale=float(np.sqrt(bandwidth)),
            linear=rule == "linear",
            rough=True,
            threads=threads,
        )

    def offsets(self) -> Floats:
        """Return the offsets of all neighbors, (m, k, d')."""
        every = [(np.arange(len(one.indices)), one) for one in self.near]
        return self._joined([one.find_offsets(rows, one.indices) for rows, one in every])

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


class Neighborhoods:
    """Predicts some cases from their neighbors in metrics that were learned on others.

    Parameters
    ----------
    groups : list of Group
        The cases, each in one of them.
    """

    def __init__(self, groups: list[Group], target: Target) -> None:
        self.groups, self.target = groups, target
        self.cases = np.concatenate([group.cases for group in groups])
        self._plain: dict[tuple[float, ...], Floats] = {}

    @cached_property
    def pieces(self) -> list[_Piece]:
        """All cases with their neighbors, in pieces that are treated at once."""
        starts = np.cumsum([0] + [len(group.cases) for group in self.groups])
        parts = [
            (start + rows, part)
            for start, group in zip(starts.tolist(), self.groups, strict=False)
            for rows, part in group.near.pieces(_MOST_CELLS)
        ]
        return _pieces(parts, self.target)

    def plain(self, bandwidths: tuple[float, ...]) -> Floats:
        """Return predictions by the rule without a ridge, (bandwidths, m, n_classes or 1).

        They are kept if they are few: representations are compared by some of the cases first.
        """
        if bandwidths in self._plain:
            return self._plain[bandwidths]
        found = np.empty((len(bandwidths), len(self.cases), max(self.target.n_classes, 1)))
        for rows, means in self.plain_parts(bandwidths):
            found[:, rows] = means
        if found[0].size <= MOST_KEPT:
            self._plain[bandwidths] = found
        return found

    def plain_parts(self, bandwidths: tuple[float, ...]) -> Iterator[tuple[Places, Floats]]:
        """Yield some of the cases after the other, by their places, with their predictions."""
        for piece in self.pieces:
            yield piece.rows, piece.plain(bandwidths, self.target.n_classes)

    def offsets(self, most: int) -> list[Floats | None]:
        """Return the offsets of the neighbors in each piece, as many as there is room for."""
        found: list[Floats | None] = []
        for piece in self.pieces:
            fits = piece.excess.size * piece.directions <= most
            offsets = piece.offsets() if fits else None
            most -= 0 if offsets is None else offsets.size
            found.append(offsets)
        return found

    def paths(
        self,
        rule: str,
        bandwidth: float,
        ridges: tuple[float, ...],
        offsets: list[Floats | None] | None,
        threads: int | None,
    ) -> Floats:
        """Return predictions by a rule with each of the ridges, (ridges, m, n_classes or 1)."""
        classes = self.target.n_classes
        known = [None] * len(self.pieces) if offsets is None else offsets
        found = np.empty((len(ridges), len(self.cases), max(classes, 1)))
        for piece, of_piece in zip(self.pieces, known, strict=True):
            found[:, piece.rows] = piece.paths(rule, bandwidth, ridges, of_piece, classes, threads)
        return found
