"""Some of the cases of a table, under the numbers that they have in the whole table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.index.exact import ExactIndex
from vicinal.index.shard_floors import Box
from vicinal.typing import Arrays, Bools, Floats, Ints, Places

#: Rows that are looked at together, which bounds the memory.
BLOCK = 1 << 16


class Shard:
    """An index of some cases, in which they are counted from 0, and their numbers in the table.

    Cases are in the order of their numbers, so ties among them go to the same ones.

    Parameters
    ----------
    index : ExactIndex
        The cases.
    numbers : ndarray of int64
        The number of each in the table, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.shard import Shard
    >>> shard = Shard.of(np.array([3, 8]), np.array([[1.0], [2.0]]), np.zeros(1, dtype=np.uint8))
    >>> shard.numbers, shard.places([8, 4])
    (array([3, 8]), array([ 1, -1]))
    """

    def __init__(self, index: ExactIndex, numbers: Ints) -> None:
        if len(numbers) != index.next_number or (np.diff(numbers) <= 0).any():
            raise ParameterError("The numbers of a shard's cases must ascend, one for each case.")
        self.index = index
        self._numbers = numbers

    @classmethod
    def of(
        cls,
        numbers: Ints,
        values: Floats,
        kinds: NDArray[np.uint8],
        weights: Floats | None = None,
        scales: Floats | None = None,
    ) -> Self:
        """Make a shard of cases in the order of their numbers."""
        return cls(ExactIndex(values, kinds, weights, scales=scales), numbers)

    def to_arrays(self) -> Arrays:
        """Return everything as arrays, so that nothing has to be worked out for each case."""
        arrays = {**self.index.to_arrays(), "cases": self.index.storage.cases}
        return {**arrays, "numbers": self._numbers}

    def __len__(self) -> int:
        return len(self.index)

    @property
    def numbers(self) -> Ints:
        """Numbers of the cases, ascending."""
        return self._numbers[self.index.storage.numbers]

    @property
    def weights(self) -> Floats | None:
        """Weights of the cases, in the order of their numbers; None where all are 1."""
        return self.index.storage.weights

    @property
    def box(self) -> Box:
        """The range of the values of each column."""
        return Box(*self.index.storage.box)

    def column(self, column: int) -> Floats:
        """One encoded column, in the order of the numbers."""
        return self.index.storage.column(column)

    def rows_of(self, numbers: ArrayLike) -> Places:
        """Where the cases of these numbers are stored."""
        return self.index.storage.rows_of(self.places(numbers))

    def values_at(self, rows: Places) -> Floats:
        """The encoded values at these places of the storage."""
        return self.index.storage.values_at(rows)

    def places(self, numbers: ArrayLike) -> Ints:
        """Return which case of the shard each number is; −1 for none of them."""
        wanted = np.asarray(numbers, dtype=np.int64)
        if not len(self._numbers):
            return np.full(wanted.shape, -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self._numbers, wanted), len(self._numbers) - 1)
        here = (self._numbers[place] == wanted) & self.index.contains(place)
        return np.where(here, place, -1).astype(np.int64)

    def numbers_at(self, places: Ints) -> Ints:
        """Return the numbers of cases of the shard; −1 stays."""
        if not len(self._numbers):
            return places
        return np.where(places >= 0, self._numbers[np.maximum(places, 0)], -1)

    def as_stored(self, size: int = BLOCK) -> Iterator[tuple[Ints, Places]]:
        """Go through the cases as they lie in memory, similar ones together: numbers and rows."""
        numbers = self.numbers
        held = np.full(self.index.storage.size, -1, dtype=np.int64)
        held[self.rows_of(numbers)] = numbers
        for start in range(0, len(held), size):
            rows = start + np.flatnonzero(held[start : start + size] >= 0)
            if len(rows):
                yield held[rows], rows

    def chosen(
        self, required: int = -1, without: Ints | None = None, size: int = BLOCK
    ) -> Iterator[tuple[Ints, Floats]]:
        """Go through the cases with a positive weight, as they lie in memory: numbers and values.

        They have the `required` column, if it is one, and are not among those `without`.
        """
        cases = self.index.storage
        for numbers, rows in self.as_stored(size):
            values = cases.values_at(rows)
            kept: Bools = np.ones(len(numbers), dtype=bool)
            weights = cases.weights_at(rows)
            if weights is not None:
                kept &= weights > 0
            if required >= 0:
                kept &= ~np.isnan(values[:, required])
            if without is not None and len(without):
                kept &= ~np.isin(numbers, without)
            if kept.all():
                yield numbers, values
            elif kept.any():
                yield numbers[kept], values[kept]

    def copied(self) -> Shard:
        """Return a copy that changes on its own."""
        return Shard(self.index.copied(), self._numbers)

    def compact(self) -> Shard:
        """Return a shard without what is hidden."""
        if len(self) == len(self._numbers):
            return self
        numbers = self.numbers
        values = self.values_at(self.rows_of(numbers))
        return Shard.of(numbers, values, self.index.kinds, self.weights)

    def with_more(self, numbers: Ints, values: Floats, weights: Floats | None) -> Shard:
        """Return a shard of these cases and others, in the order of their numbers."""
        kept = self.numbers
        both = np.concatenate([kept, numbers])
        order = np.argsort(both)
        rows = np.concatenate([self.values_at(self.rows_of(kept)), values])[order]
        mass = None
        if weights is not None or self.weights is not None:
            masses = [
                np.ones(count) if one is None else one
                for one, count in ((self.weights, len(kept)), (weights, len(numbers)))
            ]
            mass = np.concatenate(masses)[order]
        return Shard.of(both[order], rows, self.index.kinds, mass)

    def hide(self, numbers: Ints) -> None:
        """Take cases out of everything."""
        self.index.storage.hide(self.places(numbers))
