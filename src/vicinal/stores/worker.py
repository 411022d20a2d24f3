"""A process that runs jobs on shards: ``python -m vicinal.stores.worker``.

It reads messages from standard input and answers on standard output, until the input ends.
"""

from __future__ import annotations

import os
import struct
import sys
from collections import OrderedDict
from pathlib import Path
from typing import IO, Any

import numpy as np

from vicinal.exceptions import FileError, ParameterError, VicinalError
from vicinal.index.shard import Shard
from vicinal.index.shard_jobs import run_job
from vicinal.stores.packets import pack, unpack
from vicinal.stores.shard_files import ShardFile, open_shard
from vicinal.stores.stored_shards import visible

#: Version of the messages; both sides must have the same.
PROTOCOL = 1
#: Shards kept open, at most.
_MOST_OPEN = 256
_LENGTH = struct.Struct("<Q")
_ERRORS = {one.__name__: one for one in (FileError, ParameterError)}


def send(out: IO[bytes], *messages: bytes) -> None:
    """Write messages, each after its length."""
    for message in messages:
        out.write(_LENGTH.pack(len(message)))
        out.write(message)
    out.flush()


def receive(source: IO[bytes]) -> bytes | None:
    """Read a message; None at the end."""
    length = source.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    [size] = _LENGTH.unpack(length)
    message = source.read(size)
    return message if len(message) == size else None


class Answering:
    """Runs jobs, and keeps shards open."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, str, bytes], Shard] = OrderedDict()

    def answer(self, request: dict[str, Any], arguments: dict[str, Any]) -> bytes:
        """Run a job; an error is an answer, too."""
        try:
            return pack(run_job(request["job"], self._shard(request), **arguments))
        except VicinalError as error:
            return pack({"error": type(error).__name__, "message": str(error)})

    def _shard(self, request: dict[str, Any]) -> Shard:
        path, digest, hidden = request["path"], request["digest"], request["hidden"]
        key = (path, digest, hidden.tobytes())
        if key not in self._open:
            file = ShardFile(Path(path), digest or None)
            self._open[key] = visible(open_shard(file), hidden.astype(np.int64))
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(key)
        return self._open[key]


def raise_error(answer: dict[str, Any]) -> None:
    """Raise the error that an answer tells of, if it does."""
    if "error" in answer:
        raise _ERRORS.get(answer["error"], FileError)(answer["message"])


def main() -> None:
    """Answer until the input ends."""
    source, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not be taken for an answer
    answering = Answering()
    send(out, pack({"protocol": PROTOCOL}))
    while (request := receive(source)) is not None and (given := receive(source)) is not None:
        send(out, answering.answer(unpack(request), unpack(given)))


if __name__ == "__main__":
    main()
