"""Several metrics and rules that predict together; their influences are averaged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.influence.nearby import search_neighbors
from vicinal.influence.outcomes import class_probabilities
from vicinal.influence.target import Target
from vicinal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Space:
    """A learned metric in which neighbors are searched.

    Parameters
    ----------
    metric : Metric
        The metric.
    name : str
        The name of its representation.
    k : int, optional
        Number of neighbors searched in it, if it differs from that of the ensemble.
    """

    metric: Metric
    name: str = ""
    k: int | None = None


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
        Number of neighbors searched in each space that does not say another.
    background : float
        Share of the prediction that all cases share equally: the expectation without any
        information about the query.
    """

    target: int
    spaces: tuple[Space, ...]
    members: tuple[Member, ...]
    k: int
    background: float

    @cached_property
    def plan(self) -> tuple[SpaceMembers, ...]:
        """The spaces that have members, and these."""
        every = [
            [one for one in self.members if one.space == at] for at in range(len(self.spaces))
        ]
        return tuple(
            SpaceMembers.of(space, members, self.neighbors_in(space))
            for space, members in zip(self.spaces, every, strict=True)
            if members
        )

    def neighbors_in(self, space: Space) -> int:
        """Return how many neighbors are searched in a space."""
        return self.k if space.k is None else space.k

    def scales(self, kinds: NDArray[np.uint8]) -> Floats | None:
        """Return what values of a column differ by at a distance of 1, in the mean of the members.

        Of columns that are categories, by their kinds, it is the distance of two of them; infinite
        for other columns without any weight. None without any member.
        """
        if not self.plan:
            return None
        steps = np.zeros(len(kinds))
        for one in self.plan:
            metric, active = one.metric, one.metric.active
            units = np.where(metric.kinds == NOMINAL, metric.residuals, 1.0)[active]
            units = units / np.where(metric.kinds == NOMINAL, 1.0, metric.residuals)[active]
            share = sum(share for _, share in one.shares)
            steps[active] += share * units * metric.weights[active] / metric.weights.sum()
        with np.errstate(divide="ignore"):
            return np.where(kinds == NOMINAL, steps, 1.0 / steps)


@dataclass(frozen=True, eq=False)
class SpaceMembers:
    """A space, the members that search it, and what each rule is to add to their average.

    Parameters
    ----------
    metric : Metric
        The metric of the space.
    k : int
        Number of neighbors searched in it.
    rules : tuple of Member
        Members, and for linear ones the same without balance, which is never negative.
    shares : tuple of (int, float)
        Places among the rules, and the share of each in the prediction.
    nonnegative : tuple of (int, float), optional
        The same with rules that are never negative, if others are.
    """

    metric: Metric
    k: int
    rules: tuple[Member, ...]
    shares: tuple[tuple[int, float], ...]
    nonnegative: tuple[tuple[int, float], ...] | None

    @classmethod
    def of(cls, space: Space, members: list[Member], k: int) -> SpaceMembers:
        """Plan the members of a space."""
        positive = [replace(m, rule="probability") if m.rule == "linear" else m for m in members]
        rules = list(dict.fromkeys([*members, *positive]))
        shares, others = (
            tuple((rules.index(one), one.share) for one in some) for some in (members, positive)
        )
        return cls(space.metric, k, tuple(rules), shares, None if shares == others else others)

    def asked(self, held_back: bool) -> list[tuple[tuple[int, float], ...]]:
        """Return the averages to make: with those that are never negative, if needed."""
        if self.nonnegative is None or not held_back:
            return [self.shares]
        return [self.shares, self.nonnegative]


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
    held_back = target is not None and target.n_classes > 0
    for one in ensemble.plan:
        near = search_neighbors(
            index,
            one.metric,
            one.k,
            queries,
            required=ensemble.target,
            exclude=exclude,
            listed=listed,
            threads=threads,
        )
        averages = near.average(one.rules, one.asked(held_back))
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
