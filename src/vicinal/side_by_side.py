"""Rows beside cases, feature by feature, for results that show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import SAME, laplace_term
from vicinal.index.metric import Metric
from vicinal.index.terms import case_terms
from vicinal.schema.decode import decode_rows
from vicinal.schema.schema import Schema
from vicinal.tables.table import Table
from vicinal.typing import Bools, Floats, Ints

#: The term of a difference of one residual; smaller differences are not reported.
ONE_RESIDUAL = float(laplace_term(np.array(1.0), np.array(1.0)))
#: Rows that a result shows, and cases beside each of them.
MOST_ROWS, MOST_CASES = 20, 8


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The first rows of a result, each beside some cases; values are decoded when shown.

    Parameters
    ----------
    schema : Schema
        The features.
    names : tuple of str
        Those that are compared, in the order of the table.
    encoded : ndarray of shape (m, d)
        The rows.
    table : Table, optional
        The rows as they came, which may have categories that the training data lacks.
    numbers : ndarray of int64 of shape (m, k)
        The cases beside each row; −1 for none.
    cases : ndarray of shape (m, k, d)
        Their encoded values.
    terms : ndarray of shape (m, k, d)
        The surprisal of each difference, in nats; NaN for features that do not count.
    """

    schema: Schema
    names: tuple[str, ...]
    encoded: Floats
    table: Table | None
    numbers: Ints
    cases: Floats
    terms: Floats

    def __len__(self) -> int:
        return len(self.encoded)

    def given(self, at: int) -> dict[str, Any]:
        """Return the values of a row."""
        some = slice(at, at + 1)
        table = None if self.table is None else self.table.take(some)
        return given_values(self.schema, self.names, self.encoded[some], table)[0]

    def beside(self, at: int) -> list[dict[str, Any]]:
        """Return the values of the cases beside a row."""
        there = self.numbers[at] >= 0
        return given_values(self.schema, self.names, self.cases[at][there])

    def surprisals(self, at: int) -> Floats:
        """Return the surprisal of each difference, for each case and feature."""
        columns = [self.schema.column(name) for name in self.names]
        return self.terms[at][self.numbers[at] >= 0][:, columns]

    def differs(self, at: int) -> Bools:
        """Return whether both values are known and differ by more than the residual."""
        columns = [self.schema.column(name) for name in self.names]
        cases = self.cases[at][self.numbers[at] >= 0]
        known = ~np.isnan(cases[:, columns]) & ~np.isnan(self.encoded[at, columns])
        return known & (np.nan_to_num(self.surprisals(at), nan=SAME) > ONE_RESIDUAL)


def compare(fitted: Fitted, rows: Rows, numbers: Ints, metric: Metric) -> Comparisons:
    """Put the first rows beside their cases, which a later change of the model leaves alone."""
    rows, numbers = rows.take(slice(MOST_ROWS)), numbers[:MOST_ROWS, :MOST_CASES]
    cases = np.full((*numbers.shape, len(fitted.schema)), np.nan)
    cases[numbers >= 0] = fitted.index.rows(numbers[numbers >= 0])
    terms = case_terms(fitted.index, rows.values, numbers, metric, threads=fitted.threads)
    counted = set(rows.columns.tolist())
    names = tuple(name for name in fitted.schema.names if fitted.schema.column(name) in counted)
    return Comparisons(fitted.schema, names, rows.values, rows.table, numbers, cases, terms)


def given_values(
    schema: Schema, names: Sequence[str], encoded: Floats, table: Table | None = None
) -> list[dict[str, Any]]:
    """Decode the values of rows; a category that the training data lacks is as in the table.

    Examples
    --------
    >>> from vicinal.side_by_side import given_values
    >>> from vicinal.schema.encode import encode
    >>> from vicinal.schema.infer import infer_schema
    >>> schema = infer_schema({"job": ["cook", "smith"], "age": [31, 47]})
    >>> given_values(schema, ["age", "job"], encode({"job": ["cook"], "age": [33]}, schema))
    [{'age': 33, 'job': 'cook'}]
    """
    columns = {}
    for name in names:
        codes = encoded[:, schema.column(name)]
        values = decode_rows(codes, schema[name])
        if table is not None:
            for at in np.flatnonzero(~np.isnan(codes)).tolist():
                if values[at] is None:
                    values[at] = table.columns[name].value(at)
        columns[name] = values
    return [{name: columns[name][at] for name in names} for at in range(len(encoded))]
