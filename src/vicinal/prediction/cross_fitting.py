"""Fits without a part of the cases, which can then be predicted as new rows are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from vicinal.fitted import Fitted
from vicinal.index.exact import ExactIndex
from vicinal.index.sampling import split_cases
from vicinal.learning.tuning import MOST_CELLS
from vicinal.typing import Ints

#: Parts of the cases for classes, and for numbers. More of them take longer, and make intervals
#: narrower where there are few cases; sets gain little.
PARTS, PARTS_OF_NUMBERS = 4, 10
#: Parts of tables that are small but for thousands of columns, where learning takes long.
PARTS_OF_WIDE = 2


def n_parts(n_cases: int, n_columns: int, *, classes: bool) -> int:
    """Return how many parts of the cases are left out one after the other."""
    if n_cases * n_columns > MOST_CELLS:
        return PARTS_OF_WIDE
    return PARTS if classes else PARTS_OF_NUMBERS


def without_parts(
    fitted: Fitted, column: int, parts: int = PARTS
) -> Iterator[tuple[Ints, Fitted]]:
    """Split the cases with a known target, and yield each part and the fit without it.

    Nothing that is learned from the fit has seen the outcomes of the part. Equal cases stay
    together.

    Parameters
    ----------
    fitted : Fitted
        The fitted state, which has the cases.
    column : int
        Encoded column of the target.
    parts : int
        Number of parts.
    """
    index = fitted.index
    numbers, values = index.sample(len(index), required=column)
    part = split_cases(values, parts, random_state=fitted.settings.random_state)
    weights = index.weights_of(numbers)
    for at in np.unique(part):
        held = part == at
        if held.all():
            continue  # all cases are equal, so none is left to learn from
        others = ExactIndex(
            values[~held],
            index.kinds,
            None if weights is None else weights[~held],
            edges=index.edges()[:, 1:-1],
        )
        rest = replace(fitted, index=others, learned={}, _kept={}, _version=-1)
        yield numbers[held], rest
        # A fit and its predictors hold each other; wide ones are not to wait for the collector.
        rest.learned.clear()
