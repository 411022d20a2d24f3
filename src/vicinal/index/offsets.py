"""The directions in which neighbors lie about their query."""

from __future__ import annotations

import numpy as np

from vicinal.index import _native
from vicinal.index.kinds import NOMINAL
from vicinal.index.metric import Metric
from vicinal.typing import Floats, Ints

#: Directions in which influences are centered, at most: the ones that matter most. With more, the
#: few neighbors would be balanced in what is mostly noise.
MOST_DIRECTIONS = _native.MOST_DIRECTIONS


def directions(metric: Metric) -> tuple[Ints, Floats]:
    """Return the columns that offsets have, the heaviest, and the factor of each.

    It is the square root of the weight, for nominal columns times that of the contrast.
    """
    active = metric.active
    if len(active) > MOST_DIRECTIONS:
        heaviest = np.argsort(-metric.weights[active], kind="stable")[:MOST_DIRECTIONS]
        active = np.sort(active[heaviest])
    contrasts = np.where(metric.kinds[active] == NOMINAL, metric.residuals[active], 1.0)
    return active.astype(np.int64), np.sqrt(contrasts * metric.weights[active])
