"""Several metrics and rules that predict together; their influences are averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vicinal.index.case_weights import counted_weights
from vicinal.index.metric import Metric
from vicinal.index.protocol import Found, Index
from vicinal.index.terms import case_offsets
from vicinal.influence.equal_neighbors import Ties, find_ties
from vicinal.influence.influences import BALANCED, influence_shares, total_excess
from vicinal.influence.outcomes import class_probabilities
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints


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
    threads: int | None = None,
) -> Influences:
    """Find the cases that contribute to predictions of some rows, and their influence.

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
            index, space.metric, ensemble, queries, exclude=exclude, threads=threads
        )
        near = near.with_ties(members)
        indices.append(near.indices)
        shares.append(near.shared_influences(members, threads))
        positive = [replace(m, rule="probability") if m.rule == "linear" else m for m in members]
        if target is not None and target.n_classes and positive != members:
            kernels.append(near.shared_influences(positive, threads))
        else:
            kernels.append(shares[-1])
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
    """Neighbors in one space, with all that the influence rules need."""

    indices: Ints
    distances: Floats
    excess: Floats
    counts: Floats | None
    find_offsets: Callable[[], Floats]
    ties: Ties | None = None

    @cached_property
    def offsets(self) -> Floats:
        """Signed offsets of the neighbors from their query; see `case_offsets`."""
        return self.find_offsets()

    def with_ties(self, members: list[Member]) -> Nearby:
        """Merge neighbors that no member can distinguish.

        Tuning does not need this, because its cases are merged already.
        """
        if not any(member.rule in BALANCED for member in members):
            return replace(self, ties=find_ties(self.distances, None, self.counts))
        offsets = self.offsets
        ties = find_ties(self.distances, offsets, self.counts)
        return replace(self, find_offsets=lambda: offsets, ties=ties)

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

    def shared_influences(self, members: list[Member], threads: int | None) -> Floats:
        """Return the influences of several members, each by its share."""
        total = np.zeros(self.indices.shape)
        for member in members:
            total += member.share * self.influences(member, threads)
        return total

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
    threads: int | None = None,
) -> Nearby:
    """Find neighbors that have the target."""
    found = index.search(
        queries, metric, ensemble.k, exclude=exclude, required=ensemble.target, threads=threads
    )
    return nearby_of(index, metric, ensemble.k, queries, found, exclude=exclude, threads=threads)


def nearby_of(
    index: Index,
    metric: Metric,
    k: int,
    queries: Floats,
    found: Found,
    *,
    exclude: Ints | None = None,
    threads: int | None = None,
) -> Nearby:
    """Prepare neighbors for the influence rules."""
    there = found.indices >= 0

    return Nearby(
        found.indices,
        found.distances,
        np.where(there, total_excess(found.distances, metric), np.inf),
        counted_weights(index, found.indices, k, exclude),
        lambda: case_offsets(index, queries, found.indices, metric, threads=threads),
    )
