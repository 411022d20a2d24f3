"""Fitted tables of many sizes, and new rows, to ask every question of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.speed.memory import forget_peak
from benchmarks.speed.workloads import Matrix, make

#: Share of the cells of the mixed table that are missing.
GAPS = 0.05
#: Rows to ask about.
N_ROWS = 64

Columns = dict[str, Any]


@dataclass(frozen=True)
class Size:
    """A table of n rows and d columns, the target among them.

    Examples
    --------
    >>> columns, rows = SIZES["1k x 20"].make()
    >>> len(columns), len(columns["y"]), len(rows["x0"])
    (20, 1000, 64)
    """

    n: int
    d: int
    columns: Callable[[int, int], tuple[Columns, Columns]]

    def make(self) -> tuple[Columns, Columns]:
        """Return the columns of the table and of new rows, always the same ones."""
        return self.columns(self.n, self.d)

    @property
    def nbytes(self) -> int:
        """What the table would take as numbers."""
        return 8 * self.n * self.d


def numbers(n: int, d: int, kind: str = "gaussian") -> tuple[Columns, Columns]:
    """Correlated numbers, and a target that is a wave in one of them and linear in the others."""
    made = make(kind, n, d - 1, N_ROWS)
    rng = np.random.default_rng(7)
    effects = rng.normal(size=d - 1)
    table, rows = (
        {**_columns(x), "y": x @ effects + np.sin(2 * x[:, 0]) + rng.normal(size=len(x))}
        for x in (made.table, made.queries)
    )
    return table, rows


def skewed(n: int, d: int) -> tuple[Columns, Columns]:
    """Columns with long tails, all of which get ranks, and a target as of other numbers."""
    return numbers(n, d, "skewed")


def mixed(n: int, d: int) -> tuple[Columns, Columns]:
    """Numbers, long tails, integers and categories, with gaps; the target is a class."""
    rng = np.random.default_rng(11)
    both = [make(kind, n, d, N_ROWS) for kind in ("gaussian", "skewed", "integer")]
    sides = []
    for parts in ([one.table for one in both], [one.queries for one in both]):
        columns: Columns = {}
        for i in range(d - 1):
            kind = i % 4
            if kind == 3:
                levels = np.linspace(-1.5, 1.5, 2 + i % 9)
                codes = np.digitize(parts[0][:, i], levels)
                columns[f"x{i}"] = np.array([f"level {code}" for code in codes], dtype=object)
            else:
                columns[f"x{i}"] = parts[kind][:, i].copy()
            lost = rng.random(len(parts[0])) < GAPS
            columns[f"x{i}"][lost] = None if kind == 3 else np.nan
        hidden = parts[0][:, :4].sum(axis=1) + rng.normal(size=len(parts[0]))
        columns["y"] = np.where(hidden > 0, "yes", "no")
        sides.append(columns)
    return sides[0], sides[1]


def _columns(values: Matrix) -> Columns:
    return {f"x{i}": np.ascontiguousarray(column) for i, column in enumerate(values.T)}


#: The tables, by what they are called.
SIZES = {
    "1k x 20": Size(1_000, 20, numbers),
    "10k x 20": Size(10_000, 20, numbers),
    "100k x 20": Size(100_000, 20, numbers),
    "1M x 20": Size(1_000_000, 20, numbers),
    "1500 x 800": Size(1_500, 800, numbers),
    "mixed 10k x 50": Size(10_000, 50, mixed),
    "4454 x 14": Size(4_454, 14, mixed),
    "300 x 10000": Size(300, 10_000, numbers),
    "skewed 300 x 10000": Size(300, 10_000, skewed),
}


class Asked:
    """A fitted table, and rows to ask about."""

    def __init__(self, size: Size) -> None:
        from vicinal import Model

        table, self._rows = size.make()
        forget_peak()
        #: A wished outcome that few cases have.
        self.wanted: Any = "yes"
        if table["y"].dtype != object and table["y"].dtype.kind == "f":
            self.wanted = (float(np.quantile(table["y"], 0.9)), None)
        self.model = Model(n_jobs=1).fit(table)

    def row(self, at: int, *, target: bool = False) -> Columns:
        """Return one of the new rows, another for every number, without its target or with it."""
        at %= N_ROWS
        names = [name for name in self._rows if target or name != "y"]
        return {name: self._rows[name][at : at + 1] for name in names}

    def rows(self) -> Columns:
        """Return all new rows."""
        return self._rows
