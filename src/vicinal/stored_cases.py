"""Which rows are stored cases: the one rule, and the numbers of cases given by label.

A stored case never counts for itself: it is predicted, explained and judged without itself. A row
is a stored case in exactly these cases; all others are new rows, even if they equal a stored case:

1. It is asked for as one: all cases by None, or some by `StoredCases` (``case="P-17"``).
2. It brings the label of a case along, and every value that it has is the case's. A row brings a
   label along in the id column; in the index of a pandas dataframe, if the cases were labeled by
   one; or as the name of a pandas series, which is a row number if cases have no labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.index.protocol import Index
from vicinal.tables.case_labels import CaseLabels
from vicinal.tables.rows import listed
from vicinal.typing import Floats, Ints, Places


@dataclass(frozen=True)
class StoredCases:
    """Stored cases to ask about in place of rows: one or more labels or case numbers."""

    names: Any


def case_numbers(index: Index, labels: CaseLabels, cases: Any, by: str | None = None) -> Ints:
    """Return the numbers of stored cases that are given by label or by number.

    Parameters
    ----------
    cases : label, int, or sequence of them
        Labels if the cases have any, and otherwise numbers. Whole numbers are case numbers, too,
        if no label is a whole number.
    by : {"label", "number"}, optional
        What they are, to be explicit.

    Raises
    ------
    ParameterError
        If there is no such case.
    """
    asked = listed(cases)
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in asked)
    if by is None:
        by = "label" if len(labels) and not (whole and not labels.whole_numbers) else "number"
    if by == "label":
        return labels.numbers_of(asked)
    if any(isinstance(one, str) for one in asked):
        raise ParameterError(
            f"Got {asked[0]!r}; expected a case number, because these cases have no labels. To "
            "give them some, fit a table with an id column: fit(table, id=...)."
        )
    numbers = np.array(asked, dtype=None if asked else np.int64)
    index.rows(numbers)  # an unknown number is an error, and so is a number that is not whole
    return numbers.astype(np.int64)


def find_stored(
    index: Index, labels: CaseLabels, brought: Iterable[Any], values: Floats, targets: Places
) -> Ints | None:
    """Return the stored case that each row is, −1 for new rows; None if all are new.

    Parameters
    ----------
    brought : iterable
        The label that each row brings along; None for none.
    values : ndarray of shape (m, d)
        Encoded rows; columns that the rows do not have are infinite.
    targets : ndarray of int
        Columns to predict, in which a missing value is an open question, not a difference.
    """
    numbers = np.array([_number(labels, one) for one in brought], dtype=np.int64)
    there = np.flatnonzero(index.contains(numbers))
    given, cases = values[there], index.rows(numbers[there])
    same = (given == cases) | (np.isnan(given) & np.isnan(cases)) | np.isinf(given)
    same[:, targets] |= np.isnan(given[:, targets])
    stored = there[same.all(axis=1)]
    if not len(stored):
        return None
    exclude = np.full(len(numbers), -1, dtype=np.int64)
    exclude[stored] = numbers[stored]
    return exclude


def _number(labels: CaseLabels, label: Any) -> int:
    if not labels.kept:
        return label if isinstance(label, int) and not isinstance(label, bool) else -1
    number = None if label is None else labels.number_of(label)
    return -1 if number is None else number
