"""What can be asked of a shard, by name: a fixed table, so that no function ever travels.

Arguments and answers are arrays, numbers and metrics; case numbers are those of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vicinal.index.large_powers import search_large_power
from vicinal.index.metric import Metric
from vicinal.index.shard import Shard
from vicinal.index.shard_samples import SAMPLING_JOBS
from vicinal.index.statistics import STEPS
from vicinal.typing import Arrays, Floats, Ints


def _search(
    shard: Shard,
    queries: Floats,
    metric: Metric,
    k: int,
    exclude: Ints,
    required: int,
    ceilings: Floats,
    threads: int,
) -> Arrays:
    indices, distances, keys, evaluated = shard.index.nearest_keys(
        queries,
        metric,
        k,
        shard.places(exclude),
        None if required < 0 else required,
        ceilings,
        threads or None,
    )
    return {
        "indices": shard.numbers_at(indices),
        "distances": distances,
        "keys": keys,
        "evaluated": np.array(evaluated),
    }


def _search_large_powers(
    shard: Shard,
    queries: Floats,
    metric: Metric,
    k: int,
    exclude: Ints,
    required: int,
    threads: int,
) -> Arrays:
    """Find the nearest by their distances, where keys are cut off."""
    indices = np.full((len(queries), k), -1, dtype=np.int64)
    distances = np.full((len(queries), k), np.inf)
    for at, (query, excluded) in enumerate(zip(queries, shard.places(exclude), strict=True)):
        numbers, exact = search_large_power(
            shard.index.storage,
            query,
            metric,
            k,
            excluded=int(excluded),
            required=None if required < 0 else required,
            threads=threads or None,
        )
        indices[at, : len(numbers)] = shard.numbers_at(numbers)
        distances[at, : len(numbers)] = exact
    return {"indices": indices, "distances": distances}


def _rows(shard: Shard, numbers: Ints) -> Arrays:
    return {"values": shard.values_at(shard.rows_of(numbers))}


def _cells(shard: Shard, numbers: Ints, column: int) -> Arrays:
    return {"cells": shard.index.storage.values_at(shard.rows_of(numbers))[:, column]}


def _weights(shard: Shard, numbers: Ints) -> Arrays:
    found = shard.index.weights_of(shard.places(numbers))
    return {"weights": np.ones(len(numbers)) if found is None else found}


def _order(shard: Shard) -> Arrays:
    """Return the numbers of all cases, similar ones together."""
    parts = [numbers for numbers, _ in shard.as_stored()]
    return {"numbers": np.concatenate([np.empty(0, dtype=np.int64), *parts])}


def _box(shard: Shard) -> Arrays:
    low, high, lacking = shard.box
    return {"low": low, "high": high, "lacking": lacking.astype(np.uint8)}


def _step(shard: Shard, step: str, **arguments: Any) -> Arrays:
    return STEPS[step](shard, **arguments)


#: All jobs by name.
JOBS: dict[str, Callable[..., Arrays]] = {
    "box": _box,
    "cells": _cells,
    "order": _order,
    "rows": _rows,
    "search": _search,
    "search_large_powers": _search_large_powers,
    "step": _step,
    "weights": _weights,
    **SAMPLING_JOBS,
}


def run_job(job: str, shard: Shard, **arguments: Any) -> Arrays:
    """Run a job on a shard."""
    return JOBS[job](shard, **arguments)
