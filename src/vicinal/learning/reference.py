"""The cases from which residuals are learned, and what all representations share."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vicinal.index.protocol import Index
from vicinal.index.sampling import distinct_cases, sample_cases, sampling_order
from vicinal.index.support import Support, observed_support
from vicinal.typing import Floats, Places

#: Maximum number of reference cases.
MOST_REFERENCE = 8192


class Reference:
    """Sampled cases with equal ones merged, in an order that depends only on content.

    Ties go to the first case, so the order must not depend on the table.

    Attributes
    ----------
    columns : ndarray of shape (d, n')
        The distinct cases, column by column.
    weights : ndarray of shape (n',) or None
        Their weights.
    which : ndarray of int
        The distinct case that each of the sampled ones equals.
    """

    def __init__(
        self, values: Floats, weights: Floats | None = None, *, random_state: int = 0
    ) -> None:
        places, self.which, self.weights = distinct_cases(values, weights)
        self.columns = np.ascontiguousarray(values[places].T)
        self._random_state = random_state
        self._supports: dict[tuple[int, bool], Support] = {}

    @classmethod
    def of(cls, index: Index, *, random_state: int) -> Reference:
        """Sample cases of an index."""
        numbers, values = index.sample(MOST_REFERENCE, random_state=random_state)
        return cls(values, index.weights_of(numbers), random_state=random_state)

    @classmethod
    def of_values(
        cls, values: Floats, weights: Floats | None, most: int, *, random_state: int
    ) -> Reference:
        """Sample encoded cases, excluding those of weight 0."""
        if weights is not None and (weights <= 0).any():
            values, weights = values[weights > 0], weights[weights > 0]
        chosen = sample_cases(values, most, random_state=random_state)
        kept = None if weights is None else weights[chosen]
        return cls(values[chosen], kept, random_state=random_state)

    def __len__(self) -> int:
        return self.columns.shape[1]

    def sample(self, count: int) -> Places:
        """Return a sample of the distinct cases; smaller samples are subsets of larger ones."""
        return np.sort(self._order[:count])

    @cached_property
    def _order(self) -> Places:
        return sampling_order(self.columns.T, random_state=self._random_state + 1)

    def support(self, column: int, *, nominal: bool) -> Support:
        """Summarize a column; see `observed_support`."""
        key = column, nominal
        if key not in self._supports:
            self._supports[key] = observed_support(
                self.columns[column], self.weights, nominal=nominal
            )
        return self._supports[key]

    @cached_property
    def half_gaps(self) -> Floats:
        """Return half the median gap between distinct values; NaN for fewer than two."""
        return np.array([_half_gap(column[~np.isnan(column)]) for column in self.columns])


def _half_gap(values: Floats) -> float:
    gaps = np.sort(np.diff(np.unique(values)))
    # The median; numpy's own function is slower.
    middle = gaps[(len(gaps) - 1) // 2 : len(gaps) // 2 + 1]
    return float((middle / (2 * len(middle))).sum()) if len(gaps) else np.nan
