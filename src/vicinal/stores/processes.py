"""Shards asked by several processes at a time."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from vicinal.exceptions import FileError
from vicinal.stores.packets import pack, unpack
from vicinal.stores.stored_shards import StoredShards
from vicinal.stores.worker import (
    PROTOCOL,
    on_one_thread,
    raise_error,
    receive,
    request_for,
    send,
)
from vicinal.typing import Arrays

#: How often a task is sent again if its process ends before it answers.
TRIES = 3


class Worker:
    """A process, started when it is first needed, and again if it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._process is None else self._process.pid

    def ask(self, request: bytes, arguments: bytes) -> bytes | None:
        """Send a request and return the answer; None if the process has ended."""
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            send(process.stdin, request, arguments)
            answer = receive(process.stdout)
        except (BrokenPipeError, OSError):
            answer = None
        if answer is None:
            self.stop()
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "vicinal.stores.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert self._process.stdout is not None
            hello = receive(self._process.stdout)
            if hello is None or unpack(hello).get("protocol") != PROTOCOL:
                self.stop()
                raise FileError("A worker process did not start, or has another version.")
        return self._process

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # something may not have been sent
                        pipe.close()


class Pool:
    """Some workers, which end with the pool."""

    def __init__(self, count: int) -> None:
        self.workers = [Worker() for _ in range(count)]
        self.lock = threading.Lock()
        self._finish = weakref.finalize(self, _stop_all, self.workers)

    def close(self) -> None:
        """End all processes."""
        self._finish()


def _stop_all(workers: list[Worker]) -> None:
    for worker in workers:
        worker.stop()


class ProcessShards(StoredShards):
    """Shards in files, asked by several processes.

    Every process has its own shards as far as it goes, so that they stay in its memory; one that
    has nothing left to do takes over from others. If a process ends, another one takes its place
    and the task is sent again, at most `TRIES` times.
    """

    engine: Pool

    def run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        """Run a job on some shards; answers come as they are ready."""
        with self.engine.lock:  # a worker answers one question at a time
            yield from self._run(job, self.last_used_first(tasks))

    def _run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        workers = self.engine.workers
        waiting = dict(tasks)
        answers: queue.SimpleQueue[tuple[int, Arrays] | BaseException] = queue.SimpleQueue()
        taking = threading.Lock()

        def serve(number: int) -> None:
            while True:
                with taking:
                    own = [shard for shard in waiting if shard % len(workers) == number]
                    shard = next(iter(own or waiting), None)
                    if shard is None:
                        return
                    arguments = waiting.pop(shard)
                try:
                    answers.put((shard, self._asked(workers[number], job, shard, arguments)))
                except BaseException as error:
                    with taking:
                        waiting.clear()
                    answers.put(error)
                    return

        places = _places(tasks, len(workers))[: len(tasks)]
        threads = [threading.Thread(target=serve, args=(at,)) for at in places]
        for thread in threads:
            thread.start()
        try:
            for _ in range(len(tasks)):
                answer = answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        finally:
            with taking:
                waiting.clear()
            for thread in threads:
                thread.join()

    def _asked(self, worker: Worker, job: str, shard: int, arguments: dict[str, Any]) -> Arrays:
        file = self.files[shard]
        request = request_for(job, file, self.hidden.get(shard))
        given = pack(on_one_thread(arguments))
        for _ in range(TRIES):
            raw = worker.ask(request, given)
            if raw is not None:
                answer = unpack(raw)
                raise_error(answer)
                return answer
        raise FileError(
            f"A worker process ended {TRIES} times while it searched {file.path}; there may be "
            "too little memory for this shard."
        )


def _places(tasks: Sequence[tuple[int, dict[str, Any]]], count: int) -> list[int]:
    """Return all workers, first those that have shards of their own among the tasks."""
    own = {shard % count for shard, _ in tasks}
    return [*sorted(own), *(number for number in range(count) if number not in own)]
