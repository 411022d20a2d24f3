"""Tables from files: whole, or block by block so that large ones need little memory."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from vicinal.exceptions import TableError
from vicinal.table_files.blocks import Block, FrameBlock, ValueBlock
from vicinal.table_files.compression import decompressed, is_compressed
from vicinal.table_files.delimited import open_text, read_delimited
from vicinal.table_files.formats import columnar_library, complaint, format_of
from vicinal.tables.frames import as_frame

_STDIN = "standard input"
#: How text begins that spreadsheets save as "Unicode".
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_whole(path: str, given: str | None = None, encoding: str = "utf-8") -> Block:
    """Read a table as one block; see `read_blocks`."""
    [block] = read_blocks(path, given, encoding, size=None)
    return block


def read_blocks(
    path: str, given: str | None = None, encoding: str = "utf-8", *, size: int | None
) -> Iterator[Block]:
    r"""Read a table in blocks of `size` rows, or as one block if it is None.

    The path may be ``-`` for standard input. The format is by default inferred from the name, and
    compression (gzip, bzip2, xz) always.

    Examples
    --------
    >>> import tempfile
    >>> from vicinal.table_files.reading import read_blocks
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     done = file.write("x,y\n1,a\n2,b\n3,c\n"), file.flush()
    ...     [block.content["y"] for block in read_blocks(file.name, size=2)]
    [['a', 'b'], ['c']]
    """
    if path != "-" and Path(path).is_dir():
        raise TableError(f"{path} is a folder; expected a file that holds a table.")
    kind = format_of(path, given)
    name = _STDIN if path == "-" else path
    if path == "-" and (sys.stdin is None or sys.stdin.closed):
        raise TableError("Standard input is closed; name a file instead of -.")
    try:
        with (
            nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as given_file,
            decompressed(given_file, path) as file,
        ):
            empty = True
            for block in _READERS[kind](file, name, encoding, size):
                empty = False
                yield block
        if empty:
            raise TableError(f"{name} has no rows; expected at least one.")
    except UnicodeDecodeError as error:
        likely = "utf-16" if error.object.startswith(_UTF_16) else "latin-1"
        raise TableError(
            f"{name} is not valid {error.encoding} text (byte {error.start}); set --encoding, "
            f"for example to {likely}, or --format."
        ) from error


def read_body(content: bytes, kind: str, name: str) -> Block:
    r"""Read a whole table that is not in a file, such as the body of a request.

    Examples
    --------
    >>> from vicinal.table_files.reading import read_body
    >>> read_body(b"x,y\n1,a\n", "csv", "the body").content
    {'x': ['1'], 'y': ['a']}
    """
    try:
        for block in _READERS[kind](BytesIO(content), name, "utf-8", None):
            return block
    except UnicodeDecodeError as error:
        raise TableError(f"{name} is not valid UTF-8 text (byte {error.start}).") from error
    raise TableError(f"{name} has no rows; expected at least one.")


def count_blocks(path: str, given: str | None, size: int) -> int | None:
    """Return the approximate number of blocks; None if it is not known in advance."""
    kind = format_of(path, given)
    if path == "-" or not Path(path).is_file() or not Path(path).stat().st_size:
        return None
    if kind == "arrow" or is_compressed(path):
        return None
    if kind == "parquet":
        if columnar_library("Parquet").__name__ != "pyarrow":
            return None
        parquet = import_module("pyarrow.parquet")
        rows = complaint(path, "Parquet", lambda: parquet.read_metadata(path)).num_rows
        return max(1, -(-rows // size))
    with Path(path).open("rb") as file:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    return max(1, -(-lines // size))


def _read_jsonl(file: BinaryIO, path: str, encoding: str, size: int | None) -> Iterator[Block]:
    with open_text(file, encoding) as text:
        rows, start = _objects(text, path), 0
        while taken := list(islice(rows, size)):
            names = dict.fromkeys(name for row in taken for name in row)
            columns = {name: [row.get(name) for row in taken] for name in names}
            yield ValueBlock(columns, path, start)
            start += len(taken)


def _objects(text: Iterator[str], path: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise TableError(f"{path}, line {number}: invalid JSON ({error}).") from error
        except RecursionError as error:
            raise TableError(
                f"{path}, line {number}: values are nested too deeply; expected an object with a "
                "number or text for each column."
            ) from error
        if not isinstance(row, dict) or not row:
            raise TableError(
                f"{path}, line {number}: expected an object with a value for each column."
            )
        yield row


def _read_columnar(
    file: BinaryIO, path: str, encoding: str, size: int | None, *, kind: str
) -> Iterator[Block]:
    library = columnar_library(kind)
    in_blocks = kind == "Parquet" and size is not None and library.__name__ == "pyarrow"
    if in_blocks and path != _STDIN and file.read(1):
        file.seek(0)
        yield from _parquet_blocks(file, path, size or 1)
        return
    content = file.read()
    if not content:
        raise TableError(f"{path} is empty; expected a {kind} file.")
    read = _parquet if kind == "Parquet" else _arrow
    frame = complaint(path, kind, lambda: read(library, content))
    total = len(frame)
    step = size or max(total, 1)
    for start in range(0, total, step):
        yield FrameBlock(as_frame(frame.slice(start, min(step, total - start))), path)


def _parquet_blocks(file: BinaryIO, path: str, size: int) -> Iterator[Block]:
    """Read a Parquet file in blocks, of which memory holds one at a time."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    opened = complaint(path, "Parquet", lambda: parquet.ParquetFile(file))
    batches = opened.iter_batches(batch_size=size)
    while (batch := complaint(path, "Parquet", lambda: next(batches, None))) is not None:
        if batch.num_rows:
            yield FrameBlock(as_frame(arrow.Table.from_batches([batch])), path)


def _parquet(library: Any, content: bytes) -> Any:
    if library.__name__ == "polars":
        return library.read_parquet(content)
    return import_module("pyarrow.parquet").read_table(library.BufferReader(content))


def _arrow(library: Any, content: bytes) -> Any:
    if library.__name__ == "polars":
        whole = content.startswith(b"ARROW1")
        return (library.read_ipc if whole else library.read_ipc_stream)(content)
    if content.startswith((b"ARROW1", b"FEA1")):
        return import_module("pyarrow.feather").read_table(library.BufferReader(content))
    table = import_module("pyarrow.ipc").open_stream(content).read_all()
    # Nobody has checked where its values are said to be; reading them elsewhere may crash.
    table.validate(full=True)
    return table


_READERS: dict[str, Callable[[BinaryIO, str, str, int | None], Iterator[Block]]] = {
    "csv": partial(read_delimited, separator=","),
    "tsv": partial(read_delimited, separator="\t"),
    "jsonl": _read_jsonl,
    "parquet": partial(_read_columnar, kind="Parquet"),
    "arrow": partial(_read_columnar, kind="Arrow"),
}
