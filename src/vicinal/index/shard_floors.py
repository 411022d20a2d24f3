"""How near the cases of a shard can be to a query, at least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vicinal.formulas import SAME, cyclic_gap, laplace_term, power_key
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric
from vicinal.typing import Bools, Floats

#: Keys of the kernels are rounded; this part of them is more than that can be.
_SLACK = 1e-9
#: Beyond this power keys may be cut off where they exceed floats, and bounds are not.
_LARGEST_POWER = 2.0


class Box(NamedTuple):
    """The lowest and highest value of each column, and whether any is missing."""

    low: Floats
    high: Floats
    lacking: Bools


def floors(box: Box, queries: Floats, metric: Metric) -> Floats:
    """Return a lower bound of the keys of all cases in a box, for each query.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.metric import Metric
    >>> from vicinal.index.shard_floors import Box, floors
    >>> from vicinal.index.support import Support
    >>> metric = Metric(
    ...     kinds=np.zeros(1, dtype=np.uint8),
    ...     residuals=np.ones(1),
    ...     periods=np.zeros(1),
    ...     weights=np.ones(1),
    ...     p=1.0,
    ...     supports=(Support(np.empty(0), np.empty(0)),),
    ...     distinct=np.zeros(1, dtype=bool),
    ... )
    >>> box = Box(np.array([2.0]), np.array([5.0]), np.array([False]))
    >>> floors(box, np.array([[3.0], [105.0]]), metric).round(3)
    array([  1.5, 100. ])
    """
    active = metric.active
    if not len(active) or metric.p > _LARGEST_POWER:
        return np.zeros(len(queries))
    terms = np.full((len(queries), len(active)), SAME)
    for place, column in enumerate(active.tolist()):
        low, high = box.low[column], box.high[column]
        if box.lacking[column] or not low <= high:
            continue  # a missing value may be as near as an equal one
        asked = queries[:, column]
        outside = (asked < low) | (asked > high)  # what is missing is not
        if metric.kinds[column] == NOMINAL:
            terms[outside, place] += metric.residuals[column]
            continue
        asked = asked[outside]
        if metric.kinds[column] == CYCLIC:
            ends = [cyclic_gap(asked, end, metric.periods[column]) for end in (low, high)]
            gap = np.minimum(*ends)
        else:
            gap = np.maximum(low - asked, asked - high)
        terms[outside, place] = laplace_term(gap, metric.residuals[column])
    shares = metric.weights[active] / metric.weights.sum()
    bounds: Floats = (power_key(terms, metric.p) * shares).sum(axis=1) * (1 - _SLACK)
    return bounds
