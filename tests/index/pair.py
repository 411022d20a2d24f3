"""Two indexes of the same cases, which must answer alike."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.strategies import CYCLIC, NOMINAL, Table
from vicinal.index.exact import ExactIndex

#: What happens to both, one after the other.
CHANGES = st.lists(st.sampled_from(["add", "update", "remove"]), max_size=4)


class Pair(NamedTuple):
    """An index, an `ExactIndex` of the same cases, and the table that these come from."""

    other: Any
    exact: ExactIndex
    table: Table

    def do(self, method, *arguments):
        """Ask both to do the same, and check that they answer alike."""
        actual, expected = (getattr(one, method)(*arguments) for one in self[:2])
        np.testing.assert_array_equal(actual, expected)

    @property
    def numbers(self):
        return self.exact.storage.numbers

    def __repr__(self):
        parts = len(getattr(self.other, "shards", [0]))
        return f"cases {self.exact.rows(self.numbers)!r} in {parts} shards"


def carry_out(pair, change, rng):
    rows = pair.table.cases
    some = rng.permutation(pair.numbers)[: rng.integers(0, 1 + len(pair.numbers) // 2)]
    more = rows[rng.integers(0, len(rows), size=rng.integers(0, 5))]
    if change == "add":
        weighed = rng.choice([0.5, 2.0], size=len(more)) if rng.random() < 0.3 else None
        pair.do("add", more, weighed)
    elif change == "remove":
        pair.do("remove", some)
    else:
        weighed = rng.choice([0.0, 2.0], size=len(some)) if rng.random() < 0.3 else None
        pair.do("update", some, rows[rng.integers(0, len(rows), size=len(some))], weighed)


def excluded(pair):
    """The cases to leave out for the queries; none for those whose case is gone."""
    return np.where(pair.exact.contains(pair.table.exclude), pair.table.exclude, -1)


def arguments_of(name, pair, column):
    metric = pair.table.metric
    if name == "target":
        codes = pair.exact.cells(pair.numbers, column)
        classes = metric.kinds[column] == NOMINAL
        size = int(np.max(codes, initial=0, where=~np.isnan(codes))) + 1 if classes else 0
        period = float(metric.periods[column]) if metric.kinds[column] == CYCLIC else 0.0
        return {"column": column, "n_classes": size, "period": period}
    return {
        "distribution": {"column": column},
        "equal": {"first": 0, "second": column},
        "mass": {"required": column},
        "sizes": {"columns": np.arange(len(metric.kinds)), "most": 4},
    }[name]
