"""Search for the sparsest changes of a row whose prediction meets the goal.

Changes of one feature are tried first, then of two, and so on, each a step toward a real case.
If there are few, the model predicts them all, so that the smallest set is guaranteed to be found;
if there are many, quick estimates select the ones to predict. As a last resort, a row is moved
all the way to a case and back, feature by feature. Every round is bounded, so the search always
ends, and every result is verified with the model's own prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from vicinal.counterfactual.candidates import Candidates
from vicinal.counterfactual.constraints import Constraints
from vicinal.counterfactual.oracle import Oracle
from vicinal.prediction.heaviest import MANY
from vicinal.progress import stages
from vicinal.typing import Bools, Floats, Places

#: Number of candidates whose features are combined, and of the most promising features of each.
_COMBINED, _FEATURES = 16, 6
#: Maximum number of features changed at once in the systematic search.
_LEVELS = 6
#: Number of rows in one round: those estimated, those then predicted by the model, and those
#: predicted right away, without an estimate.
_GUESSED, _ASKED, _FEW = 160, 24, 100
#: Number of changes to extend by one more feature, and of single changes to extend them by.
_EXTENDED, _BY = 6, 16
#: Number of cases to adopt entirely, and how many of them to revert feature by feature.
_FAR, _TAKEN_BACK = 384, 4
#: Number of rounds of moving single features, starting as close to a case as possible.
_ROUNDS = 4
#: Maximum number of values to try between the row's and the case's, and how many at a time.
_STEPS, _AT_A_TIME = 24, 4

Move = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Change:
    """A changed row whose prediction meets the goal."""

    row: Floats  # (d,): the changed row
    columns: tuple[int, ...]  # the columns that changed
    effort: float  # the effort of the change

    @property
    def rank(self) -> tuple[int, float, tuple[int, ...], tuple[float, ...]]:
        """Sort key: sparsest first, then least effort; the rest makes the order unique."""
        return len(self.columns), self.effort, self.columns, tuple(self.row[list(self.columns)])


class Search:
    """The search for one row: the oracle, the constraints and the candidates."""

    def __init__(self, oracle: Oracle, constraints: Constraints, candidates: Candidates) -> None:
        self.oracle, self.constraints, self.candidates = oracle, constraints, candidates
        self.own = candidates.own
        self.found: dict[bytes, Change] = {}
        self.singles: dict[tuple[int, float], float] = {}
        self.level: list[tuple[float, Floats]] = []

    def run(self, n: int) -> list[Change]:
        """Return up to n changes, sparsest first, of different features if possible."""
        if not len(self.candidates):
            return []
        with stages(_LEVELS + 3, what="searching changes") as begin:
            self._look(n, begin)
            begin()
            return self._chosen(n)

    def _look(self, n: int, begin: Callable[[], None]) -> None:
        """Try changes, one round after the other, until enough are found."""
        begin()
        if len(self.candidates.forced):
            self._try([self.candidates.row(c, ()) for c in range(self._near)])
        if self._different() < n:
            self._try_single()
        for size in range(2, _LEVELS + 1):
            begin()
            if self._different() >= n or not self._try_combined(size):
                break
            if self._different() < n:
                self._try_extended()
        begin()
        if self._different() < n:
            self._go_all_the_way()
        begin()
        if not self.found:
            self._go_anywhere()

    @property
    def _near(self) -> int:
        return min(len(self.candidates), _COMBINED)

    def _different(self) -> int:
        return len(self._sparsest())

    def _sparsest(self) -> list[Change]:
        """The best change of each set of features that contains no other such set."""
        kept: list[Change] = []
        for change in self._ranked():
            if not any(set(other.columns) <= set(change.columns) for other in kept):
                kept.append(change)
        return kept

    def _ranked(self) -> list[Change]:
        return sorted(self.found.values(), key=lambda change: change.rank)

    def _chosen(self, n: int) -> list[Change]:
        """The sparsest changes; if they are too few, others that go all the way to a case."""
        chosen = [self._shortened(change) for change in self._sparsest()[:n]]
        rows = {change.row.tobytes() for change in chosen}
        for change in self._ranked():
            if len(chosen) == n:
                break
            if change.row.tobytes() not in rows:
                chosen.append(change)
                rows.add(change.row.tobytes())
        return sorted(chosen, key=lambda change: change.rank)

    # --- systematic changes -------------------------------------------------------------------

    def _try_single(self) -> None:
        """Try single features, each with several values."""
        single = dict.fromkeys(self.candidates.single_values())
        for c in range(self._near):
            for column in self.candidates.changeable(c):
                single[column, float(self.candidates.values[c, column])] = None
        start = self.candidates.row(0, ())
        rows = [_with(start, column, value) for column, value in single]
        scores = self._try(rows)
        self.singles = dict(zip(single, scores, strict=True))
        self.level = list(zip(scores, rows, strict=True))

    def _try_combined(self, size: int) -> bool:
        """Try this many features of one case at a time; return whether there are that many."""
        moves: list[tuple[float, Move]] = []
        for c in range(self._near):
            promise = {
                column: self.singles.get((column, float(self.candidates.values[c, column])), 0.0)
                for column in self.candidates.changeable(c)
            }
            ranked = sorted(promise, key=lambda column: (-promise[column], column))
            for columns in combinations(ranked[:_FEATURES], size):
                hope = sum(promise[column] for column in columns)
                moves.append((-hope, (c, tuple(sorted(columns)))))
        if len(moves) > _FEW:
            moves.sort()
        rows = [self.candidates.row(*move) for _, move in moves[:_GUESSED]]
        self.level = list(zip(self._try(rows), rows, strict=True)) + self._extended()
        return bool(moves)

    def _extended(self) -> list[tuple[float, Floats]]:
        """The most promising changes with one more feature each, not yet tried."""
        best = sorted(self.level, key=lambda scored: -scored[0])[:_EXTENDED]
        by: list[tuple[int, float]] = []
        for column, value in sorted(self.singles, key=lambda one: (-self.singles[one], one)):
            if sum(column == other for other, _ in by) < 2 and len(by) < _BY:
                by.append((column, value))
        rows = [
            _with(row, column, value)
            for _, row in best
            for column, value in by
            if _same(row[column], self.own[column])
        ]
        return [(-np.inf, row) for row in rows]

    def _try_extended(self) -> None:
        """Try changes that adopt features from several cases."""
        known = [(score, row) for score, row in self.level if score > -np.inf]
        rows = [row for score, row in self.level if score == -np.inf]
        self.level = known + list(zip(self._try(rows), rows, strict=True))

    def _try(self, rows: list[Floats]) -> list[float]:
        """Predict changed rows with the model; only the most promising if there are many.

        Returns the score of each row, predicted or estimated.
        """
        if not rows:
            return []
        distinct, place = np.unique(np.array(rows), axis=0, return_inverse=True, equal_nan=True)
        if len(distinct) <= _FEW:
            return self._asked(distinct)[place.ravel()].tolist()
        scores = self.oracle.guess(distinct)
        best = np.argsort(-scores, kind="stable")[:_ASKED]
        scores[best] = self._asked(distinct[best])
        return scores[place.ravel()].tolist()

    def _asked(self, rows: Floats) -> Floats:
        """Predict rows with the model, and keep those that meet the goal."""
        met, scores = self.oracle.ask(rows)
        if met.any():
            effort = self.oracle.effort(self.own, rows[met]).sum(axis=1)
            for row, total in zip(rows[met], effort.tolist(), strict=True):
                self._keep(row, total)
        return scores

    def _keep(self, row: Floats, effort: float) -> None:
        columns = tuple(np.flatnonzero(self._differs(row)).tolist())
        self.found.setdefault(row.tobytes(), Change(row, columns, effort))

    def _differs(self, row: Floats) -> Bools:
        return (row != self.own) & ~(np.isnan(row) & np.isnan(self.own))

    # --- all the way, and back ----------------------------------------------------------------

    def _go_all_the_way(self) -> None:
        """Adopt all values of a case, then revert the changes that are not needed."""
        rows = self.candidates.full_rows()[:_FAR]
        places = np.arange(len(rows))
        if len(rows) > _FEW:
            nearest = places[: _ASKED // 2]
            promising = np.argsort(-self.oracle.guess(rows), kind="stable")[: _ASKED // 2]
            places = np.union1d(nearest, promising)
        met, _ = self.oracle.ask(rows[places])
        for candidate in places[met][:_TAKEN_BACK]:
            self._give_back(rows[candidate])

    def _give_back(self, row: Floats) -> None:
        """Undo changes one by one, starting with the one that matters least."""
        row = row.copy()
        if len(self._undoable(row)) > MANY:
            row = self._give_back_many(row)
        while True:
            columns = self._undoable(row)
            fewer = self._without(row, list(columns[:, None]))
            if len(columns) <= 1 and not len(self.candidates.forced):
                break
            kept = np.arange(len(columns))
            if len(columns) > _ASKED:
                kept = np.argsort(-self.oracle.guess(fewer), kind="stable")[:_ASKED]
            met, scores = self.oracle.ask(fewer[kept])
            if not met.any():
                break
            row = fewer[kept][np.argmax(np.where(met, scores, -np.inf))]
        self._asked(row[None])

    def _undoable(self, row: Floats) -> Places:
        differs = self._differs(row)
        differs[self.candidates.forced] = False
        return np.flatnonzero(differs)

    def _give_back_many(self, row: Floats) -> Floats:
        """Undo blocks of changes of about the same effort, until few are left or none can go.

        Of the blocks that can go alone, as many as can go together do, the best ones first; if no
        block can, there are more and smaller ones.
        """
        blocks = _ASKED
        while len(columns := self._undoable(row)) > _ASKED:
            effort = self.oracle.effort(self.own, row[None])[0][columns]
            columns = columns[np.argsort(effort, kind="stable")]
            parts = np.array_split(columns, min(blocks, len(columns)))
            met, scores = self.oracle.ask(self._without(row, parts))
            alone = np.argsort(np.where(met, -scores, np.inf), kind="stable")[: met.sum()]
            if len(alone):
                ranked = [parts[at] for at in alone]
                more = [np.concatenate(ranked[:count]) for count in _counts(len(ranked))]
                fewer = self._without(row, more)
                met, _ = self.oracle.ask(fewer)
                row = fewer[np.flatnonzero(met)[-1]]
            elif len(parts) == len(columns):
                break
            else:
                blocks *= 2
        return row

    def _without(self, row: Floats, undone: list[Places]) -> Floats:
        """Return the row with some of the changes undone, in several ways."""
        fewer = np.repeat(row[None], len(undone), axis=0)
        for one, columns in zip(fewer, undone, strict=True):
            one[columns] = self.own[columns]
        return fewer

    # --- toward several cases -----------------------------------------------------------------

    def _go_anywhere(self) -> None:
        """Adopt the most helpful value from any case, one feature at a time."""
        rows = self.candidates.full_rows()[:_FAR]
        row, so_far = rows[int(np.argmax(self.oracle.guess(rows)))], -np.inf
        singles = self.candidates.single_values()
        for _ in range(_ROUNDS if singles else 0):
            moved = np.array([_with(row, column, value) for column, value in singles])
            best = moved[np.argsort(-self.oracle.guess(moved), kind="stable")[:_ASKED]]
            met, scores = self.oracle.ask(best)
            row = best[np.argmax(np.where(met.any() & ~met, -np.inf, scores))]
            if met.any():
                return self._give_back(row)
            if scores.max() <= so_far:
                return None
            so_far = float(scores.max())
        return None

    # --- only part of the way -----------------------------------------------------------------

    def _shortened(self, change: Change) -> Change:
        """Move numbers only as far as needed, to observed values."""
        row = change.row.copy()
        effort = self.oracle.effort(self.own, row[None])[0]
        for column in sorted(change.columns, key=lambda one: (-effort[one], one))[:MANY]:
            between = self.constraints.between(column, row[column], self.oracle.observed)
            if len(between) > _STEPS:
                chosen = np.linspace(0, len(between) - 1, _STEPS).round().astype(int)
                between = between[chosen]
            row[column] = self._least(row, column, np.append(between, row[column]))
        total = float(self.oracle.effort(self.own, row[None]).sum())
        return Change(row, change.columns, total)

    def _least(self, row: Floats, column: int, values: Floats) -> float:
        """Return the first value that meets the goal; the last one is known to meet it."""
        low, high = 0, len(values) - 1
        while low < high:
            tried = np.unique(np.linspace(low, high, _AT_A_TIME + 1).astype(int)[:-1])
            rows = np.repeat(row[None], len(tried), axis=0)
            rows[:, column] = values[tried]
            met, _ = self.oracle.ask(rows)
            if met.any():
                first = int(np.argmax(met))
                high = int(tried[first])
                low = int(tried[first - 1]) + 1 if first else high
            else:
                low = int(tried[-1]) + 1
        return float(values[high])


def _counts(most: int) -> list[int]:
    """Return numbers from 1 to the most, all or as many as are asked in a round."""
    return np.unique(np.linspace(1, most, min(most, _ASKED)).astype(int)).tolist()


def _with(row: Floats, column: int, value: float) -> Floats:
    changed = row.copy()
    changed[column] = value
    return changed


def _same(one: float, other: float) -> bool:
    return bool(one == other or (np.isnan(one) and np.isnan(other)))
