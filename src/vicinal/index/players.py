"""What features bring to a coalition: columns, and parts of scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.index.metric import Metric
from vicinal.index.storage import CaseStorage
from vicinal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Players:
    """What each feature of a coalition brings: columns, and parts of scores.

    A score is a numeric column that is the sum of one part per player, up to a constant. In a
    coalition, two rows differ in a score by the sum of the differences of its players' parts.

    Parameters
    ----------
    columns : tuple of tuple of int
        The columns of each player, possibly none. Together with `scores` they include every
        column that counts in the metric once.
    scores : ndarray of int
        Columns that are sums of parts, possibly none.
    case_parts : ndarray of shape (number of cases, number of players, number of scores)
        The parts of each case, ascending by case number, or by row; finite.
    query_parts : ndarray of shape (m, number of players, number of scores)
        The parts of each query.
    by_row : bool, default False
        Whether the parts of the cases are in the order in which the index keeps their rows.
    """

    columns: tuple[tuple[int, ...], ...]
    scores: Ints
    case_parts: Floats
    query_parts: Floats
    by_row: bool = False

    @classmethod
    def of_columns(cls, n_columns: int, n_cases: int, n_queries: int) -> Players:
        """Return players that are single columns."""
        columns = tuple((column,) for column in range(n_columns))
        sizes = [(n, n_columns, 0) for n in (n_cases, n_queries)]
        return cls(columns, np.empty(0, dtype=np.int64), np.empty(sizes[0]), np.empty(sizes[1]))

    def counting(self, metric: Metric) -> frozenset[int]:
        """Return the players that can affect distances: all if a score counts."""
        active = set(metric.active.tolist())
        if active.intersection(self.scores.tolist()):
            return frozenset(range(len(self.columns)))
        return frozenset(i for i, own in enumerate(self.columns) if active.intersection(own))

    def checked(self, metric: Metric, cases: CaseStorage, n_queries: int) -> Players:
        """Return the same players, with only the scores that count in the metric.

        Raises
        ------
        ParameterError
            If the players do not fit the metric, the cases or the queries.
        """
        _check_columns(self, metric)
        for name, parts, n in [
            ("case", self.case_parts, cases.size if self.by_row else len(cases)),
            ("query", self.query_parts, n_queries),
        ]:
            expected = (n, len(self.columns), len(self.scores))
            if parts.shape != expected:
                raise ParameterError(
                    f"The {name} parts have the shape {parts.shape}; expected {expected}: "
                    "one part per row, player and score."
                )
        kept = metric.weights[self.scores] > 0
        if kept.all():
            return self
        scores = np.asarray(self.scores[kept], dtype=np.int64)
        return Players(
            self.columns,
            scores,
            self.case_parts[..., kept],
            self.query_parts[..., kept],
            self.by_row,
        )

    def in_rows(self, cases: CaseStorage) -> Floats:
        """Return the parts of the cases in the order of the rows of a table; 0 elsewhere."""
        if self.by_row:
            return np.ascontiguousarray(self.case_parts)
        parts = np.zeros((cases.size, *self.case_parts.shape[1:]))
        parts[cases.rows_of(cases.numbers)] = self.case_parts
        return parts

    def player_of(self, n_columns: int) -> Ints:
        """Return the player that each column belongs to; −1 for none."""
        owners = np.full(n_columns, -1, dtype=np.int64)
        for player, own in enumerate(self.columns):
            owners[list(own)] = player
        return owners


def _check_columns(players: Players, metric: Metric) -> None:
    """Check that every column that counts belongs to one player, or is a score."""
    places = [column for own in players.columns for column in own] + players.scores.tolist()
    once, active = set(places), metric.active.tolist()
    in_range = once <= set(range(len(metric.kinds)))
    if len(once) < len(places) or not in_range or not once.issuperset(active):
        raise ParameterError(
            f"Players have the columns {players.columns}; {players.scores.tolist()} are scores. "
            f"Expected the columns that count in the metric, {active}, once each."
        )
