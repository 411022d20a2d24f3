"""Rows as they came from a file: text, values, or a dataframe."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vicinal.cli.io.cells import MISSING, column_as, column_of_text
from vicinal.cli.io.formats import TEXT_FORMATS
from vicinal.exceptions import FeatureError, TableError, did_you_mean
from vicinal.schema.schema import Schema
from vicinal.tables.frames import as_frame

__all__ = ["Block", "FrameBlock", "TextBlock", "ValueBlock"]


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a file, or all of them.

    Parameters
    ----------
    columns : mapping of str to list
        What the file holds, to be written again as it is.
    path : str
        Where it is from, for messages.
    first_row : int
        Number of the first row, for messages.
    """

    columns: Mapping[str, Sequence[Any]]
    path: str
    first_row: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def table(self, missing: Collection[str] = (), drop: Collection[str] = ()) -> Any:
        """Give the rows as a table to fit, without some of the columns."""
        return {name: self._read(name, missing) for name in self._kept(drop)}

    def rows(
        self, schema: Schema, missing: Collection[str] = (), hidden: Collection[str] = ()
    ) -> Any:
        """Give the columns that a model knows, read as it knows them.

        Parameters
        ----------
        schema : Schema
            What the model knows.
        missing : collection of str
            More cells that mean that nothing is known.
        hidden : collection of str
            Columns to leave out: those that are asked for.
        """
        names = [name for name in self.names if name in schema and name not in hidden]
        if not names:
            some = ", ".join(map(repr, self.names[:6])) + ", …" * (len(self.names) > 6)
            wanted = [name for name in schema.names if name not in hidden]
            raise TableError(
                f"{self.path}: none of its columns ({some}) is one that the model knows "
                f"besides what is asked for.{did_you_mean(self.names[0], wanted)}"
            )
        try:
            return self._known(schema, names, missing)
        except TableError as error:
            raise TableError(f"{self.path}, {error}") from None

    def written(self, schema: Schema, kind: str) -> dict[str, list[Any]]:
        """Give all columns as they are to be written again in a format."""
        return {name: list(values) for name, values in self.columns.items()}

    def taken(self, rows: Iterable[int]) -> Block:
        """Give some of the rows."""
        places = list(rows)
        for place in places:
            if not 0 <= place < len(self):
                raise TableError(f"{self.path} has no row {place}; expected 0 to {len(self) - 1}.")
        return type(self)(
            {name: [one[at] for at in places] for name, one in self.columns.items()}, self.path
        )

    def _kept(self, drop: Collection[str]) -> list[str]:
        for name in drop:
            if name not in self.columns:
                raise FeatureError(
                    f"{self.path} has no column {name!r} to drop.{did_you_mean(name, self.names)}"
                )
        return [name for name in self.names if name not in drop]

    def _read(self, name: str, missing: Collection[str]) -> list[Any]:
        return [None if value in missing else value for value in self.columns[name]]

    def _known(self, schema: Schema, names: list[str], missing: Collection[str]) -> Any:
        return {name: self._read(name, missing) for name in names}


class TextBlock(Block):
    """Rows of CSV or TSV: text, whose types are inferred or known from a model."""

    def written(self, schema: Schema, kind: str) -> dict[str, list[Any]]:
        """Give text as it came to text; elsewhere what the model knows has its type."""
        whole = super().written(schema, kind)
        if kind in TEXT_FORMATS:
            return whole
        for name in whole:
            with suppress(TableError):  # the column that is asked for may hold anything
                if name in schema:
                    whole[name] = column_as(self.columns[name], schema[name])
                else:
                    whole[name] = [None if one in MISSING else one for one in whole[name]]
        return whole

    def _read(self, name: str, missing: Collection[str]) -> list[Any]:
        return column_of_text(self.columns[name], MISSING.union(missing))

    def _known(self, schema: Schema, names: list[str], missing: Collection[str]) -> Any:
        gone = MISSING.union(missing)
        return {
            name: column_as(self.columns[name], schema[name], gone, first_row=self.first_row)
            for name in names
        }


class ValueBlock(Block):
    """Rows of JSON: values, but that dates are text there."""

    def _read(self, name: str, missing: Collection[str]) -> list[Any]:
        values = super()._read(name, missing)
        known = [value for value in values if value is not None]
        if not known or not all(isinstance(value, str) for value in known):
            return values
        read = column_of_text(known, ())
        times = iter(read)
        is_time = all(hasattr(value, "isoformat") for value in read)
        return [None if one is None else next(times) for one in values] if is_time else values

    def _known(self, schema: Schema, names: list[str], missing: Collection[str]) -> Any:
        found = {}
        for name in names:
            values, feature = super()._read(name, missing), schema[name]
            if feature.dtype in ("date", "datetime", "time"):
                cells = ["" if one is None else str(one) for one in values]
                values = column_as(cells, feature, first_row=self.first_row)
            found[name] = values
        return found


@dataclass(frozen=True, eq=False)
class FrameBlock(Block):
    """Rows of Parquet or Arrow, which have types of their own."""

    frame: Any = None

    @classmethod
    def of(cls, frame: Any, path: str) -> FrameBlock:
        """Wrap a table of pyarrow or polars."""
        wrapped = as_frame(frame)
        assert wrapped is not None
        columns = {name: wrapped.get_column(name).to_list() for name in wrapped.columns}
        return cls(columns, path, frame=frame)

    def table(self, missing: Collection[str] = (), drop: Collection[str] = ()) -> Any:
        """Give the rows as a table to fit, without some of the columns."""
        return self.frame.select(self._kept(drop))

    def taken(self, rows: Iterable[int]) -> Block:
        """Give some of the rows."""
        places = list(rows)
        super().taken(places)
        taken = self.frame.take(places) if hasattr(self.frame, "take") else self.frame[places]
        return FrameBlock.of(taken, self.path)

    def _known(self, schema: Schema, names: list[str], missing: Collection[str]) -> Any:
        return self.frame.select(names)
