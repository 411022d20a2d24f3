"""The cases of an index as they lie in memory: rows, packed codes, and who is where."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError, TableError
from vicinal.index import _native
from vicinal.index.bins import choose_edges
from vicinal.index.metric import NOMINAL

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Below this many rows an order of their own gains nothing.
_SMALL = 2048

#: Row of a case that is gone.
_REMOVED = np.int64(-1)

#: Category codes are below this.
_MOST_CATEGORIES = 1 << 31


class CaseStorage:
    """Cases under numbers that never change, laid out for the kernels.

    Cases are numbered from 0 in the order they come, and a number is never used twice. Rows are
    kept in an order of their own, like ones together. Removing a case clears its bit; once half
    the rows are gone the others are laid out anew, and so they are when room runs out. Adding
    and removing therefore cost O(d) each, amortised (up to the logarithm of the layout).

    Parameters
    ----------
    values, kinds, weights, scales
        As in `ExactIndex`.

    Attributes
    ----------
    size : int
        Rows in use, those of removed cases among them.
    table : _native.Table
        The rows as the kernels take them.
    """

    def __init__(
        self,
        values: Floats,
        kinds: NDArray[np.uint8],
        weights: Floats | None,
        scales: Floats | None,
    ) -> None:
        self.kinds = np.ascontiguousarray(kinds, dtype=np.uint8)
        rows = self._checked_cases(values)
        case_weights = None if weights is None else _checked_weights(weights, len(rows))
        self._scales = _usual_scales(rows, self.kinds) if scales is None else scales
        self._next_number = len(rows)
        self._row_of = np.full(len(rows), _REMOVED)
        self._lay_out(rows, case_weights, np.arange(len(rows), dtype=np.int64), len(rows))

    def _lay_out(self, values: Floats, weights: Floats | None, numbers: Ints, room: int) -> None:
        """Make these rows the whole content, with room for so many."""
        n, d = values.shape
        order = np.arange(n)
        if n > _SMALL:
            order = _native.cluster(values, self.kinds, self._scales)
        blocks = -(-room // _native.BLOCK)
        self.size = n
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
        _native.pack(
            values=self._values[: self.size],
            first=first,
            kinds=self.kinds,
            edges=self._edges,
            codes=self._codes,
            summary=self._summary,
            bins=self._bins,
            lacking=self._lacking,
        )
        counted = np.arange(first, self.size)
        if self._weights is not None:
            counted = counted[self._weights[first : self.size] > 0]
        np.bitwise_or.at(self._alive, counted // _native.BLOCK, _bit(counted))
        self.table = self._native_table()

    def _native_table(self) -> _native.Table:
        return _native.Table(
            values=self._values[: self.size],
            numbers=self._numbers,
            codes=self._codes,
            summary=self._summary,
            alive=self._alive,
            bins=self._bins,
            lacking=self._lacking,
            kinds=self.kinds,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "table"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.table = self._native_table()

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
    def row_numbers(self) -> Ints:
        """Case number of each row in use, those of removed cases among them."""
        return self._numbers[: self.size]

    @property
    def nbytes(self) -> int:
        """Bytes held for the cases."""
        arrays = [self._values, self._codes, self._summary, self._alive]
        arrays += [self._numbers, self._row_of]
        arrays += [] if self._weights is None else [self._weights]
        return sum(array.nbytes for array in arrays)

    def rows_of(self, numbers: ArrayLike) -> NDArray[np.intp]:
        """Return the rows of the cases of these numbers."""
        wanted = np.asarray(numbers)
        if wanted.size and wanted.dtype.kind not in "iu":
            raise ParameterError(
                f"Cases are named by their whole numbers; got {wanted.dtype} values."
            )
        in_range = (wanted >= 0) & (wanted < len(self._row_of))
        rows = np.full(wanted.shape, _REMOVED)
        rows[in_range] = self._row_of[wanted[in_range].astype(np.intp)]
        if (rows < 0).any():
            raise ParameterError(
                f"There is no case number {wanted[rows < 0][0]} (any more); "
                f"{len(self)} cases are held, see `numbers`."
            )
        return rows

    def values_at(self, rows: NDArray[np.intp]) -> Floats:
        """Return the encoded values of these rows."""
        return self._values[rows]

    def column(self, column: int) -> Floats:
        """Return one encoded column of the cases held, in the order of `numbers`."""
        return self._values[self.rows_of(self.numbers), column]

    def weights_at(self, rows: NDArray[np.intp]) -> Floats | None:
        """Return the case weights of these rows, or None where all are 1."""
        return None if self._weights is None else self._weights[rows]

    def add(self, values: Floats, weights: Floats | None) -> Ints:
        """Add cases and return their numbers; when the arguments are wrong, nothing is added."""
        rows = self._checked_cases(values)
        case_weights = None if weights is None else _checked_weights(weights, len(rows))
        if case_weights is not None and self._weights is None:
            self._weights = np.ones(len(self._values))
        if self.size + len(rows) > len(self._values):
            # Half as much again, so that the copies add up to a constant per case.
            needed = self.size + len(rows)
            self._lay_out(self.values, self.weights, self.numbers, needed + needed // 2)
        first, last = self.size, self.size + len(rows)
        numbers = self._new_numbers(len(rows))
        self._values[first:last] = rows
        self._numbers[first:last] = numbers
        self._row_of[numbers] = np.arange(first, last)
        if self._weights is not None:
            self._weights[first:last] = 1.0 if case_weights is None else case_weights
        self.size = last
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

    def remove(self, numbers: ArrayLike) -> None:
        """Remove the cases of these numbers; when one is not there, nothing is removed."""
        rows = np.unique(self.rows_of(numbers))
        self._row_of[self._numbers[rows]] = _REMOVED
        self._count -= len(rows)
        np.bitwise_and.at(self._alive, rows // _native.BLOCK, ~_bit(rows))
        if 2 * self._count < self.size:
            self._lay_out(self.values, self.weights, self.numbers, self._count)

    def checked_rows(self, values: Floats) -> Floats:
        """Return rows as the kernels take them; an error if they do not fit the columns."""
        rows = np.ascontiguousarray(values, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(self.kinds):
            raise TableError(
                f"Encoded rows must have {len(self.kinds)} columns; "
                f"got an array of shape {rows.shape}."
            )
        return rows

    def _checked_cases(self, values: Floats) -> Floats:
        rows = self.checked_rows(values)
        codes = rows[:, self.kinds == NOMINAL]
        wrong = (codes < 0) | (codes >= _MOST_CATEGORIES)
        if wrong.any():
            raise TableError(
                f"Category codes must be at least 0 and below {_MOST_CATEGORIES}; "
                f"got {codes[wrong][0]}."
            )
        return rows


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


def _checked_weights(weights: Floats, count: int) -> Floats:
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
