"""Neighbors in one space, and what each rule makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases, Found, Index
from vicinal.index.shares import balanced_shares
from vicinal.index.terms import case_offsets
from vicinal.index.tied_neighbors import Listing, TiedNeighbors
from vicinal.index.ties import search_ties
from vicinal.influence.equal_neighbors import Ties, find_ties
from vicinal.influence.influences import (
    BALANCED,
    kernel_logits,
    kernel_shares,
    log_counts,
    total_excess,
)
from vicinal.typing import Floats, Ints, Places

if TYPE_CHECKING:
    from vicinal.influence.ensemble import Member

#: Neighbors treated at a time where there are more than the places, which bounds the memory.
_MOST_CELLS = 1 << 17


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
    balance : callable
        Returns `balanced_shares` of the neighbors (m', w') of some of the queries.
    directions : int
        How many offsets a neighbor has.
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
    balance: Callable[[Places, Nearby, Sequence[Member], Floats | None], Floats]
    directions: int
    ties: Ties | None = None
    listing: Listing | None = None

    @property
    def parts(self) -> tuple[tuple[Places, Nearby], ...]:
        """Rows with about as many neighbors, and these neighbors.

        Few queries have many ties, and all others need not wait for them. How a row is treated
        does not depend on the rows beside it.
        """
        # Not kept: what holds itself stays in memory, with the index, until cycles are collected.
        if self.indices.shape[1] <= self.k:
            return ((np.arange(len(self.indices)), self),)
        needed = (self.indices >= 0).sum(axis=1)
        doublings = np.ceil(np.log2(np.maximum(needed, self.k) / self.k)).astype(np.intp)
        return tuple(self._parts_of(doublings))

    def pieces(self, most: int) -> Iterator[tuple[Places, Nearby]]:
        """Yield the parts, none with more neighbors than so many."""
        for rows, part in self.parts:
            width = part.indices.shape[1]
            step = max(1, most // max(width, 1))
            if len(rows) <= step:
                yield rows, part
                continue
            for start in range(0, len(rows), step):
                some = slice(start, min(start + step, len(rows)))
                yield rows[some], part._part(some, width)

    def _parts_of(self, doublings: Places) -> Iterator[tuple[Places, Nearby]]:
        for level in np.unique(doublings):
            width = self.k << int(level)
            rows, step = np.flatnonzero(doublings == level), max(1, _MOST_CELLS // width)
            for start in range(0, len(rows), step):
                some = rows[start : start + step]
                yield some, self._part(some, width)

    def _part(self, rows: Places | slice, width: int) -> Nearby:
        def taken(part: NDArray[Any], nothing: float) -> NDArray[Any]:
            # Lists have the same length whatever others need, since sums depend on it.
            spare, some = width - part.shape[1], part[rows, :width]
            if spare <= 0:
                return some
            return np.pad(some, ((0, 0), (0, spare)), constant_values=nothing)

        which = np.arange(len(self.indices))[rows] if isinstance(rows, slice) else rows
        return Nearby(
            self.k,
            taken(self.indices, -1),
            taken(self.distances, np.inf),
            taken(self.excess, np.inf),
            None if self.counts is None else taken(self.counts, 0.0),
            None if self.masses is None else taken(self.masses, 0.0),
            lambda places, indices: self.find_offsets(which[places], indices),
            lambda places, *rest: self.balance(which[places], *rest),
            self.directions,
        )

    def with_ties(self, members: list[Member]) -> Nearby:
        """Merge neighbors that no member can distinguish.

        Tuning does not need this, because its cases are merged already.
        """

        def offsets_of(rows: Places) -> Floats:
            return self.find_offsets(rows, self.indices[rows])

        balanced = any(member.rule in BALANCED for member in members)
        ties = find_ties(self.distances, offsets_of if balanced else None, self.counts)
        return self if ties is None else replace(self, ties=ties)

    def influences(self, members: Sequence[Member]) -> list[Floats]:
        """Return the influences of each member."""
        counts = self.counts if self.ties is None else self.ties.counts
        every = np.arange(len(self.indices))
        balanced = [one for one in members if is_balanced(one)]
        found = iter(self.balance(every, self, balanced, counts) if balanced else ())
        shares = [
            next(found)
            if is_balanced(one)
            else kernel_shares(self.logits(one.rule, one.bandwidth, counts))
            for one in members
        ]
        return shares if self.ties is None else [self.ties.apart(one) for one in shares]

    def average(
        self, members: Sequence[Member], asked: list[tuple[tuple[int, float], ...]]
    ) -> list[Floats]:
        """Return averages of the influences of members, each by places and shares of some."""
        if self.indices.shape[1] <= self.k:
            results = self._averages(members, asked)
        else:
            results = [np.zeros(self.indices.shape) for _ in asked]
            for rows, part in self.parts:
                width = min(part.indices.shape[1], self.indices.shape[1])
                means = part._averages(members, asked)
                for total, mean in zip(results, means, strict=True):
                    total[rows, :width] = mean[:, :width]
        if self.listing is None:
            return results
        return [self.listing.divide(total) for total in results]

    def _averages(
        self, members: Sequence[Member], asked: list[tuple[tuple[int, float], ...]]
    ) -> list[Floats]:
        """Return the same for lists that are about as long."""
        used = sorted({place for some in asked for place, _ in some})
        everyone = [members[place] for place in used]
        found = self.with_ties(everyone).influences(everyone)
        shares = dict(zip(used, found, strict=True))
        return [weighted_sum(some, shares.__getitem__, self.indices.shape) for some in asked]

    def distance(self, rule: str) -> Floats:
        """Return the distances that the rule uses; infinite if there is no neighbor."""
        return self.distances if rule == "inverse" else self.excess

    def logits(self, rule: str, bandwidth: float, counts: Floats | None) -> Floats:
        """Return the logarithms of the kernel, −∞ if there is no neighbor."""
        return kernel_logits(rule, self.distance(rule), bandwidth, log_counts(counts))


def weighted_sum(
    some: Iterable[tuple[int, float]], shares_of: Callable[[int], Floats], shape: tuple[int, ...]
) -> Floats:
    """Return the sum of the influences of some members, by place, each times its share."""
    total = np.zeros(shape)
    for place, share in some:
        total += share * shares_of(place)
    return total


def is_balanced(member: Member) -> bool:
    """Return whether a member uses the directions of neighbors at all."""
    return member.rule in BALANCED and member.ridge < np.inf


def search_neighbors(
    index: Index,
    metric: Metric,
    k: int,
    queries: Floats,
    *,
    required: int,
    exclude: Ints | None = None,
    listed: bool = False,
    first: Found | None = None,
    threads: int | None = None,
) -> Nearby:
    """Find neighbors that have the target; those tied for the last places share them."""
    found = search_ties(
        index,
        queries,
        metric,
        k,
        exclude=exclude,
        required=required,
        listed=listed,
        first=first,
        threads=threads,
    )
    return nearby_of(index, metric, k, queries.__getitem__, found, threads=threads)


def nearby_of(
    index: Cases,
    metric: Metric,
    k: int,
    queries_at: Callable[[Places], Floats],
    found: TiedNeighbors,
    *,
    threads: int | None = None,
) -> Nearby:
    """Prepare neighbors for the influence rules.

    Parameters
    ----------
    queries_at : callable
        Returns the rows at some places among the queries.
    """

    def find_offsets(rows: Places, indices: Ints) -> Floats:
        return case_offsets(index, queries_at(rows), indices, metric, threads=threads)

    def balance(
        rows: Places, near: Nearby, members: Sequence[Member], counts: Floats | None
    ) -> Floats:
        rules = [(one.rule, one.bandwidth, one.ridge) for one in members]
        cases = (queries_at(rows), near.indices, metric, near.excess, counts)
        return balanced_shares(index, *cases, rules, threads=threads)

    excess = total_excess(found.distances, metric)
    if not metric.total:  # infinite distances times nothing
        excess = np.where(found.indices >= 0, excess, np.inf)
    return Nearby(
        k,
        found.indices,
        found.distances,
        excess,
        found.places(k),
        found.masses,
        find_offsets,
        balance,
        len(metric.directions[0]),
        listing=found.listing,
    )
