"""A shard as a checked file."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from vicinal.exceptions import FileError, ParameterError
from vicinal.index.exact import ExactIndex
from vicinal.index.shard import Shard
from vicinal.storage import open_file, write_file

KIND = "Shard"
#: Arrays that stay on disk until they are needed. Only the small ones of them are checked when a
#: shard is opened; all others are read, and always checked.
_LARGE, _SMALL = ("values", "codes"), ("row_of", "cases", "weights", "numbers")
_ARRAYS = (*_LARGE, "row_of", "summary", "bins", "edges", "lacking", "kinds", "scales")
#: Those that shards may be without: ones that weigh 1, or were written by earlier versions.
_OPTIONAL = ("weights", "cases")


class ShardFile(NamedTuple):
    """A file and the digest that it must have, if known."""

    path: Path
    digest: str | None = None


def write_shard(path: Path, shard: Shard) -> ShardFile:
    """Write a shard to a new file."""
    write_file(path, KIND, version("vicinal"), {}, shard.to_arrays())
    with open_file(path) as file:
        return ShardFile(path, file.header.digest)


def open_shard(file: ShardFile, *, mapped: bool = True, verify: bool = False) -> Shard:
    """Open a shard; an error names the file.

    Parameters
    ----------
    mapped : bool
        Whether values stay on disk until they are needed. Nearby values are then not read in
        advance, because searches jump from one place to another; codes are, since all are needed.
    verify : bool
        Whether to check the SHA-256 of what is mapped, too.
    """
    try:
        with open_file(file.path, mapped=mapped, verify=verify or not mapped) as opened:
            if opened.header.kind != KIND:
                raise FileError("it is no shard of a store")
            if file.digest is not None and opened.header.digest != file.digest:
                raise FileError("it is not the shard that the manifest names")
            names = [*_ARRAYS, "numbers", *(name for name in _OPTIONAL if name in opened)]
            arrays = {
                name: opened.array(
                    name,
                    mapped=name in (*_LARGE, *_SMALL),
                    scattered=name == "values",
                    checked=name in _SMALL,
                )
                for name in names
            }
            numbers = arrays.pop("numbers")
            try:
                # Memory is for the shards that are asked, not for codes of all of them.
                index = ExactIndex.from_arrays(
                    arrays, thorough=verify or not mapped, lasting=not mapped
                )
                return Shard(index, numbers)
            except (ParameterError, ValueError, TypeError) as error:
                raise FileError(f"it is damaged: {error}") from None
    except FileNotFoundError:
        raise FileError(
            f"{file.path} is missing, which is a part of the store; restore it from a copy."
        ) from None
