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
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

from vicinal.exceptions import ParameterError, TableError
from vicinal.formatting.values import json_value, plain_value
from vicinal.storage.writing import replacing
from vicinal.table_files.cells import cell_text, escaped
from vicinal.table_files.compression import compressed
from vicinal.table_files.formats import columnar_library, first_line, format_of

Columns = Mapping[str, Sequence[Any]]

#: Bytes of blocks that wait in memory before a file is used.
_MOST_IN_MEMORY = 1 << 25


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

    def close(self) -> None:
        """Free what was needed for writing."""


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

    The path may be ``-`` for standard output. The format is by default inferred from the name, and
    compression (gzip, bzip2, xz) always. With `escape`, text that a spreadsheet would take for a
    formula is preceded by an apostrophe.
    """
    kind = format_of(path, given)
    check_output(path)
    with _output(path) as given_file, compressed(given_file, path) as file:
        writer = _WRITERS[kind](file)
        if escape and isinstance(writer, _Delimited):
            writer.escape = True
        try:
            yield writer
            writer.finish()
        finally:
            writer.close()


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


class _Polars(Writer):
    """Parquet and Arrow by polars, written at the end from memory."""

    def __init__(self, file: BinaryIO, library: Any, kind: str) -> None:
        super().__init__(file)
        self.library, self.kind = library, kind
        self.columns: dict[str, list[Any]] | None = None

    def write(self, columns: Columns) -> None:
        if self.columns is None:
            self.columns = {name: [] for name in columns}
        _check_same(columns, list(self.columns))
        for name, kept in self.columns.items():
            kept.extend(map(plain_value, columns[name]))

    def finish(self) -> None:
        frame = _held(self.kind, lambda: self.library.DataFrame(self.columns or {}))
        (frame.write_parquet if self.kind == "Parquet" else frame.write_ipc)(self.file)
        super().finish()


class _Arrow(Writer):
    """Parquet and Arrow by pyarrow.

    The type of a column depends on all its cells, so blocks wait in a temporary file until the
    last one is known; memory holds one at a time.
    """

    def __init__(self, file: BinaryIO, library: Any, kind: str) -> None:
        super().__init__(file)
        self.library, self.kind = library, kind
        self.ipc = import_module("pyarrow.ipc")
        self.waiting = SpooledTemporaryFile(max_size=_MOST_IN_MEMORY)  # noqa: SIM115 (see close)
        self.schema: Any = None

    def write(self, columns: Columns) -> None:
        if self.schema is not None:
            _check_same(columns, self.schema.names)
        cells = {name: list(map(plain_value, values)) for name, values in columns.items()}
        block = _held(self.kind, lambda: self.library.table(cells))
        schemas = [block.schema] if self.schema is None else [self.schema, block.schema]
        unify = self.library.unify_schemas
        self.schema = _held(self.kind, lambda: unify(schemas, promote_options="permissive"))
        packed = self.library.BufferOutputStream()
        with self.ipc.new_stream(packed, block.schema) as stream:
            stream.write_table(block)
        content = packed.getvalue()
        self.waiting.write(len(content).to_bytes(8, "little"))
        self.waiting.write(content)

    def finish(self) -> None:
        schema = self.library.schema([]) if self.schema is None else self.schema
        with self._opened(schema) as opened:
            self.waiting.seek(0)
            while length := self.waiting.read(8):
                content = self.waiting.read(int.from_bytes(length, "little"))
                block = self.ipc.open_stream(content).read_all()
                opened.write_table(_held(self.kind, partial(block.cast, schema)))
        super().finish()

    def close(self) -> None:
        self.waiting.close()

    def _opened(self, schema: Any) -> Any:
        if self.kind == "Parquet":
            return import_module("pyarrow.parquet").ParquetWriter(self.file, schema)
        options = self.ipc.IpcWriteOptions(compression="lz4")
        return self.ipc.new_file(self.file, schema, options=options)


def _columnar(file: BinaryIO, *, kind: str) -> Writer:
    library = columnar_library(kind)
    return (_Polars if library.__name__ == "polars" else _Arrow)(file, library, kind)


def _held(kind: str, action: Callable[[], Any]) -> Any:
    """Let a library take cells, and say what to do where it cannot."""
    try:
        return action()
    except Exception as error:  # each library has its own family of errors
        raise TableError(
            f"{kind} cannot hold this table ({first_line(error)}); "
            "write CSV or JSON lines instead."
        ) from error


def _check_same(columns: Columns, names: list[str]) -> None:
    if list(columns) != names:
        odd = sorted(set(columns) ^ set(names)) or list(columns)
        raise TableError(f"column {odd[0]!r} is not in all rows; write JSON lines instead.")


_WRITERS: dict[str, Callable[[BinaryIO], Writer]] = {
    "csv": partial(_Delimited, separator=","),
    "tsv": partial(_Delimited, separator="\t"),
    "jsonl": _Json,
    "parquet": partial(_columnar, kind="Parquet"),
    "arrow": partial(_columnar, kind="Arrow"),
}
