"""The features with the greatest weights: of many, only these are looked at one by one."""

from __future__ import annotations

from collections.abc import Iterable

from vicinal.typing import Floats

#: Of more features than this, so many are looked at one by one.
MANY, ONE_BY_ONE = 200, 64


def heaviest(columns: Iterable[int], weights: Floats) -> list[int]:
    """Return the columns with the greatest weights, the greatest first; of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.prediction.heaviest import heaviest
    >>> heaviest([0, 1, 2], np.array([0.1, 0.5, 0.4]))
    [1, 2, 0]
    """
    return sorted(columns, key=lambda column: (-weights[column], column))[:ONE_BY_ONE]
