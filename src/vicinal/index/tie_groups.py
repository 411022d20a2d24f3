"""Large groups of tied cases, in which a few stand for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases
from vicinal.index.sampling import distinct_cases
from vicinal.typing import Floats, Ints, Places


@dataclass(frozen=True, eq=False)
class TieGroup:
    """Cases at the same distance from a query, and those that stand for all of them.

    Parameters
    ----------
    members : ndarray of int64
        Case numbers, ascending.
    weights : ndarray
        Their weights.
    which : ndarray of int
        Which representative stands for each member.
    indices, others : ndarray of int64
        Case number of each representative, and another case that can take its place if it is
        left out itself; the same one if there is none.
    masses, cases : ndarray
        The weight and the number of cases that each representative stands for.
    sampled : bool
        Whether representatives stand for members that differ from them.
    """

    members: Ints
    weights: Floats
    which: Places
    indices: Ints
    others: Ints
    masses: Floats
    cases: Floats
    sampled: bool

    def without(self, own: Ints) -> tuple[Ints, Floats, Floats]:
        """Return indices, masses and cases for queries that leave out a case each, or none (−1).

        Leaving out takes away one unit of weight; see `ExactIndex.search`.
        """
        shape = (len(own), 1)
        indices, masses = np.tile(self.indices, shape), np.tile(self.masses, shape)
        cases = np.tile(self.cases, shape)
        place = np.minimum(np.searchsorted(self.members, own), len(self.members) - 1)
        rows = np.flatnonzero(self.members[place] == own)
        column, weight = self.which[place[rows]], self.weights[place[rows]]
        masses[rows, column] -= np.minimum(weight, 1.0)
        cases[rows, column] -= weight <= 1
        swapped = (indices[rows, column] == own[rows]) & (weight <= 1)
        indices[rows[swapped], column[swapped]] = self.others[column[swapped]]
        gone = (masses <= 0) | (cases <= 0)
        indices[gone], masses[gone], cases[gone] = -1, 0.0, 0.0
        return indices, masses, cases

    def members_without(self, own: Ints, masses: Floats) -> tuple[Ints, Floats]:
        """Return all members for such queries, and the part of each in what stands for it.

        The masses are those that `without` returns.
        """
        shape = (len(own), 1)
        left = np.tile(self.weights, shape)
        left -= np.where(self.members == own[:, None], np.minimum(left, 1.0), 0.0)
        total = masses[:, self.which]
        parts = np.divide(left, total, out=np.zeros_like(left), where=total > 0)
        return np.where(parts > 0, np.tile(self.members, shape), -1), parts


def equal_cases(
    index: Cases, numbers: Ints, metric: Metric, outcome: int | None
) -> tuple[Floats, Places, Places]:
    """Find cases that are equal in the columns of a metric, in outcome and in weight.

    Returns
    -------
    values : ndarray
        The weight of each case, and its outcome, if there is one.
    places : ndarray of int
        Position of the first occurrence of each distinct case, in an order that depends only on
        their content.
    which : ndarray of int
        The distinct case that each one equals.
    """
    known = index.weights_of(numbers)
    weights = np.ones(len(numbers)) if known is None else known
    rows = index.rows(numbers)
    last = [weights] if outcome is None else [weights, rows[:, outcome]]
    places, which, _ = distinct_cases(np.column_stack([rows[:, metric.active], *last]))
    return np.column_stack(last), places, which


def represent(
    index: Cases, members: Ints, metric: Metric, outcome: int | None, most: int
) -> TieGroup:
    """Choose cases that stand for all members of a group of ties, at most so many.

    One case stands for all that equal it in the columns of the metric, in the outcome column and
    in weight. If these are still too many, they are sampled: in the order of their outcomes, then
    in an order that depends only on their content, equal parts of the total weight are each
    represented by the case in the middle. So outcomes are distributed as among all members, and
    row order does not matter.
    """
    members = np.sort(members)
    values, places, which = equal_cases(index, members, metric, outcome)
    weights = values[:, 0]
    cases = np.bincount(which).astype(np.float64)
    masses = cases * weights[places]
    # The last of equal members is another one than the first, if there are several.
    last = np.empty(len(places), dtype=np.intp)
    last[which] = np.arange(len(members))
    others = members[last]
    if len(places) <= most:
        order = np.argsort(places)  # by case number, as neighbors are listed
        rank = np.argsort(order)
        return TieGroup(
            members,
            weights,
            rank[which],
            members[places[order]],
            others[order],
            masses[order],
            cases[order],
            sampled=False,
        )
    order = np.arange(len(places))
    if outcome is not None:
        order = np.argsort(values[places, 1], kind="stable")
    part, middles = _equal_parts(masses[order], most)
    chosen, of_part = np.unique(middles, return_inverse=True)
    stratum = np.empty(len(places), dtype=np.intp)
    stratum[order] = of_part[part]
    numbers = members[places[order]]
    beside = np.where(chosen + 1 < len(order), chosen + 1, chosen - 1)
    size = np.bincount(of_part, minlength=len(chosen)) / most
    return TieGroup(
        members,
        weights,
        stratum[which],
        numbers[chosen],
        numbers[beside],
        size * masses.sum(),
        size * cases.sum(),
        sampled=True,
    )


def _equal_parts(masses: Floats, parts: int) -> tuple[Places, Places]:
    """Return the part that each mass lies in, and which mass lies in the middle of each part."""
    reached = np.cumsum(masses)
    scale = parts / reached[-1]
    part = np.minimum(((reached - masses / 2) * scale).astype(np.intp), parts - 1)
    middles = np.searchsorted(reached * scale, np.arange(parts) + 0.5)
    return part, np.minimum(middles, len(masses) - 1)
