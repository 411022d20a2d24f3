"""The cases of an index in memory, which come, change and go."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.index import _native
from vicinal.index.checks import check_each_once, checked_case_weights, checked_cases
from vicinal.index.layout import bit_of, clear_codes
from vicinal.index.packed import REMOVED, PackedCases
from vicinal.index.shared_rows import SharedRows, whole_rows
from vicinal.typing import Floats, Ints, Places


class CaseStorage(PackedCases):
    """Cases that can be added, changed and removed.

    Cases are numbered from 0 in the order they come, and a number is never used twice. Removing a
    case clears its bit and wipes its values; once half the rows are gone the others are laid out
    anew, and so they are when room runs out. An updated case moves to a new row under its old
    number. Adding, updating and removing therefore cost O(d) each, amortized (up to the logarithm
    of the layout).
    """

    def rebuilt(
        self, values: Floats, scales: Floats | None, kinds: NDArray[np.uint8] | None
    ) -> CaseStorage:
        """Lay out other values under the same numbers."""
        kinds, named = self.kinds if kinds is None else kinds, (self.numbers, self.next_number)
        return CaseStorage(values, kinds, self.weights, scales, None, *named)

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
        self.own()
        needed = self.size + count
        if needed > len(self._values):
            # Half as much again, so that the copies add up to a constant per case.
            self._lay_out(self.values, self.weights, self.numbers, needed + needed // 2)

    def own(self) -> None:
        """Copy what is shared with others or mapped from a file, so that it can be changed."""
        copied = False
        for name, one in list(self.__dict__.items()):
            if isinstance(one, SharedRows):
                setattr(self, name, whole_rows(one))
                copied = True
            elif isinstance(one, np.ndarray) and (self._shared or not one.flags.writeable):
                setattr(self, name, one.copy())
                copied = True
        self._shared = False
        if copied:
            self.table = self._native_table()

    @property
    def _writable(self) -> Floats:
        assert not isinstance(self._values, SharedRows)  # since `own`
        return self._values

    def _append(self, rows: Floats, weights: Floats | None, numbers: Ints) -> None:
        """Put rows behind the others; there is room."""
        first, last = self.size, self.size + len(rows)
        if weights is not None and self._weights is None:
            self._weights = np.ones(len(self._values))
        self._writable[first:last] = rows
        self._numbers[first:last] = numbers
        self._row_of[numbers] = np.arange(first, last)
        if self._weights is not None:
            self._weights[first:last] = 1.0 if weights is None else weights
        self.size = last
        self._pack(first)

    def _forget(self, rows: Places) -> None:
        """Take rows out of all searches, and their cases out of the account."""
        self._row_of[self._numbers[rows]] = REMOVED
        self._count -= len(rows)
        np.bitwise_and.at(self._alive, rows // _native.BLOCK, ~bit_of(rows))

    def _wipe(self, rows: Places) -> None:
        """Wipe what rows held."""
        self._writable[rows] = np.nan
        clear_codes(self._codes, rows)

    def _tidy(self) -> None:
        if 2 * self._count < self.size:
            self._lay_out(self.values, self.weights, self.numbers, self._count)

    def _new_numbers(self, count: int) -> Ints:
        first = self.next_number
        self.next_number += count
        if self.next_number > len(self._row_of):
            longer = np.full(self.next_number + self.next_number // 2, REMOVED)
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
        self.own()
        self._forget(rows)
        self._wipe(rows)
        self._tidy()
