"""Several metrics and rules that predict together; their influences are averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.terms import case_offsets
from vicinal.index.tied_neighbors import Listing, TiedNeighbors
from vicinal.index.ties import search_ties
from vicinal.influence.equal_neighbors import Ties, find_ties
from vicinal.influence.influences import BALANCED, influence_shares, total_excess
from vicinal.influence.outcomes import class_probabilities
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints, Places

#: Neighbors treated at a time where there are more than the places, which bounds the memory.
_MOST_CELLS = 1 << 17


@dataclass(frozen=True, eq=False)
class Space:
    """A learned metric in which neighbors are searched."""

    metric: Metric
    name: str = ""


@dataclass(frozen=True)
class Member:
    """A rule that turns neighbors of a space into influences, and its share of the prediction."""

    space: int
    rule: str
    bandwidth: float
    ridge: float
    share: float


@dataclass(frozen=True, eq=False)
class Ensemble:
    """How a target is predicted.

    Parameters
    ----------
    target : int
        Column of the target.
    spaces : tuple of Space
        The metrics.
    members : tuple of Member
        Their shares and `background` sum to 1.
    k : int
        Number of neighbors searched in each space.
    background : float
        Share of the prediction that all cases share equally: the expectation without any
        information about the query.
    """

    target: int
    spaces: tuple[Space, ...]
    members: tuple[Member, ...]
    k: int
    background: float


@dataclass(frozen=True, eq=False)
class Influences:
    """The cases behind each prediction.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, j)
        Case numbers, the neighbors of one space after those of another; −1 for none. A case may
        occur once in each space.
    shares : ndarray of shape (m, j)
        Influences; with `background` every row sums to 1.
    background : float
        Influence shared equally by all cases.
    """

    indices: Ints
    shares: Floats
    background: float


def find_influences(
    index: Index,
    ensemble: Ensemble,
    queries: Floats,
    *,
    target: Target | None = None,
    exclude: Ints | None = None,
    listed: bool = True,
    threads: int | None = None,
) -> Influences:
    """Find the cases that contribute to predictions of some rows, and their influence.

    Unless all are `listed`, one case may stand for several equal ones; predictions are the same.
    For classes, influences are adjusted so that no class gets a negative
    probability.
    """
    nothing = np.empty((len(queries), 0))
    indices, shares, kernels = [nothing.astype(np.int64)], [nothing], [nothing]
    for number, space in enumerate(ensemble.spaces):
        members = [member for member in ensemble.members if member.space == number]
        if not members:
            continue
        near = search_neighbors(
            index,
            space.metric,
            ensemble,
            queries,
            exclude=exclude,
            listed=listed,
            threads=threads,
        )
        positive = [replace(m, rule="probability") if m.rule == "linear" else m for m in members]
        held_back = target is not None and target.n_classes and positive != members
        averages = near.average([members, positive] if held_back else [members], threads)
        indices.append(near.indices if near.listing is None else near.listing.indices)
        shares.append(averages[0])
        kernels.append(averages[-1])
    found = Influences(
        np.concatenate(indices, axis=1), np.concatenate(shares, axis=1), ensemble.background
    )
    if target is None or not target.n_classes:
        return found
    return _held_back(found, np.concatenate(kernels, axis=1), target)


def _held_back(found: Influences, kernels: Floats, target: Target) -> Influences:
    """Mix influences with positive ones, as little as makes every class probability positive."""
    if (found.shares >= 0).all():
        return found
    outcomes = target.outcomes_of(found.indices)
    least = found.background * target.shares
    bold = class_probabilities(found.shares, outcomes, target.n_classes) + least
    nonnegative = class_probabilities(kernels, outcomes, target.n_classes) + least
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(bold < 0, -bold / (nonnegative - bold), 0.0).max(axis=1, keepdims=True)
    return replace(found, shares=(1 - needed) * found.shares + needed * kernels)


@dataclass(frozen=True, eq=False)
class Nearby:
    """Neighbors in one space, with all that the influence rules need.

    Parameters
    ----------
    k : int
        Places that the neighbors take.
    indices : ndarray of int64 of shape (m, w)
        Case numbers; −1 for none. More than k where several tie for the last places.
    distances, excess : ndarray of shape (m, w)
        Distance of each, and the excess over that of equal cases; infinite where there is none.
    counts : ndarray of shape (m, w), optional
        How many of the places each takes; None if each takes one.
    masses : ndarray of shape (m, w), optional
        The weight that each stands for; None if it is always 1.
    find_offsets : callable
        Returns the offsets of the neighbors (m', w') of some of the queries.
    ties : Ties, optional
        Neighbors that no rule can distinguish.
    listing : Listing, optional
        The cases that neighbors stand for; influences are divided among them.
    """

    k: int
    indices: Ints
    distances: Floats
    excess: Floats
    counts: Floats | None
    masses: Floats | None
    find_offsets: Callable[[Places, Ints], Floats]
    ties: Ties | None = None
    listing: Listing | None = None

    @cached_property
    def offsets(self) -> Floats:
        """Signed offsets of the neighbors from their query; see `case_offsets`."""
        return self.find_offsets(np.arange(len(self.indices)), self.indices)

    @cached_property
    def parts(self) -> tuple[tuple[Places, Nearby], ...]:
        """Rows with about as many neighbors, and these neighbors.

        Few queries have many ties, and all others need not wait for them. How a row is treated
        does not depend on the rows beside it.
        """
        if self.indices.shape[1] <= self.k:
            return ((np.arange(len(self.indices)), self),)
        needed = (self.indices >= 0).sum(axis=1)
        doublings = np.ceil(np.log2(np.maximum(needed, self.k) / self.k)).astype(np.intp)
        return tuple(self._parts_of(doublings))

    def _parts_of(self, doublings: Places) -> Iterator[tuple[Places, Nearby]]:
        for level in np.unique(doublings):
            width = self.k << int(level)
            rows, step = np.flatnonzero(doublings == level), max(1, _MOST_CELLS // width)
            for start in range(0, len(rows), step):
                some = rows[start : start + step]
                yield some, self._part(some, width)

    def _part(self, rows: Places, width: int) -> Nearby:
        def taken(part: NDArray[Any], nothing: float) -> NDArray[Any]:
            # Lists have the same length whatever others need, since sums depend on it.
            spare = max(0, width - part.shape[1])
            return np.pad(part[rows, :width], ((0, 0), (0, spare)), constant_values=nothing)

        return Nearby(
            self.k,
            taken(self.indices, -1),
            taken(self.distances, np.inf),
            taken(self.excess, np.inf),
            None if self.counts is None else taken(self.counts, 0.0),
            None if self.masses is None else taken(self.masses, 0.0),
            lambda places, indices: self.find_offsets(rows[places], indices),
        )

    def with_ties(self, members: list[Member]) -> Nearby:
        """Merge neighbors that no member can distinguish.

        Tuning does not need this, because its cases are merged already.
        """
        if not any(member.rule in BALANCED for member in members):
            return replace(self, ties=find_ties(self.distances, None, self.counts))
        offsets = self.offsets
        ties = find_ties(self.distances, offsets, self.counts)
        return replace(self, find_offsets=lambda *_: offsets, ties=ties)

    def influences(self, member: Member, threads: int | None) -> Floats:
        """Return the influences of one member."""
        shares = influence_shares(
            member.rule,
            self.distance(member.rule),
            self.offsets if member.rule in BALANCED else None,
            bandwidth=member.bandwidth,
            ridge=member.ridge,
            counts=self.counts if self.ties is None else self.ties.counts,
            threads=threads,
        )
        return shares if self.ties is None else self.ties.apart(shares)

    def average(self, members: list[list[Member]], threads: int | None) -> list[Floats]:
        """Return the influences of each of several lists of members, each by its share."""
        results = [np.zeros(self.indices.shape) for _ in members]
        everyone = [member for some in members for member in some]
        for rows, part in self.parts:
            merged = part.with_ties(everyone)
            width = min(part.indices.shape[1], self.indices.shape[1])
            for total, some in zip(results, members, strict=True):
                for member in some:
                    shares: Floats = member.share * merged.influences(member, threads)
                    total[rows, :width] += shares[:, :width]
        if self.listing is None:
            return results
        return [self.listing.divide(total) for total in results]

    def distance(self, rule: str) -> Floats:
        """Return the distances that the rule uses; infinite if there is no neighbor."""
        return self.distances if rule == "inverse" else self.excess


def search_neighbors(
    index: Index,
    metric: Metric,
    ensemble: Ensemble,
    queries: Floats,
    *,
    exclude: Ints | None = None,
    listed: bool = False,
    threads: int | None = None,
) -> Nearby:
    """Find neighbors that have the target; those tied for the last places share them."""
    found = search_ties(
        index,
        queries,
        metric,
        ensemble.k,
        exclude=exclude,
        required=ensemble.target,
        listed=listed,
        threads=threads,
    )
    return nearby_of(index, metric, ensemble.k, queries, found, threads=threads)


def nearby_of(
    index: Index,
    metric: Metric,
    k: int,
    queries: Floats,
    found: TiedNeighbors,
    *,
    threads: int | None = None,
) -> Nearby:
    """Prepare neighbors for the influence rules."""

    def find_offsets(rows: Places, indices: Ints) -> Floats:
        return case_offsets(index, queries[rows], indices, metric, threads=threads)

    return Nearby(
        k,
        found.indices,
        found.distances,
        np.where(found.indices >= 0, total_excess(found.distances, metric), np.inf),
        found.places(k),
        found.masses,
        find_offsets,
        listing=found.listing,
    )
