"""The index of one machine: all cases in memory, scanned by bounds, evaluated exactly."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError, TableError
from vicinal.index import _native
from vicinal.index.bins import choose_edges
from vicinal.index.metric import NOMINAL, Metric
from vicinal.index.protocol import Found

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


#: Below this many rows an order of their own gains nothing.
_SMALL = 2048

#: Row of a case that is gone.
_REMOVED = np.int64(-1)


def available_threads() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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

    Notes
    -----
    Cases are numbered from 0 in the order they come, and a number is never used twice. Rows are
    kept in an order of their own, like ones together. Removing a case clears its bit; once half
    the rows are gone the others are laid out anew, and so they are when room runs out. Adding
    and removing therefore cost O(d) each, amortised (up to the logarithm of the layout).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index import ExactIndex, Metric, observed_support
    >>> values = np.array([[1.0], [2.0], [4.0]])
    >>> kinds = np.zeros(1, dtype=np.uint8)
    >>> metric = Metric(
    ...     kinds=kinds, residuals=np.ones(1), periods=np.zeros(1), weights=np.ones(1), p=1.0,
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
    ) -> None:
        self._kinds = np.ascontiguousarray(kinds, dtype=np.uint8)
        rows = _as_rows(values, len(self._kinds))
        case_weights = None if weights is None else _as_weights(weights, len(rows))
        self._scales = _usual_scales(rows, self._kinds) if scales is None else scales
        self._next_number = len(rows)
        self._row_of = np.full(len(rows), _REMOVED)
        self._lay_out(rows, case_weights, np.arange(len(rows), dtype=np.int64), len(rows))

    def _lay_out(self, values: Floats, weights: Floats | None, numbers: Ints, room: int) -> None:
        """Make these rows the whole content, with room for so many."""
        n, d = values.shape
        order: Any = slice(None)
        if n > _SMALL:
            order = _native.cluster(values, self._kinds, self._scales)
        blocks = -(-room // _native.BLOCK)
        self._size = n
        self._count = n
        self._values = _with_room(values[order], room)
        self._weights = None if weights is None else _with_room(weights[order], room)
        self._numbers = _with_room(numbers[order], room)
        self._row_of[self._numbers[:n]] = np.arange(n)
        self._edges = choose_edges(values)
        self._codes = np.zeros((blocks, d, _native.BLOCK_BYTES), dtype=np.uint8)
        summaries = -(-blocks // _native.BLOCK)
        self._summary = np.zeros((summaries, 2 * d, _native.BLOCK_BYTES), dtype=np.uint8)
        self._alive = np.zeros(blocks, dtype=np.uint64)
        self._bins = np.tile([np.inf, -np.inf], (d, _native.BINS, 1))
        self._lacking = np.zeros(d, dtype=np.uint8)
        self._pack(0)

    def _pack(self, first: int) -> None:
        """Bring the codes and bits of the rows from `first` on up to date."""
        rows = self._values[: self._size]
        _native.pack(
            values=rows,
            first=first,
            kinds=self._kinds,
            edges=self._edges,
            codes=self._codes,
            summary=self._summary,
            bins=self._bins,
            lacking=self._lacking,
        )
        counted = np.arange(first, self._size)
        if self._weights is not None:
            counted = counted[self._weights[first : self._size] > 0]
        np.bitwise_or.at(self._alive, counted // _native.BLOCK, _bit(counted))
        self._table = _native.Table(
            values=rows,
            numbers=self._numbers,
            codes=self._codes,
            summary=self._summary,
            alive=self._alive,
            bins=self._bins,
            lacking=self._lacking,
            kinds=self._kinds,
        )

    def __len__(self) -> int:
        return self._count

    @property
    def numbers(self) -> Ints:
        """Numbers of the cases held, ascending."""
        return np.flatnonzero(self._row_of >= 0)

    @property
    def values(self) -> Floats:
        """Encoded values of the cases held, in the order of `numbers`."""
        return self._values[self._row_of[self.numbers]]

    @property
    def weights(self) -> Floats | None:
        """Case weights in the order of `numbers`, or None where all are 1."""
        return None if self._weights is None else self._weights[self._row_of[self.numbers]]

    @property
    def nbytes(self) -> int:
        """Bytes held for the cases."""
        arrays = (
            self._values, self._codes, self._summary, self._alive, self._numbers, self._row_of,
        )
        weights = 0 if self._weights is None else self._weights.nbytes
        return sum(array.nbytes for array in arrays) + weights

    def rows_of(self, indices: ArrayLike) -> NDArray[np.intp]:
        """Return the places of the cases of these numbers among the rows stored.

        Raises
        ------
        ParameterError
            When there is no case of a number, or no longer.
        """
        wanted = np.asarray(indices, dtype=np.int64)
        in_range = (wanted >= 0) & (wanted < len(self._row_of))
        rows = np.where(in_range, self._row_of[np.where(in_range, wanted, 0)], _REMOVED)
        if (rows < 0).any():
            raise ParameterError(
                f"There is no case number {wanted[rows < 0][0]} (any more); "
                f"{len(self)} cases are held, see `numbers`."
            )
        return rows

    def case_values(self, indices: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers."""
        return self._values[self.rows_of(indices)]

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
        indices, distances, evaluated = _native.search(
            self._table,
            metric.native,
            queries=_as_rows(queries, len(self._kinds)),
            exclude=self._excluded_rows(exclude, len(queries)),
            k=min(k, max(self._size, 1)),
            required=-1 if required is None else required,
            threads=threads or available_threads(),
            path=path,
            pruned=pruned,
        )
        if k > indices.shape[1]:
            spare = ((0, 0), (0, k - indices.shape[1]))
            indices = np.pad(indices, spare, constant_values=-1)
            distances = np.pad(distances, spare, constant_values=np.inf)
        return Found(indices, distances, evaluated)

    def _excluded_rows(self, exclude: Ints | None, count: int) -> Ints:
        rows = np.full(count, -1, dtype=np.int64)
        if exclude is not None:
            named = np.flatnonzero(np.asarray(exclude) >= 0)
            rows[named] = self.rows_of(np.asarray(exclude)[named])
            if self._weights is not None:
                rows[named[self._weights[rows[named]] > 1]] = -1
        return rows

    def counted_weights(self, indices: Ints, k: int, exclude: Ints | None = None) -> Floats | None:
        """Return how many of the k places each case found takes; None where all weigh 1.

        Nearest first, each case takes as many places as it weighs, until the k are taken. The
        case left out takes one place less.
        """
        if self._weights is None:
            return None
        there = indices >= 0
        weights = np.zeros(indices.shape)
        weights[there] = self._weights[self.rows_of(indices[there])]
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
        rows = np.full(np.shape(indices), -1, dtype=np.int64)
        named = np.asarray(indices) >= 0
        rows[named] = self.rows_of(np.asarray(indices)[named])
        return _native.terms(  # type: ignore[no-any-return]
            self._table,
            metric.native,
            queries=_as_rows(queries, len(self._kinds)),
            rows=rows,
            threads=threads or available_threads(),
            path=path,
        )

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases, in O(d) each, amortised.

        Returns
        -------
        ndarray of int64
            The numbers of the new cases.
        """
        rows = _as_rows(values, len(self._kinds))
        case_weights = None if weights is None else _as_weights(weights, len(rows))
        if case_weights is not None and self._weights is None:
            self._weights = np.ones(len(self._values))
        first, last = self._size, self._size + len(rows)
        if last > len(self._values):
            # Half as much again, so that the copies add up to a constant per case.
            self._lay_out(self.values, self.weights, self.numbers, last + last // 2)
            first, last = self._size, self._size + len(rows)
        numbers = self._new_numbers(len(rows))
        self._values[first:last] = rows
        self._numbers[first:last] = numbers
        self._row_of[numbers] = np.arange(first, last)
        if self._weights is not None:
            self._weights[first:last] = 1.0 if case_weights is None else case_weights
        self._size = last
        self._count += len(rows)
        self._pack(first)
        return numbers

    def _new_numbers(self, count: int) -> Ints:
        first = self._next_number
        self._next_number += count
        if self._next_number > len(self._row_of):
            longer = np.full(self._next_number + self._next_number // 2, _REMOVED)
            longer[: len(self._row_of)] = self._row_of
            self._row_of = longer
        return np.arange(first, self._next_number, dtype=np.int64)

    def remove(self, indices: ArrayLike) -> None:
        """Remove the cases of these numbers, in O(d) each, amortised.

        Raises
        ------
        ParameterError
            When there is no case of a number; then nothing is removed.
        """
        numbers = np.unique(np.asarray(indices, dtype=np.int64))
        rows = self.rows_of(numbers)
        self._row_of[numbers] = _REMOVED
        self._count -= len(numbers)
        np.bitwise_and.at(self._alive, rows // _native.BLOCK, ~_bit(rows))
        if 2 * self._count < self._size:
            self._lay_out(self.values, self.weights, self.numbers, self._count)


def _bit(rows: NDArray[np.intp]) -> NDArray[np.uint64]:
    return np.left_shift(np.uint64(1), (rows % _native.BLOCK).astype(np.uint64))


def _with_room(array: NDArray[Any], room: int) -> NDArray[Any]:
    if room == len(array):
        return array
    longer = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _usual_scales(values: Floats, kinds: NDArray[np.uint8]) -> Floats:
    """Half the mean absolute deviation of a column; 1 where that says nothing."""
    sample = values[:: max(1, len(values) // 4096)]
    known = ~np.isnan(sample)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, sample, 0.0).sum(axis=0) / counts
    spread = np.where(known, np.abs(sample - means), 0.0).sum(axis=0) / counts / 2
    return np.where((kinds == NOMINAL) | (spread == 0), 1.0, spread)


def _as_rows(values: Floats, columns: int) -> Floats:
    rows = np.ascontiguousarray(values, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise TableError(
            f"Encoded rows must have {columns} columns; got an array of shape {rows.shape}."
        )
    return rows


def _as_weights(weights: Floats, count: int) -> Floats:
    checked = np.array(weights, dtype=np.float64)
    if checked.shape != (count,):
        raise ParameterError(f"{count} case weights are needed; got shape {checked.shape}.")
    wrong = ~np.isfinite(checked) | (checked < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ParameterError(
            f"Case weights must be finite and not negative; got {checked[row]} in row {row}."
        )
    return checked
