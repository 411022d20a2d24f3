"""A process that runs jobs on shards: ``python -m vicinal.stores.worker``.

It reads messages from standard input and answers on standard output, until the input ends.
"""

from __future__ import annotations

import os
import struct
import sys
import threading
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
from vicinal.typing import Ints

#: Version of the messages; both sides must have the same.
PROTOCOL = 1
#: Shards kept open, at most.
_MOST_OPEN = 256
_LENGTH = struct.Struct("<Q")
_NONE = np.empty(0, dtype=np.int64)
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


def request_for(job: str, file: ShardFile, hidden: Ints | None) -> bytes:
    """Return the message that asks for a job on a shard, without the cases that are gone."""
    return pack(
        {
            "job": job,
            "path": str(file.path.resolve()),
            "digest": file.digest or "",
            "hidden": _NONE if hidden is None else hidden,
        }
    )


def on_one_thread(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments of a job for one of several workers, which are as many as are wanted."""
    return {**arguments, "threads": 1} if "threads" in arguments else arguments


class Answering:
    """Runs jobs, and keeps shards open, those used last.

    Parameters
    ----------
    mapped : bool
        Whether values stay on disk until they are needed.
    most_bytes : int, optional
        How much shards may take that are not mapped, together; one is always kept.
    """

    def __init__(self, *, mapped: bool = True, most_bytes: int | None = None) -> None:
        self._mapped, self._most = mapped, most_bytes
        self._open: OrderedDict[tuple[str, str, bytes], Shard] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, request: dict[str, Any], arguments: dict[str, Any]) -> bytes:
        """Run a job; an error is an answer, too."""
        try:
            file = ShardFile(Path(request["path"]), request["digest"] or None)
            shard = self.shard(file, request["hidden"].astype(np.int64))
            return pack(run_job(request["job"], shard, **arguments))
        except VicinalError as error:
            return pack({"error": type(error).__name__, "message": str(error)})

    def shard(self, file: ShardFile, hidden: Ints | None) -> Shard:
        """Return a shard, without the cases that are gone."""
        gone = _NONE if hidden is None else hidden
        key = (str(file.path), file.digest or "", gone.tobytes())
        with self._lock:
            if key not in self._open:
                self._make_room(file)
                self._open[key] = visible(open_shard(file, mapped=self._mapped), gone)
            self._open.move_to_end(key)
            return self._open[key]

    def _make_room(self, file: ShardFile) -> None:
        """Close shards before another is opened, so that it is never one too many."""
        more = file.path.stat().st_size if file.path.exists() else 0
        while self._open and self._too_many(more):
            self._open.popitem(last=False)

    def _too_many(self, more: int) -> bool:
        if len(self._open) >= _MOST_OPEN:
            return True
        total = sum(shard.index.nbytes for shard in self._open.values())
        return self._most is not None and total + more > self._most


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
