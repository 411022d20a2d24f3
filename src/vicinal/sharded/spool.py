"""The columns of all parts of a table, written to disk and mapped, as if they were one table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import TableError
from vicinal.tables.column import Column
from vicinal.tables.table import Table
from vicinal.tables.values import value_key

#: Distinct texts that a column may have: with more, it would not fit into memory.
MOST_LEVELS = 5_000_000


def spool(parts: Iterable[Table], folder: Path) -> Table:
    """Write the columns of all parts to files in a folder, and return them as one table.

    Columns of numbers and times are mapped from the files. So are those of labels, of which the
    distinct values stay in memory.
    """
    columns: dict[str, _Spooled] = {}
    first: Table | None = None
    with ExitStack() as opened:
        for part in parts:
            if first is None:
                first = part
                columns = {
                    name: _Spooled(name, folder / str(at), opened)
                    for at, name in enumerate(part.names)
                }
            for name, one in columns.items():
                one.add(part.columns[name])
    if first is None:
        raise TableError("The table has no rows; expected at least one.")
    whole = {name: one.column() for name, one in columns.items()}
    return replace(first, columns=whole, matrix=None, places={}, labels=None)


class _Spooled:
    """One column, as far as it has been written."""

    def __init__(self, name: str, path: Path, opened: ExitStack) -> None:
        self.name, self.path = name, path
        self.pieces: list[tuple[Column, int]] = []
        self.levels: dict[Hashable, int] = {}
        self.labels: list[Any] = []
        self._file = opened.enter_context(path.open("wb"))
        self._mask = opened.enter_context(path.with_suffix(".missing").open("wb"))
        self._missing = False

    def add(self, column: Column) -> None:
        """Write more rows."""
        values = column.values
        if column.levels is not None:
            values = self._codes(column)
        self._file.write(np.ascontiguousarray(values).tobytes())
        gone = column.missing
        self._missing |= gone is not None
        mask = np.zeros(len(values), dtype=bool) if gone is None else gone
        self._mask.write(np.ascontiguousarray(mask).tobytes())
        # What the piece was, without its rows; a view of them would keep them in memory.
        levels = None if column.levels is None else ()
        empty = replace(column, values=np.empty(0, values.dtype), missing=None, levels=levels)
        self.pieces.append((empty, len(values)))

    def _codes(self, column: Column) -> NDArray[Any]:
        """Number labels alike in all parts."""
        assert column.levels is not None
        numbers = np.empty(len(column.levels) + 1, dtype=np.int64)
        numbers[-1] = -1
        for place, level in enumerate(column.levels):
            key = value_key(level)
            if key not in self.levels:
                self.levels[key] = len(self.labels)
                self.labels.append(level)
            numbers[place] = self.levels[key]
        if len(self.labels) > MOST_LEVELS:
            raise TableError(
                f"Column {self.name!r} has more than {MOST_LEVELS} distinct texts, which do not "
                "fit into memory; leave it out of the table, it names rows rather than tells "
                "them apart."
            )
        return numbers[column.values]

    def column(self) -> Column:
        """Return the whole column, mapped."""
        kinds = [one for one, _ in self.pieces if one.dtype != "null"]
        if not kinds:
            return Column("null", self._mapped(np.dtype(np.float64)))
        like = self._common(kinds)
        dtype = np.result_type(*{one.values.dtype for one in kinds})
        values = self._mapped(dtype)
        missing: Any = None
        if self._missing or any(one.dtype == "null" for one, _ in self.pieces):
            missing = self._all_missing()
        if like.levels is not None:
            return replace(like, values=values, levels=tuple(self.labels))
        return replace(like, values=values, missing=missing)

    def _common(self, kinds: list[Column]) -> Column:
        """Return the kind of all pieces; whole numbers and others together are numbers."""
        dtypes = {one.dtype for one in kinds}
        like = kinds[0]
        if dtypes == {"int", "float"}:
            return replace(like, dtype="float")
        zones = {one.timezone for one in kinds}
        orders = {one.order for one in kinds}
        if len(dtypes) > 1 or len(zones) > 1 or len(orders) > 1:
            said = sorted(dtypes) if len(dtypes) > 1 else sorted(map(str, zones | orders))
            raise TableError(
                f"Column {self.name!r} is {said[0]} in one part of the table and {said[1]} in "
                "another; expected the same type in all parts."
            )
        return like

    def _mapped(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        total = sum(count for _, count in self.pieces)
        same = all(one.values.dtype == dtype for one, _ in self.pieces)
        path = self.path
        if not same:
            path = self.path.with_suffix(".cast")
            with self.path.open("rb") as source, path.open("wb") as out:
                for one, count in self.pieces:
                    self._cast(source, out, one, count, dtype)
            self.path.unlink()
        return np.memmap(path, dtype=dtype, mode="r", shape=(total,))

    def _cast(
        self, source: BinaryIO, out: BinaryIO, one: Column, count: int, dtype: np.dtype[Any]
    ) -> None:
        raw = source.read(count * one.values.dtype.itemsize)
        if one.dtype == "null":  # only what is missing, whatever its type
            nothing = -1 if self.labels else np.nan if dtype.kind == "f" else 0
            out.write(np.full(count, nothing).astype(dtype).tobytes())
        else:
            out.write(np.frombuffer(raw, one.values.dtype).astype(dtype).tobytes())

    def _all_missing(self) -> NDArray[Any]:
        """Return which rows are missing besides NaN, mapped."""
        path = self.path.with_suffix(".missing")
        mask = np.memmap(path, dtype=bool, mode="r+")
        start = 0
        for one, count in self.pieces:
            if one.dtype == "null":
                mask[start : start + count] = True
            start += count
        mask.flush()
        return np.memmap(path, dtype=bool, mode="r")
