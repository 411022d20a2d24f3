"""Interleaved timing: every engine has its turn in every round, so noise hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.speed.workers import Seconds, Worker

_PAUSE = 0.02  # idle OpenMP threads of the worker before keep spinning for a few ms


@dataclass
class Timing:
    """The rounds of one engine.

    Examples
    --------
    >>> timing = Timing(batch=10, rounds=[Seconds(0.2, 0.4), Seconds(0.1, 0.2)], one_query=0.05)
    >>> round(timing.ms_per_query, 3), round(timing.cores, 1)
    (15.0, 2.0)
    """

    batch: int
    rounds: list[Seconds] = field(default_factory=list)
    one_query: float = float("nan")

    @property
    def ms_per_query(self) -> float:
        """Median over the rounds."""
        return 1e3 * statistics.median(s.wall for s in self.rounds) / self.batch

    @property
    def best_ms_per_query(self) -> float:
        """The quickest round."""
        return 1e3 * min(s.wall for s in self.rounds) / self.batch

    @property
    def cpu_ms_per_query(self) -> float:
        """Median over the rounds, of all processors together; steady on a busy machine."""
        return 1e3 * statistics.median(s.cpu for s in self.rounds) / self.batch

    @property
    def cores(self) -> float:
        """Processors it kept busy; less than the threads allowed when others took them."""
        return sum(s.cpu for s in self.rounds) / sum(s.wall for s in self.rounds)

    def to_dict(self) -> dict[str, float]:
        """Return plain numbers for JSON."""
        return {
            "ms_per_query": self.ms_per_query,
            "best_ms_per_query": self.best_ms_per_query,
            "cpu_ms_per_query": self.cpu_ms_per_query,
            "one_query_ms": 1e3 * self.one_query,
            "cores": self.cores,
            "batch": self.batch,
        }


def measure(
    workers: Mapping[str, tuple[Worker, int]], *, n_queries: int, repeats: int, budget: float
) -> dict[str, Timing]:
    """Time every engine.

    Parameters
    ----------
    workers : mapping of str to (Worker, int)
        For each engine the worker that holds it and its smallest sensible batch.
    n_queries : int
        The largest batch.
    repeats : int
        Rounds.
    budget : float
        Seconds for a batch; a slow engine gets fewer queries, but its smallest batch at least.
    """
    timings = {
        engine: Timing(_fitting_batch(worker, engine, min(smallest, n_queries), n_queries, budget))
        for engine, (worker, smallest) in workers.items()
    }
    for turn in range(repeats):
        for engine in _rotated(list(workers), turn):
            time.sleep(_PAUSE)
            seconds = workers[engine][0].search(engine, timings[engine].batch)
            timings[engine].rounds.append(seconds)
    for engine, (worker, _) in workers.items():
        time.sleep(_PAUSE)
        timings[engine].one_query = worker.one_query(engine, budget / 2)
    return timings


def _fitting_batch(worker: Worker, engine: str, smallest: int, largest: int, budget: float) -> int:
    """Double up to a batch that fits the budget; this warms the engine up, too."""
    count = smallest
    while True:
        seconds = worker.search(engine, count).wall
        fitting = min(max(int(count * budget / seconds), smallest), largest)
        if fitting <= 2 * count:
            return fitting
        count = min(fitting, 8 * count)


def _rotated(engines: list[str], turn: int) -> Iterable[str]:
    first = turn % len(engines)
    return engines[first:] + engines[:first]
