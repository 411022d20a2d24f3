"""Time per query of Vicinal and its peers, on the same cores in the same run.

``python -m benchmarks.speed.query --help`` lists the options; the goals are
held against the results at the end. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed import report
from benchmarks.speed.goals import Goal, Result, busy, check, ratio
from benchmarks.speed.peers import FAMILIES, POWERS
from benchmarks.speed.timing import measure
from benchmarks.speed.workers import Task, Worker
from benchmarks.speed.workloads import KINDS, Matrix, make


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.query", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="rows")
    add("--d", type=int, nargs="+", default=[10, 20, 50], help="features")
    add("--tables", nargs="+", choices=KINDS, default=list(KINDS))
    add("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    add("--k", type=int, default=10, help="neighbours (10)")
    add("--threads", type=int, default=report.available_cores(), help="for every engine alike")
    add("--queries", type=int, default=1000, help="largest batch (1000)")
    add("--repeats", type=int, default=5, help="interleaved rounds; medians are shown (5)")
    add("--budget", type=float, default=1.0, help="seconds for one batch of one engine (1)")
    add("--fitted", action="store_true", help="residuals learned by Model instead of fixed ones")
    add("--json", type=Path, metavar="FILE", help="write the results, after every workload")
    add("--resume", action="store_true", help="skip the workloads that FILE already has")
    add("--quick", action="store_true", help="10k and 100k rows, 20 features, short rounds")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.quick:
        options.n, options.d, options.repeats, options.budget = [10_000, 100_000], [20], 3, 0.3
    content = _content(options)
    done = {result["name"] for result in content["results"]}
    print(_title(content), flush=True)
    with contextlib.ExitStack() as stack:
        workers = {
            family: stack.enter_context(Worker(family, options.threads))
            for family in options.families
        }
        for task in _tasks(options):
            if task.name in done:
                continue
            result = run(task, workers, options)
            content["results"].append(result)
            if options.json:
                report.save(options.json, content)
            print(f"\n{as_table(result)}", flush=True)
    goals = check(content["results"])
    content["goals"] = [goal.to_dict() for goal in goals]
    if options.json:
        report.save(options.json, content)
    print(f"\n{as_summary(content['results'])}\n\n{as_verdicts(goals)}")
    if disturbed := busy(content["results"]):
        print(f"\nThe machine was busy, so these times do not count: {', '.join(disturbed)}")
    return 0


def run(task: Task, workers: dict[str, Worker], options: argparse.Namespace) -> Result:
    """Measure every engine on one workload."""
    start = time.monotonic()
    if options.fitted:
        task = Task(**{**task.__dict__, "residuals": _learned_residuals(task)})
    engines: dict[str, tuple[Worker, int]] = {}
    versions = {}
    for family, worker in workers.items():
        _progress(f"{task.name}: building {family}")
        versions[family], smallest = worker.load(task)
        engines |= {engine: (worker, batch) for engine, batch in smallest.items()}
    _progress(f"{task.name}: timing {len(engines)} engines")
    timings = measure(
        engines, n_queries=options.queries, repeats=options.repeats, budget=options.budget
    )
    _progress(f"{task.name}: done in {time.monotonic() - start:.0f} s")
    return {
        "name": task.name,
        **{key: getattr(task, key) for key in ("kind", "n", "d", "k", "threads")},
        "versions": versions,
        "engines": {engine: timing.to_dict() for engine, timing in timings.items()},
        "facts": workers["vicinal"].facts() if "vicinal" in workers else {},
    }


def as_table(result: Result) -> str:
    """Return one workload as a table with a line of facts under it."""
    columns = ("ms_per_query", "best_ms_per_query", "cpu_ms_per_query", "one_query_ms", "cores")
    rows = []
    for engine, timing in result["engines"].items():
        power = engine.removeprefix("vicinal ")
        rows.append(
            [
                engine,
                *(report.number(timing[column]) for column in columns),
                str(timing["batch"]),
                report.number(ratio(result, engine), "x"),
                _percent(result["facts"].get(f"share evaluated {power}")),
            ]
        )
    head = ["ms/query", "best", "cpu ms", "one query", "cores", "batch", "/ p=1", "rows exact"]
    lines = report.table([result["name"], *head], rows)
    if result["facts"]:
        lines += f"\n{report.number(result['facts']['bytes per cell'])} bytes per cell"
    return lines


def as_summary(results: list[Result]) -> str:
    """Return one line per workload: our time, and how many times longer the peers take."""
    peers = list(dict.fromkeys(engine for result in results for engine in result["engines"]))
    peers = [peer for peer in peers if peer != "vicinal p=1"]
    rows = [
        [
            result["name"],
            report.number(result["engines"].get("vicinal p=1", {}).get("ms_per_query")),
            *(report.number(ratio(result, peer)) for peer in peers),
            *(_percent(result["facts"].get(f"share evaluated p={p}")) for p in POWERS),
        ]
        for result in results
    ]
    head = ["workload", "p=1 ms", *(peer.replace("vicinal ", "") for peer in peers)]
    title = "time per query of Vicinal p=1, and times longer of the others; rows evaluated exactly"
    return f"{title}\n{report.table([*head, *(f'rows p={p}' for p in POWERS)], rows)}"


def as_verdicts(goals: list[Goal]) -> str:
    """Return the goals with what was measured."""
    rows = [
        [goal.promise, goal.where, *map(report.number, (goal.measured, goal.by_cpu)), goal.verdict]
        for goal in goals
    ]
    return report.table(["goal", "where", "measured", "by cpu time", ""], rows)


def _content(options: argparse.Namespace) -> dict[str, Any]:
    chosen = ("k", "threads", "queries", "repeats", "budget", "fitted")
    settings = {key: getattr(options, key) for key in chosen}
    results = []
    if options.resume and options.json and options.json.exists():
        earlier = json.loads(options.json.read_text())
        if earlier["settings"] != settings:
            sys.exit(f"{options.json} was measured with {earlier['settings']}, not {settings}")
        results = earlier["results"]
    return {"machine": report.machine(), "settings": settings, "results": results}


def _title(content: dict[str, Any]) -> str:
    facts = {**content["machine"], **content["settings"]}
    return "  ".join(f"{key}: {value}" for key, value in facts.items())


def _tasks(options: argparse.Namespace) -> Iterator[Task]:
    for n, d, kind in itertools.product(options.n, options.d, options.tables):
        yield Task(kind, n, d, options.k, options.threads, options.queries)


def _learned_residuals(task: Task) -> Matrix:
    import numpy as np

    from vicinal import Model

    _progress(f"{task.name}: learning residuals")
    model = Model(n_jobs=task.threads).fit(make(task.kind, task.n, task.d, 0).table)
    return np.array([model.residuals_[f"x{i}"] for i in range(task.d)])


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}%"


def _progress(message: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
