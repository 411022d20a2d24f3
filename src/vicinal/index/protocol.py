"""The interface of all indexes, wherever their cases are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.index.metric import Metric
from vicinal.typing import Arrays, Bools, Floats, Ints

if TYPE_CHECKING:
    from vicinal.index.exact import ExactIndex


class Found(NamedTuple):
    """Nearest cases of each query, nearest first.

    If there are fewer than k, the case number is −1, and distance and key are infinite.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, k)
        Case numbers.
    distances : ndarray of shape (m, k)
        Mean surprisal per column, in nats.
    evaluated : int
        Number of pairs whose distance was computed exactly.
    keys : ndarray of shape (m, k), optional
        What cases are ordered by, before the root of the power mean is taken: lists of several
        indexes are merged by key and case number, since roots collide.
    values : ndarray of shape (m, k, d), optional
        Encoded values of the cases found; NaN where there is none.
    """

    indices: Ints
    distances: Floats
    evaluated: int
    keys: Floats | None = None
    values: Floats | None = None


class Cases(Protocol):
    """Cases under numbers that never change, to be searched and read."""

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each column, as in `Metric`."""

    def __len__(self) -> int:
        """Count the cases."""

    def search(
        self,
        queries: Floats,
        metric: Metric,
        k: int,
        *,
        exclude: Ints | None = None,
        required: int | None = None,
        ceilings: Floats | None = None,
        with_keys: bool = False,
        with_values: bool = False,
        threads: int | None = None,
    ) -> Found:
        """Find the k nearest cases of each query; ties go to the lower case number."""

    def rows(self, numbers: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers."""

    def cells(self, numbers: Ints, column: int) -> Floats:
        """Return one column of the cases of these numbers, which may have any shape."""

    def weights_of(self, numbers: ArrayLike) -> Floats | None:
        """Return the weights of the cases of these numbers, or None where all are 1."""


class Index(Cases, Protocol):
    """Stores cases, and provides access to them.

    Callers never read all values at once: they search, fetch rows, sample, reduce, or iterate over
    blocks. So the storage can change.
    """

    #: Number of changes to the cases.
    version: int

    @property
    def next_number(self) -> int:
        """The number that the next case will have."""

    @property
    def at_once(self) -> int:
        """How many cases a question may sample if it needs them in one place: all, if they fit."""

    def contains(self, numbers: ArrayLike) -> Bools:
        """Return whether each case number exists."""

    def sample(
        self,
        count: int,
        *,
        random_state: int = 0,
        required: int | None = None,
        without: Ints | None = None,
        distinct: bool = False,
    ) -> tuple[Ints, Floats]:
        """Sample cases with a positive weight by a hash of their content: numbers and values.

        They have the `required` column and are not among those `without`. With `distinct`, that
        many distinct cases are sampled, each with all cases equal to it.
        """

    def reduce(self, statistic: str, **arguments: Any) -> Arrays:
        """Summarize the cases by one of the statistics of `vicinal.index.statistics`."""

    def blocks(self, *, size: int = ..., clustered: bool = False) -> Iterator[tuple[Ints, Floats]]:
        """Iterate over all cases: numbers and values, ascending or similar cases together."""

    def edges(self) -> Floats:
        """Return where the bins of each column begin, and where its values begin and end."""

    def rebuilt_by(
        self,
        make: Callable[[Floats], Floats],
        kinds: NDArray[np.uint8],
        scales: Floats | None = None,
    ) -> Self:
        """Return an index of the same numbers and weights with columns made of the values.

        Searches are fastest where the `scales` are those of the metric: what values of each column
        differ by at a distance of 1; of categories that distance itself. Answers do not depend on
        them.
        """

    def copied(self) -> Self:
        """Return a copy that changes on its own."""

    def gathered(self) -> ExactIndex:
        """Return all cases in one place; an error if they are too many."""

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases and return their numbers."""

    def update(self, indices: ArrayLike, values: Floats, weights: Floats | None = None) -> None:
        """Change the values of these cases."""

    def remove(self, indices: ArrayLike) -> None:
        """Remove the cases of these numbers."""
