"""Columns that name rows rather than describe them: identifiers and free text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.declarations import check_column
from vicinal.schema.name_words import names_rows
from vicinal.schema.written import written_as
from vicinal.tables.column import Column
from vicinal.tables.counting import count_levels, distinct_values
from vicinal.typing import Floats

#: Fewer values than these do not show whether others would repeat them.
_LEAST_VALUES = 20
#: Integers up to here are exact as floats.
_EXACT = 2**53
#: Names have fewer words than these, most texts more.
_WORDS_OF_TEXT = 6
_TEXTUAL = ("string", "bytes", "mixed")
#: How each role is called.
ROLE_NAMES = {
    "identifier": "identifier",
    "text": "free text",
    "number": "numbers written as text",
    "mixed": "numbers beside text",
    "date": "dates written as text",
    "other": "as declared",
}
HOW_TO_WRITE = {
    "number": "Numbers written as text become features once they are numbers, such as 1234.5.",
    "mixed": "Numbers beside text become features once the text is declared missing, such as by"
    " missing_values=['unknown'].",
    "date": "Dates written as text become features once they are dates, such as 2024-01-31.",
}
HOW_TO_USE = (
    "To use a column, declare its kind, such as kinds={'name': 'nominal'}; ignore=[] uses all."
)
HOW_TO_NAME = "To name cases by one: fit(table, id='name')."


@dataclass(frozen=True)
class IgnoredColumn:
    """A column of the table that is not a feature.

    Attributes
    ----------
    name : str
        The name of the column.
    role : {"identifier", "text", "number", "mixed", "date", "other"}
        What it is; numbers and dates are written as text, in no standard form. "mixed" is for
        numbers beside a few words, "other" for columns that only the user says to ignore.
    place : int
        Its place among all columns of the table.

    Examples
    --------
    >>> from vicinal.schema.roles import IgnoredColumn
    >>> IgnoredColumn("name", "identifier", 0).to_dict()
    {'name': 'name', 'role': 'identifier', 'place': 0}
    """

    name: str
    role: str
    place: int

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise FeatureError(f"The column name {self.name!r} is not a string.")
        if self.role not in ROLE_NAMES:
            raise ParameterError(f"role={self.role!r}; expected one of {', '.join(ROLE_NAMES)}.")
        if isinstance(self.place, bool) or not isinstance(self.place, int) or self.place < 0:
            raise ParameterError(f"place={self.place!r}; expected a whole number, at least 0.")

    def to_dict(self) -> dict[str, Any]:
        """Return it as values that JSON can hold."""
        return asdict(self)


def ignored_text(ignored: Iterable[IgnoredColumn], *advice: str) -> str:
    """Say in one line which columns are ignored, why, and what would help, with more advice.

    Examples
    --------
    >>> from vicinal.schema.roles import IgnoredColumn, ignored_text
    >>> ignored_text([IgnoredColumn("name", "identifier", 0), IgnoredColumn("note", "text", 3)])
    "Ignored columns: 'name' (identifier), 'note' (free text)."
    """
    listed = list(ignored)
    named = ", ".join(f"{one.name!r} ({ROLE_NAMES[one.role]})" for one in listed)
    roles = {one.role for one in listed}
    how = [text for role, text in HOW_TO_WRITE.items() if role in roles]
    return " ".join([f"Ignored columns: {named}.", *how, *advice])


def ignored_columns(
    columns: Mapping[str, Column],
    ignore: Any,
    declared: Collection[str],
    *,
    named: bool = True,
    counts: Floats | None = None,
) -> tuple[IgnoredColumn, ...]:
    """Choose the columns that are not features.

    Parameters
    ----------
    columns : mapping of str to Column
        All columns of the table, with missing values taken out.
    ignore : "auto", or an iterable of str
        Inferred ones, or these alone.
    declared : collection of str
        Columns that the user declares as features; these are never inferred to be anything else.
    named : bool, default=True
        Whether the table has names. The numbers of a bare array are taken as they are.
    counts : ndarray of shape (n,), optional
        How many rows each row stands for.

    Returns
    -------
    tuple of IgnoredColumn
        Not all of the columns that nobody declares: those are kept if nothing else would be left.

    Examples
    --------
    >>> from vicinal.tables.table import read_table
    >>> from vicinal.schema.roles import ignored_columns
    >>> table = read_table({"id": list(range(50)), "age": [31, 47] * 25})
    >>> ignored_columns(table.columns, "auto", ())
    (IgnoredColumn(name='id', role='identifier', place=0),)
    """
    roles = {
        name: role_of(name, column, named=named, counts=counts) for name, column in columns.items()
    }
    if isinstance(ignore, str) and ignore == "auto":
        chosen = {name for name, role in roles.items() if role and name not in declared}
        if len(chosen) == sum(name not in declared for name in columns):
            return ()
    else:
        chosen = _listed(ignore, tuple(columns), declared)
    return tuple(
        IgnoredColumn(name, roles[name] or "other", place)
        for place, name in enumerate(columns)
        if name in chosen
    )


def role_of(
    name: str, column: Column, *, named: bool = True, counts: Floats | None = None
) -> str | None:
    """Tell whether a column is an identifier or free text, or has numbers or dates as text.

    Returns
    -------
    {"identifier", "text", "number", "mixed", "date", None}

    Notes
    -----
    The share of rows whose value no other row has estimates the probability that a new row has a
    value that was never seen (Good and Turing). If it is above one half by two standard errors,
    a column of text names its rows. Integers are identifiers if in addition they have no missing
    values and their name says so (id, index, …), or if floats cannot tell them apart (beyond 2⁵³),
    such as card numbers; floats, dates and categoricals never are.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.schema.roles import role_of
    >>> role_of("name", column_of([f"Ada {n}" for n in range(30)], "name"))
    'identifier'
    >>> print(role_of("job", column_of(["cook", "smith"] * 15, "job")))
    None
    """
    if named and _too_fine_for_floats(column):
        return "identifier"
    numbered = named and column.dtype == "int" and names_rows(name)
    if not (column.dtype in _TEXTUAL or numbered) or not _has_new_values(column, counts):
        return None
    if numbered:
        return None if column.is_missing().any() else "identifier"
    if written := written_as(count_levels(column).levels):
        return written
    return "text" if _median_words(column) >= _WORDS_OF_TEXT else "identifier"


def _too_fine_for_floats(column: Column) -> bool:
    """Tell whether different integers are equal as floats, which are what is compared."""
    if column.dtype != "int" or max(map(abs, column.ends), default=0) <= _EXACT:
        return False
    levels = distinct_values(column)
    return len(np.unique(levels.astype(np.float64))) < len(levels)


def _has_new_values(column: Column, counts: Floats | None) -> bool:
    """Tell whether a new row would more likely than not have a value that was never seen."""
    occurrences = count_levels(column, counts).masses
    total = float(occurrences.sum())
    if total < _LEAST_VALUES:
        return False
    return float((occurrences == 1).sum()) / total > 0.5 + 1 / sqrt(total)


def row_counts(weights: Floats | None) -> Floats | None:
    """Return how many rows each row stands for: its weight, if all weights are whole numbers.

    Other weights say nothing about how many rows there were.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.roles import row_counts
    >>> row_counts(np.array([2.0, 1.0])), row_counts(np.array([0.5, 1.0]))
    (array([2., 1.]), None)
    """
    return None if weights is None or (weights != np.rint(weights)).any() else weights


def _median_words(column: Column) -> float:
    levels, counts, _ = count_levels(column)
    words = np.array([len(str(level).split()) for level in levels])
    order = np.argsort(words)
    reached, total = np.cumsum(counts[order]), counts.sum()
    middle = np.searchsorted(reached, [(total - 1) // 2, total // 2], side="right")
    return float(words[order[middle]].mean())


def _listed(ignore: Any, names: tuple[str, ...], declared: Collection[str]) -> set[str]:
    if isinstance(ignore, str) or not isinstance(ignore, Iterable | None):
        raise ParameterError(
            f"ignore={ignore!r}; expected 'auto', or a list of the names of columns; an empty "
            "one uses all columns."
        )
    chosen = list(ignore or ())
    for name in chosen:
        check_column(name, names, "ignore")
        if name in declared:
            raise FeatureError(
                f"Column {name!r} is declared as a feature and named in ignore; expected one."
            )
    if len(set(chosen)) == len(names):
        raise FeatureError("ignore names all columns; expected at least one to be a feature.")
    return set(chosen)
