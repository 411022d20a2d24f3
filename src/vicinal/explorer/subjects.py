"""The rows that a question is about: new ones, stored cases, or stored cases with changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.explorer.filters import case_numbers_by_label
from vicinal.explorer.limits import TooLarge
from vicinal.explorer.requests import AboutRows
from vicinal.explorer.values import table_from_json
from vicinal.fitted import Rows
from vicinal.stored_cases import case_numbers
from vicinal.typing import Ints

if TYPE_CHECKING:
    from vicinal.explorer.state import State


@dataclass(frozen=True)
class GivenTable:
    """Rows that came as a table, in Arrow or CSV, in place of those in JSON."""

    table: Any


def rows_of(state: State, asked: AboutRows, target: str | None = None) -> Rows:
    """Return the rows that a request is about.

    A changed case is still left out of its own answer.
    """
    fitted = state.fitted
    if asked.rows is not None:
        table = asked.rows
        rows = fitted.rows(new_table(state, table, asked.changes), target, asked.context)
    else:
        numbers = numbers_of(state, asked.cases, asked.ids)
        if asked.context is not None:
            given = tuple(name for name in fitted.schema.names if name != target)
            fitted.context(asked.context, given)
        rows = fitted.cases(numbers, target, asked.context)
        if asked.changes:
            rows = changed(state, rows, asked.changes, target)
    check_count(state, len(rows))
    return rows


def new_table(state: State, rows: Any, changes: Mapping[str, Any] | None = None) -> Any:
    """Return new rows as a table, with changed values."""
    if isinstance(rows, GivenTable):
        return rows.table
    check_count(state, len(rows))
    if not rows:
        raise ParameterError("The request has no rows; expected at least one.")
    merged = [{**row, **changes} for row in rows] if changes else rows
    return table_from_json(merged, state.fitted.schema)


def numbers_of(state: State, cases: list[int] | None, ids: list[Any] | None) -> Ints:
    """Return the numbers of stored cases that exist."""
    asked = cases if cases is not None else ids
    if not asked:
        raise ParameterError("The request names no case; expected at least one.")
    check_count(state, len(asked))
    if cases is not None:
        return case_numbers(state.fitted.index, state.fitted.labels, cases, "number")
    numbers: Ints = case_numbers_by_label(state, asked)
    return numbers


def changed(state: State, rows: Rows, changes: Mapping[str, Any], target: str | None) -> Rows:
    """Return stored cases with other values."""
    fitted = state.fitted
    given = {name: value for name, value in changes.items() if name != target}
    if not given:
        return rows
    new = fitted.rows(table_from_json([given], fitted.schema), all_new=True)
    columns = fitted.schema.columns(new.names)
    values = rows.values.copy()
    values[:, columns] = new.values[0, columns]
    return replace(rows, values=values, changed=True)


def one_row(rows: Rows) -> Rows:
    """Refuse more rows than one."""
    if len(rows) != 1:
        raise ParameterError(f"The request is about {len(rows)} rows; expected one.")
    return rows


def check_count(state: State, count: int, most: int | None = None) -> None:
    """Refuse more rows than the service takes at a time."""
    most = state.limits.rows if most is None else most
    if count > most:
        raise TooLarge(
            f"The request is about {count} rows; expected at most {most}. Ask in parts."
        )


def excluded(rows: Rows) -> Ints:
    """Return the case that is left out for each row, −1 for none."""
    return np.full(len(rows), -1, dtype=np.int64) if rows.exclude is None else rows.exclude
