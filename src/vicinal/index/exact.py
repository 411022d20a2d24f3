"""The index of one machine: all cases in memory, scanned by bounds, evaluated exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index.metric import Metric
from vicinal.index.offsets import directions
from vicinal.index.protocol import Found
from vicinal.index.storage import CaseStorage
from vicinal.index.threads import thread_count

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
        columns. They only guide how rows are kept together, so they change the speed and never
        the answer.
    edges : ndarray of shape (d, 14), optional
        Where the bins of each column meet, ascending; unused ones are infinite. Like scales.

    Attributes
    ----------
    version : int
        How often the cases were changed.

    Notes
    -----
    Cases are numbered from 0 in the order they come, and a number is never used twice; see
    `CaseStorage` for how they are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index import ExactIndex, Metric, observed_support
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

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], *, thorough: bool = True) -> Self:
        """Make an index of what `to_arrays` gave, perhaps to another process.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            They are checked, and kept, not copied. ``"values"`` and ``"codes"`` may be read-only
            (mapped from a file): the first change copies them.
        thorough : bool, default True
            Whether to look at the values as well, which takes O(n·d).

        Raises
        ------
        ParameterError
            When no index could have been saved so.
        """
        made = cls.__new__(cls)
        made._cases = CaseStorage.from_arrays(arrays, thorough=thorough)
        made.version = 0
        return made

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything the index is, as arrays; they are not copied."""
        return self._cases.to_arrays()

    def __len__(self) -> int:
        return len(self._cases)

    @property
    def numbers(self) -> Ints:
        """Numbers of the cases held, ascending."""
        return self._cases.numbers

    @property
    def values(self) -> Floats:
        """Encoded values of the cases held, in the order of `numbers`."""
        return self._cases.values

    @property
    def weights(self) -> Floats | None:
        """Case weights in the order of `numbers`, or None where all are 1."""
        return self._cases.weights

    @property
    def kept_order(self) -> NDArray[np.intp]:
        """Places in `numbers` of the cases as they are kept, like ones together.

        Searches for stored cases in this order are faster; the answers are the same in any.
        """
        return np.argsort(self._cases.rows_of(self.numbers))

    @property
    def storage(self) -> CaseStorage:
        """The cases as the kernels have them; for this package alone."""
        return self._cases

    @property
    def edges(self) -> Floats:
        """Where the bins of each column begin, and where all its values begin and end."""
        return self._cases.edges

    @property
    def nbytes(self) -> int:
        """Bytes held for the cases."""
        return self._cases.nbytes

    def column(self, column: int) -> Floats:
        """Return one encoded column of the cases held, in the order of `numbers`."""
        return self._cases.column(column)

    def case_values(self, indices: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers.

        Raises
        ------
        ParameterError
            When there is no case of a number, or no longer.
        """
        return self._cases.values_at(self._cases.rows_of(indices))

    def case_weights(self, indices: ArrayLike) -> Floats | None:
        """Return the weights of the cases of these numbers, or None where all are 1."""
        return self._cases.weights_at(self._cases.rows_of(indices))

    def rebuilt(self, values: Floats, *, scales: Floats | None = None) -> ExactIndex:
        """Return an index of the same numbers and weights with other values, in their order."""
        made = ExactIndex.__new__(ExactIndex)
        made._cases = self._cases.rebuilt(values, scales)
        made.version = 0
        return made

    def search(
        self,
        queries: Floats,
        metric: Metric,
        k: int,
        *,
        exclude: Ints | None = None,
        required: int | None = None,
        threads: int | None = None,
        path: str | None = None,
        pruned: bool = True,
    ) -> Found:
        """Find the k nearest cases of each query; ties go to the lower case number.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
            Encoded like the cases.
        metric : Metric
            What distance means; columns of weight 0 do not count.
        k : int
            How many cases, at least 1. Where there are fewer, the rest is −1 and infinite.
        exclude : ndarray of int64 of shape (m,), optional
            Number of the case to leave out for each query, −1 for none. Leaving out takes away
            one unit of weight: a case that weighs more than 1 stays.
        required : int, optional
            A column that the cases found must not lack.
        threads : int, optional
            Threads to use; all available ones by default. The answer does not depend on it.
        path : {"avx2", "plain"}, optional
            Instruction path; the best one available by default. Answers are the same bit by bit.
        pruned : bool
            Whether to rule rows out by bounds first. The answer is the same without.

        Returns
        -------
        Found
        """
        if k < 1:
            raise ParameterError(f"k must be at least 1; got {k}.")
        indices, distances, _, evaluated = _native.search(
            self._cases.table,
            metric.native,
            queries=self._cases.checked_rows(queries),
            exclude=self._excluded_rows(exclude, len(queries)),
            k=min(k, max(self._cases.size, 1)),
            required=-1 if required is None else required,
            ceilings=None,
            threads=thread_count(threads),
            path=path,
            pruned=pruned,
        )
        # The kernels' integers are numpy's "long long", which would show its type when printed.
        indices = indices.view(np.int64)
        if not len(metric.active):
            # Where nothing counts, nothing tells two cases apart.
            distances[indices >= 0] = SAME
        if k > indices.shape[1]:
            spare = ((0, 0), (0, k - indices.shape[1]))
            indices = np.pad(indices, spare, constant_values=-1)
            distances = np.pad(distances, spare, constant_values=np.inf)
        return Found(indices, distances, evaluated)

    def _excluded_rows(self, exclude: Ints | None, count: int) -> Ints:
        rows = np.full(count, -1, dtype=np.int64)
        if exclude is not None:
            named = np.flatnonzero(np.asarray(exclude) >= 0)
            rows[named] = self._cases.rows_of(np.asarray(exclude)[named])
            weights = self._cases.weights_at(rows[named])
            if weights is not None:
                rows[named[weights > 1]] = -1
        return rows

    def counted_weights(self, indices: Ints, k: int, exclude: Ints | None = None) -> Floats | None:
        """Return how many of the k places each case found takes; None where all weigh 1.

        Nearest first, each case takes as many places as it weighs, until the k are taken. The
        case left out takes one place less.
        """
        if not self._cases.weighted:
            return None
        there = indices >= 0
        weights = np.zeros(indices.shape)
        weights[there] = self._cases.weights_at(self._cases.rows_of(indices[there]))
        if exclude is not None:
            weights -= there & (indices == np.asarray(exclude)[:, None])
        before = np.cumsum(weights, axis=1) - weights
        return np.clip(k - before, 0.0, weights)

    def terms(
        self,
        queries: Floats,
        indices: Ints,
        metric: Metric,
        *,
        threads: int | None = None,
        path: str | None = None,
    ) -> Floats:
        """Return the term of every column for each query and each case found for it.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
            Encoded like the cases.
        indices : ndarray of int64 of shape (m, k)
            Case numbers, −1 for none.
        metric : Metric
            What distance means.
        threads, path
            As in `search`.

        Returns
        -------
        ndarray of shape (m, k, d)
            In nats; NaN where there is no case, and for columns of weight 0.
        """
        return _native.terms(
            self._cases.table,
            metric.native,
            queries=self._cases.checked_rows(queries),
            rows=self._rows_of(indices),
            threads=thread_count(threads),
            path=path,
        )

    def excess(
        self,
        queries: Floats,
        indices: Ints,
        metric: Metric,
        *,
        threads: int | None = None,
        path: str | None = None,
    ) -> NDArray[np.float32]:
        """Return how much the terms of columns that count exceed those of equal values.

        Parameters
        ----------
        queries, indices, metric, threads, path
            As in `terms`.

        Returns
        -------
        ndarray of float32 of shape (m, d', k)
            In nats, good to about 1e-7 of a whole one and of itself, column by column of those
            that count; 0 where there is no case.
        """
        return _native.excess(
            self._cases.table,
            metric.native,
            queries=self._cases.checked_rows(queries),
            rows=self._rows_of(indices),
            threads=thread_count(threads),
            path=path,
        )

    def pair_excess(
        self,
        queries: Floats,
        indices: Ints,
        metric: Metric,
        *,
        threads: int | None = None,
        path: str | None = None,
    ) -> NDArray[np.float32]:
        """Return `excess` of all queries against the same cases.

        Parameters
        ----------
        queries, metric, threads, path
            As in `terms`.
        indices : ndarray of int64 of shape (n,)
            Case numbers.

        Returns
        -------
        ndarray of float32 of shape (m, d', n)
        """
        return _native.pair_excess(
            self._cases.table,
            metric.native,
            queries=self._cases.checked_rows(queries),
            rows=self._cases.rows_of(indices),
            threads=thread_count(threads),
            path=path,
        )

    def offsets(
        self, queries: Floats, indices: Ints, metric: Metric, *, threads: int | None = None
    ) -> Floats:
        """Return how far each case found lies from its query, feature by feature, with sign.

        Parameters
        ----------
        queries, indices, threads
            As in `terms`.
        metric : Metric
            Offsets are in residuals, times the square root of the feature's weight.

        Returns
        -------
        ndarray of shape (m, k, d')
            One column per feature that counts (the heaviest `MOST_DIRECTIONS`). Nominal features
            have the square root of their contrast where the categories differ; 0 stands for
            missing, and for no case.
        """
        columns, factors = directions(metric)
        return _native.offsets(
            self._cases.table,
            metric.native,
            queries=self._cases.checked_rows(queries),
            rows=self._rows_of(indices),
            columns=columns,
            factors=factors,
            threads=thread_count(threads),
        )

    def _rows_of(self, indices: Ints) -> Ints:
        rows = np.full(np.shape(indices), -1, dtype=np.int64)
        named = np.asarray(indices) >= 0
        rows[named] = self._cases.rows_of(np.asarray(indices)[named])
        return rows

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases, in O(d) each, amortised.

        Returns
        -------
        ndarray of int64
            The numbers of the new cases.
        """
        numbers = self._cases.add(values, weights)
        self.version += 1
        return numbers

    def update(self, indices: ArrayLike, values: Floats, weights: Floats | None = None) -> None:
        """Give the cases of these numbers other values, in O(d) each, amortised.

        Parameters
        ----------
        indices : array_like of int
            Case numbers, each once.
        values : ndarray of shape (m, d)
            One row for each.
        weights : ndarray of shape (m,), optional
            Their new weights; by default they keep the old ones.

        Raises
        ------
        ParameterError
            When there is no case of a number; then nothing is changed.
        """
        self._cases.update(indices, values, weights)
        self.version += 1

    def remove(self, indices: ArrayLike) -> None:
        """Remove the cases of these numbers, in O(d) each, amortised.

        Raises
        ------
        ParameterError
            When there is no case of a number; then nothing is removed.
        """
        self._cases.remove(indices)
        self.version += 1
