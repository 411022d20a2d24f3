"""Tables to files: whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from vicinal.exceptions import ParameterError, TableError
from vicinal.formatting.values import json_value, plain_value
from vicinal.storage.writing import replacing
from vicinal.table_files.cells import cell_text, escaped
from vicinal.table_files.formats import columnar_library, first_line, format_of

Columns = Mapping[str, Sequence[Any]]


class Writer:
    """A writer of the rows of a table, block by block."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def write(self, columns: Columns) -> None:
        """Write some rows; all blocks have the same columns."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write what has been held back."""
        self.file.flush()


def check_output(path: str | None) -> None:
    """Refuse a path that cannot be written to, before any work is done."""
    if path is None or path == "-":
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise ParameterError(f"{path} is a folder; expected the name of a file to write.")
    if not target.parent.is_dir():
        raise ParameterError(f"{path}: there is no folder {target.parent}.")
    if not os.access(target.parent, os.W_OK):
        raise ParameterError(f"{path}: the folder {target.parent} is not writable.")


@contextmanager
def table_writer(path: str, given: str | None = None, *, escape: bool = False) -> Iterator[Writer]:
    """Write a table block by block; the file is replaced only when all has succeeded.

    The path may be ``-`` for standard output. The format is by default inferred from the name.
    With `escape`, text that a spreadsheet would take for a formula is preceded by an apostrophe.
    """
    kind = format_of(path, given)
    check_output(path)
    with _output(path) as file:
        writer = _WRITERS[kind](file)
        if escape and isinstance(writer, _Delimited):
            writer.escape = True
        yield writer
        writer.finish()


def write_table(
    path: str, columns: Columns, given: str | None = None, *, escape: bool = False
) -> None:
    """Write a whole table; see `table_writer`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from vicinal.table_files.writing import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "out.csv"
    ...     write_table(str(path), {"x": [1.5, None], "a b": ["u,v", "w"]})
    ...     print(path.read_text(encoding="utf-8"))
    x,a b
    1.5,"u,v"
    ,w
    """
    with table_writer(path, given, escape=escape) as writer:
        writer.write(columns)


@contextmanager
def _output(path: str) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    if path == "-":
        yield sys.stdout.buffer
    elif target.exists() and not target.is_file():
        with target.open("wb") as file:  # a pipe or a device: there is nothing to replace
            yield file
    else:
        with replacing(target) as file:
            yield file


class _Delimited(Writer):
    """CSV and TSV."""

    def __init__(self, file: BinaryIO, *, separator: str) -> None:
        super().__init__(file)
        self.separator = separator
        self.escape = False  # whether to neutralize text that looks like a formula
        self.names: list[str] | None = None

    def write(self, columns: Columns) -> None:
        text = io.StringIO(newline="")
        lines = csv.writer(text, delimiter=self.separator, lineterminator="\n")
        if self.names is None:
            self.names = list(columns)
            lines.writerow(map(escaped, self.names) if self.escape else self.names)
        _check_same(columns, self.names)
        as_text = escaped if self.escape else cell_text
        cells = [list(map(as_text, columns[name])) for name in self.names]
        lines.writerows(zip(*cells, strict=True))
        self.file.write(text.getvalue().encode())


class _Json(Writer):
    """One object per line."""

    def write(self, columns: Columns) -> None:
        values = [list(map(json_value, column)) for column in columns.values()]
        for row in zip(*values, strict=True):
            line = json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False)
            self.file.write(line.encode() + b"\n")


class _Columnar(Writer):
    """Parquet and Arrow, written at the end: the type of a column depends on all its cells."""

    def __init__(self, file: BinaryIO, *, kind: str) -> None:
        super().__init__(file)
        self.kind = kind
        self.library = columnar_library(kind)
        self.columns: dict[str, list[Any]] | None = None

    def write(self, columns: Columns) -> None:
        if self.columns is None:
            self.columns = {name: [] for name in columns}
        _check_same(columns, list(self.columns))
        for name, kept in self.columns.items():
            kept.extend(map(plain_value, columns[name]))

    def finish(self) -> None:
        polars = self.library.__name__ == "polars"
        try:
            make = self.library.DataFrame if polars else self.library.table
            frame = make(self.columns or {})
        except Exception as error:  # each library has its own family of errors
            raise TableError(
                f"{self.kind} cannot hold this table ({first_line(error)}); "
                "write CSV or JSON lines instead."
            ) from error
        if polars:
            (frame.write_parquet if self.kind == "Parquet" else frame.write_ipc)(self.file)
        elif self.kind == "Parquet":
            import_module("pyarrow.parquet").write_table(frame, self.file)
        else:
            import_module("pyarrow.feather").write_feather(frame, self.file)
        super().finish()


def _check_same(columns: Columns, names: list[str]) -> None:
    if list(columns) != names:
        odd = sorted(set(columns) ^ set(names)) or list(columns)
        raise TableError(f"column {odd[0]!r} is not in all rows; write JSON lines instead.")


_WRITERS: dict[str, Callable[[BinaryIO], Writer]] = {
    "csv": partial(_Delimited, separator=","),
    "tsv": partial(_Delimited, separator="\t"),
    "jsonl": _Json,
    "parquet": partial(_Columnar, kind="Parquet"),
    "arrow": partial(_Columnar, kind="Arrow"),
}
