"""Whether a stream of Arrow may be read at all: what is small must not become huge."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from struct import unpack_from

from vicinal.exceptions import TableError
from vicinal.explorer.limits import TooLarge
from vicinal.table_files.formats import columnar_library, complaint

# The format's own numbers: kinds of messages, and the places of fields in their tables.
_DICTIONARY, _BATCH = 2, 3
_KIND, _HEADER = 1, 2  # of a message
_DATA = 1  # of a dictionary
_LENGTH, _COMPRESSION = 0, 3  # of a batch


def check_stream(body: bytes, most_rows: int) -> None:
    """Refuse streams that are compressed, or that say to have too many rows.

    A few kilobytes of compressed zeros are gigabytes when they are read.

    Examples
    --------
    >>> from vicinal.explorer.http.arrow import check_stream
    >>> check_stream(b"ARROW1", 100)
    Traceback (most recent call last):
        ...
    vicinal.exceptions.TableError: The body is an Arrow file; expected the stream format.
    """
    if body.startswith((b"ARROW1", b"FEA1")):
        raise TableError("The body is an Arrow file; expected the stream format.")
    columnar_library("Arrow")
    rows = 0
    for metadata in complaint("the body", "Arrow", lambda: list(_messages(body))):
        batch = complaint("the body", "Arrow", lambda: _batch(metadata))  # noqa: B023
        if batch is None:
            continue
        rows += max(unpack_from("<q", metadata, batch[1])[0], 0) if batch[1] else 0
        if batch[2]:
            raise TableError("The body is compressed Arrow; expected it without compression.")
        if rows > most_rows:
            raise TooLarge(f"The body has {rows} rows; expected at most {most_rows}.")


def _messages(body: bytes) -> Iterator[bytes]:
    arrow = import_module("pyarrow")
    for message in arrow.ipc.MessageReader.open_stream(arrow.py_buffer(body)):
        yield message.metadata.to_pybytes()


def _batch(metadata: bytes) -> tuple[int, int, int] | None:
    """Return where a batch is, its length and its compression; 0 for what is not there."""
    (root,) = unpack_from("<I", metadata, 0)
    kind = _field(metadata, root, _KIND)
    number = metadata[kind] if kind else 0
    if number not in (_DICTIONARY, _BATCH):
        return None
    table = _table(metadata, root, _HEADER)
    if number == _DICTIONARY:
        table = _table(metadata, table, _DATA)
        return table, 0, _field(metadata, table, _COMPRESSION)
    return (
        table,
        _field(metadata, table, _LENGTH),
        _field(metadata, table, _COMPRESSION),
    )


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a table is; 0 if it is not there."""
    (back,) = unpack_from("<i", data, table)
    entries = table - back
    (size,) = unpack_from("<H", data, entries)
    place = 4 + 2 * number
    if place + 2 > size:
        return 0
    (offset,) = unpack_from("<H", data, entries + place)
    return table + offset if offset else 0


def _table(data: bytes, table: int, number: int) -> int:
    """Return where a table is that a field refers to."""
    place = _field(data, table, number)
    return place + int(unpack_from("<I", data, place)[0])
