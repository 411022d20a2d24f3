"""A fit and predictions in a process whose memory is limited, files that it reads included."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import vicinal
from benchmarks.speed import scale_table as tables
from vicinal.typing import Floats

#: Rows that are predicted at a time: what a program would hold of a table that is larger.
_BLOCK = 50_000
_TERABYTE = 10**12


def memory(options: argparse.Namespace) -> None:
    """Write a table, then fit and predict it in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="vicinal-scale-", dir=options.scratch) as folder:
        found = _in_one_process(Path(folder), options, options.limit)
    print(json.dumps({"rows": options.rows, "limit": options.limit, **found}, indent=1))
    print(json.dumps({"calculated for a terabyte": terabyte(options.rows, found)}, indent=1))


def quarter(options: argparse.Namespace) -> None:
    """Let a process have a quarter of the memory that the values take, and no more.

    First the one that fits and predicts (unless ``--limit 0``: small tables do not take much more
    than Python does), then a worker that is asked by a process without limit.
    """
    limit = options.rows * 20 * 8 // 4
    if options.shard_rows is None:
        options.shard_rows = options.rows // 60
    with tempfile.TemporaryDirectory(prefix="vicinal-scale-", dir=options.scratch) as folder:
        found = _in_one_process(Path(folder), options, limit if options.limit else 0)
        print(json.dumps({"rows": options.rows, "limit MB": limit / 10**6, **found}, indent=1))
        found = _with_a_worker(Path(folder), options, limit)
        print(json.dumps({"worker": True, "limit MB": limit / 10**6, **found}, indent=1))


def _in_one_process(folder: Path, options: argparse.Namespace, limit: int) -> dict[str, Any]:
    """Fit and predict in a process whose memory is limited."""
    if not options.drawn:
        tables.write_parts(folder, options.rows, options.noise)
    with contextlib.ExitStack() as stack:
        given = ["--folder", str(folder)]
        if limit:
            given += ["--group", str(stack.enter_context(control_group(limit)))]
        for name in ("rows", "predictions", "weighting", "queries", "noise", "shard_rows"):
            if getattr(options, name) is not None:
                given += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
        given += ["--drawn"] if options.drawn else []
        child = subprocess.run(
            [sys.executable, "-m", "benchmarks.speed.scale", "child", *given],
            stdout=subprocess.PIPE,
            check=True,
        )
    found: dict[str, Any] = json.loads(child.stdout)
    return found


def _with_a_worker(folder: Path, options: argparse.Namespace, limit: int) -> dict[str, Any]:
    """Predict from the store by a worker process whose memory is limited."""
    with control_group(limit) as group:
        # The worker joins the group before it is Python, so that all of its memory counts.
        python, limited = sys.executable, folder / "python"
        limited.write_text(f'#!/bin/sh\necho $$ > {group}/cgroup.procs\nexec {python} "$@"\n')
        limited.chmod(0o700)
        sys.executable = str(limited)
        model = vicinal.load(folder / "m.vicinal.d", on=1)
        start = time.perf_counter()
        with contextlib.closing(model.index_.shards.engine) as pool:
            answers = _predicted(model, options)
            private = private_now(pool.workers[0].pid)
            peak = int((group / "memory.max_usage_in_bytes").read_text())
        sys.executable = python
    return {
        "predictions": options.predictions,
        "wall s": round(time.perf_counter() - start, 1),
        "group peak MB": round(peak / 10**6, 1),
        "private MB": round(private / 10**6, 1),
        "digest": tables.digest(answers),
    }


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


def fit_and_predict(options: argparse.Namespace) -> dict[str, Any]:
    """Fit a store and predict new rows, as a member of a control group."""
    if options.group:
        (Path(options.group) / "cgroup.procs").write_text(str(os.getpid()))
    laps = _Laps()
    store = Path(options.folder) / "m.vicinal.d"
    if not store.exists():
        drawn = tables.parts(options.rows, options.noise) if options.drawn else None
        model = vicinal.sharded.fit(
            drawn or str(Path(options.folder) / "*.parquet"),
            store=store,
            settings=settings(options),
            shard_rows=options.shard_rows,
        )
        laps.end("fit")
    model = vicinal.load(store)
    model.n_jobs = 1
    laps.found["shards"] = len(model.index_.shards)
    laps.found["store bytes"] = sum(one.stat().st_size for one in store.rglob("*.vicinal"))
    model.predict(tables.first_row(tables.part(1, tables.NEW, options.noise)), "x0")
    laps.end("learn")
    model.save(store)
    answers = _predicted(model, options)
    laps.end("predict")
    laps.found["predictions"] = options.predictions
    laps.found["digest"] = tables.digest(answers)
    if options.group:
        most = int((Path(options.group) / "memory.max_usage_in_bytes").read_text())
        laps.found["group peak MB"] = round(most / 2**20)
    return laps.found


def _predicted(model: vicinal.Model, options: argparse.Namespace) -> Floats:
    """Predict new rows, so many at a time."""
    answers = []
    for number, start in enumerate(range(0, options.predictions, _BLOCK)):
        count = min(_BLOCK, options.predictions - start)
        rows = tables.part(count, tables.NEW + number, options.noise)
        answers.append(model.predict(rows, "x0"))
    return np.concatenate(answers)


class _Laps:
    """Time and memory of one step after the other."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self.start, self.cpu = time.perf_counter(), tables.cpu_seconds()

    def end(self, name: str) -> None:
        """Note what a step took, and begin the next."""
        now, used = time.perf_counter(), tables.cpu_seconds()
        self.found[f"{name} wall s"] = round(now - self.start, 1)
        self.found[f"{name} CPU s"] = round(used - self.cpu, 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.found[f"{name} peak MB"] = round(peak / 1024)
        self.found[f"{name} private MB"] = round(private_now() / 2**20)
        print(json.dumps(self.found), file=sys.stderr, flush=True)
        self.start, self.cpu = now, used


def private_now(pid: int | str = "self") -> int:
    """Return the memory that a process holds now without what is mapped from files."""
    lines = dict(
        line.split(":", 1)
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if ":" in line
    )
    return 1024 * int(lines["RssAnon"].split()[0])


def settings(options: argparse.Namespace) -> vicinal.Model:
    """Return the Model of all runs."""
    return vicinal.Model(weighting=options.weighting, max_queries=options.queries, n_jobs=1)


def terabyte(rows: int, found: dict[str, Any]) -> dict[str, Any]:
    """Calculate what a terabyte of float64, in 20 columns, would take if every shard is asked."""
    many = _TERABYTE // (8 * 20)
    times = many / rows
    calculated = {
        "rows": many,
        "store TB": round(found["store bytes"] * times / _TERABYTE, 2),
        "shards": round(found["shards"] * times),
        "learn core hours": round(found["learn CPU s"] * times / 3600, 1),
        "predict CPU s a row": round(found["predict CPU s"] / found["predictions"] * times, 2),
    }
    if "fit CPU s" in found:
        calculated["fit core hours"] = round(found["fit CPU s"] * times / 3600, 1)
    return calculated
