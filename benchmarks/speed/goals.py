"""What the speed of a query must reach, and whether it did.

Results are the plain dictionaries that ``query --json`` writes. A goal that
holds at one size is checked on every kind of table measured at that size.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.speed.peers import POWERS

Result = dict[str, Any]

FASTER_THAN = {"sklearn manhattan": 25.0, "sklearn euclidean": 7.0, "faiss L2": 11.0}
ZERO_WITHIN = 1.5
PLAIN_NOISE = 0.95  # where bounds do not help, both do the same work and only noise decides
QUIET = 0.85  # share of its threads' time that brute force gets on a quiet machine
BYTES_PER_CELL = 3 * 4


@dataclass(frozen=True)
class Goal:
    """One promise, the number measured, and whether it keeps the promise."""

    promise: str
    where: str
    measured: float | None
    kept: bool | None
    by_cpu: float | None = None  # the same ratio of processor times, for a busy machine

    @property
    def verdict(self) -> str:
        """PASS, FAIL, or that it was not part of this run."""
        return {True: "PASS", False: "FAIL", None: "not run"}[self.kept]

    def to_dict(self) -> Result:
        """Return plain values for JSON."""
        return {**self.__dict__, "verdict": self.verdict}


def ratio(
    result: Result, engine: str, ours: str = "vicinal p=1", of: str = "ms_per_query"
) -> float | None:
    """Return how many times longer the engine takes than ours; None if it was not measured.

    Examples
    --------
    >>> engines = {"vicinal p=1": {"ms_per_query": 2.0}, "faiss L2": {"ms_per_query": 9.0}}
    >>> ratio({"engines": engines}, "faiss L2")
    4.5
    """
    engines = result["engines"]
    if engine not in engines or ours not in engines:
        return None
    return float(engines[engine][of] / engines[ours][of])


def check(results: Iterable[Result]) -> list[Goal]:
    """Hold the results against every goal."""
    measured = list(results)
    return [
        *_at_100k(measured),
        _never_slower_than_the_plain_scan(measured),
        _bytes_at_1m(measured),
        _same_answers(measured),
    ]


def busy(results: Iterable[Result]) -> list[str]:
    """Return the workloads during which other programs took the processors.

    There the times do not count: threads that wait for each other suffer most, so ratios are
    wrong, not just noisy. Brute force keeps all its threads busy on a quiet machine.
    """
    return [
        result["name"]
        for result in results
        for timing in [result["engines"].get("sklearn manhattan")]
        if timing and timing["cores"] < QUIET * result["threads"]
    ]


def _at_100k(results: list[Result]) -> Iterator[Goal]:
    there = [result for result in results if (result["n"], result["d"]) == (100_000, 20)]
    for peer, least in FASTER_THAN.items():
        promise = f"p=1: at least {least:g}x faster than {peer}"
        yield from _each(promise, there, peer, partial(operator.le, least))
    promise = f"p=0 takes at most {ZERO_WITHIN:g}x as long as p=1"
    yield from _each(promise, there, "vicinal p=0", lambda x: x <= ZERO_WITHIN)


def _each(
    promise: str, results: list[Result], engine: str, keeps: Callable[[float], bool]
) -> Iterator[Goal]:
    known = [(result, x) for result in results if (x := ratio(result, engine)) is not None]
    if not known:
        yield Goal(promise, "100000x20", None, None)
    for result, value in known:
        by_cpu = ratio(result, engine, of="cpu_ms_per_query")
        yield Goal(promise, result["name"], value, keeps(value), by_cpu)


def _never_slower_than_the_plain_scan(results: list[Result]) -> Goal:
    promise = f"never slower than our plain scan (ratio 1, noise down to {PLAIN_NOISE:g})"
    found = [
        (value, f"worst: {result['name']} p={p}")
        for result in results
        for p in POWERS
        if (value := ratio(result, f"plain scan p={p}", f"vicinal p={p}")) is not None
    ]
    if not found:
        return Goal(promise, "all workloads", None, None)
    worst, where = min(found)
    return Goal(promise, where, worst, worst >= PLAIN_NOISE)


def _bytes_at_1m(results: list[Result]) -> Goal:
    promise = f"at most 3x the float32 size ({BYTES_PER_CELL} bytes per cell)"
    found = [
        (result["facts"]["bytes per cell"], result["name"])
        for result in results
        if (result["n"], result["d"]) == (1_000_000, 20) and result["facts"]
    ]
    if not found:
        return Goal(promise, "1000000x20", None, None)
    most, where = max(found)
    return Goal(promise, where, most, most <= BYTES_PER_CELL)


def _same_answers(results: list[Result]) -> Goal:
    promise = "the same answers as our plain scan, bit for bit"
    asked = [result for result in results if result["facts"]]
    if not asked:
        return Goal(promise, "all workloads", None, None)
    same = min(result["facts"]["answers equal the plain scan's"] for result in asked)
    return Goal(promise, "all workloads", same, same == 1)
