"""A simple reference for `ExactIndex`: compares every case with every query and sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.formulas import SAME, key_to_distance, power_key, power_mean
from vicinal.index.exact import BLOCK, ExactIndex
from vicinal.index.large_powers import far_keys, key_limit
from vicinal.index.metric import Metric
from vicinal.index.protocol import Found
from vicinal.index.sampling import sample_of
from vicinal.index.statistics import summarize_cases
from vicinal.index.terms import case_terms
from vicinal.typing import Arrays, Bools, Floats, Ints, Places


class BruteForce:
    """An index without codes, bounds or threads, as a reference for the others.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    kinds : ndarray of uint8 of shape (d,)
        The kind of each column, as in `Metric`.
    weights : ndarray of shape (n,), optional
        Case weights, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.brute_force import BruteForce
    >>> index = BruteForce(np.array([[1.0], [2.0], [4.0]]), np.zeros(1, dtype=np.uint8))
    >>> index.remove([1])
    >>> [numbers.tolist() for numbers, _ in index.blocks()]
    [[0, 2]]
    """

    def __init__(
        self, values: Floats, kinds: NDArray[np.uint8], weights: Floats | None = None
    ) -> None:
        self.version = 0
        self.kinds = kinds
        self._cases = _Held(np.arange(len(values)), np.array(values, dtype=np.float64), weights)
        self._next = len(values)

    def __len__(self) -> int:
        return len(self._cases)

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
        """Find the k nearest cases of each query; see `ExactIndex.search`."""
        if k < 1:
            raise ParameterError(f"k must be at least 1; got {k}.")
        shape = (len(queries), k)
        indices = np.full(shape, -1, dtype=np.int64)
        keys, distances = np.full(shape, np.inf), np.full(shape, np.inf)
        for at, query in enumerate(queries):
            named = self._eligible(required, -1 if exclude is None else int(exclude[at]))
            own, far = self._keys(query, named, metric, threads)
            if ceilings is not None:
                within = own <= ceilings[at]
                named, own, far = named[within], own[within], far[within]
            first = np.lexsort((named, own))[:k]
            indices[at, : len(first)], keys[at, : len(first)] = named[first], own[first]
            distances[at, : len(first)] = np.maximum.accumulate(far[first])
        return Found(
            indices,
            distances,
            len(queries) * len(self),
            keys if with_keys else None,
            self._values_at(indices) if with_values else None,
        )

    def _eligible(self, required: int | None, excluded: int) -> Ints:
        """Numbers of the cases that may be found."""
        cases = self._cases
        units = cases.units
        # Leaving out removes one unit of weight.
        there = units - (cases.numbers == excluded) * np.minimum(units, 1.0) > 0
        if required is not None:
            there &= ~np.isnan(cases.column(required))
        return cases.numbers[there]

    def _keys(
        self, query: Floats, named: Ints, metric: Metric, threads: int | None
    ) -> tuple[Floats, Floats]:
        """Return keys and distances; where powers exceed floats, the keys are of the distances."""
        active = metric.active
        if not len(active) or not len(named):
            return np.zeros(len(named)), np.full(len(named), SAME)
        terms = case_terms(self, query[None], named[None], metric, threads=threads)[0][:, active]
        shares = metric.weights[active] / metric.weights.sum()
        keys = (power_key(terms, metric.p) * shares).sum(axis=1)
        distances = key_to_distance(keys, metric.p)
        far = keys >= key_limit(metric)
        distances[far] = power_mean(terms[far], metric.weights[active], metric.p)
        keys[far] = far_keys(distances[far])
        return keys, distances

    def _values_at(self, indices: Ints) -> Floats:
        values = np.full((*indices.shape, len(self.kinds)), np.nan)
        values[indices >= 0] = self.rows(indices[indices >= 0])
        return values

    def rows(self, numbers: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers."""
        return self._cases.values_at(self._cases.rows_of(numbers))

    def cells(self, numbers: Ints, column: int) -> Floats:
        """Return one column of the cases of these numbers; NaN for the number −1."""
        cells = np.full(np.shape(numbers), np.nan)
        cells[numbers >= 0] = self.rows(numbers[numbers >= 0])[:, column]
        return cells

    def weights_of(self, numbers: ArrayLike) -> Floats | None:
        """Return the weights of the cases of these numbers, or None where all are 1."""
        rows = self._cases.rows_of(numbers)
        return None if self._cases.weights is None else self._cases.weights[rows]

    def contains(self, numbers: ArrayLike) -> Bools:
        """Return whether each case number exists."""
        return np.isin(numbers, self._cases.numbers)

    def sample(self, count: int, **options: Any) -> tuple[Ints, Floats]:
        """Sample cases with a positive weight; see `Index.sample`."""
        return sample_of(self._cases, count, **options)

    def reduce(self, statistic: str, **arguments: Any) -> Arrays:
        """Summarize the cases by one of the statistics of `vicinal.index.statistics`."""
        return summarize_cases(statistic, self._cases, **arguments)

    def blocks(
        self, *, size: int = BLOCK, clustered: bool = False
    ) -> Iterator[tuple[Ints, Floats]]:
        """Iterate over all cases in blocks, by number."""
        for start in range(0, len(self), size):
            some = self._cases.numbers[start : start + size]
            yield some, self.rows(some)

    @property
    def next_number(self) -> int:
        """The number that the next case will have."""
        return self._next

    @property
    def at_once(self) -> int:
        """How many cases a question may sample if it needs them in one place: all."""
        return len(self)

    def edges(self) -> Floats:
        """Return where the bins of each column begin, and where its values begin and end."""
        return self.gathered().edges()

    def gathered(self) -> ExactIndex:
        """Return all cases in one place, for the kernels."""
        held = self._cases
        return ExactIndex.of_cases(
            held.numbers, held.values, self.kinds, held.weights, next_number=self._next
        )

    def rebuilt_by(
        self,
        make: Callable[[Floats], Floats],
        kinds: NDArray[np.uint8],
        scales: Floats | None = None,
    ) -> Self:
        """Return an index of the same numbers and weights with columns made of the values."""
        made = self.copied()
        made.kinds = kinds
        made._cases = _Held(self._cases.numbers, make(self._cases.values), self._cases.weights)
        return made

    def copied(self) -> Self:
        """Return a copy that changes on its own; what it holds is replaced, never changed."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases and return their numbers."""
        numbers = np.arange(self._next, self._next + len(values))
        self._next += len(values)
        self._put(self._cases, _Held(numbers, np.asarray(values, dtype=np.float64), weights))
        return numbers

    def update(self, indices: ArrayLike, values: Floats, weights: Floats | None = None) -> None:
        """Change the values of these cases."""
        numbers = np.atleast_1d(np.asarray(indices))
        # Without cases there are no weights, whatever was passed.
        kept = weights if weights is not None and len(numbers) else self.weights_of(numbers)
        self._put(self._cases.without(numbers), _Held(numbers, np.asarray(values), kept))

    def remove(self, indices: ArrayLike) -> None:
        """Remove the cases of these numbers."""
        self._cases = self._cases.without(np.atleast_1d(np.asarray(indices)))
        self.version += 1

    def _put(self, kept: _Held, new: _Held) -> None:
        numbers = np.concatenate([kept.numbers, new.numbers])
        order = np.argsort(numbers)
        weights = None
        if kept.weights is not None or new.weights is not None:
            weights = np.concatenate([kept.units, new.units])[order]
        values = np.concatenate([kept.values, new.values])[order]
        self._cases = _Held(numbers[order], values, weights)
        self.version += 1


class _Held:
    """Cases as plain arrays, by number."""

    def __init__(self, numbers: Ints, values: Floats, weights: Floats | None) -> None:
        self.numbers, self.values, self.weights = numbers, values, weights

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def units(self) -> Floats:
        return np.ones(len(self)) if self.weights is None else self.weights

    def column(self, column: int) -> Floats:
        return self.values[:, column]

    def rows_of(self, numbers: ArrayLike) -> Places:
        wanted = np.asarray(numbers)
        absent = wanted[~np.isin(wanted, self.numbers)]
        if absent.size:
            raise ParameterError(f"There is no case number {absent[0]}.")
        return np.searchsorted(self.numbers, wanted)

    def values_at(self, rows: Places) -> Floats:
        return self.values[rows]

    def without(self, numbers: Ints) -> _Held:
        self.rows_of(numbers)
        kept = ~np.isin(self.numbers, numbers)
        weights = None if self.weights is None else self.weights[kept]
        return _Held(self.numbers[kept], self.values[kept], weights)
