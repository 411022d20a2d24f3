"""The labels of a table's rows: taken from an id column, or from the index of a dataframe."""

from __future__ import annotations

from typing import Any
from warnings import warn

import numpy as np

from vicinal.exceptions import FeatureError, TableError, did_you_mean
from vicinal.tables.asked_names import text_name
from vicinal.tables.case_labels import NO_LABELS, CaseLabels, check_labels
from vicinal.tables.table import Table
from vicinal.tables.values import list_values


def labels_of_fit(table: Table, column: str | None) -> tuple[Table, CaseLabels]:
    """Return a table without its id column, and the labels of the cases.

    Without an id column, the index of a pandas dataframe has the labels, unless they are missing
    or repeated.

    Examples
    --------
    >>> from vicinal.tables.reading_labels import labels_of_fit
    >>> from vicinal.tables.table import read_table
    >>> table = read_table({"patient": ["P-17", "P-18"], "age": [31, 47]})
    >>> rest, labels = labels_of_fit(table, "patient")
    >>> rest.names, labels.text(1)
    (('age',), 'P-18')
    """
    if column is None:
        found = _usable(table, NO_LABELS)
        if found is None:
            return table, CaseLabels()
        return table, CaseLabels(range(len(table)), found, kept=True)
    column = text_name(column, table.names)
    if not isinstance(column, str) or column not in table.names:
        raise FeatureError(
            f"id={column!r} is not a column of the table; expected one of "
            f"{list_values(table.names)}.{did_you_mean(column, table.names)}"
        )
    if len(table.names) == 1:
        raise TableError(f"The table has no columns but {column!r}; expected at least one more.")
    found = column_labels(table, column)
    check_labels(found, f"the column {column!r}")
    labels = CaseLabels(range(len(table)), found, column, kept=True)
    return table.drop([column]), labels


def labels_of_new(table: Table, known: CaseLabels) -> tuple[Table, list[Any]]:
    """Return rows to add without their id column, and their labels; None for those without.

    Raises
    ------
    TableError
        If the id column is absent, or a label is missing, repeated, or that of a stored case.
    """
    none = [None] * len(table)
    if not known.kept:
        return table, none
    if known.column is None:
        return table, _usable(table, known) or none
    if known.column not in table.names:
        raise TableError(
            f"The rows lack {known.column!r}, the column of the labels; give every new case one."
        )
    found = column_labels(table, known.column)
    check_labels(found, f"the column {known.column!r}", known)
    return table.drop([known.column]), found


def column_labels(table: Table, column: str) -> list[Any]:
    """Return the values of a column as labels; None where missing."""
    codes, levels = table.columns[column].labels()
    return [None if code < 0 else levels[code] for code in codes.tolist()]


def _usable(table: Table, known: CaseLabels) -> list[Any] | None:
    """Return the labels of an index; None, with a warning, if they do not tell cases apart."""
    if table.labels is None:
        return None
    given = np.flatnonzero([one is not None for one in table.labels]).tolist()
    try:
        check_labels([table.labels[at] for at in given], "the index", known)
    except TableError as error:
        warn(f"{error} The cases go by their numbers instead.", UserWarning, stacklevel=6)
        return None
    return list(table.labels)
