"""Atomic writing: there is always a complete file, the old one or the new one."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from vicinal.storage.header import HEADER, PROTOCOL, Described, Header
from vicinal.storage.npy import npy_prefix, stored_dtype

_ALIGNMENT = 64
_CHUNK = 1 << 20
#: The same for all files, so that the same content gives the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
#: Of a local header: its fixed part, and what 64-bit sizes add.
_FIXED, _WIDE = 30, 20
#: The tag that alignment has in other zips.
_PADDING = 0xD935


def write_file(
    path: str | os.PathLike[str],
    kind: str,
    version: str,
    state: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write arrays and a state to a file, replacing an existing one.

    Parameters
    ----------
    path : path
        Where to. The folder must exist.
    kind, version : str
        What is saved, and by which version of the package.
    state : dict
        Values that JSON can hold.
    arrays : mapping of str to ndarray
        Of float64, int64, uint64 or uint8.

    Notes
    -----
    The bytes go to a temporary file in the same folder, which is synced and then renamed, and the
    folder is synced: whenever the process or the machine stops, the path has the old content or
    the new. A process that is killed may leave the temporary file (``.name.….tmp``) behind.
    """
    # Through a symbolic link the file that it points to is replaced, not the link.
    target = Path(os.path.realpath(path))
    with replacing(target) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            members = {
                name: _add_array(archive, file, f"{name}.npy", array)
                for name, array in arrays.items()
            }
            header = Header(PROTOCOL, kind, version, members, state)
            with _aligned(archive, file, HEADER) as out:
                out.write(header.to_json())
        file.flush()
        os.fsync(file.fileno())


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text to a file in UTF-8, replacing an existing one, as `write_file` does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from vicinal.storage import write_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(f"{folder}/note.txt", "42")
    ...     pathlib.Path(folder, "note.txt").read_text()
    '42'
    """
    with replacing(Path(os.path.realpath(path))) as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Open a new file that replaces the target once it is complete."""
    if target.is_dir():  # else the errors would name the temporary file
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    opened = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(opened, "w+b") as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            yield file
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def _aligned(archive: zipfile.ZipFile, file: BinaryIO, name: str) -> Iterator[Any]:
    """Create a member whose data starts at a multiple of 64 bytes, by padding an extra field."""
    info = zipfile.ZipInfo(name, _DATE)
    info.external_attr = 0o644 << 16
    before = file.tell() + _FIXED + len(name) + _WIDE + 4
    padding = -before % _ALIGNMENT
    info.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as out:
        yield out


def _add_array(
    archive: zipfile.ZipFile, file: BinaryIO, name: str, array: NDArray[Any]
) -> Described:
    dtype = stored_dtype(array)
    plain = np.ascontiguousarray(array, dtype=dtype)
    digest = hashlib.sha256()
    raw = plain.reshape(-1).view(np.uint8)
    with _aligned(archive, file, name) as out:
        out.write(npy_prefix(dtype, plain.shape))
        for start in range(0, len(raw), _CHUNK):
            chunk = raw[start : start + _CHUNK]
            digest.update(chunk.data)
            out.write(chunk.data)
    return Described(dtype, plain.shape, len(raw), digest.hexdigest())
