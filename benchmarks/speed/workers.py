"""Processes that hold one family of engines each and time searches on demand.

All are started with the same limit on threads. Only one works at a time: the
caller asks, the worker searches and answers with seconds.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from benchmarks.speed.peers import FAMILIES, Engine
from benchmarks.speed.workloads import Matrix, make, plausible_residuals

_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Task:
    """Which workload to hold, and how to search it."""

    kind: str
    n: int
    d: int
    k: int
    threads: int
    n_queries: int
    residuals: Matrix | None = None

    @property
    def name(self) -> str:
        """The workload in a word, for instance ``gaussian 100000x20``."""
        return f"{self.kind} {self.n}x{self.d}"


class Described(NamedTuple):
    """What a worker holds: its version and, by engine, the smallest sensible batch."""

    version: str
    smallest_batches: dict[str, int]


class Seconds(NamedTuple):
    """Time of one search of a batch: on the clock, and on all processors together."""

    wall: float
    cpu: float


class Worker:
    """A process with one family of engines; use as a context manager."""

    def __init__(self, family: str, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(family, theirs))
        # Read by the numerical libraries as they are loaded, so before the process starts.
        os.environ.update(dict.fromkeys(_LIMITS, str(threads)))
        self._process.start()
        theirs.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self._pipe.close()
        self._process.join(timeout=10)
        if self._process.is_alive():
            self._process.terminate()

    def load(self, task: Task) -> Described:
        """Forget the last table, make this one, build the engines."""
        return self._ask("load", task)

    def search(self, engine: str, count: int) -> Seconds:
        """Time one search of the first `count` queries."""
        return self._ask("search", engine, count)

    def one_query(self, engine: str, budget: float) -> float:
        """Return the median time of a search for a single query."""
        return self._ask("one_query", engine, budget)

    def facts(self) -> dict[str, float]:
        """Return what the family knows besides times."""
        return self._ask("facts")

    def _ask(self, *request: Any) -> Any:
        self._pipe.send(request)
        try:
            answer = self._pipe.recv()
        except EOFError:
            raise RuntimeError(f"a worker ended while asked for {request[:2]}") from None
        if isinstance(answer, Exception):
            raise answer
        return answer


def _serve(family: str, pipe: Connection) -> None:
    held = _Held(family)
    while True:
        try:
            request, *arguments = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            pipe.send(getattr(held, request)(*arguments))
        except KeyboardInterrupt:
            return
        except Exception as error:  # the asker raises it
            pipe.send(error)


class _Held:
    """The worker's side of `Worker`'s methods."""

    def __init__(self, family: str) -> None:
        self._build = FAMILIES[family]
        self._engines: dict[str, Engine] = {}

    def load(self, task: Task) -> Described:
        self.__dict__.pop("facts", None)
        self._engines = {}  # frees the last table before the next one is made
        workload = make(task.kind, task.n, task.d, task.n_queries)
        residuals = task.residuals
        if residuals is None:
            residuals = plausible_residuals(workload.table)
        family = self._build(workload, residuals, task.k, task.threads)
        self._engines = {engine.name: engine for engine in family.engines}
        self.facts = family.facts
        return Described(
            family.version, {engine.name: engine.smallest_batch for engine in family.engines}
        )

    def search(self, engine: str, count: int) -> Seconds:
        chosen = self._engines[engine]
        return _timed(chosen, chosen.queries[:count])

    def one_query(self, engine: str, budget: float) -> float:
        chosen = self._engines[engine]
        end = time.perf_counter() + budget
        times = []
        for place in range(min(50, len(chosen.queries))):
            times.append(_timed(chosen, chosen.queries[place : place + 1]).wall)
            if len(times) >= 3 and time.perf_counter() > end:
                break
        return statistics.median(times)


def _timed(engine: Engine, queries: Any) -> Seconds:
    cpu, wall = time.process_time(), time.perf_counter()
    engine.search(queries)
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu)
