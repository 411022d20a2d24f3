"""Rows and weights as the kernels take them; sizes are checked here, once, at the boundary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError, TableError
from vicinal.index.kinds import NOMINAL
from vicinal.typing import Floats

#: Category codes are below this.
MOST_CATEGORIES = 1 << 31


def checked_rows(values: Floats, kinds: NDArray[np.uint8]) -> Floats:
    """Return rows as the kernels take them; an error if they do not fit the columns."""
    rows = np.ascontiguousarray(values, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(kinds):
        raise TableError(
            f"Encoded rows must have {len(kinds)} columns; got an array of shape {rows.shape}."
        )
    return rows


def checked_cases(values: Floats, kinds: NDArray[np.uint8]) -> Floats:
    """Return rows that can be stored; an error if a category code is out of range."""
    rows = checked_rows(values, kinds)
    codes = rows[:, kinds == NOMINAL]
    wrong = (codes < 0) | (codes >= MOST_CATEGORIES)
    if wrong.any():
        raise TableError(
            f"Category codes must be at least 0 and below {MOST_CATEGORIES}; "
            f"got {codes[wrong][0]}."
        )
    return rows


def checked_case_weights(weights: Floats, count: int) -> Floats:
    """Return case weights of their own; an error unless they are finite and not negative."""
    checked = np.array(weights, dtype=np.float64)
    if checked.shape != (count,):
        raise ParameterError(f"{count} case weights are needed; got shape {checked.shape}.")
    wrong = ~np.isfinite(checked) | (checked < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ParameterError(
            f"Case weights must be finite and not negative; got {checked[row]} in row {row}."
        )
    return checked


def checked_numbers(numbers: ArrayLike) -> NDArray[Any]:
    """Return case numbers as an array; an error unless they are whole."""
    wanted = np.asarray(numbers)
    if wanted.size and wanted.dtype.kind not in "iu":
        raise ParameterError(f"Cases are named by their whole numbers; got {wanted.dtype} values.")
    return wanted


def check_each_once(numbers: NDArray[Any], rows: Floats) -> None:
    """Refuse to change a case twice, or with more or fewer rows than cases."""
    if numbers.ndim != 1 or len(numbers) != len(rows) or len(np.unique(numbers)) < len(numbers):
        raise ParameterError(
            f"{numbers.size} case numbers and {len(rows)} rows given; expected each case once, "
            "and one row for each."
        )
