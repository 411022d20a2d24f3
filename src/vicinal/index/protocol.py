"""What any index offers, wherever its cases are."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from vicinal.index.metric import Metric
from vicinal.typing import Floats, Ints


class Found(NamedTuple):
    """Nearest cases of each query, nearest first.

    Where there are fewer than k, the case number is −1 and the distance infinite. `evaluated`
    counts the pairs whose distance was worked out exactly.
    """

    indices: Ints
    distances: Floats
    evaluated: int


class Index(Protocol):
    """Holds cases under numbers that never change, and finds the nearest ones."""

    def __len__(self) -> int:
        """Count the cases."""

    def search(
        self, queries: Floats, metric: Metric, k: int, *, exclude: Ints | None = None
    ) -> Found:
        """Find the k nearest cases of each query; ties go to the lower case number."""

    def terms(self, queries: Floats, indices: Ints, metric: Metric) -> Floats:
        """Return the term of every column for each query and each case found for it."""

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases and return their numbers."""

    def remove(self, indices: Ints) -> None:
        """Remove the cases of these numbers."""
