"""The sparsest changes of a row that bring about a wished answer of the model.

Changes of one feature are tried first, then of two, and so on, each a step towards a real case.
Where there are few, the model answers them all, so that the smallest set is found for certain;
where there are many, quick answers say which of them to put to the model. A row moved all the
way to a case and back, feature by feature, is the last resort. Every round is bounded, so the
search always ends, and whatever it returns the model itself has answered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vicinal.explain.constraints import Constraints
from vicinal.explain.counterfactual_candidates import Candidates
from vicinal.explain.counterfactual_oracle import Oracle

Floats = NDArray[np.float64]

#: Candidates whose features are combined, and features of each, the most promising ones.
_COMBINED, _FEATURES = 16, 6
#: Features changed at once, at most, in what is tried systematically.
_LEVELS = 6
#: Rows of one round: those guessed about, those the model is asked about after that, and those
#: it is asked about straight away, without guessing.
_GUESSED, _ASKED, _FEW = 384, 24, 64
#: Candidates gone to all the way and taken back feature by feature.
_TAKEN_BACK = 4
#: Rounds of moving single features towards any of the candidates.
_ROUNDS = 4
#: Values tried between the row's and the case's, at most, and how many at a time.
_STEPS, _AT_A_TIME = 24, 4


@dataclass(frozen=True, eq=False)
class Change:
    """A changed row that gets a wished answer.

    Parameters
    ----------
    row : ndarray of shape (d,)
        The changed row.
    candidate : int
        Which candidate it leans on.
    columns : tuple of int
        The columns that changed.
    effort : float
        What the change takes.
    """

    row: Floats
    candidate: int
    columns: tuple[int, ...]
    effort: float

    @property
    def rank(self) -> tuple[int, float, tuple[int, ...], tuple[float, ...]]:
        """Sparsest first, then the least effort; the rest makes the order complete."""
        return len(self.columns), self.effort, self.columns, tuple(self.row[list(self.columns)])


class Search:
    """One row's search.

    Parameters
    ----------
    oracle : Oracle
        The model and the wish.
    constraints : Constraints
        What may change.
    candidates : Candidates
        Where to go.
    """

    def __init__(self, oracle: Oracle, constraints: Constraints, candidates: Candidates) -> None:
        self.oracle, self.constraints, self.candidates = oracle, constraints, candidates
        self.own = candidates.own
        self.found: dict[bytes, Change] = {}
        self.promise: dict[tuple[int, int], float] = {}

    def run(self, n: int) -> list[Change]:
        """Return up to n changes, the sparsest first, of different features where possible."""
        if not len(self.candidates):
            return []
        if len(self.candidates.forced):
            self._try([(c, ()) for c in range(min(len(self.candidates), _COMBINED))])
        self._try_single()
        for size in range(2, _LEVELS + 1):
            if self._different() >= n or not self._try_combined(size):
                break
        if self._different() < n:
            self._go_all_the_way()
        if not self.found:
            self._go_anywhere()
        return self._chosen(n)

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
        """The sparsest changes; where they are too few, others that go all the way to a case."""
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
        moves = [(candidate, (column,)) for candidate, column in self.candidates.single_changes()]
        near = range(min(len(self.candidates), _COMBINED))
        moves += [(c, (column,)) for c in near for column in self.candidates.changeable(c)]
        for (candidate, columns), score in self._try(moves).items():
            self.promise[candidate, columns[0]] = score
        # Equal values are tried once, for the first candidate that has them.
        best = {(column, self._value(c, column)): s for (c, column), s in self.promise.items()}
        for c in near:
            for column in self.candidates.changeable(c):
                self.promise[c, column] = best.get((column, self._value(c, column)), -np.inf)

    def _try_combined(self, size: int) -> bool:
        """Try sets of so many features; tell whether there were any."""
        moves = []
        for c in range(min(len(self.candidates), _COMBINED)):
            ranked = sorted(
                self.candidates.changeable(c),
                key=lambda column: (-self.promise[c, column], column),
            )
            for columns in combinations(ranked[:_FEATURES], size):
                hope = sum(self.promise[c, column] for column in columns)
                moves.append((-hope, (c, tuple(sorted(columns)))))
        if len(moves) > _FEW:
            moves.sort()
        self._try([move for _, move in moves[:_GUESSED]])
        return bool(moves)

    def _value(self, candidate: int, column: int) -> float:
        return float(self.candidates.values[candidate, column])

    def _try(
        self, moves: Iterable[tuple[int, tuple[int, ...]]]
    ) -> dict[tuple[int, tuple[int, ...]], float]:
        """Put changes to the model, the most promising only where there are many.

        Returns
        -------
        dict
            How near each distinct change comes, by the model or by guess.
        """
        distinct: dict[bytes, tuple[tuple[int, tuple[int, ...]], Floats]] = {}
        for move in moves:
            row = self.candidates.row(*move)
            distinct.setdefault(row.tobytes(), (move, row))
        if not distinct:
            return {}
        kept = [move for move, _ in distinct.values()]
        rows = np.array([row for _, row in distinct.values()])
        if len(rows) <= _FEW:
            scores = self._asked(rows, [candidate for candidate, _ in kept])
        else:
            scores = self.oracle.guess(rows)
            best = np.argsort(-scores, kind="stable")[:_ASKED]
            self._asked(rows[best], [kept[at][0] for at in best])
        return dict(zip(kept, scores.tolist(), strict=True))

    def _asked(self, rows: Floats, candidates: list[int]) -> Floats:
        """Ask the model, and keep what gets a wished answer."""
        met, scores = self.oracle.ask(rows)
        if met.any():
            effort = self.oracle.effort(self.own, rows[met]).sum(axis=1)
            for at, total in zip(np.flatnonzero(met), effort, strict=True):
                self._keep(rows[at], candidates[at], float(total))
        return scores

    def _keep(self, row: Floats, candidate: int, effort: float) -> None:
        differs = (row != self.own) & ~(np.isnan(row) & np.isnan(self.own))
        columns = tuple(np.flatnonzero(differs).tolist())
        self.found.setdefault(row.tobytes(), Change(row, candidate, columns, effort))

    # --- all the way, and back ----------------------------------------------------------------

    def _go_all_the_way(self) -> None:
        """Take over all that a case has, then give back what is not needed."""
        rows = self.candidates.full_rows()[:_GUESSED]
        places = np.arange(len(rows))
        if len(rows) > _FEW:
            nearest = places[: _ASKED // 2]
            promising = np.argsort(-self.oracle.guess(rows), kind="stable")[: _ASKED // 2]
            places = np.union1d(nearest, promising)
        met, _ = self.oracle.ask(rows[places])
        for candidate in places[met][:_TAKEN_BACK]:
            self._give_back(rows[candidate], int(candidate))

    def _give_back(self, row: Floats, candidate: int) -> None:
        """Undo changes one by one, whichever the answer misses least."""
        row = row.copy()
        while True:
            differs = (row != self.own) & ~(np.isnan(row) & np.isnan(self.own))
            differs[self.candidates.forced] = False
            columns = np.flatnonzero(differs)
            fewer = np.repeat(row[None], len(columns), axis=0)
            fewer[np.arange(len(columns)), columns] = self.own[columns]
            if len(columns) <= 1 and not len(self.candidates.forced):
                break
            kept = np.arange(len(columns))
            if len(columns) > _ASKED:
                kept = np.argsort(-self.oracle.guess(fewer), kind="stable")[:_ASKED]
            met, scores = self.oracle.ask(fewer[kept])
            if not met.any():
                break
            row = fewer[kept][np.argmax(np.where(met, scores, -np.inf))]
        self._asked(row[None], [candidate])

    # --- towards several cases ----------------------------------------------------------------

    def _go_anywhere(self) -> None:
        """Take over from several cases, one feature at a time, whatever helps most."""
        rows = self.candidates.full_rows()[:_GUESSED]
        scores = self.oracle.guess(rows)
        start = int(np.argmax(scores))
        row, so_far = rows[start], -np.inf
        singles = self.candidates.single_changes()
        for _ in range(_ROUNDS):
            moved = np.array([self._moved(row, *single) for single in singles])
            if not len(moved):
                return
            best = np.argsort(-self.oracle.guess(moved), kind="stable")[:_ASKED]
            met, scores = self.oracle.ask(moved[best])
            at = int(np.argmax(np.where(met.any() & ~met, -np.inf, scores)))
            if met.any():
                self._give_back(moved[best[at]], start)
                return
            if scores[at] <= so_far:
                return
            row, so_far = moved[best[at]], float(scores[at])

    def _moved(self, row: Floats, candidate: int, column: int) -> Floats:
        moved = row.copy()
        moved[column] = self.candidates.values[candidate, column]
        return moved

    # --- only part of the way -----------------------------------------------------------------

    def _shortened(self, change: Change) -> Change:
        """Move numbers no farther than it takes, to values that occur."""
        row = change.row.copy()
        effort = self.oracle.effort(self.own, row[None])[0]
        for column in sorted(change.columns, key=lambda one: (-effort[one], one)):
            between = self.constraints.between(
                column, row[column], self.oracle.index.column(column)
            )
            if len(between) > _STEPS:
                chosen = np.linspace(0, len(between) - 1, _STEPS).round().astype(int)
                between = between[chosen]
            row[column] = self._least(row, column, np.append(between, row[column]))
        total = float(self.oracle.effort(self.own, row[None]).sum())
        return Change(row, change.candidate, change.columns, total)

    def _least(self, row: Floats, column: int, values: Floats) -> float:
        """The first of some values that is enough; the last one is known to be."""
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
