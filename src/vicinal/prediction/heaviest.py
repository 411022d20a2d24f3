"""The features with the greatest weights: of many, only these are looked at one by one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vicinal.index.metric import Metric
from vicinal.typing import Floats

#: Of more features than this, so many are looked at one by one.
MANY, ONE_BY_ONE = 200, 64


def mean_weights(metrics: Iterable[tuple[Metric, float]], width: int) -> Floats:
    """Return the mean weight of each of `width` columns in metrics, by their shares.

    The weights of each metric are first scaled to sum to 1.
    """
    total = np.zeros(width)
    for metric, share in metrics:
        total += share * metric.weights / (metric.weights.sum() or 1.0)
    return total


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
