"""Ranks of an ordinal feature whose order is that of its numbers, and numbers from ranks."""

from __future__ import annotations

import numpy as np

from vicinal.schema.feature import Feature
from vicinal.tables.arrays import column_of
from vicinal.typing import Floats


def category_numbers(feature: Feature) -> Floats:
    """Return the numbers behind the categories of an ordinal feature that are not listed.

    Examples
    --------
    >>> from vicinal.schema.infer import infer_schema
    >>> from vicinal.schema.ranks import category_numbers
    >>> category_numbers(infer_schema({"x": [5, 2, 5]}, ordinal_features=["x"])["x"])
    array([2., 5.])
    """
    origin = int(feature.origin or 0) if feature.family == "instant" else 0
    return column_of(feature.categories or (), feature.name).numbers(origin)


def ranks_from_numbers(numbers: Floats, steps: Floats) -> Floats:
    """Return each number's rank among ascending steps, between theirs for others.

    Beyond the ends the rank is extrapolated from the last step, by one rank at most.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.ranks import ranks_from_numbers
    >>> ranks_from_numbers(np.array([10.0, 25.0, 35.0, 99.0]), np.array([10.0, 20.0, 30.0]))
    array([0. , 1.5, 2.5, 3. ])
    """
    if not len(steps):
        return np.where(np.isnan(numbers), np.nan, 0.0)
    if len(steps) == 1:
        return np.sign(numbers - steps[0])
    ranks = np.interp(numbers, steps, np.arange(len(steps)))
    with np.errstate(over="ignore"):  # however far beyond the ends, it is one rank
        below = (numbers - steps[0]) / (steps[1] - steps[0])
        above = (numbers - steps[-1]) / (steps[-1] - steps[-2])
    return ranks + np.clip(below, -1, 0) + np.clip(above, 0, 1)


def numbers_from_ranks(ranks: Floats, steps: Floats) -> Floats:
    """Return the number at each rank: the inverse of `ranks_from_numbers`.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.schema.ranks import numbers_from_ranks
    >>> numbers_from_ranks(np.array([0.0, 1.5, 2.5]), np.array([10.0, 20.0, 30.0]))
    array([10., 25., 35.])
    """
    if not len(steps):
        return np.full(len(ranks), np.nan)
    if len(steps) == 1:  # there numpy would interpolate even NaN
        return np.where(np.isnan(ranks), np.nan, steps[0])
    numbers = np.interp(ranks, np.arange(len(steps)), steps)
    below = np.minimum(ranks, 0) * (steps[1] - steps[0])
    above = np.maximum(ranks - (len(steps) - 1), 0) * (steps[-1] - steps[-2])
    return numbers + below + above
