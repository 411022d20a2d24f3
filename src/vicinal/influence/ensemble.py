"""Several metrics and rules that predict together; their influences are averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.spaces import BalancedSpace, FoundSpace, search_spaces
from vicinal.influence.influences import kernel_logits, kernel_shares
from vicinal.influence.nearby import is_balanced, search_neighbors, weighted_sum
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

    @cached_property
    def balanced(self) -> BalancedSpace:
        """The space with the rules that balance offsets, to be searched with others at once."""
        balanced = self._balanced
        rules = [(one.rule, one.bandwidth, one.ridge) for one in balanced]
        asked = [(self.rules[at], share) for at, share in self.shares]
        alone = all(is_balanced(rule) for rule, _ in asked)  # their mean needs no other rule
        mean = [(balanced.index(rule), share) for rule, share in asked] if alone else []
        return BalancedSpace(self.metric, self.k, rules, mean)

    @property
    def _balanced(self) -> list[Member]:
        used = sorted({place for place, _ in self.shares})
        return [one for one in map(self.rules.__getitem__, used) if is_balanced(one)]

    def average(self, known: FoundSpace, some: tuple[tuple[int, float], ...]) -> Floats:
        """Return an average of the influences of rules, where neighbors have no ties."""
        assert known.excess is not None
        if some is self.shares and known.mean is not None:
            return known.mean
        return weighted_sum(some, partial(self._shares_by, known), known.excess.shape)

    def _shares_by(self, known: FoundSpace, place: int) -> Floats:
        rule = self.rules[place]
        if is_balanced(rule):
            assert known.shares is not None
            return known.shares[self._balanced.index(rule)]
        assert known.excess is not None
        distances = known.excess
        if rule.rule == "inverse":
            distances = known.found.distances[:, : self.k]
        return kernel_shares(kernel_logits(rule.rule, distances, rule.bandwidth, 0.0))

    def __getstate__(self) -> dict[str, Any]:
        # The native twin is made again where it is needed.
        return {key: value for key, value in self.__dict__.items() if key != "balanced"}

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
    indices, shares = [nothing.astype(np.int64)], [nothing]
    kernels: list[Callable[[], Floats]] = [lambda: nothing]
    held_back = target is not None and target.n_classes > 0
    early: list[FoundSpace] | None = None
    if exclude is None and not listed:
        spaces = [one.balanced for one in ensemble.plan]
        early = search_spaces(index, spaces, queries, required=ensemble.target, threads=threads)
    for at, one in enumerate(ensemble.plan):
        known = None if early is None else early[at]
        if known is not None and known.excess is not None:
            indices.append(known.found.indices[:, : one.k])
            shares.append(one.average(known, one.shares))
            kernels.append(partial(one.average, known, one.nonnegative or one.shares))
            continue
        near = search_neighbors(
            index,
            one.metric,
            one.k,
            queries,
            required=ensemble.target,
            exclude=exclude,
            listed=listed,
            first=None if known is None else known.found,
            threads=threads,
        )
        averages = near.average(one.rules, one.asked(held_back))
        indices.append(near.indices if near.listing is None else near.listing.indices)
        shares.append(averages[0])
        kernels.append(partial(averages.__getitem__, -1))
    found = Influences(
        np.concatenate(indices, axis=1), np.concatenate(shares, axis=1), ensemble.background
    )
    if target is None or not target.n_classes or (found.shares >= 0).all():
        return found
    return _held_back(found, np.concatenate([one() for one in kernels], axis=1), target)


def _held_back(found: Influences, kernels: Floats, target: Target) -> Influences:
    """Mix influences with positive ones, as little as makes every class probability positive."""
    outcomes = target.outcomes_of(found.indices)
    least = found.background * target.shares
    bold = class_probabilities(found.shares, outcomes, target.n_classes) + least
    nonnegative = class_probabilities(kernels, outcomes, target.n_classes) + least
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(bold < 0, -bold / (nonnegative - bold), 0.0).max(axis=1, keepdims=True)
    return replace(found, shares=(1 - needed) * found.shares + needed * kernels)
