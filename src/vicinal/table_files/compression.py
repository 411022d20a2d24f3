"""Compressed files, known by their suffix."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from vicinal.exceptions import TableError

_KINDS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}


def is_compressed(path: str) -> bool:
    """Tell whether a file is compressed, by its name."""
    return _kind(path) is not None


def plain_name(path: str) -> str:
    """Return the name of a file as it would be without compression.

    Examples
    --------
    >>> from vicinal.table_files.compression import plain_name
    >>> plain_name("data/loans.csv.gz"), plain_name("loans.csv")
    ('data/loans.csv', 'loans.csv')
    """
    return path[: -len(Path(path).suffix)] if is_compressed(path) else path


def stem_of(path: str) -> str:
    """Return the name of a file without folders and suffixes, for what is named after it.

    Examples
    --------
    >>> from vicinal.table_files.compression import stem_of
    >>> stem_of("data/loans.csv.gz")
    'loans'
    """
    return Path(plain_name(path)).stem


@contextmanager
def decompressed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    """Read a file as it was before it was compressed, if its name says that it was."""
    if not is_compressed(path):
        yield file
        return
    try:
        with _opened(file, path, "rb") as inner:
            yield inner
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the file, not of what is in it
        raise TableError(f"{path} is not a valid {_kind(path)} file: {error}.") from error


@contextmanager
def compressed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    """Compress what is written, if the name of the file asks for it."""
    if not is_compressed(path):
        yield file
        return
    with _opened(file, path, "wb") as outer:
        yield outer


def _kind(path: str) -> str | None:
    return _KINDS.get(Path(path).suffix.lower())


def _opened(file: BinaryIO, path: str, mode: str) -> BinaryIO:
    kind = _kind(path)
    if kind == "gzip":
        # Without name and time, so that the same table is the same file.
        return cast(BinaryIO, gzip.GzipFile("", mode, fileobj=file, mtime=0))
    library: Any = bz2.BZ2File if kind == "bzip2" else lzma.LZMAFile
    return cast(BinaryIO, library(file, mode))
