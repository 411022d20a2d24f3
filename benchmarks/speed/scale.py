"""Tables larger than memory: time and peak memory of a fit and predictions, and more workers.

``python -m benchmarks.speed.scale memory`` fits a table of Parquet parts in a process whose memory
is limited, cached files included, and predicts new rows from the store; it needs the right to make
a control group. ``… workers`` searches a store with several numbers of processes: the same table
(strong scaling), and one that grows with them (weak). Answers have a digest that must not depend
on any of it. CPU times include those of processes.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import vicinal
from benchmarks.speed import report

PART = 1_000_000
CATEGORIES = ("north", "east", "south", "west"), ("a", "b", "c"), tuple(f"k{n}" for n in range(40))


def part(rows: int, seed: int, d: int = 20) -> dict[str, Any]:
    """Draw a part of the table: numbers that share five factors, and three nominal columns."""
    rng = np.random.default_rng([20260917, seed])
    loads = np.random.default_rng(7).normal(size=(5, d))
    factors = rng.normal(size=(rows, 5))
    numbers = factors @ loads + rng.normal(size=(rows, d))
    table: dict[str, Any] = {f"x{j}": numbers[:, j] for j in range(d - 3)}
    for at, names in enumerate(CATEGORIES):
        shares = np.clip((numbers[:, d - 3 + at] / 12 + 0.5) * len(names), 0, len(names) - 1)
        table[f"c{at}"] = np.array(names)[shares.astype(int)]
    table["x1"] = np.where(rng.random(rows) < 0.05, np.nan, table["x1"])
    return table


def write_parts(folder: Path, rows: int) -> None:
    """Write the table as Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, start in enumerate(range(0, rows, PART)):
        table = part(min(PART, rows - start), number)
        pq.write_table(pa.table(table), folder / f"{number:05}.parquet", row_group_size=1 << 17)


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those it waited for."""
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in both)


def private_now() -> int:
    """Return the memory held now without what is mapped from files."""
    lines = dict(
        line.split(":", 1)
        for line in Path("/proc/self/status").read_text().splitlines()
        if ":" in line
    )
    return 1024 * int(lines["RssAnon"].split()[0])


@contextlib.contextmanager
def control_group(limit: int) -> Iterator[Path]:
    """Make a group of processes whose memory, with the files they read, is limited."""
    group = Path(f"/sys/fs/cgroup/memory/vicinal-{os.getpid()}")
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(limit))
        yield group
    finally:
        group.rmdir()


def settings(options: argparse.Namespace) -> vicinal.Model:
    return vicinal.Model(weighting=options.weighting, max_queries=options.queries, n_jobs=1)


def fit_and_predict(options: argparse.Namespace) -> dict[str, Any]:
    """Fit a store and predict new rows, as a member of a control group."""
    if options.group:
        (Path(options.group) / "cgroup.procs").write_text(str(os.getpid()))
    found: dict[str, Any] = {}
    start, cpu = time.perf_counter(), cpu_seconds()

    def lap(name: str) -> None:
        nonlocal start, cpu
        now, used = time.perf_counter(), cpu_seconds()
        found[f"{name} wall s"], found[f"{name} CPU s"] = (
            round(now - start, 1),
            round(used - cpu, 1),
        )
        found[f"{name} peak MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        found[f"{name} private MB"] = round(private_now() / 2**20)
        print(json.dumps(found), file=sys.stderr, flush=True)
        start, cpu = now, used

    model = vicinal.sharded.fit(
        str(Path(options.folder) / "*.parquet"),
        store=Path(options.folder) / "m.vicinal.d",
        settings=settings(options),
    )
    lap("fit")
    found["shards"] = len(model.index_.shards)
    model = vicinal.load(Path(options.folder) / "m.vicinal.d")
    model.n_jobs = 1
    rows = part(options.predictions, 999_999)
    model.predict({name: one[:1] for name, one in rows.items()}, "x0")
    lap("learn")
    answers = model.predict(rows, "x0")
    lap("predict")
    found["digest"] = hashlib.sha256(answers.tobytes()).hexdigest()[:16]
    return found


def memory(options: argparse.Namespace) -> None:
    """Write a table, then fit and predict it in a process of its own."""
    folder = Path(tempfile.mkdtemp(prefix="vicinal-scale-", dir=options.scratch))
    try:
        write_parts(folder, options.rows)
        given = ["--folder", str(folder), "--predictions", str(options.predictions)]
        given += ["--weighting", options.weighting, "--queries", str(options.queries)]
        with contextlib.ExitStack() as stack:
            if options.limit:
                given += ["--group", str(stack.enter_context(control_group(options.limit)))]
            child = subprocess.run(
                [sys.executable, "-m", "benchmarks.speed.scale", "child", *given],
                stdout=subprocess.PIPE,
                check=True,
            )
        print(json.dumps({"rows": options.rows, **json.loads(child.stdout)}, indent=1))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def workers(options: argparse.Namespace) -> None:
    """Search stores with several numbers of processes."""
    folder = Path(tempfile.mkdtemp(prefix="vicinal-scale-", dir=options.scratch))
    queries = part(options.predictions, 999_999)
    try:
        for kind in ("strong", "weak"):
            for count in options.workers:
                rows = options.rows if kind == "strong" else options.weak * count
                store = folder / f"{rows}.vicinal.d"
                if not store.exists():
                    blocks = (part(min(PART, rows - at), at) for at in range(0, rows, PART))
                    vicinal.sharded.fit(
                        blocks, store=store, settings=settings(options), shard_rows=-(-rows // 8)
                    )
                print(json.dumps({"kind": kind, **searched(store, rows, count, queries)}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def searched(store: Path, rows: int, count: int, queries: dict[str, Any]) -> dict[str, Any]:
    """Search for neighbors with so many processes; and one query at a time, for the fixed cost."""
    model = vicinal.load(store, on=count)
    model.n_jobs = 1
    one = {name: values[:1] for name, values in queries.items()}
    model.neighbors(one, k=10)  # so that all processes have started
    ticks = _ticks(model)
    start, cpu = time.perf_counter(), cpu_seconds()
    found = model.neighbors(queries, k=10)
    wall, own = time.perf_counter() - start, cpu_seconds() - cpu
    start = time.perf_counter()
    for _ in range(10):
        model.neighbors(one, k=10)
    fixed = (time.perf_counter() - start) / 10
    spent = own + (_ticks(model) - ticks) / os.sysconf("SC_CLK_TCK")
    model.index_.shards.engine.close()
    m = len(next(iter(queries.values())))
    return {
        "rows": rows,
        "workers": count,
        "wall s": round(wall, 2),
        "CPU ms per query": round(1000 * spent / m, 3),
        "one query ms": round(1000 * fixed, 1),
        "digest": hashlib.sha256(found.indices.tobytes()).hexdigest()[:16],
    }


def _ticks(model: Any) -> int:
    """CPU time of the worker processes, in ticks."""
    total = 0
    for one in model.index_.shards.engine.workers:
        if one.pid is not None:
            fields = Path(f"/proc/{one.pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.scale", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("part", choices=["memory", "workers", "child"])
    add("--rows", type=int, default=2_000_000, help="rows of the table (2,000,000)")
    add("--weak", type=int, default=500_000, help="rows per worker (500,000)")
    add("--workers", type=int, nargs="+", default=[1, 2, 4])
    add("--predictions", type=int, default=10_000)
    add("--limit", type=int, default=2 << 30, help="bytes of memory (2 GiB); 0 for no limit")
    add("--weighting", default="irw", help="of the Model (irw)")
    add("--queries", type=int, default=2400, help="max_queries of the Model")
    add("--scratch", help="folder for the files (that of the system)")
    add("--folder", help=argparse.SUPPRESS)
    add("--group", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part == "child":
        print(json.dumps(fit_and_predict(options)))
        return 0
    print(json.dumps({"machine": report.machine()}))
    {"memory": memory, "workers": workers}[options.part](options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
