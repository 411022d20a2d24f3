"""How a missing value is compared: as anything that was observed, or as a value of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vicinal.formulas import SAME, cyclic_gap, laplace_term
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.typing import Floats

if TYPE_CHECKING:
    from vicinal.index.metric import Metric


def missing_terms(metric: Metric) -> tuple[Floats, Floats]:
    """Return the term of each column where one value is missing, and where both are.

    A missing value that is distinct equals itself, and is as far from every other as two values
    drawn at random, or as another category. Elsewhere it stands for all that was observed of the
    column: NaN, until the kernels have worked out the expectation (``native/terms.hpp``).
    """
    unlike = np.where(metric.kinds == NOMINAL, SAME + metric.residuals, metric.random_pairs)
    one = np.where(metric.distinct, unlike, np.nan)
    return one, np.where(metric.distinct, SAME, metric.known_pairs)


def random_pair_term(metric: Metric, column: int) -> float:
    """Return the expected term of two values drawn from the column's distribution."""
    points, shares = metric.supports[column]
    if not len(points):
        return SAME
    if metric.kinds[column] == NOMINAL:
        return float(SAME + metric.residuals[column] * (1.0 - (shares**2).sum()))
    gaps = np.abs(points[:, None] - points)
    if metric.kinds[column] == CYCLIC:
        gaps = cyclic_gap(points[:, None], points, metric.periods[column])
    return float(shares @ laplace_term(gaps, metric.residuals[column]) @ shares)
