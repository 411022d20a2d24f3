"""Reading untrusted files."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.storage.directory import Member, read_directory
from vicinal.storage.header import HEADER, MOST_TEXT, Described, Header
from vicinal.storage.npy import DTYPES, npy_prefix

_CHUNK = 1 << 20
#: Linux reads no more than this for sure when it is told that pages will be needed.
_READ_AHEAD = 1 << 17


class StoredFile:
    """A file whose directory and header have been read and checked; the arrays have not.

    Attributes
    ----------
    header : Header
        The description that the file gives of itself.
    """

    def __init__(self, file: BinaryIO, size: int, *, mapped: bool, verify: bool) -> None:
        self._file = file
        self._verify = verify
        members = read_directory(file, size)
        if HEADER not in members:
            raise FileError("it has no header; it was not saved by Vicinal")
        self.header = Header.from_json(self._text(members.pop(HEADER)))
        if members.keys() != {f"{name}.npy" for name in self.header.members}:
            raise FileError("its header and its directory list different members")
        self._members = {name: members[f"{name}.npy"] for name in self.header.members}
        self._map = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if mapped else None

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def array(
        self, name: str, *, mapped: bool = False, scattered: bool = False, checked: bool = False
    ) -> NDArray[Any]:
        """Return an array.

        Parameters
        ----------
        name : str
            Name of the member.
        mapped : bool
            Whether to memory-map the array, if the file was opened with `mapped`. It is then
            read-only, loaded from disk as needed, and its SHA-256 is checked only if `checked`, or
            if the file was opened with `verify`. Other arrays are read and always checked.
        scattered : bool
            Whether rows of a mapped array will be read here and there, so that reading what lies
            beside them would be in vain.
        checked : bool
            Whether to check the SHA-256 of a mapped array, for which it is read once.
        """
        if name not in self._members:
            raise FileError(f"it has no member {name!r}")
        described, member = self.header.members[name], self._members[name]
        prefix = npy_prefix(described.dtype, described.shape)
        fits = member.size == len(prefix) + described.size
        if not fits or self._bytes(member.start, len(prefix)) != prefix:
            raise FileError(f"its member {name!r} is not the array that the header describes")
        start = member.start + len(prefix)
        if mapped and self._map is not None and described.size:
            if scattered and hasattr(mmap, "MADV_RANDOM"):
                first = start - start % mmap.PAGESIZE
                self._map.madvise(mmap.MADV_RANDOM, first, start + described.size - first)
            return self._mapped(name, described, start, checked=checked or self._verify)
        flat = np.empty(described.size, dtype=np.uint8)
        self._file.seek(start)
        if self._file.readinto(flat.data) != described.size:  # type: ignore[attr-defined]
            raise FileError("it ends too early; it is truncated")
        _check_digest(name, described, flat)
        return flat.view(DTYPES[described.dtype]).reshape(described.shape)

    def _mapped(
        self, name: str, described: Described, start: int, *, checked: bool
    ) -> NDArray[Any]:
        assert self._map is not None
        dtype = DTYPES[described.dtype]
        count = described.size // dtype.itemsize
        if start % dtype.itemsize:
            raise FileError(f"its member {name!r} is not aligned, so it cannot be mapped")
        found = np.frombuffer(self._map, dtype, count, start)
        if checked:
            _check_digest(name, described, found.view(np.uint8))
        return found.reshape(described.shape)

    def _bytes(self, start: int, count: int) -> bytes:
        self._file.seek(start)
        return self._file.read(count)

    def _text(self, member: Member) -> bytes:
        if member.size > MOST_TEXT:
            raise FileError(f"its header has {member.size} bytes; at most {MOST_TEXT} are read")
        raw = self._bytes(member.start, member.size)
        if len(raw) != member.size or zlib.crc32(raw) != member.crc:
            raise FileError("its header is damaged: the checksum does not match")
        return raw


@contextlib.contextmanager
def open_file(
    path: str | os.PathLike[str],
    *,
    mapped: bool = False,
    verify: bool = False,
    max_bytes: int | None = None,
) -> Iterator[StoredFile]:
    """Open a file to read its arrays.

    Parameters
    ----------
    path : path
        Path of the file.
    mapped : bool
        Whether to memory-map arrays that allow it instead of reading them.
    verify : bool
        Whether to check the SHA-256 of mapped arrays too.
    max_bytes : int, optional
        Maximum file size.

    Raises
    ------
    FileError
        If `write_file` did not write the file; the message names the file and the reason. Errors
        that the caller raises about its contents are reported in the same way.
    """
    named = Path(path)
    # Checked before opening: opening a pipe would wait for a writer.
    if not stat.S_ISREG(named.stat().st_mode):
        raise FileError(f"{named} cannot be loaded: it is not a regular file.")
    with named.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            if max_bytes is not None and size > max_bytes:
                raise FileError(f"it has {size} bytes, but max_bytes is {max_bytes}")
            yield StoredFile(file, size, mapped=mapped, verify=verify)
        except FileError as error:
            raise FileError(f"{named} cannot be loaded: {str(error).rstrip('.')}.") from error


def is_mapped(array: NDArray[Any]) -> bool:
    """Return whether an array is mapped from a file."""
    return _mapping(array) is not None


def _mapping(array: NDArray[Any]) -> mmap.mmap | None:
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    return owner if isinstance(owner, mmap.mmap) else None


def read_ahead(array: NDArray[Any]) -> None:
    """Tell the system that all of an array will be read; only one that is mapped matters."""
    owner = _mapping(array)
    if owner is None or not hasattr(mmap, "MADV_WILLNEED") or not array.nbytes:
        return
    start = array.ctypes.data - np.frombuffer(owner, np.uint8, 1).ctypes.data
    first, end = start - start % mmap.PAGESIZE, start + array.nbytes
    for at in range(first, end, _READ_AHEAD):
        owner.madvise(mmap.MADV_WILLNEED, at, min(_READ_AHEAD, end - at))


def _check_digest(name: str, described: Described, raw: NDArray[np.uint8]) -> None:
    digest = hashlib.sha256()
    for start in range(0, len(raw), _CHUNK):
        digest.update(raw[start : start + _CHUNK].data)
    if digest.hexdigest() != described.sha256:
        raise FileError(f"its member {name!r} is damaged: the checksum does not match")
