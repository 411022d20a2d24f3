"""The smallest change that is found to change a prediction.

It starts where the prediction is known to be different, at the nearest cases with another outcome,
goes back to the row as far as the prediction stays different, and then looks for better directions
by small changes of single features. Every change is plausible: within natural bounds, and a
multiple of the feature's step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vicinal.prediction.predictor import Predictor
from vicinal.robustness.perturbation import Perturbation
from vicinal.typing import Floats

#: Cases with another outcome to start from, and if no way to them leads to another prediction.
STARTS, MORE_STARTS = 12, 120
#: Halvings of the way to each of them, and rounds in which directions are improved.
_HALVINGS, _ROUNDS = 7, 3
#: Rounds of looking nearby, and what is tried in each.
_REFINEMENTS, _PROPOSALS = 8, 48
#: Steps of a walk within smaller balls, and how much smaller these are.
_WALKS, _SMALLER = 16, (0.8, 0.99)
#: Rounds of looking at corners, and how much smaller the ball is.
_CORNERS, _SHRUNK = 8, 0.85
#: Cases looked at for starts, at most.
_SAMPLE = 4096

#: Says of encoded rows by how much each prediction stays; it has changed where this is below 0.
Margin = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Flip:
    """A changed row with another prediction.

    Parameters
    ----------
    row : ndarray of shape (d,)
        The encoded row.
    cost : float
        What the change costs; see `Perturbation`.
    """

    row: Floats
    cost: float


class Attack:
    """Looks for a small change of a row that changes its prediction.

    Parameters
    ----------
    predictor : Predictor
        Makes the predictions, and has the cases.
    changes : Perturbation
        The row, and how it may change.
    margin : callable
        By how much the prediction stays.
    plausible : bool
        Whether numbers keep to their steps and natural bounds.
    """

    def __init__(
        self,
        predictor: Predictor,
        changes: Perturbation,
        margin: Margin,
        *,
        plausible: bool = True,
    ) -> None:
        self.changes, self.margin = changes, margin
        self.numbers = np.flatnonzero((changes.units > 0) & ~changes.nominal)
        fitted, columns = predictor.fitted, self.numbers.tolist()
        self.domains = {column: fitted.domain(column) for column in columns if plausible}

    def run(self, cases: Floats) -> Flip | None:
        """Look for the smallest change, starting from encoded cases."""
        best = self._toward(cases[:STARTS])
        if best is None and len(cases) > STARTS:
            best = self._toward(cases[STARTS:])
        for _ in range(_ROUNDS if best is not None else 0):
            assert best is not None
            better = self._improved(best)
            if better is None or better.cost > 0.98 * best.cost:
                best = best if better is None or better.cost >= best.cost else better
                break
            best = better
        if best is None or not len(self.numbers):
            return best
        best = self._walked(self._cornered(best))
        return self._refined(best) if self.changes.norm == "sum" else best

    def _walked(self, best: Flip) -> Flip:
        """Look for smaller changes by a walk within smaller balls, to where margins are least.

        In each step, a few features go to either end or back to the row.
        """
        numbers, rng = self.numbers, np.random.default_rng(1)
        here, size = self._ways_to(best.row, best.cost), (_PROPOSALS, len(numbers))
        for _ in range(_WALKS):
            radius = best.cost * rng.uniform(*_SMALLER, _PROPOSALS)
            chosen = rng.random(size) < 1.5 / size[1]
            ends = rng.choice([-1.0, 0.0, 1.0], size) * radius[:, None]
            ways = np.repeat(here[None], _PROPOSALS, axis=0)
            ways[:, numbers] = np.where(chosen, ends, ways[:, numbers])
            ways[::2, numbers] += 0.1 * best.cost * rng.normal(size=size)[::2]
            margins = self._margins(ways, radius, best)
            rows = self._moved(ways, radius)[margins < 0]
            named = np.flatnonzero(self.changes.nominal & (self.changes.units > 0))
            rows[:, named] = best.row[named]
            best = self._best(best, rows) or best
            lowest = int(margins.argmin())
            here = np.clip(ways[lowest], -radius[lowest], radius[lowest])
        return best

    def _cornered(self, best: Flip) -> Flip:
        """Look for smaller changes at the corners of the ball, column by column.

        Every column is tried at both ends. Then the changes that help the most are made together:
        one, two, and so on; where costs add up, they share the radius.
        """
        shrunk, here = _SHRUNK, best.row
        for _ in range(_CORNERS):
            radius = best.cost * shrunk
            point = self._ways_to(here, radius)
            ends = np.concatenate([np.eye(len(point))[self.numbers] * way for way in (1.0, -1.0)])
            alone = ends * radius
            if self.changes.norm == "max":
                alone = np.where(ends != 0, alone, point)
            margins = self._margins(alone, radius, best)
            count = len(self.numbers)
            better = np.where(margins[:count] <= margins[count:], 1.0, -1.0)
            order = np.argsort(np.minimum(margins[:count], margins[count:]), kind="stable")
            several = np.zeros((count, len(point)))
            for place, one in enumerate(order.tolist()):
                several[place:, self.numbers[one]] = better[one] * radius
            if self.changes.norm == "max":
                several = np.where(several != 0, several, point)
            ways = np.concatenate([alone, several])
            margins = np.concatenate([margins, self._margins(several, radius, best)])
            lowest = int(margins.argmin())
            found = self._shortened(ways[[lowest]], best, radius)
            if found is not None and found.cost < best.cost:
                best, here = found, found.row
            elif np.array_equal(self._moved(ways[[lowest]], np.full(1, radius))[0], here):
                shrunk = (1 + shrunk) / 2
            else:
                here = self._moved(ways[[lowest]], np.full(1, radius))[0]
        return best

    def _ways_to(self, row: Floats, radius: float) -> Floats:
        """Return the way to a row, in units, as far as a radius permits in every column."""
        ways = np.zeros(len(row))
        numbers, changes = self.numbers, self.changes
        moved = row[numbers] - changes.row[numbers]
        periods = changes.periods[numbers]
        around = periods > 0
        half = periods[around] / 2
        moved[around] = np.mod(moved[around] + half, periods[around]) - half
        ways[numbers] = np.clip(moved / changes.units[numbers], -radius, radius)
        return ways

    def _margins(self, ways: Floats, radius: Floats | float, best: Flip) -> Floats:
        """Return the margins of rows that go some ways, with the categories of the best one."""
        rows = self._moved(ways, np.broadcast_to(np.asarray(radius), len(ways)))
        named = np.flatnonzero(self.changes.nominal & (self.changes.units > 0))
        rows[:, named] = best.row[named]
        return self.margin(rows)

    def _refined(self, best: Flip) -> Flip:
        """Look for smaller changes nearby: features changed less, not at all, or one for another.

        Where costs add up, the best changes are of few features, to which no gradient leads.
        """
        changes, numbers, size = self.changes, self.numbers, (_PROPOSALS, len(self.numbers))
        rng = np.random.default_rng(0)
        for _ in range(_REFINEMENTS):
            ways = (best.row - changes.row)[numbers]
            part = np.where(rng.random(size) < 2 / size[1], rng.random(size), 1.0)
            part[::4] = np.where(rng.random(size) < 1 / size[1], 0.0, 1.0)[::4]
            part[1::4] *= rng.uniform(0.7, 1.0, (_PROPOSALS, 1))[1::4]
            more = (rng.random(size) < 1 / size[1]) * rng.normal(size=size)
            more[::2] = 0.0
            rows = np.repeat(best.row[None], _PROPOSALS, axis=0)
            steps = ways * part + 0.3 * best.cost * more * changes.units[numbers]
            rows[:, numbers] = changes.row[numbers] + steps
            rows = self._plausible(self._wrapped(rows))
            rows = rows[changes.costs(rows) < best.cost * (1 - 1e-6)]
            if len(rows):
                best = self._best(best, rows[self.margin(rows) < 0]) or best
        return best

    def _plausible(self, rows: Floats) -> Floats:
        """Round changed values to what a feature can be, and never away from the row."""
        rows, own = rows.copy(), self.changes.row
        for column, domain in self.domains.items():
            values = domain.bounded(domain.stepped(rows[:, column]))
            if domain.period:
                values = np.mod(values, domain.period)
            elif domain.step:
                far = np.abs(values - own[column]) > np.abs(rows[:, column] - own[column])
                values = np.where(
                    far, values - np.sign(values - own[column]) * domain.step, values
                )
                across = np.sign(values - own[column]) != np.sign(rows[:, column] - own[column])
                values = np.where(across, own[column], values)
            rows[:, column] = values
        return rows

    def _moved(self, ways: Floats, radius: Floats) -> Floats:
        """Return rows that go some ways (m, d), in units, as far as radii (m,) permit."""
        changes = self.changes
        rows = np.repeat(changes.row[None], len(ways), axis=0)
        if changes.norm == "max":
            steps = np.clip(ways, -radius[:, None], radius[:, None])
        else:
            lengths = np.abs(ways).sum(axis=1)
            part = np.minimum(radius / np.maximum(lengths, 1e-300), 1.0)
            steps = ways * part[:, None]
        numbers = self.numbers
        rows[:, numbers] += steps[:, numbers] * changes.units[numbers]
        around = numbers[changes.periods[numbers] > 0]
        rows[:, around] = np.mod(rows[:, around], changes.periods[around])
        return self._plausible(rows)

    def _with_categories(self, rows: Floats, cases: Floats, radius: Floats) -> Floats:
        """Take over the categories of cases as far as radii permit."""
        changes = self.changes
        for column in np.flatnonzero((changes.units > 0) & changes.nominal).tolist():
            differs = (cases[:, column] != changes.row[column]) & ~np.isnan(cases[:, column])
            cheap = radius * changes.units[column] >= 1.0
            rows[:, column] = np.where(differs & cheap, cases[:, column], rows[:, column])
        return rows

    def _toward(self, cases: Floats) -> Flip | None:
        """Return the best of the ways to cases, each gone as far as needed."""
        changes = self.changes
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.nan_to_num((cases - changes.row) / changes.units, posinf=0.0, neginf=0.0)
        ways = np.where(changes.nominal, 0.0, ways)
        size = np.abs(ways).max(axis=1) if changes.norm == "max" else np.abs(ways).sum(axis=1)
        with np.errstate(divide="ignore"):
            dearest = np.where(changes.nominal & (changes.units > 0), 1.0 / changes.units, 0.0)
        high = np.maximum(size, dearest.max(initial=0.0))
        low = np.zeros(len(cases))
        best: Flip | None = None
        for step in range(_HALVINGS + 1):
            middle = high if step == 0 else (low + high) / 2
            rows = self._with_categories(self._moved(ways, middle), cases, middle)
            flipped = self.margin(rows) < 0
            best = self._best(best, rows[flipped])
            if step == 0:
                if not flipped.any():
                    return best
                cases, ways, high, low = cases[flipped], ways[flipped], high[flipped], low[flipped]
                continue
            high, low = np.where(flipped, middle, high), np.where(flipped, low, middle)
        return best

    def _best(self, best: Flip | None, rows: Floats) -> Flip | None:
        if not len(rows):
            return best
        costs = self.changes.costs(rows)
        at = int(costs.argmin())
        if best is not None and best.cost <= costs[at]:
            return best
        return Flip(rows[at], float(costs[at]))

    def _improved(self, best: Flip) -> Flip | None:
        """Go in the direction in which single features change the margin the most."""
        changes, numbers = self.changes, self.numbers
        if not len(numbers):
            return None
        at = (best.row - changes.row)[numbers] / changes.units[numbers]
        size = len(numbers)
        step = 0.25 * best.cost
        rows = np.repeat(best.row[None], 2 * size, axis=0)
        rows[np.arange(size), numbers] += step * changes.units[numbers]
        rows[size + np.arange(size), numbers] -= step * changes.units[numbers]
        margins = self.margin(self._wrapped(rows))
        gains = margins[size:] - margins[:size]
        ways = np.zeros((4, len(changes.row)))
        if changes.norm == "max":
            ways[0, numbers] = np.where(gains == 0, np.sign(at), np.sign(gains)) * best.cost
            ways[1, numbers] = np.sign(at) * best.cost
            ways[2, numbers] = np.where(gains == 0, at, np.sign(gains) * best.cost)
            ways[3, numbers] = np.where(np.sign(gains) == np.sign(at), at, 0.0)
        else:
            first, second = np.argsort(-np.abs(gains))[[0, min(1, size - 1)]]
            ways[0, numbers[first]] = np.sign(gains[first]) * best.cost
            ways[1, numbers] = np.where(np.sign(gains) == np.sign(at), at, 0.0)
            ways[2, numbers] = np.where(np.abs(gains) >= np.median(np.abs(gains)), at, 0.0)
            ways[3, numbers[[first, second]]] = np.sign(gains[[first, second]]) * best.cost / 2
        return self._shortened(ways, best)

    def _wrapped(self, rows: Floats) -> Floats:
        around = self.numbers[self.changes.periods[self.numbers] > 0]
        rows[:, around] = np.mod(rows[:, around], self.changes.periods[around])
        return rows

    def _shortened(self, ways: Floats, best: Flip, most: float | None = None) -> Flip | None:
        """Return the best of some ways, each gone as far as needed, with categories kept."""
        named = np.flatnonzero(self.changes.nominal & (self.changes.units > 0))
        high, low = np.full(len(ways), most or best.cost), np.zeros(len(ways))
        found: Flip | None = None
        for step in range(_HALVINGS):
            middle = high if step == 0 else (low + high) / 2
            rows = self._moved(ways, middle)
            rows[:, named] = best.row[named]
            flipped = self.margin(rows) < 0
            found = self._best(found, rows[flipped])
            if step == 0:
                if not flipped.any():
                    return None
                ways, high, low = ways[flipped], high[flipped], low[flipped]
                continue
            high, low = np.where(flipped, middle, high), np.where(flipped, low, middle)
        return found


def starting_cases(predictor: Predictor, changes: Perturbation, other: Margin) -> Floats:
    """Return the cases nearest to a row, by what changes cost, with another outcome.

    Parameters
    ----------
    other : callable
        Says of outcomes how far they are from the prediction; above 0 if they differ.
    """
    _, values = predictor.index.sample(_SAMPLE, random_state=0, required=predictor.column)
    values = values[other(values[:, predictor.column]) > 0]
    free = changes.units > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.abs(values - changes.row)[:, free] / changes.units[free]
    ways = np.where(changes.nominal[free], (ways > 0) / changes.units[free], np.nan_to_num(ways))
    costs = ways.max(axis=1, initial=0.0) if changes.norm == "max" else ways.sum(axis=1)
    return values[np.argsort(costs, kind="stable")[: STARTS + MORE_STARTS]]
