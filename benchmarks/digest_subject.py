"""A table with what can be asked of it, for `benchmarks.digests`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.digest_values import Named

Columns = dict[str, list[Any]]

#: A category that comes later.
NEW = "violet"


@dataclass(frozen=True, eq=False)
class Subject:
    """A table, rows to ask about, and what can be asked.

    Parameters
    ----------
    columns, fresh : dict of str to list
        The table and the new rows as plain Python values.
    label, number : str, optional
        A nominal and a continuous target.
    others : tuple of str
        Further targets, of other kinds.
    options : dict
        Settings of the Model.
    form : {"dict", "pandas", "polars", "pyarrow", "numpy", "records"}
        In which form tables are handed over.
    change : callable, optional
        Turns the fitted Model, with the subject, into the one that is asked.
    estimators : bool
        Whether estimators are asked too.
    skipped : dict of str to str
        Questions that are not asked, and why.
    """

    columns: Columns
    fresh: Columns
    label: str | None = None
    number: str | None = None
    others: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    form: str = "dict"
    weights: np.ndarray | None = None
    change: Callable[[Named, Subject], Any] | None = None
    estimators: bool = False
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def names(self) -> set[str]:
        """Features and categories: texts that are no prose."""
        cells = (
            one for table in (self.columns, self.fresh) for col in table.values() for one in col
        )
        return {*self.columns, NEW, *(one for one in cells if isinstance(one, str))}

    @property
    def targets(self) -> list[str]:
        return [name for name in (self.label, self.number, *self.others) if name is not None]

    @property
    def table(self) -> Any:
        return in_form(self.columns, self.form)

    @property
    def rows(self) -> Any:
        return in_form(self.fresh, self.form)

    def some(self, count: int) -> Any:
        """The first of the new rows."""
        return in_form(take(self.fresh, range(count)), self.form)

    def row(self, at: int = 0) -> dict[str, Any]:
        return {name: values[at] for name, values in self.fresh.items()}


def take(table: Columns, rows: Any) -> Columns:
    return {name: [values[row] for row in rows] for name, values in table.items()}


def in_form(table: Columns, form: str) -> Any:
    """A table as some library holds it."""
    if form == "pandas":
        import pandas as pd

        return pd.DataFrame(table)
    if form == "polars":
        import polars as pl

        return pl.DataFrame(table)
    if form == "pyarrow":
        import pyarrow as pa

        return pa.table(table)
    if form == "numpy":
        return np.array(list(table.values()), dtype=float).T
    if form == "records":
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return table


def subject(
    make: Callable[..., Columns], n: int, seed: int, *, new: int = 6, **more: Any
) -> Subject:
    """Make a table and new rows: unseen ones, the first stored one, and one of nothing."""
    made = make(n + new, np.random.default_rng(seed))
    columns, fresh = take(made, range(n)), take(made, [*range(n, n + new), 0])
    for values in fresh.values():
        values.append(None)
    return Subject(columns, fresh, **more)
