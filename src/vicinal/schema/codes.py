"""Integers that stand for labels, so that 0.97 is no answer."""

from __future__ import annotations

import numpy as np

from vicinal.schema.name_words import names_labels
from vicinal.tables.column import Column
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
    gone = column.is_missing()
    if not (column.dtype == "int" or (column.dtype == "float" and gone.any())):
        return False
    known = column.values[~gone]
    # Most columns need no sorting.
    if not len(known) or not (names_labels(name) or {known.min(), known.max()} in _PAIRS):
        return False
    values = np.unique(known)
    if len(values) < 2 or (values != np.rint(values)).any():
        return False
    rows = (~gone).sum() if counts is None else counts[~gone].sum()
    pair = set(values.astype(float).tolist())
    if pair == _PAIRS[0]:
        return bool(rows > len(values))
    repeated = bool(rows >= _REPETITIONS * len(values))
    return repeated and (pair in _PAIRS or names_labels(name))
