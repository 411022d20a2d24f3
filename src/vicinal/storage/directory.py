"""Read the members of an untrusted zip file and their positions.

Only zip files as `writing` creates them are accepted: uncompressed members, plain names, and no
extra bytes anywhere. Python's own reader accepts far more, and allocates what the file claims;
here every size is compared with the size of the file before it is used.
"""

from __future__ import annotations

import re
import struct
from typing import BinaryIO, NamedTuple

from vicinal.exceptions import FileError

#: Members at most, and bytes of the directory that lists them.
MOST_MEMBERS = 65_536
_MOST_DIRECTORY = 1 << 25

_END = struct.Struct("<4s4H2LH")
_END64_PLACE = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_FULL32, _FULL16 = 0xFFFFFFFF, 0xFFFF
_NAME = re.compile(rb"[a-z0-9_][a-z0-9_.-]*(?:/[a-z0-9_][a-z0-9_.-]*)*")


class Member(NamedTuple):
    """The position of the bytes of a member."""

    start: int
    size: int
    crc: int


def read_directory(file: BinaryIO, size: int) -> dict[str, Member]:
    """Return the members of a zip file of the given size, by name.

    Raises
    ------
    FileError
        If it is not a zip file, or has compressed, encrypted, repeated or overlapping members,
        names that are unsafe paths, or positions outside the file.
    """
    start, length, count = _directory_place(file, size)
    if count > MOST_MEMBERS or length > _MOST_DIRECTORY:
        raise FileError(f"it lists {count} members in {length} bytes, which is too many")
    raw = _read(file, start, length, size)
    members: dict[str, Member] = {}
    at = 0
    for _ in range(count):
        name, member, at = _entry(raw, at, file, start)
        if name in members:
            raise FileError(f"it contains the member {name!r} twice")
        members[name] = member
    if at != length:
        raise FileError("its directory has extra bytes")
    _check_apart(members)
    return members


def _read(file: BinaryIO, start: int, count: int, size: int) -> bytes:
    if start < 0 or count < 0 or start + count > size:
        raise FileError("it refers to bytes beyond its end; it is truncated or damaged")
    file.seek(start)
    raw = file.read(count)
    if len(raw) != count:
        raise FileError("it ends too early; it is truncated")
    return raw


def _directory_place(file: BinaryIO, size: int) -> tuple[int, int, int]:
    """Where the directory starts, its bytes and its entries."""
    if size < _END.size:
        raise FileError("it is too short to be a model file")
    end = size - _END.size
    signature, *_, count, length, start, comment = _END.unpack(_read(file, end, _END.size, size))
    if signature != b"PK\5\6" or comment:
        raise FileError("it does not end like a model file; it is a different file or truncated")
    if _FULL32 in (length, start) or count == _FULL16:
        end -= _END64_PLACE.size
        place = _END64_PLACE.unpack(_read(file, end, _END64_PLACE.size, size))
        if place[0] != b"PK\6\7" or place[2] != end - _END64.size:
            raise FileError("the end of its directory is damaged")
        end = place[2]
        signature, *_, count, length, start = _END64.unpack(_read(file, end, _END64.size, size))
        if signature != b"PK\6\6":
            raise FileError("the end of its directory is damaged")
    if start + length != end:
        raise FileError("its directory is not where expected; it is truncated or damaged")
    return start, length, count


def _entry(raw: bytes, at: int, file: BinaryIO, directory: int) -> tuple[str, Member, int]:
    """The member that an entry describes, and where the next entry begins."""
    if at + _ENTRY.size > len(raw):
        raise FileError("its directory is truncated")
    fields = _ENTRY.unpack_from(raw, at)
    signature, _, _, flags, method, _, _, crc, packed, size, n, n_extra, n_comment = fields[:13]
    header = fields[-1]
    at += _ENTRY.size
    if signature != b"PK\1\2" or at + n + n_extra + n_comment > len(raw):
        raise FileError("its directory is damaged")
    written = raw[at : at + n]
    if not _NAME.fullmatch(written) or len(written) > 200 or b".." in written:
        raise FileError(f"it has a member with the invalid name {written[:60]!r}")
    name = written.decode("ascii")
    extra = raw[at + n : at + n + n_extra]
    size, packed, header = _full_sizes(extra, [size, packed, header], name)
    if flags or method or packed != size:
        raise FileError(f"its member {name!r} is compressed or encrypted; expected plain bytes")
    local = _LOCAL.unpack(_read(file, header, _LOCAL.size, directory))
    if local[0] != b"PK\3\4" or local[9] != n:
        raise FileError(f"its member {name!r} does not start at the position in its directory")
    if _read(file, header + _LOCAL.size, n, directory) != written:
        raise FileError(f"its member {name!r} has a different name in its directory")
    start = header + _LOCAL.size + n + local[10]
    if start + size > directory:
        raise FileError(f"its member {name!r} is larger than the file")
    return name, Member(start, size, crc), at + n + n_extra + n_comment


def _full_sizes(extra: bytes, fields: list[int], name: str) -> list[int]:
    """Sizes and offsets, with those that need 64 bits taken from the extra field."""
    if _FULL32 not in fields:
        return fields
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, at)
        if tag == 1 and length == 8 * fields.count(_FULL32) and at + 4 + length <= len(extra):
            wide = iter(struct.unpack_from(f"<{length // 8}Q", extra, at + 4))
            return [next(wide) if field == _FULL32 else field for field in fields]
        at += 4 + length
    raise FileError(f"the size of its member {name!r} is missing")


def _check_apart(members: dict[str, Member]) -> None:
    """Reject overlapping members: a small file could claim to contain a lot of data."""
    reached = 0
    for start, size, _ in sorted(members.values()):
        if start < reached:
            raise FileError("its members overlap")
        reached = start + size
