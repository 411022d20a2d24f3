"""Exact search beside approximate indexes: what they cost to build, and what a query costs then.

    python -m benchmarks.speed.approximate --n 100000

Every engine runs in a process of its own, on one thread, on the same rows divided by the same
residuals. Approximate indexes search by Euclidean distance, the nearest that they have; their
recall is the share of the k nearest by that distance which they find. Vicinal and the exact peers
find all. Of the settings of an index, the fastest that reaches a recall counts. "breaks even" is
the number of queries from which on building the index has paid, compared with Vicinal. Times are
processor times, for a busy machine disturbs the clock. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import report
from benchmarks.speed.memory import resident_bytes
from benchmarks.speed.workloads import KINDS, Matrix, make, plausible_residuals

RECALLS = (0.9, 0.99, 1.0)
#: Numbers of queries whose total is shown, building included.
TOTALS = (1_000, 100_000, 10_000_000)
#: Recall at which all of a thousand queries but a neighbor or two are right counts as 1.
_WHOLE = 0.9995
_WIDTHS = (10, 20, 40, 80, 160, 320, 640, 1280)

#: A setting in words, and the search by it: from queries to row numbers.
Setting = tuple[str, Callable[[Matrix], Any]]


@dataclass(frozen=True)
class Engine:
    """An index: how it is built, and whether it is exact."""

    build: Callable[[Matrix, int], Iterator[Setting]]
    exact: bool = False


def _vicinal(table: Matrix, k: int) -> Iterator[Setting]:
    from benchmarks.speed.peers import vicinal_family
    from benchmarks.speed.workloads import Workload

    family = vicinal_family(Workload("", table, table[:1]), np.ones(table.shape[1]), k, 1)
    [engine] = [one for one in family.engines if one.name == "vicinal p=1"]
    yield "", lambda queries: engine.search(queries).indices


def _hnswlib(table: Matrix, k: int) -> Iterator[Setting]:
    import hnswlib

    index = hnswlib.Index(space="l2", dim=table.shape[1])
    index.init_index(max_elements=len(table), ef_construction=200, M=16)
    index.set_num_threads(1)
    index.add_items(table.astype(np.float32))
    for width in _WIDTHS:
        index.set_ef(max(width, k))
        yield f"ef {width}", lambda queries: index.knn_query(queries.astype(np.float32), k)[0]


def _usearch(table: Matrix, k: int) -> Iterator[Setting]:
    from usearch.index import Index

    index = Index(ndim=table.shape[1], metric="l2sq", dtype="f32", connectivity=16)
    index.add(np.arange(len(table)), table.astype(np.float32), threads=1)
    for width in _WIDTHS:
        index.expansion_search = width
        yield (
            f"expansion {width}",
            lambda queries: index.search(queries.astype(np.float32), k, threads=1).keys,
        )


def _faiss_hnsw(table: Matrix, k: int) -> Iterator[Setting]:
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexHNSWFlat(table.shape[1], 16)
    index.hnsw.efConstruction = 200
    index.add(table.astype(np.float32))
    for width in _WIDTHS:
        index.hnsw.efSearch = width
        yield f"ef {width}", lambda queries: index.search(queries.astype(np.float32), k)[1]


def _faiss_ivf(table: Matrix, k: int) -> Iterator[Setting]:
    import faiss

    faiss.omp_set_num_threads(1)
    lists = int(4 * len(table) ** 0.5)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(table.shape[1]), table.shape[1], lists)
    index.train(table[:: max(1, len(table) // (50 * lists))].astype(np.float32))
    index.add(table.astype(np.float32))
    for width in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        index.nprobe = min(width, lists)
        yield f"nprobe {width}", lambda queries: index.search(queries.astype(np.float32), k)[1]


def _pynndescent(table: Matrix, k: int) -> Iterator[Setting]:
    from pynndescent import NNDescent

    index = NNDescent(table.astype(np.float32), n_neighbors=30, random_state=0, n_jobs=1)
    index.prepare()
    for epsilon in (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8):
        yield (
            f"epsilon {epsilon}",
            lambda queries, e=epsilon: index.query(queries.astype(np.float32), k, epsilon=e)[0],
        )


def _faiss_flat(table: Matrix, k: int) -> Iterator[Setting]:
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(table.shape[1])
    index.add(table.astype(np.float32))
    yield "", lambda queries: index.search(queries.astype(np.float32), k)[1]


def _intelex(table: Matrix, k: int) -> Iterator[Setting]:
    from sklearnex.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=1).fit(table)
    yield "", lambda queries: index.kneighbors(queries, return_distance=False)


ENGINES = {
    "vicinal": Engine(_vicinal, exact=True),
    "faiss flat": Engine(_faiss_flat, exact=True),
    "scikit-learn-intelex": Engine(_intelex, exact=True),
    "hnswlib": Engine(_hnswlib),
    "usearch": Engine(_usearch),
    "faiss HNSW": Engine(_faiss_hnsw),
    "faiss IVF": Engine(_faiss_ivf),
    "pynndescent": Engine(_pynndescent),
}


def true_neighbors(table: Matrix, queries: Matrix, k: int) -> Matrix:
    """Return the squared distance of the k-th nearest row of each query.

    By plain sums of squares, so that it shares nothing with any engine.
    """
    found = np.empty(len(queries))
    for at, query in enumerate(queries):
        squares = ((table - query) ** 2).sum(axis=1)
        found[at] = np.partition(squares, k - 1)[k - 1]
    return found


def recall(table: Matrix, queries: Matrix, rows: Any, limits: Matrix) -> float:
    """Return the share of the k nearest that were found; as near to rounding is found, too."""
    rows = np.asarray(rows, dtype=np.int64)
    squares = ((table[rows] - queries[:, None]) ** 2).sum(axis=2)
    return float((squares <= limits[:, None] * (1 + 1e-5)).mean())


def held_bytes() -> int:
    """Return the memory held now, without what was freed but not yet given back."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # other libraries of C have no such thing
        ctypes.CDLL(None).malloc_trim(0)
    return resident_bytes()


def run_here(name: str, kind: str, n: int, d: int, k: int, n_queries: int) -> dict[str, Any]:
    """Build one index and search by all of its settings."""
    workload = make(kind, n, d, n_queries)
    residuals = plausible_residuals(workload.table)
    table, queries = workload.table / residuals, workload.queries / residuals
    engine = ENGINES[name]
    for _, search in engine.build(table[:500], k):  # imports and compiles
        search(queries[:2])
    checked = min(100, n_queries)
    limits = true_neighbors(table, queries[:checked], k)
    before, start, settings = held_bytes(), time.process_time(), []
    result: dict[str, Any] = {"engine": name, "exact": engine.exact}
    for setting, search in engine.build(table, k):
        if not settings:
            result["build_s"] = time.process_time() - start
            result["mb"] = (held_bytes() - before) / 1e6
        found = search(queries[:checked])
        share = 1.0 if engine.exact else recall(table, queries[:checked], found, limits)
        spent = []
        for _ in range(3):
            start = time.process_time()
            search(queries)
            spent.append(time.process_time() - start)
        ms = 1e3 * statistics.median(spent) / n_queries
        settings.append({"setting": setting, "recall": share, "ms": ms})
        if share >= _WHOLE:
            break
    return {**result, "settings": settings}


def best(result: dict[str, Any], least: float) -> dict[str, Any] | None:
    """Return the fastest setting that reaches a recall."""
    least = min(least, _WHOLE)
    enough = [one for one in result["settings"] if one["recall"] >= least]
    return min(enough, key=lambda one: one["ms"]) if enough else None


def lines(results: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield a line for each engine and recall."""
    ours = next((one for one in results if one["engine"] == "vicinal"), None)
    for result in results:
        for least in (1.0,) if result["exact"] else RECALLS:
            found = best(result, least)
            row = [result["engine"], f"{least:g}", report.number(result["build_s"])]
            row.append(report.number(result["mb"]))
            if found is None:
                yield [*row, "not reached", *[""] * (len(TOTALS) + 1)]
                continue
            totals = [result["build_s"] + 1e-3 * found["ms"] * count for count in TOTALS]
            row += [report.number(found["ms"]), *map(report.number, totals)]
            yield [*row, "" if ours is None or ours is result else even(result, found, ours)]


def even(result: dict[str, Any], found: dict[str, Any], ours: dict[str, Any]) -> str:
    """Say from which number of queries on an index has paid, compared with ours."""
    saved = 1e-3 * (ours["settings"][0]["ms"] - found["ms"])
    later = result["build_s"] - ours["build_s"]
    if saved <= 0:
        return "never" if later > 0 else f"up to {-later / -saved:,.0f}" if saved else "always"
    return f"{later / saved:,.0f}" if later > 0 else "always"


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["--child"]:
        name, kind, *sizes = arguments[1:]
        print(json.dumps(run_here(name, kind, *map(int, sizes))))
        return 0
    options = _parser().parse_args(arguments)
    results = []
    for name in options.engines:
        result = _run_apart(name, options)
        if result is not None:
            results.append(result)
    title = f"{options.table} {options.n}x{options.d}, k = {options.k}, one thread"
    head = ["engine", "recall", "build s", "MB", "ms/query", *(f"{n:,} s" for n in TOTALS)]
    print(f"{title}\n{report.table([*head, 'breaks even'], lines(results))}")
    if options.json:
        report.save(options.json, {"machine": report.machine(), "results": results})
    return 0


def _run_apart(name: str, options: argparse.Namespace) -> dict[str, Any] | None:
    sizes = [options.n, options.d, options.k, options.queries]
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "benchmarks.speed.approximate", "--child", name),
                *(options.table, *map(str, sizes)),
            ],
            env={**os.environ, **dict.fromkeys(threads, "1")},
            capture_output=True,
            text=True,
            timeout=options.time_limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"{name}: stopped after {options.time_limit:g} s", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{name}: left out: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.approximate", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--n", type=int, default=100_000, help="rows (100000)")
    add("--d", type=int, default=20, help="features (20)")
    add("--k", type=int, default=10, help="neighbors (10)")
    add("--queries", type=int, default=1000, help="queries in a batch (1000)")
    add("--table", choices=KINDS, default="gaussian")
    add("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    add("--time-limit", type=float, default=1800.0, help="seconds for one engine (1800)")
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
