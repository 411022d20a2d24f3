"""Bounds of a whole prediction: what every member may say, added up by their shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vicinal.index.terms import case_offsets
from vicinal.influence.ensemble import Member
from vicinal.influence.influences import BALANCED
from vicinal.prediction.predictor import Predictor
from vicinal.robustness.budget import Budget
from vicinal.robustness.candidates import Candidates
from vicinal.robustness.derived_ranges import extended_box
from vicinal.robustness.guide import Guide
from vicinal.robustness.known_means import KnownMeans
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.perturbation import Box, Perturbation
from vicinal.robustness.places import Places, find_places
from vicinal.robustness.settled import settled
from vicinal.robustness.share_bounds import KernelBounds
from vicinal.robustness.spread import Offsets, Spread
from vicinal.robustness.stored_folds import StoredFolds
from vicinal.robustness.tilt import Tilt
from vicinal.typing import Floats


class Bounds:
    """Bounds of the predictions for all rows near one row.

    Parameters
    ----------
    predictor : Predictor
        Makes the predictions.
    changes : Perturbation
        The row, and how it may change.
    exclude : int
        The case that predictions leave out; −1 for none.
    cut : bool
        Whether the box is cut in each space where bounds are too wide.
    """

    def __init__(
        self,
        predictor: Predictor,
        changes: Perturbation,
        exclude: int = -1,
        *,
        cut: bool = True,
    ) -> None:
        self.predictor, self.changes, self.cut = predictor, changes, cut
        self.target, self.exclude = predictor.target, exclude
        own = None if exclude < 0 else np.array([exclude], dtype=np.int64)
        row = predictor.cases.rows(changes.row[None], own)[0]
        self.folds = StoredFolds(predictor, changes, exclude)
        self.members: dict[int, list[Member]] = {}
        for one in predictor.ensemble.members:
            self.members.setdefault(one.space, []).append(one)
        self.found = {space: self._candidates(space, row) for space in self.members}

    def _candidates(self, space: int, row: Floats) -> tuple[Candidates, Floats | None]:
        """Return the cases near the row in a space, and their offsets if a member needs them."""
        predictor, ensemble = self.predictor, self.predictor.ensemble
        index, searched = predictor.cases.index, ensemble.spaces[space]
        metric = searched.metric
        cases = Candidates.near(
            index,
            metric,
            row,
            ensemble.neighbors_in(searched),
            target=predictor.column,
            exclude=self.exclude,
            threads=predictor.threads,
        )
        offsets = None
        if any(one.rule in BALANCED for one in self.members[space]):
            offsets = case_offsets(index, row[None], cases.numbers[None], metric)[0]
        return cases, offsets

    def least_means(
        self,
        radius: float,
        values: Sequence[Floats],
        lowest: Floats,
        highest: Floats,
        *,
        known: KnownMeans | None = None,
        needed: Floats | None = None,
        whole: bool = False,
    ) -> Floats:
        """Return lower bounds of the expectations of several values of the outcome.

        Parameters
        ----------
        radius : float
            Of all rows within this radius.
        values : sequence of ndarray
            For each expectation the value of every class; for numbers a factor of the outcome.
        lowest, highest : ndarray
            The least and the greatest value that any case has, for each.
        known : KnownMeans, optional
            What members are known to say at least; it is brought up to date.
        needed : ndarray, optional
            What of each expectation is enough; nothing more is looked at when all are proved, or
            one has no hope.
        whole : bool
            Whether all is looked at if there is hope, and minus infinity is returned if not.
        """
        expected = np.array([float(np.sum(one * self.target.expected)) for one in values])
        background = self.predictor.ensemble.background * expected
        members = self.predictor.ensemble.members
        shares = np.array([one.share for one in members])
        if known is None:
            known = KnownMeans(np.tile(highest, (len(members), 1)))
        least = np.full(len(values), np.inf)
        budget = Budget.of(self.predictor.derived, self.changes, radius)
        for fold in self.folds.within(radius):
            found = known.of(fold, 3.0 * lowest - 2.0 * highest)
            box = extended_box(self.predictor.derived, self.changes, radius, fold)
            parts: dict[int, list[SpaceBounds] | None] = {}
            order = known.order(found, shares)
            for place, number in enumerate(order.tolist()):
                if needed is not None:
                    missing = needed - background - shares @ found
                    if known.hopeless(found, shares, order[place:], missing):
                        if whole:
                            return np.full(len(values), -np.inf)
                        break
                    if not whole and (missing < 0).all():
                        break
                space = members[number].space
                if space not in parts:
                    parts[space] = self.parts(space, budget, box)
                for at, one in enumerate(values):
                    ends = float(lowest[at]), float(highest[at])
                    found[number, at] = max(
                        found[number, at],
                        self._least_mean(members[number], parts[space], one, *ends),
                    )
            least = np.minimum(least, background + shares @ found)
        return least

    def _least_mean(
        self,
        member: Member,
        parts: list[SpaceBounds] | None,
        values: Floats,
        lowest: float,
        highest: float,
    ) -> float:
        if parts is None:
            return -np.inf
        return min(
            part.least_mean(member, self._case_values(values, part.near.cases), lowest, highest)
            for part in parts
        )

    def parts(self, space: int, budget: Budget | None, box: Box) -> list[SpaceBounds] | None:
        """Return bounds for the parts of a box in a space; None if a column has no bounds."""
        cases, offsets = self.found[space]
        moves = cases.moves(box, budget)
        if np.isfinite(moves):
            every, cases = cases.numbers, cases.within(box, budget, moves)
            offsets = None if offsets is None else offsets[np.isin(every, cases.numbers)]
        near = Neighborhood(cases, box, budget)
        if near.unknown or not len(cases.masses):
            return None
        widest = max(one.bandwidth for one in self.members[space]) if self.cut else 0.0
        classes = bool(self.target.n_classes)
        return [SpaceBounds.of(one, offsets, classes=classes) for one in near.split(widest)]

    def _case_values(self, one: Floats, cases: Candidates) -> Floats:
        if self.target.n_classes:
            return one[cases.outcomes.astype(np.intp)]
        return one[0] * cases.outcomes


class SpaceBounds:
    """Bounds of what the members of one space say."""

    @classmethod
    def of(
        cls, near: Neighborhood, offsets: Floats | None, *, classes: bool = False
    ) -> SpaceBounds:
        """Drop the cases that cannot be neighbors."""
        places = find_places(near)
        for narrowed in (places, None):
            places = narrowed or settled(near, places)
            some = places.possible
            if not some.all():
                near, places = near.take(some), places.take(some)
                offsets = None if offsets is None else offsets[some]
        return cls(near, places, offsets, classes=classes)

    def __init__(
        self, near: Neighborhood, places: Places, offsets: Floats | None, *, classes: bool = False
    ) -> None:
        self.near, self.places, self.offsets, self.classes = near, places, offsets, classes
        self._kernels: dict[tuple[str, float], KernelBounds] = {}
        self._guides: dict[tuple[float, float], Guide | None] = {}
        self._every_offsets: dict[float, Offsets | None] = {}
        self._spreads: dict[float, Spread | None] = {}

    def least_mean(self, member: Member, values: Floats, lowest: float, highest: float) -> float:
        """Return a lower bound of the mean of some values under the influences of a member."""
        if not self.places.others:
            seen = values[self.places.possible]
            lowest, highest = float(seen.min()), float(seen.max())
        if lowest == highest:
            return lowest
        if not _is_balanced(member):
            rule = "inverse" if member.rule == "inverse" else "probability"
            return self._plain(rule, member.bandwidth).least_mean(values, lowest)
        if member.rule == "centered":
            return self._centered(member, values, lowest, highest)
        return self._linear(member, values, lowest, highest)

    def is_bounded(self, member: Member) -> bool:
        """Return whether anything is known about the balance of the influences of a member."""
        if not _is_balanced(member):
            return True
        if member.rule == "centered":
            known = self._guide(member.bandwidth, member.ridge) is not None
            return known or self._descended(member) is not None
        return self._spread(member.bandwidth) is not None

    def _linear(self, member: Member, values: Floats, lowest: float, highest: float) -> float:
        kernels = self._plain("probability", member.bandwidth)
        plain = kernels.least_mean(values, lowest)
        spread = self._spread(member.bandwidth)
        # Influences of local regression differ from the kernels by 4 in all, at most.
        least = plain - 2.0 * (highest - lowest)
        if spread is None:
            return least
        least = max(least, plain - spread.correction(values, member.ridge))
        found = spread.regression(values, member.ridge)
        if found is None:
            return least
        errors, loss = found
        below = float(errors[self.places.possible].min())
        least = max(least, kernels.least_mean(errors, below) - loss)
        # Of classes, influences are mixed with the kernels if one would be negative.
        return min(least, plain) if self.classes else least

    def _plain(self, rule: str, bandwidth: float) -> KernelBounds:
        key = (rule, bandwidth)
        if key not in self._kernels:
            self._kernels[key] = KernelBounds(self.near, self.places, rule, bandwidth)
        return self._kernels[key]

    def _offsets(self, bandwidth: float) -> Offsets | None:
        """Return the offsets of the candidates in the unit of a bandwidth."""
        if bandwidth not in self._every_offsets:
            assert self.offsets is not None
            found = None
            if not self.places.crowded and self.near.metric.p == 1:
                found = Offsets.of(self.near, self.offsets, self.places.possible, bandwidth)
            self._every_offsets[bandwidth] = found
        return self._every_offsets[bandwidth]

    def _spread(self, bandwidth: float) -> Spread | None:
        """Return the spread under plain kernels."""
        if bandwidth not in self._spreads:
            given, found = self._offsets(bandwidth), None
            if given is not None:
                found = Spread.of(self.near, given, self.places.certain, bandwidth)
            self._spreads[bandwidth] = found
        return self._spreads[bandwidth]

    def _centered(self, member: Member, values: Floats, lowest: float, highest: float) -> float:
        """Return a lower bound by a guess that follows the row, and the divergence from it."""
        guide = self._guide(member.bandwidth, member.ridge)
        kind = self.near, self.places, "probability", member.bandwidth
        if guide is not None:
            least = KernelBounds(*kind, guide).least_mean(values, lowest)
            return guide.least_mean(least, values, lowest, highest)
        tilt = self._descended(member)
        return lowest if tilt is None else KernelBounds(*kind, tilt).least_mean(values, lowest)

    def _descended(self, member: Member) -> Tilt | None:
        """Return a bound that holds wherever a solver of many columns stops."""
        spread = self._spread(member.bandwidth)
        return None if spread is None else Tilt.descended(spread, member.ridge)

    def _guide(self, bandwidth: float, ridge: float) -> Guide | None:
        key = (bandwidth, ridge)
        if key not in self._guides:
            given, found = self._offsets(bandwidth), None
            if given is not None:
                some = self.places.certain, self.places.left, *key
                found = Guide.of(self.near, given, *some)
            self._guides[key] = found
        return self._guides[key]


def _is_balanced(member: Member) -> bool:
    return member.rule in BALANCED and bool(np.isfinite(member.ridge))
