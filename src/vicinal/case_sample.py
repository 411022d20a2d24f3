"""Stored cases to ask about: all of them, or a sample where there are more than are wanted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted, Rows
from vicinal.validation import check_parameter

#: Audits and reports of larger tables check a sample of so many cases.
MOST_CHECKED, CHECKED_SAMPLE = 1 << 17, 10_000


def rows_or_sample(
    fitted: Fitted, rows: Any, context: Iterable[str] | None, max_cases: int | None
) -> Rows:
    """Return the rows that a question is about: given ones, or at most so many stored cases."""
    if max_cases is None:
        return fitted.rows(rows, context=context)
    if rows is not None:
        raise ParameterError(
            f"Got rows and max_cases={max_cases!r}; expected one of them, because max_cases says "
            "how many stored cases are asked about if no rows are given."
        )
    return some_cases(fitted, max_cases, context)


def some_cases(
    fitted: Fitted, max_cases: int | None = None, context: Iterable[str] | None = None
) -> Rows:
    """Return all stored cases, or a sample where there are more, or more than can be read.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.case_sample import some_cases
    >>> fitted = vicinal.Model().fit({"height": [1.0, 1.1, 1.2, 1.5]})._fitted
    >>> len(some_cases(fitted)), len(some_cases(fitted, 2))
    (4, 2)
    """
    index = fitted.index
    if max_cases is not None:
        check_parameter("max_cases", max_cases)
    most = index.at_once if max_cases is None else min(max_cases, index.at_once)
    if most >= len(index):
        return fitted.rows(None, context=context)
    chosen, _ = index.sample(most, random_state=fitted.settings.random_state)
    return fitted.cases(chosen, context=context)


def checked_cases(fitted: Fitted, max_cases: int | str | None = "auto") -> Rows:
    """Return the stored cases that audits and reports check; of large tables a sample by default.

    Parameters
    ----------
    max_cases : int, "auto" or None
        The most cases to check, None for all of them that can be read. With "auto" these are
        10,000 of more than 131,072 cases, and otherwise all.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.case_sample import checked_cases
    >>> fitted = vicinal.Model().fit({"height": [1.0, 1.1, 1.2, 1.5]})._fitted
    >>> len(checked_cases(fitted)), len(checked_cases(fitted, 2))
    (4, 2)
    """
    check_parameter("max_cases", max_cases, rule="max_checked")
    if isinstance(max_cases, str):
        max_cases = CHECKED_SAMPLE if len(fitted.index) > MOST_CHECKED else None
    return some_cases(fitted, max_cases)
