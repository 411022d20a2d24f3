"""Integers that stand for labels, so that 0.97 is no answer."""

from __future__ import annotations

import numpy as np

from vicinal.schema.name_words import names_labels
from vicinal.tables.column import Column
from vicinal.tables.counting import blocks_of, count_levels
from vicinal.typing import Floats

#: Two values that number two labels.
_PAIRS = ({0.0, 1.0}, {1.0, 2.0}, {-1.0, 1.0})
#: Labels repeat: other than 0 and 1 so often on average, at least.
_REPETITIONS = 5


def are_codes(name: str, column: Column, counts: Floats | None = None) -> bool:
    """Tell whether the integers of a column are codes of labels.

    Two values that repeat are labels if they are 0 and 1, 1 and 2, or −1 and 1. Other values are
    labels only if they repeat and the name of the column says so (race, region, code, id, …):
    counts, ratings and years stay numbers. Floats count as integers only where missing values
    made them floats.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> from vicinal.schema.codes import are_codes
    >>> are_codes("survived", column_of([0, 1, 1, None], "survived"))
    True
    >>> are_codes("children", column_of([0, 1, 2, 0], "children"))
    False
    """
    if column.dtype not in ("int", "float"):
        return False
    # Most columns need no sorting.
    if not (names_labels(name) or set(column.ends) in _PAIRS):
        return False
    if column.dtype == "float" and not any(one.is_missing().any() for one in blocks_of(column)):
        return False
    levels, _, masses = count_levels(column, counts)
    values, rows = np.array(levels), masses.sum()
    if len(values) < 2 or (values != np.rint(values)).any():
        return False
    pair = set(values.astype(float).tolist())
    if pair == _PAIRS[0]:
        return bool(rows > len(values))
    repeated = bool(rows >= _REPETITIONS * len(values))
    return repeated and (pair in _PAIRS or names_labels(name))
