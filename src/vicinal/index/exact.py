"""The index of one machine: all cases in memory, scanned by bounds, evaluated exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index.checks import checked_rows
from vicinal.index.extending import with_columns
from vicinal.index.large_powers import key_limit, search_large_power
from vicinal.index.metric import Metric
from vicinal.index.protocol import Found
from vicinal.index.sampling import sample_of
from vicinal.index.statistics import summarize_cases
from vicinal.index.storage import CaseStorage
from vicinal.index.threads import thread_count
from vicinal.typing import Arrays, Bools, Floats, Ints

#: Default number of cases in a block, which bounds the memory.
BLOCK = 16_384


class ExactIndex:
    """Exact nearest cases for a weighted power mean of terms.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases: numbers, ranks, category codes; NaN where missing.
    kinds : ndarray of uint8 of shape (d,)
        The kind of each column, as in `Metric`.
    weights : ndarray of shape (n,), optional
        Case weights, at least 0. A case of weight 0 is never found.
    scales : ndarray of shape (d,), optional
        What counts as a large difference in each column: residuals, and contrasts of nominal
        columns. They only guide how rows are grouped, so they affect the speed but never the
        result.
    edges : ndarray of shape (d, 14), optional
        Where the bins of each column meet, ascending; unused ones are infinite. Like scales.

    Attributes
    ----------
    version : int
        Number of changes to the cases.

    Notes
    -----
    Cases are numbered from 0 in the order they come, and a number is never used twice; see
    `CaseStorage` for how they are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.exact import ExactIndex
    >>> from vicinal.index.metric import Metric
    >>> from vicinal.index.support import observed_support
    >>> values = np.array([[1.0], [2.0], [4.0]])
    >>> kinds = np.zeros(1, dtype=np.uint8)
    >>> metric = Metric(
    ...     kinds=kinds,
    ...     residuals=np.ones(1),
    ...     periods=np.zeros(1),
    ...     weights=np.ones(1),
    ...     p=1.0,
    ...     supports=(observed_support(values[:, 0], nominal=False),),
    ...     distinct=np.zeros(1, dtype=bool),
    ... )
    >>> found = ExactIndex(values, kinds).search(np.array([[3.9]]), metric, k=2)
    >>> found.indices
    array([[2, 1]])
    """

    def __init__(
        self,
        values: Floats,
        kinds: NDArray[np.uint8],
        weights: Floats | None = None,
        *,
        scales: Floats | None = None,
        edges: Floats | None = None,
    ) -> None:
        self._cases = CaseStorage(values, kinds, weights, scales, edges)
        self.version = 0
        self._columns: tuple[int, dict[int, Floats]] = (0, {})

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], *, thorough: bool = True, lasting: bool = True
    ) -> Self:
        """Restore an index from the output of `to_arrays`.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            Checked, but not copied. ``"values"`` and ``"codes"`` may be read-only
            (mapped from a file): the first change copies them.
        thorough : bool, default True
            Whether to check the values too, which takes O(n·d).
        lasting : bool, default True
            Whether finer codes that many queries call for may stay in memory.

        Raises
        ------
        ParameterError
            If the arrays are not those of a valid index.
        """
        return cls._of(CaseStorage.from_arrays(arrays, thorough=thorough, lasting=lasting))

    @classmethod
    def of_cases(
        cls,
        numbers: Ints,
        values: Floats,
        kinds: NDArray[np.uint8],
        weights: Floats | None = None,
        *,
        next_number: int,
        scales: Floats | None = None,
    ) -> Self:
        """Make an index of cases that have numbers already, ascending."""
        return cls._of(CaseStorage(values, kinds, weights, scales, None, numbers, next_number))

    @classmethod
    def _of(cls, cases: CaseStorage) -> Self:
        made = cls.__new__(cls)
        made._cases, made.version, made._columns = cases, 0, (0, {})
        return made

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the index as arrays, which are not copied."""
        return self._cases.to_arrays()

    def __len__(self) -> int:
        return len(self._cases)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each column."""
        return self._cases.kinds

    @property
    def storage(self) -> CaseStorage:
        """The cases as the kernels have them; for this package and its tests alone."""
        return self._cases

    @property
    def next_number(self) -> int:
        """The number that the next case will have."""
        return self._cases.next_number

    @property
    def at_once(self) -> int:
        """How many cases a question may sample if it needs them in one place: all."""
        return len(self)

    def gathered(self) -> Self:
        """Return all cases in one place: this index."""
        return self

    @property
    def nbytes(self) -> int:
        """Bytes held for the cases."""
        return self._cases.nbytes

    def edges(self) -> Floats:
        """Return where the bins of each column begin, and where its values begin and end."""
        return self._cases.edges

    def rows(self, numbers: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers.

        Raises
        ------
        ParameterError
            If a case number does not exist, or no longer exists.
        """
        return self._cases.values_at(self._cases.rows_of(numbers))

    def cells(self, numbers: Ints, column: int) -> Floats:
        """Return one column of these cases; any value for the number −1.

        Predictions look up outcomes many times, so the column is cached by case number until
        the cases change.
        """
        version, kept = self._columns
        if version != self.version:
            kept = {}
            self._columns = (self.version, kept)
        if column not in kept:
            kept[column] = self._cases.column_by_number(column)
        return kept[column][numbers]

    def weights_of(self, numbers: ArrayLike) -> Floats | None:
        """Return the weights of the cases of these numbers, or None where all are 1."""
        if not self._cases.weighted:
            return None
        return self._cases.weights_at(self._cases.rows_of(numbers))

    def contains(self, numbers: ArrayLike) -> Bools:
        """Return whether each case number exists."""
        return self._cases.contains(numbers)

    def sample(self, count: int, **options: Any) -> tuple[Ints, Floats]:
        """Sample cases with a positive weight; see `Index.sample`."""
        return sample_of(self._cases, count, **options)

    def reduce(self, statistic: str, **arguments: Any) -> Arrays:
        """Summarize the cases by one of the statistics of `vicinal.index.statistics`."""
        return summarize_cases(statistic, self._cases, **arguments)

    def blocks(
        self, *, size: int = BLOCK, clustered: bool = False
    ) -> Iterator[tuple[Ints, Floats]]:
        """Go through all cases, so many at a time: numbers and values.

        They are ordered by number, or `clustered`: similar cases together, which makes searches
        faster.
        """
        numbers = self._cases.numbers
        if clustered:
            numbers = numbers[np.argsort(self._cases.rows_of(numbers))]
        for start in range(0, len(numbers), size):
            some = numbers[start : start + size]
            yield some, self.rows(some)

    def rebuilt(
        self,
        values: Floats,
        *,
        scales: Floats | None = None,
        kinds: NDArray[np.uint8] | None = None,
    ) -> Self:
        """Return an index of the same numbers and weights with other values, in their order.

        The columns may be others, too, with other `kinds`.
        """
        return self._of(self._cases.rebuilt(values, scales, kinds))

    def rebuilt_by(
        self,
        make: Callable[[Floats], Floats],
        kinds: NDArray[np.uint8],
        scales: Floats | None = None,
    ) -> Self:
        """Return an index of the same numbers and weights with columns made of the values.

        Those that there are already may change, but should be distributed as before. If they do
        not, and come first, memory has them once, until one of the two indexes changes.
        """
        return self._of(with_columns(self._cases, self.blocks, make, kinds, scales))

    def copied(self) -> Self:
        """Return a copy that changes on its own; arrays are shared until one of them changes."""
        made = self._of(self._cases.copied())
        made.version = self.version
        return made

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
        """Find the k nearest cases of each query; ties go to the lower case number.

        Parameters
        ----------
        exclude : ndarray of int64 of shape (m,), optional
            Number of the case to leave out for each query, −1 for none. Leaving out takes away
            one unit of weight: a case that weighs more than 1 stays.
        required : int, optional
            A column that must not be missing in the cases found.
        ceilings : ndarray of shape (m,), optional
            Maximum key of the cases to find; lower ceilings make the search faster.
        with_keys, with_values : bool
            Whether to return the keys that cases are ordered by, and the values of those found.
        """
        return self._searched(
            queries, metric, k, exclude, required, ceilings, with_keys, with_values, threads
        )

    def _searched(
        self,
        queries: Floats,
        metric: Metric,
        k: int,
        exclude: Ints | None = None,
        required: int | None = None,
        ceilings: Floats | None = None,
        with_keys: bool = False,
        with_values: bool = False,
        threads: int | None = None,
        path: str | None = None,
        pruned: bool = True,
    ) -> Found:
        """Search on an instruction path, with or without bounds; the results are identical."""
        if k < 1:
            raise ParameterError(f"k must be at least 1; got {k}.")
        indices, distances, keys, evaluated = _native.search(
            self._cases.table,
            metric.native,
            queries=checked_rows(queries, self._cases.kinds),
            exclude=self._excluded_rows(exclude, len(queries)),
            k=min(k, max(self._cases.size, 1)),
            required=-1 if required is None else required,
            ceilings=ceilings,
            threads=thread_count(threads),
            path=path,
            pruned=pruned,
        )
        # The kernels' integers are numpy's "long long", which would show its type when printed.
        indices = indices.view(np.int64)
        if not len(metric.active):
            # Without active columns, all cases are equally distant.
            distances[indices >= 0] = SAME
        limit = key_limit(metric)
        far = limit < np.inf and ((indices >= 0) & (keys >= limit)).any(axis=1)
        for at in np.flatnonzero(far):
            indices[at], distances[at], keys[at] = search_large_power(
                self._cases,
                queries[at],
                metric,
                (indices[at], distances[at], keys[at]),
                excluded=-1 if exclude is None else int(exclude[at]),
                required=required,
                ceiling=np.inf if ceilings is None else float(ceilings[at]),
                threads=threads,
            )
        if metric.p != 1:
            # Roots are rounded, by which distances may differ from the order of their keys.
            np.maximum.accumulate(distances, axis=1, out=distances)
        spare = ((0, 0), (0, k - indices.shape[1]))
        if k > indices.shape[1]:
            indices = np.pad(indices, spare, constant_values=-1)
            distances = np.pad(distances, spare, constant_values=np.inf)
            keys = np.pad(keys, spare, constant_values=np.inf)
        values = None
        if with_values:
            values = np.full((*indices.shape, len(self.kinds)), np.nan)
            values[indices >= 0] = self.rows(indices[indices >= 0])
        return Found(indices, distances, evaluated, keys if with_keys else None, values)

    def _excluded_rows(self, exclude: Ints | None, count: int) -> Ints:
        rows = np.full(count, -1, dtype=np.int64)
        if exclude is not None:
            named = np.flatnonzero(np.asarray(exclude) >= 0)
            rows[named] = self._cases.rows_of(np.asarray(exclude)[named])
            weights = self._cases.weights_at(rows[named])
            if weights is not None:
                rows[named[weights > 1]] = -1
        return rows

    def own(self) -> None:
        """Copy what is shared with another index, as the first change would."""
        self._cases.own()

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases, in O(d) each, amortized, and return their numbers."""
        numbers = self._cases.add(values, weights)
        self.version += 1
        return numbers

    def update(self, indices: ArrayLike, values: Floats, weights: Floats | None = None) -> None:
        """Change the values of these cases, in O(d) each, amortized.

        Without new weights the cases keep their old ones.

        Raises
        ------
        ParameterError
            If a case number does not exist; then nothing is changed.
        """
        self._cases.update(indices, values, weights)
        self.version += 1

    def remove(self, indices: ArrayLike) -> None:
        """Remove the cases of these numbers, in O(d) each, amortized.

        Raises
        ------
        ParameterError
            If a case number does not exist; then nothing is removed.
        """
        self._cases.remove(indices)
        self.version += 1
