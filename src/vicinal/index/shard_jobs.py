"""What can be asked of a shard, by name: a fixed table, so that no function ever travels.

Arguments and answers are arrays, numbers and metrics; case numbers are those of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
    shard.index.storage.prepare_search(len(queries))
    found = shard.index.search(
        queries,
        metric,
        k,
        exclude=shard.places(exclude),
        required=None if required < 0 else required,
        ceilings=ceilings,
        with_keys=True,
        threads=threads or None,
    )
    assert found.keys is not None
    return {
        "indices": shard.numbers_at(found.indices),
        "distances": found.distances,
        "keys": found.keys,
        "evaluated": np.array(found.evaluated),
    }


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
    "step": _step,
    "weights": _weights,
    **SAMPLING_JOBS,
}


def run_job(job: str, shard: Shard, **arguments: Any) -> Arrays:
    """Run a job on a shard."""
    return JOBS[job](shard, **arguments)
