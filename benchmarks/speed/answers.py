"""Every public question, at many sizes: processor time of the first and of later calls, memory.

    python -m benchmarks.speed.answers --size "1k x 20" --question predict explain

A process of its own fits each table, asks for one prediction, by which the target is learned, and
is copied for every question, so that none has what another has left behind. "first" is then the
first call, "later" the median of others, about other rows where a question is about one. "peak" is
the memory of the process at its most, the model included. Questions over the time limit are
stopped. All on one thread.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.speed import report
from benchmarks.speed.answer_tables import SIZES, Asked
from benchmarks.speed.memory import peak_bytes

#: Memory that a question may take: so many times the table as numbers, and this beside it.
TIMES_TABLE, BESIDE = 3.0, 300e6


@dataclass(frozen=True)
class Question:
    """What is asked, how often, and the seconds that a later call may take, by size."""

    ask: Callable[[Asked, int], Any]
    repeats: int = 3
    goals: tuple[tuple[str, float], ...] = ()


def write_report(asked: Asked) -> None:
    """Write a report to a folder that is removed again."""
    with TemporaryDirectory() as folder:
        asked.model.report(Path(folder, "report.html"), "y")


QUESTIONS = {
    "predict": Question(
        lambda a, i: a.model.predict(a.row(i), "y"),
        50,
        (("10k x 20", 1e-3), ("1M x 20", 2e-3)),
    ),
    "predict 64 rows": Question(lambda a, i: a.model.predict(a.rows(), "y"), 5),
    "interval or set": Question(
        lambda a, i: (
            a.model.predict_set(a.row(i), "y")
            if isinstance(a.wanted, str)
            else a.model.predict_interval(a.row(i), "y")
        ),
        20,
    ),
    "influences": Question(lambda a, i: a.model.influences(a.row(i), "y"), 20),
    "neighbors": Question(lambda a, i: a.model.neighbors(a.row(i), 10), 20),
    "conviction": Question(
        lambda a, i: a.model.conviction(a.row(i, target=True)), 20, (("1M x 20", 20e-3),)
    ),
    "anomalies": Question(
        lambda a, i: a.model.anomalies(a.row(i, target=True)), 20, (("1M x 20", 20e-3),)
    ),
    "residual conviction": Question(
        lambda a, i: a.model.residual_conviction(a.row(i, target=True))
    ),
    "density": Question(
        lambda a, i: a.model.density(a.row(i, target=True)), 10, (("1M x 20", 50e-3),)
    ),
    "contributions": Question(
        lambda a, i: a.model.contributions(a.row(i), "y"), 5, (("1M x 20", 1.0),)
    ),
    "explain": Question(lambda a, i: a.model.explain(a.row(i), "y"), 5, (("1M x 20", 1.0),)),
    "counterfactual": Question(
        lambda a, i: a.model.counterfactual(a.row(i), "y", a.wanted), 5, (("1M x 20", 2.0),)
    ),
    "data values": Question(lambda a, i: a.model.data_values(a.rows(), "y")),
    "synthesize 10 rows": Question(lambda a, i: a.model.synthesize(10, random_state=i)),
    "drift": Question(lambda a, i: a.model.drift(a.rows(), shuffles=99)),
    "impute 64 rows": Question(lambda a, i: a.model.impute(a.rows(), effort="low")),
    "information": Question(
        lambda a, i: a.model.information("y"), 1, (("100k x 20", 30.0), ("4454 x 14", 4.0))
    ),
    "information matrix": Question(lambda a, i: a.model.information_matrix(), 1),
    "audit": Question(lambda a, i: a.model.audit("y"), 1),
    "all convictions": Question(lambda a, i: a.model.conviction(), 1),
    "all densities": Question(lambda a, i: a.model.density(), 1),
    "report": Question(
        lambda a, i: write_report(a),
        1,
        (("100k x 20", 60.0), ("4454 x 14", 4.0)),
    ),
}


def measure(asked: Asked, question: Question, size: str) -> dict[str, float]:
    """Ask in this process."""
    spent = []
    for at in range(question.repeats + 1):
        start = time.process_time()
        question.ask(asked, at)
        spent.append(time.process_time() - start)
    return {
        "first_s": spent[0],
        "later_s": statistics.median(spent[1:]),
        "peak_mb": peak_bytes() / 1e6,
        "most_mb": (TIMES_TABLE * SIZES[size].nbytes + BESIDE) / 1e6,
    }


def measure_copy(asked: Asked, name: str, size: str, limit: float) -> dict[str, Any]:
    """Ask in a copy of this process, which is stopped at the limit."""
    taking, giving = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found: dict[str, Any] = measure(asked, QUESTIONS[name], size)
        except Exception as error:  # told to whoever waits
            found = {"error": f"{type(error).__name__}: {error}"}
        os.write(giving, json.dumps(found).encode())
        os._exit(0)
    os.close(giving)
    end = time.monotonic() + limit
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(0.02)
    with os.fdopen(taking, "rb") as pipe:
        written = pipe.read()
    return json.loads(written) if written else {"error": f"stopped after {limit:g} s"}


def run_size(size: str, names: list[str], limit: float) -> None:
    """Fit a table, ask the questions, and print what was measured, a line each."""
    start = time.process_time()
    asked = Asked(SIZES[size])
    fitted = {"first_s": time.process_time() - start, "peak_mb": peak_bytes() / 1e6}
    print(json.dumps({"size": size, "question": "fit", **fitted}), flush=True)
    start = time.process_time()
    asked.model.predict(asked.row(0), "y")
    learned = {"first_s": time.process_time() - start, "peak_mb": peak_bytes() / 1e6}
    print(json.dumps({"size": size, "question": "learn", **learned}), flush=True)
    for name in names:
        found = measure_copy(asked, name, size, limit)
        print(json.dumps({"size": size, "question": name, **found}), flush=True)


def goal(result: dict[str, Any]) -> float | None:
    """Return the seconds that a later call may take."""
    asked = QUESTIONS.get(result["question"])
    return dict(asked.goals).get(result["size"]) if asked else None


def verdict(result: dict[str, Any]) -> str:
    """Say whether time and memory are within their goals."""
    if "error" in result:
        return result["error"]
    missed = []
    most = goal(result)
    if most is not None and result["later_s"] > most:
        missed.append(f"over {report.number(1e3 * most)} ms")
    if result["peak_mb"] > result.get("most_mb", math.inf):
        missed.append(f"over {result['most_mb']:.0f} MB")
    return "; ".join(missed) or ("PASS" if most is not None else "")


def line(result: dict[str, Any]) -> list[str]:
    seconds = [result.get("first_s"), result.get("later_s")]
    return [
        result["question"],
        *(report.number(None if one is None else 1e3 * one) for one in seconds),
        report.number(result.get("peak_mb")),
        verdict(result),
    ]


def exponents(results: list[dict[str, Any]]) -> str:
    """Return how later calls grow with the number of rows, between tables of 20 numbers."""
    sizes = [name for name in SIZES if name.endswith(" x 20")]
    spent = {(one["question"], one["size"]): one.get("later_s") for one in results}
    rows = []
    for name in QUESTIONS:
        known = [(SIZES[at].n, spent[name, at]) for at in sizes if spent.get((name, at))]
        if len(known) < 2:
            continue
        slopes = [math.log(s2 / s1) / math.log(n2 / n1) for (n1, s1), (n2, s2) in pairwise(known)]
        rows.append([name, ", ".join(f"{slope:.2f}" for slope in slopes)])
    return report.table(["question", "exponent from size to size"], rows)


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["--child"]:
        run_size(arguments[1], arguments[3:], float(arguments[2]))
        return 0
    options = _parser().parse_args(arguments)
    results = []
    for size in options.size or SIZES:
        lines = _run_apart(size, options.question or list(QUESTIONS), options.time_limit)
        print(f"\n{size}")
        print(report.table(["question", "first ms", "later ms", "peak MB", ""], map(line, lines)))
        results += lines
    print(f"\n{exponents(results)}")
    if options.json:
        report.save(options.json, {"machine": report.machine(), "results": results})
    return int(any(verdict(one) not in ("", "PASS") for one in results))


def _run_apart(size: str, names: list[str], limit: float) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.speed.answers", "--child", size, str(limit)]
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [*command, *names],
        env={**os.environ, **limits},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(one) for one in done.stdout.splitlines()]


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.answers", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    some: dict[str, Any] = {"nargs": "+", "action": "extend"}
    add("--size", **some, choices=SIZES, help="some of the tables")
    add("--question", **some, choices=QUESTIONS, help="some of the questions")
    add("--time-limit", type=float, default=120.0, help="seconds for a question (120)")
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
