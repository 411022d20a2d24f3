"""A process that runs one job at a time and can be ended when a job takes too long.

A signal would not do: a fit inside a library's C code does not see it. The process lives
on between jobs, so that imports and compilation are paid once, outside the measurements.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any


class JobError(Exception):
    """A job failed; the text says how, in one line."""


class OverTime(JobError):
    """A job was ended at the time limit."""


class Worker:
    """Runs importable functions in a process of its own (a context manager).

    Parameters
    ----------
    threads
        What OpenMP and BLAS libraries are allowed in it.
    """

    def __init__(self, threads: int = 1) -> None:
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[variable] = str(threads)
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def run(
        self,
        function: Callable[..., Any],
        *arguments: object,
        limit: float | None = None,
        cpu_limit: float | None = None,
    ) -> Any:
        """What ``function(*arguments)`` returns; :class:`JobError` when it raises.

        ``limit`` is in seconds of the clock, ``cpu_limit`` in those of the processor, which are
        the fairer ones on a busy machine.
        """
        connection = self._connection or self._start()
        connection.send((function, arguments, cpu_limit))
        if not connection.poll(limit):
            self._end(patience=0)
            raise OverTime(f"OverTime: more than {limit:g} s")
        try:
            done, result = connection.recv()
        except EOFError:
            code = self._end()
            if code == -signal.SIGXCPU:
                raise OverTime(f"OverTime: more than {cpu_limit:g} processor s") from None
            raise JobError(f"the process died with exit code {code}") from None
        if not done:
            raise JobError(result)
        return result

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._connection

    def _end(self, patience: float = 1) -> int | None:
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if process is None or connection is None:
            return None
        connection.close()
        process.join(patience)
        if process.is_alive():
            process.kill()
            process.join()
        return process.exitcode


def _serve(connection: Connection) -> None:
    while True:
        try:
            function, arguments, cpu_limit = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        _allow(cpu_limit)
        try:
            answer = (True, function(*arguments))
        except Exception as error:  # whatever a library raises is a result
            answer = (False, f"{type(error).__name__}: {error}"[:400])
        connection.send(answer)


def _allow(cpu_limit: float | None) -> None:
    """Let the system end this process after so many more seconds of the processor."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    until = resource.RLIM_INFINITY
    if cpu_limit is not None:
        until = math.ceil(time.process_time() + cpu_limit)
    resource.setrlimit(resource.RLIMIT_CPU, (until, most))
