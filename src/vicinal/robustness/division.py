"""Larger radii, proved part by part: where a box has no proof, its halves may have one.

Bounds are exact for the middle of a box and widen from there. The ball of the norm ``max`` is a
box, so it can be divided; the part with the worst bound is divided next. Of the ball of the norm
``sum``, parts are where some columns lie between two ends; the others share what is left of the
radius when these are paid for. Where many columns of many cases change, a box takes so long that
none is divided.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count, pairwise

import numpy as np

from vicinal.index.kinds import NOMINAL
from vicinal.prediction.predictor import Predictor
from vicinal.robustness.known_means import KnownMeans
from vicinal.robustness.margins import Bounds
from vicinal.robustness.perturbation import Perturbation
from vicinal.typing import Bools, Floats, Places

#: Boxes that are looked at, and how many more while a known change is far from the radius.
FEW_BOXES, MORE_BOXES = 64, 448
#: Numbers that change, at most; more only where cases times columns are at most so many.
MOST_COLUMNS, MOST_CELLS = 12, 20_000
#: A radius that is tried is at most this multiple of one that is certified; and at least this one.
_GROWTH, _LEAST_GROWTH = 1.25, 1.05

#: With this gap to the smallest known change, no more boxes are spent than without one.
_ENOUGH = 1.5

#: Says of bounds how much of some of the margins is left within a radius, one for each rival; and
#: brings up to date what is known.
Margins = Callable[[Bounds, float, Places, KnownMeans], Floats]


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the changes: numbers between two ends.

    Parameters
    ----------
    lower, upper : ndarray of shape (d,)
        Ends of the columns that may be divided.
    divided : ndarray of bool of shape (d,)
        Columns that have been divided.
    rivals : ndarray of int
        Rivals against which nothing is proved yet.
    known : KnownMeans
        What is known of these.
    most : float
        The largest part of the radius that one of the columns takes which are not divided.
    """

    lower: Floats
    upper: Floats
    divided: Bools
    rivals: Places
    known: KnownMeans
    most: float = 1.0

    def split(self, column: int, count: int = 2) -> list[Part]:
        """Divide it into equal parts of a column."""
        ends = np.linspace(self.lower[column], self.upper[column], count + 1)
        divided = self.divided.copy()
        divided[column] = True
        made = []
        for low, high in pairwise(ends.tolist()):
            lower, upper = self.lower.copy(), self.upper.copy()
            lower[column], upper[column] = low, high
            known = self.known.take(np.ones(len(self.rivals), dtype=bool))
            made.append(Part(lower, upper, divided, self.rivals, known, self.most))
        return made

    def scaled(self, middle: Floats, factor: float, own: Floats) -> Part:
        """Return it farther from a middle and as much larger, with all rivals."""
        lower, upper = (middle + factor * (end - middle) for end in (self.lower, self.upper))
        rivals, known = np.arange(own.shape[1]), KnownMeans(own)
        return replace(self, lower=lower, upper=upper, rivals=rivals, known=known)

    def within(self, middle: Floats, ways: Floats, factor: float) -> Part | None:
        """Return what of it is within a smaller radius, with what is proved; None if nothing is.

        The factor is that of both radii; the part of a column remains as large.
        """
        lower, upper = np.maximum(self.lower, middle - ways), np.minimum(self.upper, middle + ways)
        if (lower > upper).any():
            return None
        return replace(self, lower=lower, upper=upper, most=min(self.most / factor, 1.0))

    def against(self, rivals: Bools) -> Part:
        """Return it with some of its rivals."""
        return replace(self, rivals=self.rivals[rivals], known=self.known.take(rivals))


class Division:
    """Proves larger radii than bounds of the whole box do.

    Parameters
    ----------
    predictor : Predictor
        Makes the predictions.
    changes : Perturbation
        The row, and how it may change.
    exclude : int
        The case that predictions leave out; −1 for none.
    margins : callable
        How much of each margin is left.
    own : ndarray of shape (members, rivals)
        What the members say about the row itself, with regard to each rival.
    boxes, more : int
        Boxes that are looked at in all, at most; and how many more while a known change is far
        from the radius.
    in_time : callable
        Says before each box whether there is time for it.
    """

    def __init__(
        self,
        predictor: Predictor,
        changes: Perturbation,
        exclude: int,
        margins: Margins,
        own: Floats,
        boxes: int,
        more: int = 0,
        in_time: Callable[[], bool] = lambda: True,
    ) -> None:
        self.predictor, self.changes, self.exclude = predictor, changes, exclude
        self.margins, self.own, self.left, self.more = margins, own, boxes, more
        self.in_time, self.columns = in_time, _divisible(changes)
        self.weights = _weights(predictor, len(changes.row))
        #: What halving each column has gained, and by how much it was expected to.
        self.gains, self.expected = np.zeros((2, len(changes.row)))

    def grown(self, radius: float, flip: float) -> float:
        """Return the largest radius that is certified, from one that is, and one that is not."""
        ways, begun = radius * self.changes.units, radius
        none = np.zeros(len(ways), dtype=bool)
        rivals = np.arange(self.own.shape[1])
        ends = self.changes.row - ways, self.changes.row + ways
        whole = Part(*ends, none, rivals, KnownMeans(self.own))
        # Parts of the ball of a radius: those that are proved, and those that are not.
        done, open_parts, of = list[Part](), self._split(whole, self._column(whole)), radius
        growth = _GROWTH
        while radius > 0:
            tried = min(radius * growth, float(np.sqrt(radius * flip)))
            if tried > of:  # how one radius was divided tells where another has to be
                factor, every = tried / of, done + open_parts
                done = []
                open_parts = [one.scaled(self.changes.row, factor, self.own) for one in every]
            elif tried < of:  # what is proved within a larger radius holds within this one
                done, open_parts = (self._within(some, of, tried) for some in (done, open_parts))
            of = tried
            if self.left <= len(open_parts) or tried < radius * _LEAST_GROWTH:
                if not self.more or not _ENOUGH < flip / radius < np.inf:
                    break
                # A known change says that more may be proved.
                self.left, self.more = self.left + self.more, 0
                if self._far_apart():
                    done, open_parts, of, growth = [], self._star(whole), begun, _GROWTH
                    continue
            # Below this radius none is tried, so that all boxes that are left are for it.
            last = of < radius * _LEAST_GROWTH**2
            done, open_parts = self._proved(done, open_parts, of, 0 if last else self.left // 2)
            if open_parts:
                growth = float(np.sqrt(of / radius))
            else:
                radius, growth = of, _GROWTH
        return radius

    def _within(self, parts: list[Part], radius: float, smaller: float) -> list[Part]:
        """Return what some parts of a radius are of a smaller one."""
        ways = smaller * self.changes.units
        found = (one.within(self.changes.row, ways, smaller / radius) for one in parts)
        return [one for one in found if one is not None]

    def _proved(
        self, closed: list[Part], parts: list[Part], radius: float, spared: int
    ) -> tuple[list[Part], list[Part]]:
        """Divide parts of a radius further; return all that are proved, and those that are not.

        So many boxes are left for other radii.
        """
        order, end = count(), min(spared, self.left - len(parts))
        open_parts: list[tuple[float, int, Part]] = []
        closed = list(closed)

        def look(part: Part) -> float:
            changes = self._changes(part, radius)
            if changes is None:
                closed.append(part)
                return 0.0
            if not self.in_time():
                self.left = self.more = 0
                heapq.heappush(open_parts, (-np.inf, next(order), part))
                return 0.0
            self.left -= 1
            bounds = Bounds(self.predictor, changes, self.exclude, cut=False)
            found = self.margins(bounds, 1.0, part.rivals, part.known)
            if (found > 0).all():
                closed.append(part)
            else:
                rest = part.against(~(found > 0))
                heapq.heappush(open_parts, (float(found.min()), next(order), rest))
            return min(float(found.min()), 0.0)

        for part in parts:
            look(part)
        # Every part that is open takes two more boxes, at least.
        while open_parts and self.left >= end + 2 * len(open_parts):
            before, _, part = heapq.heappop(open_parts)
            column = self._column(part)
            after = [look(one) for one in self._split(part, column)]
            self.gains[column] += max(1.0 - float(np.mean(after)) / before, 0.0)
            self.expected[column] += self._widths(part)[column]
        return closed, [part for _, _, part in open_parts]

    def _widths(self, part: Part) -> Floats:
        """Return how much columns move kernels within a part, as parts of all."""
        wide = np.nan_to_num(self.weights * (part.upper - part.lower))
        return wide / max(float(wide[self.columns].sum()), 1e-300)

    def _column(self, part: Part) -> int:
        """Return the column of which halves should gain the most, from what they have gained."""
        some = self.columns
        usual = (1.0 + self.gains[some].sum()) / (1.0 + self.expected[some].sum())
        rates = (usual + self.gains[some]) / (1.0 + self.expected[some])
        return int(some[(rates * self._widths(part)[some]).argmax()])

    def _far_apart(self) -> bool:
        """Return whether costs add up, over enough columns that each can go far alone."""
        every = np.array_equal(self.columns, self.changes.changeable)
        return self.changes.norm == "sum" and every and len(self.columns) > 3

    def _star(self, part: Part) -> list[Part]:
        """Divide the whole into where one column takes half of the radius, and where none does."""
        row, half = self.changes.row, (part.upper - part.lower) / 4
        inner = replace(part, lower=row - half, upper=row + half)
        made = [replace(inner, most=0.5, known=KnownMeans(self.own))]
        for column in self.columns.tolist():
            for ends in ((part.lower, row - half), (row + half, part.upper)):
                lower, upper = inner.lower.copy(), inner.upper.copy()
                lower[column], upper[column] = (end[column] for end in ends)
                divided = part.divided.copy()
                divided[column] = True
                made.append(Part(lower, upper, divided, part.rivals, KnownMeans(self.own)))
        return made

    def _split(self, part: Part, column: int) -> list[Part]:
        thirds = self.changes.norm == "sum" and not part.divided[column]
        return part.split(column, 3 if thirds else 2)

    def _changes(self, part: Part, radius: float) -> Perturbation | None:
        """Return the changes within a part as those within a radius of 1; None if it is empty."""
        shared = self.changes.norm == "sum"
        return self._shared(part, radius) if shared else self._alone(part, radius)

    def _alone(self, part: Part, radius: float) -> Perturbation | None:
        """Return them where every column has its own ends."""
        every = np.isin(np.arange(len(part.lower)), self.columns)
        ends = self._on_steps(part, every)
        if ends is None:
            return None
        row, units = self._middles(*ends, every, radius)
        return replace(self.changes, row=row, units=units, domains={})

    def _shared(self, part: Part, radius: float) -> Perturbation | None:
        """Return the same where costs add up: what is left of the radius is shared by the rest."""
        changes, some = self.changes, part.divided
        ends = self._on_steps(part, some)
        if ends is None:
            return None
        lower, upper = ends
        row, units = changes.row[some], changes.units[some]
        paid = np.maximum(np.maximum(lower[some] - row, row - upper[some]), 0.0) / units
        left = radius - float(paid.sum())
        if left < 0:
            return None
        left = left * (1 + 1e-9) + 1e-12 * radius
        # None goes farther than the others leave it.
        farthest = (left + paid) * units
        lower[some] = np.maximum(lower[some], row - farthest)
        upper[some] = np.minimum(upper[some], row + farthest)
        middles, halves = self._middles(lower, upper, some, left)
        domains = {column: one for column, one in changes.domains.items() if not some[column]}
        most = min(part.most * radius / left * (1 + 1e-6), 1.0) if left > 0 else 1.0
        made = replace(changes, row=middles, units=halves, domains=domains)
        return replace(made, unpaid=some, most=most)

    def _middles(
        self, lower: Floats, upper: Floats, some: Bools, radius: float
    ) -> tuple[Floats, Floats]:
        """Return the middles and half the widths of some columns; the others have the radius."""
        row, units = self.changes.row.copy(), radius * self.changes.units
        row[some] = (lower + upper)[some] / 2
        # Rounding must not leave a gap between two parts.
        units[some] = (upper - lower)[some] / 2 * (1 + 1e-9) + 1e-12 * np.abs(row[some])
        return row, units

    def _on_steps(self, part: Part, some: Bools) -> tuple[Floats, Floats] | None:
        """Return the ends that some columns can have by whole steps; None if there are none."""
        changes, lower, upper = self.changes, part.lower.copy(), part.upper.copy()
        for column, domain in changes.domains.items():
            if not some[column]:
                continue
            # The row may stay as it is, between two steps.
            own = changes.row[column]
            there = own if lower[column] <= own <= upper[column] else np.nan
            first = domain.step_within(max(lower[column], domain.floor), 1)
            last = domain.step_within(min(upper[column], domain.ceiling), -1)
            if not first <= last and np.isnan(there):
                return None
            steps = [first, last] if first <= last else []
            lower[column] = np.nanmin([*steps, there])
            upper[column] = np.nanmax([*steps, there])
        return lower, upper


def is_divisible(changes: Perturbation, cases: int) -> bool:
    """Return whether changes can be divided: those of some numbers, and not of too many."""
    columns = len(_divisible(changes))
    return columns > 0 and (columns <= MOST_COLUMNS or cases * columns <= MOST_CELLS)


def _divisible(changes: Perturbation) -> Places:
    """Return the columns that can be divided."""
    return np.flatnonzero((changes.units > 0) & ~changes.nominal & (changes.periods == 0))


def _weights(predictor: Predictor, columns: int) -> Floats:
    """Return how much the columns move kernels, in the mean over the members."""
    ensemble, found = predictor.ensemble, np.zeros(columns)
    for one in ensemble.members:
        metric = ensemble.spaces[one.space].metric
        some = metric.active[metric.kinds[metric.active] != NOMINAL]
        some = some[some < columns]
        slopes = metric.weights[some] / metric.residuals[some]
        found[some] += one.share * np.sqrt(one.bandwidth) * slopes
    return found
