"""The cases that residuals are learned from, and what is the same however they are read."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vicinal.index.protocol import Index
from vicinal.index.sampling import distinct_cases, sample_cases, sampling_order
from vicinal.index.support import Support, observed_support
from vicinal.typing import Floats, Places

#: Cases that the others are predicted from, at most.
MOST_REFERENCE = 8192


class Reference:
    """Sampled cases, equal ones merged, in an order that depends on their content alone.

    Ties go to the case that comes first, so the order must not be that of the table.

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
        self._values = values[places]
        self.columns = np.ascontiguousarray(self._values.T)
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
        """Sample encoded cases, those without a weight left out."""
        if weights is not None:
            values, weights = values[weights > 0], weights[weights > 0]
        chosen = sample_cases(values, most, random_state=random_state)
        kept = None if weights is None else weights[chosen]
        return cls(values[chosen], kept, random_state=random_state)

    def __len__(self) -> int:
        return len(self._values)

    def sample(self, count: int) -> Places:
        """Return some of the distinct cases; smaller samples are part of larger ones."""
        return np.sort(self._order[:count])

    @cached_property
    def _order(self) -> Places:
        return sampling_order(self._values, random_state=self._random_state + 1)

    def support(self, column: int, *, nominal: bool) -> Support:
        """Sum up a column; see `observed_support`."""
        key = column, nominal
        if key not in self._supports:
            self._supports[key] = observed_support(
                self.columns[column], self.weights, nominal=nominal
            )
        return self._supports[key]

    @cached_property
    def half_gaps(self) -> Floats:
        """Half the typical gap between distinct values; NaN where there are no two of them."""
        return np.array([_half_gap(column[~np.isnan(column)]) for column in self.columns])


def _half_gap(values: Floats) -> float:
    gaps = np.sort(np.diff(np.unique(values)))
    # Their median, which numpy finds in many more steps.
    middle = gaps[(len(gaps) - 1) // 2 : len(gaps) // 2 + 1]
    return float((middle / (2 * len(middle))).sum()) if len(gaps) else np.nan
