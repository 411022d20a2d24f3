"""One column of any table: numbers, times or numbered labels.

A `Column` is what all readers produce and all that `infer` and `encode` see, so no other part
knows which library a table came from.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import TableError
from vicinal.tables import times
from vicinal.tables.values import value_key
from vicinal.typing import Bools, Floats, Places

# What a column holds -> what its values can be compared with. Labels have no numbers behind them.
DTYPE_FAMILY = {
    "float": "number",
    "int": "number",
    "bool": "number",
    "decimal": "number",
    "null": "number",
    "datetime": "instant",
    "date": "instant",
    "duration": "duration",
    "time": "time of day",
    "string": "label",
    "category": "label",
    "bytes": "label",
    "mixed": "label",
}

#: Rows that are looked at together, which bounds the memory: a column may be mapped from a file.
BLOCK = 1 << 16

# numpy gives the standard library's types for these units.
_PYTHON_UNIT = {
    "datetime": "datetime64[us]",
    "date": "datetime64[D]",
    "duration": "timedelta64[us]",
    "time": "timedelta64[us]",
}


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one column.

    Attributes
    ----------
    dtype : str
        What the column holds; the keys of `DTYPE_FAMILY`.
    values : ndarray
        Numbers as they came (bool, int or float), datetime64 in universal time, timedelta64
        (durations, and times of day since midnight), or for labels the number of each row's
        level, -1 where missing.
    missing : ndarray of bool or None
        What is missing besides NaN, NaT and -1.
    levels : tuple or None
        For labels, the distinct plain values; rows may have only some of them.
    order : tuple or None
        All levels in order, where the table itself declares an order.
    timezone : str or None
        The time zone of datetimes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.column import Column
    >>> sizes = Column("string", np.array([1, 0, -1]), levels=("S", "L"))
    >>> sizes.is_missing().tolist(), sizes.value(0)
    ([False, False, True], 'L')
    """

    dtype: str
    values: NDArray[Any]
    missing: Bools | None = None
    levels: tuple[Any, ...] | None = None
    order: tuple[Any, ...] | None = None
    timezone: str | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, places: Any) -> Column:
        """Return some values: by places, by a mask, or a slice of them."""
        missing = None if self.missing is None else self.missing[places]
        return replace(self, values=self.values[places], missing=missing)

    @property
    def family(self) -> str:
        """What the values can be compared with: see `DTYPE_FAMILY`."""
        return DTYPE_FAMILY[self.dtype]

    def is_missing(self) -> Bools:
        """Mark the missing rows."""
        found: Bools
        if self.levels is not None:
            found = self.values < 0
        elif self.values.dtype.kind == "f":
            found = np.isnan(self.values)
        elif self.values.dtype.kind in "mM":
            found = np.isnat(self.values)
        else:
            found = np.zeros(len(self), dtype=bool)
        return found if self.missing is None else found | self.missing

    def first_present(self) -> int | None:
        """Return the first row that is not missing."""
        present = np.flatnonzero(~self.is_missing())
        return int(present[0]) if len(present) else None

    def first_mismatch(self, families: Collection[str]) -> int:
        """Return the first row whose value belongs to none of these families, for messages."""
        rows, levels = self.labels()
        others = [i for i, one in enumerate(levels) if value_key(one)[0] not in families]
        return int(np.argmax(np.isin(rows, others)))

    def value(self, row: int) -> Any:
        """Return the plain Python value of a row that is not missing, for messages."""
        if self.levels is not None:
            return self.levels[self.values[row]]
        return self.to_python(self.values[row : row + 1])[0]

    def labels(self) -> tuple[Places, tuple[Any, ...]]:
        """Return the number of each row's level, -1 where missing, and the levels."""
        if self.levels is not None:
            return self.values, self.levels
        present = ~self.is_missing()
        distinct, inverse = np.unique(self.values[present], return_inverse=True)
        codes = np.full(len(self), -1, dtype=np.intp)
        codes[present] = inverse
        return codes, tuple(self.to_python(distinct))

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest of the `numbers`; NaN if there is none. Not for labels."""
        low = high = np.nan
        for start in range(0, len(self), BLOCK):
            numbers = self.take(slice(start, start + BLOCK)).numbers()
            low = np.fmin(low, np.fmin.reduce(numbers))
            high = np.fmax(high, np.fmax.reduce(numbers))
        return float(low), float(high)

    def numbers(self, origin: int = 0) -> Floats:
        """Return the values as numbers, NaN where missing; times in seconds. Not for labels."""
        if self.values.dtype.kind in "mM":
            numbers = times.seconds(self.values, origin)
        else:
            numbers = self.values.astype(np.float64)
        if self.missing is not None:
            numbers[self.missing] = np.nan
        return numbers

    def to_python(self, values: NDArray[Any]) -> list[Any]:
        """Return values of a column of numbers or times as plain Python values."""
        if self.dtype in _PYTHON_UNIT:
            values = values.astype(_PYTHON_UNIT[self.dtype])
        elif values.dtype.kind == "f":
            values = values + 0.0  # -0.0 equals 0.0, so it is the same label
        plain = values.tolist()
        match self.dtype:
            case "decimal":
                return [Decimal(repr(value)) for value in plain]
            case "datetime":
                return [times.in_zone(value, self.timezone) for value in plain]
            case "time":
                return [times.time_of_day(value) for value in plain]
        return plain


def check_finite(numbers: NDArray[Any], name: str, first: int = 0) -> None:
    """Refuse infinite values, naming the column and the row, counted from that of the first.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.column import check_finite
    >>> check_finite(np.array([0.5, -np.inf]), "income")
    Traceback (most recent call last):
        ...
    vicinal.exceptions.TableError: Column 'income' has an infinite value, -inf, in row 1 ...
    """
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        raise TableError(
            f"Column {name!r} has an infinite value, {numbers[row]}, in row {first + row} "
            "(counted from 0); expected finite numbers. Mark it as missing, or cap it."
        )
