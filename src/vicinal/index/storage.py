"""The cases of an index in memory: rows, packed codes, and the row of each case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.index import _native
from vicinal.index.bins import choose_edges, usual_scales
from vicinal.index.checks import (
    check_each_once,
    checked_case_weights,
    checked_cases,
    checked_numbers,
)
from vicinal.index.layout import alive_bits, bit_of, clear_codes, laid_out, reordered, with_spare
from vicinal.index.mapped import column_at, prepare_search, rows_at
from vicinal.index.saved import check_saved
from vicinal.typing import Bools, Floats, Ints, Places

#: Below this many rows an order of their own gains nothing.
_SMALL = 2048
#: Row of a removed case.
_REMOVED = np.int64(-1)


class CaseStorage:
    """Cases under numbers that never change, laid out for the kernels.

    Cases are numbered from 0 in the order they come, and a number is never used twice. Rows are
    kept in an order of their own, like ones together. Removing a case clears its bit and wipes its
    values; once half the rows are gone the others are laid out anew, and so they are when room
    runs out. An updated case moves to a new row under its old number. Adding, updating and
    removing therefore cost O(d) each, amortized (up to the logarithm of the layout).

    Attributes
    ----------
    size : int
        Rows in use, those of removed cases among them.
    table : _native.Table
        The rows as the kernels take them.
    """

    #: Whether a copy has the same arrays.
    _shared = False
    #: Whether finer codes of the values, which speed up searches, may stay in memory.
    _lasting = True

    def __init__(
        self,
        values: Floats,
        kinds: NDArray[np.uint8],
        weights: Floats | None,
        scales: Floats | None,
        edges: Floats | None = None,
        numbers: Ints | None = None,
        next_number: int | None = None,
        into: Floats | None = None,
    ) -> None:
        self.kinds = np.ascontiguousarray(kinds, dtype=np.uint8)
        rows = checked_cases(values, self.kinds)
        case_weights = None if weights is None else checked_case_weights(weights, len(rows))
        self._scales = usual_scales(rows, self.kinds) if scales is None else scales
        self.next_number = len(rows) if next_number is None else next_number
        self._row_of = np.full(self.next_number, _REMOVED)
        named = np.arange(len(rows), dtype=np.int64) if numbers is None else numbers
        self._lay_out(rows, case_weights, named, with_spare(len(rows)), edges, into)

    def rebuilt(
        self, values: Floats, scales: Floats | None, kinds: NDArray[np.uint8] | None
    ) -> CaseStorage:
        """Lay out other values under the same numbers."""
        kinds, named = self.kinds if kinds is None else kinds, (self.numbers, self.next_number)
        return CaseStorage(values, kinds, self.weights, scales, None, *named)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], *, thorough: bool, lasting: bool = True
    ) -> Self:
        """Make a storage of what `to_arrays` gave; see `check_saved` for what is not trusted."""
        check_saved(arrays, thorough=thorough)
        made = cls.__new__(cls)
        made.kinds, made._scales = arrays["kinds"], arrays["scales"]
        made._values, made._codes = arrays["values"], arrays["codes"]
        made._summary, made._weights = arrays["summary"], arrays.get("weights")
        made._row_of, made._edges = arrays["row_of"], arrays["edges"]
        made._bins, made._lacking = arrays["bins"], arrays["lacking"]
        made.size, made.next_number = len(made._values), len(made._row_of)
        made._lasting = lasting
        held = made.numbers
        made._count = len(held)
        cases = arrays.get("cases")
        if cases is None:
            cases = np.full(made.size, _REMOVED)
            cases[made._row_of[held]] = held
        made._numbers = cases
        made._alive = alive_bits(len(made._codes), made._row_of[held], made._weights)
        made.table = made._native_table()
        return made

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays, without the room that is to spare."""
        blocks = -(-self.size // _native.BLOCK)
        arrays: dict[str, NDArray[Any]] = {
            "values": self._values[: self.size],
            "row_of": self._row_of[: self.next_number],
            "codes": self._codes[:blocks],
            "summary": self._summary[: -(-blocks // _native.BLOCK)],
            "bins": self._bins,
            "edges": self._edges,
            "lacking": self._lacking,
            "kinds": self.kinds,
            "scales": self._scales,
        }
        if self._weights is not None:
            arrays["weights"] = self._weights[: self.size]
        return arrays

    @property
    def cases(self) -> Ints:
        """The case of each row; it follows from other arrays."""
        return self._numbers[: self.size]

    def _lay_out(
        self,
        values: Floats,
        weights: Floats | None,
        numbers: Ints,
        room: int,
        edges: Floats | None = None,
        into: Floats | None = None,
    ) -> None:
        """Make these rows the whole content, with room for so many; the first ones of `into`."""
        n, d = values.shape
        order = _native.cluster(values, self.kinds, self._scales) if n > _SMALL else np.arange(n)
        blocks = -(-room // _native.BLOCK)
        self.size = n
        self._count = n
        self._edges = choose_edges(values) if edges is None else edges
        self._values = laid_out(values, order, room) if into is None else reordered(into, order)
        self._weights = None if weights is None else laid_out(weights, order, room)
        self._numbers = laid_out(numbers, order, room)
        self._row_of[self._numbers[:n]] = np.arange(n)
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
        self._count_in(np.arange(first, self.size))
        self.table = self._native_table()

    def _count_in(self, rows: Ints) -> None:
        """Set the bits of these rows, if they have a weight."""
        counted = rows
        if self._weights is not None:
            counted = rows[self._weights[rows] > 0]
        np.bitwise_or.at(self._alive, counted // _native.BLOCK, bit_of(counted))

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
            keeps=self._lasting,
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
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return self._weights is not None

    @property
    def nbytes(self) -> int:
        """Bytes held for the cases, without the room that is to spare."""
        by_row: list[NDArray[Any]] = [self._values, self._numbers]
        by_row += [] if self._weights is None else [self._weights]
        others: list[NDArray[Any]] = [self._row_of, self._codes, self._summary, self._alive]
        return sum(a[: self.size].nbytes for a in by_row) + sum(a.nbytes for a in others)

    def rows_of(self, numbers: ArrayLike) -> Places:
        """Return the rows of the cases of these numbers."""
        wanted = checked_numbers(numbers)
        if wanted.size and wanted.min() >= 0 and wanted.max() < len(self._row_of):
            rows = self._row_of[wanted]
        else:
            in_range = (wanted >= 0) & (wanted < len(self._row_of))
            rows = np.full(wanted.shape, _REMOVED)
            rows[in_range] = self._row_of[wanted[in_range].astype(np.intp)]
        if rows.size and rows.min() < 0:
            raise ParameterError(
                f"There is no case number {wanted[rows < 0][0]} (any more); "
                f"{len(self)} cases are held, see `numbers`."
            )
        return rows

    def values_at(self, rows: Places) -> Floats:
        """Return the encoded values of these rows."""
        return rows_at(self._values, rows)

    def prepare_search(self, count: int) -> None:
        """Read values that are on disk in large pieces, if so many queries are worth it."""
        prepare_search(self._values[: self.size], count)

    def column(self, column: int) -> Floats:
        """Return one encoded column of the cases held, in the order of `numbers`."""
        return self.row_column(column)[self._row_of[self.numbers]]

    def row_column(self, column: int) -> Floats:
        """Return one encoded column of the rows in use; NaN for those of removed cases."""
        return column_at(self._values[: self.size], column)

    def column_by_number(self, column: int) -> Floats:
        """Return one encoded column by case number; NaN where there is no case any more."""
        by_number, held = np.full(self.next_number, np.nan), self.numbers
        by_number[held] = self.row_column(column)[self._row_of[held]]
        return by_number

    def contains(self, numbers: ArrayLike) -> Bools:
        """Return whether each case number exists."""
        wanted = np.asarray(numbers, dtype=np.int64)
        in_range = (wanted >= 0) & (wanted < self.next_number)
        return in_range & (self._row_of[np.where(in_range, wanted, 0)] >= 0)

    def weights_at(self, rows: Places) -> Floats | None:
        """Return the case weights of these rows, or None where all are 1."""
        return None if self._weights is None else self._weights[rows]

    @property
    def box(self) -> tuple[Floats, Floats, Bools]:
        """The lowest and highest value of each column, and whether any is or was missing."""
        low, high = self._bins[:, :, 0].min(axis=1), self._bins[:, :, 1].max(axis=1)
        return low, high, self._lacking != 0

    @property
    def edges(self) -> Floats:
        """Where the bins of each column begin, and where all values begin and end."""
        low, high, _ = self.box
        return np.column_stack([low, self._edges, np.nextafter(high, np.inf)])

    def edges_of(self, values: Floats) -> Floats:
        """Return edges for rows with further columns; its own stay, since choosing takes long."""
        return np.concatenate([self._edges, choose_edges(values[:, len(self._edges) :])])

    def add(self, values: Floats, weights: Floats | None) -> Ints:
        """Add cases and return their numbers; when the arguments are wrong, nothing is added."""
        rows = checked_cases(values, self.kinds)
        case_weights = None if weights is None else checked_case_weights(weights, len(rows))
        self._make_room(len(rows))
        numbers = self._new_numbers(len(rows))
        self._count += len(rows)
        self._append(rows, case_weights, numbers)
        return numbers

    def update(self, numbers: ArrayLike, values: Floats, weights: Floats | None) -> None:
        """Give the cases of these numbers other values, and other weights if there are any."""
        rows = checked_cases(values, self.kinds)
        case_weights = None if weights is None else checked_case_weights(weights, len(rows))
        wanted = np.atleast_1d(np.asarray(numbers))
        self.rows_of(wanted)
        check_each_once(wanted, rows)
        if not len(rows):
            return
        wanted = wanted.astype(np.int64)
        self._make_room(len(rows))
        old = self.rows_of(wanted)
        if case_weights is None and self._weights is not None:
            case_weights = self._weights[old]
        self._forget(old)
        self._wipe(old)
        self._count += len(old)
        self._append(rows, case_weights, wanted)
        self._tidy()

    def copied(self) -> CaseStorage:
        """Return a copy that changes on its own: the first change of either copies the arrays."""
        made = CaseStorage.__new__(CaseStorage)
        self._shared = True
        made.__dict__.update(self.__dict__)
        return made

    def _make_room(self, count: int) -> None:
        self._own()
        needed = self.size + count
        if needed > len(self._values):
            # Half as much again, so that the copies add up to a constant per case.
            self._lay_out(self.values, self.weights, self.numbers, needed + needed // 2)

    def _own(self) -> None:
        """Copy what is shared with a copy or mapped from a file, so that it can be changed."""
        copied = False
        for name, one in list(self.__dict__.items()):
            if isinstance(one, np.ndarray) and (self._shared or not one.flags.writeable):
                setattr(self, name, one.copy())
                copied = True
        self._shared = False
        if copied:
            self.table = self._native_table()

    def _append(self, rows: Floats, weights: Floats | None, numbers: Ints) -> None:
        """Put rows behind the others; there is room."""
        first, last = self.size, self.size + len(rows)
        if weights is not None and self._weights is None:
            self._weights = np.ones(len(self._values))
        self._values[first:last] = rows
        self._numbers[first:last] = numbers
        self._row_of[numbers] = np.arange(first, last)
        if self._weights is not None:
            self._weights[first:last] = 1.0 if weights is None else weights
        self.size = last
        self._pack(first)

    def _forget(self, rows: Places) -> None:
        """Take rows out of all searches, and their cases out of the account."""
        self._row_of[self._numbers[rows]] = _REMOVED
        self._count -= len(rows)
        np.bitwise_and.at(self._alive, rows // _native.BLOCK, ~bit_of(rows))

    def _wipe(self, rows: Places) -> None:
        """Wipe what rows held."""
        self._values[rows] = np.nan
        clear_codes(self._codes, rows)

    def _tidy(self) -> None:
        if 2 * self._count < self.size:
            self._lay_out(self.values, self.weights, self.numbers, self._count)

    def _new_numbers(self, count: int) -> Ints:
        first = self.next_number
        self.next_number += count
        if self.next_number > len(self._row_of):
            longer = np.full(self.next_number + self.next_number // 2, _REMOVED)
            longer[: len(self._row_of)] = self._row_of
            self._row_of = longer
        return np.arange(first, self.next_number, dtype=np.int64)

    def hide(self, numbers: ArrayLike) -> None:
        """Take cases out of everything, but leave their values where they are, on disk maybe."""
        rows = np.unique(self.rows_of(numbers))
        self._row_of, self._alive = self._row_of.copy(), self._alive.copy()
        self._forget(rows)
        self.table = self._native_table()

    def remove(self, numbers: ArrayLike) -> None:
        """Remove the cases of these numbers; when one is not there, nothing is removed."""
        rows = np.unique(self.rows_of(numbers))
        self._own()
        self._forget(rows)
        self._wipe(rows)
        self._tidy()
