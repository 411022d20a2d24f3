"""Observed values of a column within bounds, of which those of large tables are not kept."""

from __future__ import annotations

import numpy as np

from vicinal.fitted import Fitted
from vicinal.index import statistics
from vicinal.typing import Arrays


def has_many_values(fitted: Fitted, column: int) -> bool:
    """Return whether the distinct values of an encoded column are too many to be kept."""
    return fitted.cached(
        ("many values", column),
        lambda: len(fitted.distribution(column)["values"]) > statistics.MOST_KEPT_VALUES,
    )


def values_between(fitted: Fitted, column: int, lower: float, upper: float) -> Arrays:
    """Return the distinct values of an encoded column within bounds, and their counts."""
    if has_many_values(fitted, column):
        return fitted.index.reduce("distribution", column=column, lower=lower, upper=upper)
    found = fitted.distribution(column)
    within = slice(
        np.searchsorted(found["values"], lower),
        np.searchsorted(found["values"], upper, side="right"),
    )
    return {name: found[name][within] for name in ("values", "counts")}
