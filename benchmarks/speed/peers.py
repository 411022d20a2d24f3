"""The libraries we compare with, and our own engine, behind one face.

A family of engines lives in a process of its own (see `workers`), because the
libraries disturb each other: scikit-learn limits every BLAS it finds to one
thread during a search, FAISS brings one that is built on OpenMP, and so
scikit-learn would search on a single core once FAISS is loaded.

Features are divided by their residuals for the peers. Brute force does not
care; the kd-tree then prunes in the geometry that Vicinal searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.speed.workloads import Matrix, Workload

POWERS = (0, 1, 2)


@dataclass(frozen=True)
class Engine:
    """A search over one table, and the queries as this library takes them.

    `smallest_batch` is how many queries it needs to show its usual speed: the
    chunk that scikit-learn's brute force works on, or just a few for a tree.
    """

    name: str
    search: Callable[[Any], Any]
    queries: Any
    smallest_batch: int


@dataclass(frozen=True)
class Family:
    """Engines that share a process, the version, and facts that are not times."""

    version: str
    engines: tuple[Engine, ...]
    facts: Callable[[], dict[str, float]] = field(default=dict)


def sklearn_family(workload: Workload, residuals: Matrix, k: int, threads: int) -> Family:
    import sklearn
    from sklearn.neighbors import NearestNeighbors

    table, queries = workload.table / residuals, workload.queries / residuals

    def engine(name: str, algorithm: str, metric: str, smallest_batch: int) -> Engine:
        fitted = NearestNeighbors(
            n_neighbors=k, algorithm=algorithm, metric=metric, n_jobs=threads
        ).fit(table)
        return Engine(f"sklearn {name}", fitted.kneighbors, queries, smallest_batch)

    engines = (
        engine("euclidean", "brute", "euclidean", 256),
        engine("manhattan", "brute", "manhattan", 256),
        engine("kd-tree", "kd_tree", "euclidean", 4 * threads),
    )
    return Family(f"scikit-learn {sklearn.__version__}", engines)


def faiss_family(workload: Workload, residuals: Matrix, k: int, threads: int) -> Family:
    import faiss

    faiss.omp_set_num_threads(threads)
    table = (workload.table / residuals).astype(np.float32)
    queries = (workload.queries / residuals).astype(np.float32)

    def engine(name: str, metric: int) -> Engine:
        index = faiss.IndexFlat(workload.d, metric)
        index.add(table)
        return Engine(f"faiss {name}", lambda batch: index.search(batch, k), queries, 64)

    engines = (engine("L2", faiss.METRIC_L2), engine("L1", faiss.METRIC_L1))
    return Family(f"FAISS {faiss.__version__}", engines)


def vicinal_family(workload: Workload, residuals: Matrix, k: int, threads: int) -> Family:
    import vicinal
    from vicinal.index.exact import ExactIndex
    from vicinal.index.metric import Metric
    from vicinal.index.support import observed_support

    d = workload.d
    kinds = np.zeros(d, dtype=np.uint8)
    index = ExactIndex(workload.table, kinds)
    supports = tuple(observed_support(column, nominal=False) for column in workload.table.T)

    def engine(name: str, p: int, *, pruned: bool) -> Engine:
        metric = Metric(
            kinds=kinds,
            residuals=residuals,
            periods=np.zeros(d),
            weights=np.ones(d),
            p=float(p),
            supports=supports,
            distinct=np.zeros(d, dtype=bool),
        )
        return Engine(
            f"{name} p={p}",
            lambda batch: index._searched(batch, metric, k, threads=threads, pruned=pruned),
            workload.queries,
            64,
        )

    pruned = tuple(engine("vicinal", p, pruned=True) for p in POWERS)
    plain = tuple(engine("plain scan", p, pruned=False) for p in POWERS)

    def facts() -> dict[str, float]:
        return {
            "bytes per cell": index.nbytes / workload.table.size,
            "answers equal the plain scan's": float(_same_answers(pruned, plain)),
            **{f"share evaluated p={p}": _share(pruned[p], workload.n) for p in POWERS},
        }

    return Family(f"vicinal {vicinal.__version__}", pruned + plain, facts)


def _same_answers(engines: Iterable[Engine], others: Iterable[Engine]) -> bool:
    """Whether a few queries get the same cases at the same distances, bit for bit."""
    found = (
        (a.search(a.queries[:5]), b.search(b.queries[:5]))
        for a, b in zip(engines, others, strict=True)
    )
    return all(
        np.array_equal(a.indices, b.indices) and np.array_equal(a.distances, b.distances)
        for a, b in found
    )


def _share(engine: Engine, n: int) -> float:
    queries = engine.queries[:100]
    return float(engine.search(queries).evaluated / (len(queries) * n))


FAMILIES: dict[str, Callable[[Workload, Matrix, int, int], Family]] = {
    "vicinal": vicinal_family,
    "sklearn": sklearn_family,
    "faiss": faiss_family,
}
