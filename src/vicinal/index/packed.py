"""Cases as they lie in memory for the kernels: rows, packed codes, and the row of each case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.index import _native
from vicinal.index.bins import choose_edges, usual_scales
from vicinal.index.checks import checked_case_weights, checked_cases, checked_numbers
from vicinal.index.layout import alive_bits, bit_of, laid_out, with_spare
from vicinal.index.mapped import prepare_search
from vicinal.index.saved import check_saved
from vicinal.index.shared_rows import (
    SharedRows,
    StoredValues,
    column_of,
    first_rows,
    in_order,
    native_rows,
    values_at,
    whole_rows,
)
from vicinal.storage import is_mapped
from vicinal.typing import Bools, Floats, Ints, Places

#: Below this many rows an order of their own gains nothing.
_SMALL = 2048
#: Row of a removed case.
REMOVED = np.int64(-1)


class PackedCases:
    """Cases under numbers that never change, laid out for the kernels.

    Rows are kept in an order of their own, like ones together.

    Attributes
    ----------
    size : int
        Rows in use, those of removed cases among them.
    table : _native.Table
        The rows as the kernels take them.
    """

    #: Whether others have the same arrays: then a change copies them.
    _shared = False
    #: Whether finer codes of the values, which speed up searches, may stay in memory.
    _lasting = True
    _values: StoredValues

    def __init__(
        self,
        values: StoredValues,
        kinds: NDArray[np.uint8],
        weights: Floats | None,
        scales: Floats | None,
        edges: Floats | None = None,
        numbers: Ints | None = None,
        next_number: int | None = None,
        into: StoredValues | None = None,
    ) -> None:
        self.kinds = np.ascontiguousarray(kinds, dtype=np.uint8)
        # Columns that are shared were checked before, and others behind them are numbers.
        rows = values if isinstance(values, SharedRows) else checked_cases(values, self.kinds)
        case_weights = None if weights is None else checked_case_weights(weights, len(rows))
        self._scales = usual_scales(rows, self.kinds) if scales is None else scales
        self.next_number = len(rows) if next_number is None else next_number
        self._row_of = np.full(self.next_number, REMOVED)
        named = np.arange(len(rows), dtype=np.int64) if numbers is None else numbers
        self._lay_out(rows, case_weights, named, with_spare(len(rows)), edges, into)

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
            cases = np.full(made.size, REMOVED)
            cases[made._row_of[held]] = held
        made._numbers = cases
        made._alive = alive_bits(len(made._codes), made._row_of[held], made._weights)
        made.table = made._native_table()
        return made

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays, without the room that is to spare."""
        blocks = -(-self.size // _native.BLOCK)
        arrays: dict[str, NDArray[Any]] = {
            "values": whole_rows(first_rows(self._values, self.size)),
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
        values: StoredValues,
        weights: Floats | None,
        numbers: Ints,
        room: int,
        edges: Floats | None = None,
        into: StoredValues | None = None,
    ) -> None:
        """Make these rows the whole content, with room for so many; the first ones of `into`."""
        n, d = len(values), len(self.kinds)
        order: Places = np.arange(n)
        if n > _SMALL:
            order = _native.cluster(native_rows(values), self.kinds, self._scales)
        blocks = -(-room // _native.BLOCK)
        self.size = n
        self._count = n
        self._edges = choose_edges(whole_rows(values)) if edges is None else edges
        self._values = (
            laid_out(whole_rows(values), order, room) if into is None else in_order(into, order)
        )
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
            values=native_rows(first_rows(self._values, self.size)),
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
        if (weights := self.weights_at(rows)) is not None:
            counted = rows[weights > 0]
        np.bitwise_or.at(self._alive, counted // _native.BLOCK, bit_of(counted))

    def _native_table(self) -> _native.Table:
        return _native.Table(
            values=native_rows(first_rows(self._values, self.size)),
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
    def _held_rows(self) -> Places:
        return self._row_of[self.numbers]

    @property
    def row_of(self) -> Ints:
        """The row of each case number, −1 for those that are not held."""
        return self._row_of

    @property
    def values(self) -> Floats:
        """Encoded values of the cases held, in the order of `numbers`."""
        return self.values_at(self._held_rows)

    @property
    def weights(self) -> Floats | None:
        """Case weights in the order of `numbers`, or None where all are 1."""
        return self.weights_at(self._held_rows)

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return self._weights is not None

    @property
    def nbytes(self) -> int:
        """Bytes held for the cases, without the room that is to spare."""
        by_row = [self._numbers] if self._weights is None else [self._numbers, self._weights]
        arrays: list[Any] = [self._row_of, self._codes, self._summary, self._alive]
        arrays += [first_rows(self._values, self.size), *(one[: self.size] for one in by_row)]
        return sum(one.nbytes for one in arrays)

    def rows_of(self, numbers: ArrayLike) -> Places:
        """Return the rows of the cases of these numbers."""
        wanted = checked_numbers(numbers)
        if wanted.size and wanted.min() >= 0 and wanted.max() < len(self._row_of):
            rows = self._row_of[wanted]
        else:
            in_range = (wanted >= 0) & (wanted < len(self._row_of))
            rows = np.full(wanted.shape, REMOVED)
            rows[in_range] = self._row_of[wanted[in_range].astype(np.intp)]
        if rows.size and rows.min() < 0:
            raise ParameterError(
                f"There is no case number {wanted[rows < 0][0]} (any more); "
                f"{len(self)} cases are held{self._span()}."
            )
        return rows

    def _span(self) -> str:
        numbers = self.numbers
        return f", numbered from {numbers.min()} to {numbers.max()}" if len(numbers) else ""

    def values_at(self, rows: Places) -> Floats:
        """Return the encoded values of these rows."""
        return values_at(self._values, rows)

    def prepare_search(self, count: int) -> None:
        """Read values that are on disk in large pieces, if so many queries are worth it."""
        if not isinstance(self._values, SharedRows):
            prepare_search(self._values[: self.size], count)

    def column(self, column: int) -> Floats:
        """Return one encoded column of the cases held, in the order of `numbers`."""
        return self.row_column(column)[self._held_rows]

    def row_column(self, column: int) -> Floats:
        """Return one encoded column of the rows in use; NaN for those of removed cases."""
        return column_of(first_rows(self._values, self.size), column)

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

    def edges_of(self, further: Floats) -> Floats:
        """Return edges for rows with further columns; its own stay, since choosing takes long."""
        return np.concatenate([self._edges, choose_edges(further)])

    @property
    def sharable(self) -> int:
        """How many of the first columns others can have, too; none of those in a file."""
        here = self._values
        if isinstance(here, SharedRows):
            return here.shared.shape[1]
        return 0 if is_mapped(here) else len(self.kinds)

    def shared_rows(self, further: Floats) -> SharedRows:
        """Return rows, in the order of `numbers`, that have further columns behind the sharable.

        From now on a change copies what is here.
        """
        here, rows = self._values, self._held_rows
        places = np.zeros(len(further), dtype=np.int32)
        self._shared = True
        if isinstance(here, SharedRows):
            places[: len(self)] = here.places[rows]
            return SharedRows(further, here.shared, places)
        places[: len(self)] = rows
        return SharedRows(further, here, places)
