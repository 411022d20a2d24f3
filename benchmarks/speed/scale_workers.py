"""Stores searched by one, two and four processes, and by every engine."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import vicinal
from benchmarks.speed import scale_table as tables
from benchmarks.speed.scale_memory import settings
from vicinal.index.exact import ExactIndex
from vicinal.stores import dask_shards, processes, ray_shards
from vicinal.typing import Floats

_SHARDS, _K = 8, 10


def workers(options: argparse.Namespace) -> None:
    """Search stores with several numbers of processes: one table, and one that grows with them."""
    queries = tables.part(options.predictions, tables.NEW, options.noise)
    with _folder(options) as folder:
        for kind in ("strong", "weak"):
            for count in options.workers:
                rows = options.rows if kind == "strong" else options.weak * count
                store = _store(folder, rows, options)
                if kind == "strong" and count == options.workers[0] and not options.no_index:
                    print(json.dumps({"kind": "one index", **_one_index(store, queries)}))
                model = vicinal.load(store, on=count)
                model.n_jobs = 1
                with contextlib.closing(model.index_.shards.engine) as pool:
                    pids = lambda pool=pool: [one.pid for one in pool.workers if one.pid]  # noqa: E731
                    found = _searched(model, queries, pids)
                line = {"kind": kind, "rows": rows, "workers": count, **found}
                print(json.dumps(line), flush=True)


def engines(options: argparse.Namespace) -> None:
    """Search a store with two workers of every engine."""
    import distributed
    import ray

    queries = tables.part(options.predictions, tables.NEW, options.noise)
    with _folder(options) as folder, contextlib.ExitStack() as stack:
        store = _store(folder, options.rows, options)
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            )
        )
        client = stack.enter_context(distributed.Client(cluster))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        stack.callback(ray.shutdown)
        for name, on in (("processes", 2), ("dask", client), ("ray", "ray")):
            model = vicinal.load(store, on=on)
            model.n_jobs = 1
            found = _searched(model, queries, _pids(name, model, cluster, ray))
            print(json.dumps({"engine": name, "rows": options.rows, **found}), flush=True)


def _pids(name: str, model: Any, cluster: Any, ray: Any) -> Callable[[], list[int]]:
    engine = model.index_.shards.engine
    return {
        "processes": lambda: [one.pid for one in engine.workers if one.pid],
        "dask": lambda: [one.pid for one in cluster.workers.values()],
        "ray": lambda: ray.get([actor.pid.remote() for actor in engine.actors]),
    }[name]


@contextlib.contextmanager
def _folder(options: argparse.Namespace) -> Iterator[Path]:
    """Return the folder of the stores: one that is kept, or one for this run alone."""
    if options.folder:
        Path(options.folder).mkdir(parents=True, exist_ok=True)
        yield Path(options.folder)
        return
    made = Path(tempfile.mkdtemp(prefix="vicinal-scale-", dir=options.scratch))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _store(folder: Path, rows: int, options: argparse.Namespace) -> Path:
    store = folder / f"{rows}.vicinal.d"
    if not store.exists():
        vicinal.sharded.fit(
            tables.parts(rows, options.noise),
            store=store,
            settings=settings(options),
            shard_rows=-(-rows // _SHARDS),
        )
    return store


def _one_index(store: Path, queries: dict[str, Any]) -> dict[str, Any]:
    """Search one index of all cases, in memory, on one thread."""
    model = vicinal.load(store)
    index, fitted = model.index_, model._ready()
    values = np.concatenate([rows for _, rows in index.blocks()])
    whole = ExactIndex(values, index.kinds, scales=index.scales)
    rows = fitted.rows(queries).values
    whole.search(rows[:10], fitted.metric, _K, threads=1)
    cpu = time.process_time()
    found = whole.search(rows, fitted.metric, _K, threads=1)
    spent = time.process_time() - cpu
    return {
        "rows": len(index),
        "CPU ms per query": round(1000 * spent / len(rows), 3),
        "digest": tables.digest(found.indices),
    }


def _searched(
    model: Any, queries: dict[str, Any], pids: Callable[[], list[int]]
) -> dict[str, Any]:
    """Search for neighbors; one query at a time, for the fixed cost; and with a worker killed."""
    one, m = tables.first_row(queries), len(queries["x0"])
    model.neighbors(queries, k=_K)  # so that all have started, and have their shards
    running = pids()
    before, cpu, start = _worker_seconds(running), tables.cpu_seconds(), time.perf_counter()
    with _counted() as moved:
        found = model.neighbors(queries, k=_K)
    wall = time.perf_counter() - start
    own, others = tables.cpu_seconds() - cpu, _worker_seconds(running) - before
    start = time.perf_counter()
    for _ in range(10):
        model.neighbors(one, k=_K)
    fixed = (time.perf_counter() - start) / 10
    start = time.perf_counter()
    timer = threading.Timer(min(0.05, wall / 4), os.kill, (pids()[0], signal.SIGKILL))
    timer.start()
    again = model.neighbors(queries, k=_K)
    recovery = time.perf_counter() - start - wall
    assert (again.indices == found.indices).all()
    return {
        "wall s": round(wall, 2),
        "CPU ms per query": round(1000 * (own + others.sum()) / m, 3),
        # What it takes by the clock where every worker has a core of its own.
        "busiest CPU s": round(own + others.max(), 2),
        "one query ms": round(1000 * fixed, 1),
        "kB moved per query": round(moved[0] / m / 1000, 2),
        "recovery s": round(recovery, 2),
        "digest": tables.digest(found.indices),
    }


@contextlib.contextmanager
def _counted() -> Iterator[list[int]]:
    """Count the bytes of arguments and answers."""
    moved, before = [0], {}
    for room in (processes, dask_shards, ray_shards):
        before[room] = room.pack, room.unpack

        def pack(content: Any, pack: Any = room.pack) -> bytes:
            made: bytes = pack(content)
            moved[0] += len(made)
            return made

        def unpack(raw: bytes, unpack: Any = room.unpack) -> Any:
            moved[0] += len(raw)
            return unpack(raw)

        room.pack, room.unpack = pack, unpack  # type: ignore[attr-defined]
    try:
        yield moved
    finally:
        for room, (one, other) in before.items():
            room.pack, room.unpack = one, other  # type: ignore[attr-defined]


def _worker_seconds(pids: list[int]) -> Floats:
    """Return the CPU time of each of some processes."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    ticks = np.array([int(one[11]) + int(one[12]) for one in fields])
    return ticks / os.sysconf("SC_CLK_TCK")
