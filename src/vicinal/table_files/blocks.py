"""Rows as they came from a file: text, values, or a dataframe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vicinal.exceptions import FeatureError, TableError, did_you_mean
from vicinal.schema.schema import Schema
from vicinal.table_files.cells import MISSING, column_as, column_of_text
from vicinal.table_files.formats import TEXT_FORMATS


@dataclass(frozen=True, eq=False)
class Block(ABC):
    """Some rows of a file, or all of them."""

    #: The columns as they came: a mapping of str to list, or a dataframe.
    content: Any
    #: Where they are from and the number of the first row, for messages.
    path: str
    first_row: int = 0

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def __len__(self) -> int: ...

    def table(self, missing: Collection[str] = (), drop: Collection[str] = ()) -> Any:
        """Return the rows as a table to fit, without some of the columns."""
        for name in drop:
            if name not in self.names:
                raise FeatureError(
                    f"{self.path} has no column {name!r} to drop.{did_you_mean(name, self.names)}"
                )
        return self._inferred([name for name in self.names if name not in drop], missing)

    def rows(
        self,
        schema: Schema,
        missing: Collection[str] = (),
        hidden: Collection[str] = (),
        own: str | None = None,
    ) -> Any:
        """Return the features of a model, with their types, but for `hidden` ones: the targets.

        With the column `own` that says what rows are called, if there is one.
        """
        names = [name for name in self.names if name in schema and name not in hidden]
        if not names:
            some = ", ".join(map(repr, self.names[:6])) + ", …" * (len(self.names) > 6)
            wanted = [name for name in schema.names if name not in hidden]
            raise TableError(
                f"{self.path}: none of its columns ({some}) is a feature of the model other than "
                f"a target.{did_you_mean(self.names[0], wanted)}"
            )
        try:
            return self._typed(schema, names, missing, own if own in self.names else None)
        except TableError as error:
            raise TableError(f"{self.path}, {error}") from None

    @abstractmethod
    def written(self, schema: Schema, kind: str) -> dict[str, Sequence[Any]]:
        """Return all columns, to be written again in a format."""

    def taken(self, rows: Sequence[int]) -> Block:
        """Return some of the rows."""
        for row in rows:
            if not 0 <= row < len(self):
                raise TableError(f"{self.path} has no row {row}; expected 0 to {len(self) - 1}.")
        return type(self)(self._taken(list(rows)), self.path)

    @abstractmethod
    def _inferred(self, names: Sequence[str], missing: Collection[str]) -> Any:
        """Return columns whose types are what their cells can be read as."""

    @abstractmethod
    def _typed(
        self, schema: Schema, names: Sequence[str], missing: Collection[str], own: str | None
    ) -> Any:
        """Return columns with the types that a model knows them to have, and one as it came."""

    @abstractmethod
    def _taken(self, rows: list[int]) -> Any: ...


class CellBlock(Block):
    """Rows whose cells are Python objects, in lists by the name of the column."""

    content: Mapping[str, list[Any]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.content)

    def __len__(self) -> int:
        return len(next(iter(self.content.values()), ()))

    def written(self, schema: Schema, kind: str) -> dict[str, Sequence[Any]]:
        """Return all columns as they came."""
        return dict(self.content)

    def _taken(self, rows: list[int]) -> Any:
        return {name: [one[row] for row in rows] for name, one in self.content.items()}


class TextBlock(CellBlock):
    """Rows of CSV or TSV: text, whose types are inferred or known from a model."""

    def written(self, schema: Schema, kind: str) -> dict[str, Sequence[Any]]:
        """Return text as it came for a text format, and features with their types otherwise."""
        whole = super().written(schema, kind)
        if kind in TEXT_FORMATS:
            return whole
        for name in whole:
            with suppress(TableError):  # the target may hold anything
                if name in schema:
                    whole[name] = column_as(self.content[name], schema[name])
                else:
                    whole[name] = [None if one in MISSING else one for one in whole[name]]
        return whole

    def _inferred(self, names: Sequence[str], missing: Collection[str]) -> Any:
        markers = MISSING.union(missing)
        return {name: column_of_text(self.content[name], markers) for name in names}

    def _typed(
        self, schema: Schema, names: Sequence[str], missing: Collection[str], own: str | None
    ) -> Any:
        markers = MISSING.union(missing)
        columns = {
            name: column_as(self.content[name], schema[name], markers, first_row=self.first_row)
            for name in names
        }
        return columns if own is None else columns | self._inferred([own], missing)


class ValueBlock(CellBlock):
    """Rows of JSON: values, except that dates and times are text."""

    def _inferred(self, names: Sequence[str], missing: Collection[str]) -> Any:
        return {name: self._known(name, missing) for name in names}

    def _typed(
        self, schema: Schema, names: Sequence[str], missing: Collection[str], own: str | None
    ) -> Any:
        columns = {name: self._known(name, missing) for name in names}
        for name, values in columns.items():
            if schema[name].dtype in ("date", "datetime", "time"):
                cells = ["" if one is None else str(one) for one in values]
                columns[name] = column_as(cells, schema[name], first_row=self.first_row)
        return columns if own is None else columns | self._inferred([own], missing)

    def _known(self, name: str, missing: Collection[str]) -> list[Any]:
        return [None if value in missing else value for value in self.content[name]]


class FrameBlock(Block):
    """Rows of Parquet or Arrow: a dataframe (of narwhals), whose cells stay in its arrays."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.content.columns)

    def __len__(self) -> int:
        return len(self.content)

    def written(self, schema: Schema, kind: str) -> dict[str, Sequence[Any]]:
        """Return all columns as Python objects."""
        return {name: self.content.get_column(name).to_list() for name in self.names}

    def _inferred(self, names: Sequence[str], missing: Collection[str]) -> Any:
        return self.content.select(names).to_native()

    def _typed(
        self, schema: Schema, names: Sequence[str], missing: Collection[str], own: str | None
    ) -> Any:
        return self._inferred([*names, *([] if own is None else [own])], missing)

    def _taken(self, rows: list[int]) -> Any:
        return self.content[rows]
