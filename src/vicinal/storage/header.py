"""``header.json``: the kind of a file, its members, and the state outside arrays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vicinal.exceptions import FileError
from vicinal.storage.npy import data_size

#: Version of the format. A reader rejects later versions and reads all earlier ones.
PROTOCOL = 1
FORMAT = "vicinal"
HEADER = "header.json"
#: Maximum size of the header in bytes: JSON takes about twenty times its size in memory.
MOST_TEXT = 1 << 24

_DIGEST = 64


@dataclass(frozen=True)
class Described:
    """A member as the header describes it."""

    dtype: str
    shape: tuple[int, ...]
    size: int
    sha256: str


@dataclass(frozen=True)
class Header:
    """The description that a file gives of itself.

    Attributes
    ----------
    protocol : int
        Version of the format.
    kind : str
        What was saved.
    version : str
        Version of the package that saved it.
    members : dict of str to Described
        The arrays, by name.
    state : dict
        Everything that is not an array.
    """

    protocol: int
    kind: str
    version: str
    members: Mapping[str, Described]
    state: dict[str, Any]

    @property
    def digest(self) -> str:
        """The SHA-256 of the header, which has that of every member: the content of the file."""
        return hashlib.sha256(self.to_json()).hexdigest()

    def to_json(self) -> bytes:
        """Return the header as bytes; raise an error if it is too large to be read."""
        members = {
            name: {"dtype": one.dtype, "shape": list(one.shape), "sha256": one.sha256}
            for name, one in self.members.items()
        }
        content = {"format": FORMAT, **vars(self), "members": members}
        text = json.dumps(content, allow_nan=False, indent=1).encode()
        if len(text) > MOST_TEXT:
            raise FileError(f"The header would have {len(text)} bytes; the limit is {MOST_TEXT}.")
        return text

    @classmethod
    def from_json(cls, raw: bytes) -> Header:
        """Read a header, checking the protocol first."""
        given = parse_json(raw)
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise FileError("it has no Vicinal header; it was not saved by Vicinal")
        protocol = given.get("protocol")
        if type(protocol) is not int or protocol < 1:
            raise FileError(f"it has the protocol {str(protocol)[:20]!r}; expected a number")
        if protocol > PROTOCOL:
            raise FileError(
                f"it has protocol {protocol}, but this version reads up to {PROTOCOL}; "
                "install a newer Vicinal to read it"
            )
        kind, version = given.get("kind"), given.get("version")
        members, state = given.get("members"), given.get("state")
        if not (isinstance(kind, str) and isinstance(version, str)):
            raise FileError("its header does not say what was saved")
        if not (isinstance(members, dict) and isinstance(state, dict)):
            raise FileError("its header has no members or no state")
        described = {name: _described(name, one) for name, one in members.items()}
        return cls(protocol, kind, version, described, state)


def parse_json(raw: bytes) -> Any:
    """Parse untrusted JSON; NaN and repeated keys are errors."""
    try:
        return json.loads(raw, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FileError(f"its header is not valid JSON ({str(error)[:80]})") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _described(name: str, given: object) -> Described:
    if not isinstance(given, dict) or given.keys() != {"dtype", "shape", "sha256"}:
        raise FileError(f"its header does not describe the member {name[:60]!r} as expected")
    digest = given["sha256"]
    if not isinstance(digest, str) or len(digest) != _DIGEST:
        raise FileError(f"its header has no SHA-256 of the member {name[:60]!r}")
    return Described(*data_size(given["dtype"], given["shape"]), digest)
