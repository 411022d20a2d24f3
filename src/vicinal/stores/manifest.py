"""The manifest of a store: which files make it up.

All other files are written first, under names that no other manifest has, and the manifest is
renamed last: whenever a process stops, the store is the old one or the new one.
"""

from __future__ import annotations

import json
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vicinal.exceptions import FileError
from vicinal.storage import parse_json, write_text
from vicinal.stores.shard_files import ShardFile

#: Version of the format of stores. A reader rejects later ones.
PROTOCOL = 1
FORMAT = "vicinal-store"
NAME = "manifest.json"
SUFFIX = ".vicinal.d"
_MOST_BYTES = 1 << 26
_TEMPORARY = (".fit-", ".build-", ".derived-", f".{NAME}.", ".model-", ".pilot-", ".recent-")
_FILE = re.compile(r"(shards/)?[a-z0-9]+-[0-9a-f]+(-[0-9]+)?\.vicinal")


@dataclass(frozen=True)
class Manifest:
    """The files of a store, by name, each with the digest of its content.

    Parameters
    ----------
    version : str
        Version of the package that wrote it.
    model : tuple of str
        The file of what was learned, and its digest.
    shards : tuple of tuple of str
        The files of the cases.
    pilot, recent : tuple of str or None
        The file of a sample of them, and of cases that were added or changed.
    """

    version: str
    model: tuple[str, str]
    shards: tuple[tuple[str, str], ...]
    pilot: tuple[str, str] | None = None
    recent: tuple[str, str] | None = None

    def files(self) -> list[tuple[str, str]]:
        """Return all files."""
        return [self.model, *self.shards, *(one for one in (self.pilot, self.recent) if one)]

    def write(self, folder: Path) -> None:
        """Make this the manifest of a store, and delete files that no longer belong to it."""
        content = {"format": FORMAT, "protocol": PROTOCOL, **vars(self)}
        write_text(folder / NAME, json.dumps(content, indent=1) + "\n")
        kept = {folder / name for name, _ in self.files()}
        for path in [*folder.glob("*.vicinal"), *folder.glob("shards/*.vicinal")]:
            if path not in kept and _FILE.fullmatch(str(path.relative_to(folder).as_posix())):
                with suppress(OSError):
                    path.unlink()

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a store.

        Raises
        ------
        FileError
            If there is none, or it was written by a later version.
        """
        path = folder / NAME
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise FileError("it is too large")
            given = parse_json(path.read_bytes())
            return cls._checked(given)
        except FileNotFoundError:
            raise FileError(
                f"{folder} has no {NAME}; expected a store that vicinal.sharded.fit wrote."
            ) from None
        except FileError as error:
            raise FileError(f"{path} cannot be loaded: {str(error).rstrip('.')}.") from None

    @classmethod
    def _checked(cls, given: Any) -> Manifest:
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise FileError("it is not the manifest of a store")
        protocol = given.get("protocol")
        if type(protocol) is not int or not 1 <= protocol <= PROTOCOL:
            raise FileError(
                f"it has protocol {str(protocol)[:20]}, but this version reads up to {PROTOCOL}; "
                "use a later version of vicinal"
            )
        shards = given.get("shards")
        if not isinstance(shards, list) or not isinstance(given.get("version"), str):
            raise FileError("it does not list the shards")
        return cls(
            given["version"],
            _entry(given.get("model")),
            tuple(_entry(one) for one in shards),
            *(
                None if given.get(one) is None else _entry(given[one])
                for one in ("pilot", "recent")
            ),
        )


def _entry(given: Any) -> tuple[str, str]:
    fits = isinstance(given, list) and len(given) == 2 and all(isinstance(x, str) for x in given)
    if not fits or not _FILE.fullmatch(given[0]):
        raise FileError(f"it names the file {str(given)[:80]}, which no store has")
    return given[0], given[1]


def belongs(name: str) -> bool:
    """Return whether a file or folder can be a part of a store, or what is left of one."""
    return name in (NAME, "shards") or name.startswith(_TEMPORARY) or bool(_FILE.fullmatch(name))


def is_store(path: Path) -> bool:
    """Return whether a path is that of a store, or is to be one by its name."""
    return path.name.endswith(SUFFIX) or (path / NAME).exists()


def new_name(what: str) -> str:
    """Return a name for a new file that no other file of a store has."""
    return f"{what}-{secrets.token_hex(6)}.vicinal"


def shard_file(folder: Path, entry: tuple[str, str]) -> ShardFile:
    """Return the file of a manifest's entry."""
    return ShardFile(folder / entry[0], entry[1])
