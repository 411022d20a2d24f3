"""One table in shards, and every job that shards are asked for: each engine must answer alike."""

from __future__ import annotations

import numpy as np

from tests.strategies import make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.shard import Shard
from vicinal.index.shard_jobs import JOBS
from vicinal.index.sharded import ShardedIndex
from vicinal.index.shards import shard_boxes
from vicinal.index.statistics import STEPS
from vicinal.stores.shard_files import write_shard

# Numbers, hours and classes, with ties, missing values and duplicates; more rows than are told
# apart by their distinct values, so that samples take all their steps.
RNG = np.random.default_rng(0)
N, KINDS = 6500, np.array([0, 0, 1, 2], dtype=np.uint8)
VALUES = np.column_stack(
    [
        RNG.normal(size=N),
        RNG.integers(0, 40, size=N) / 4,
        RNG.uniform(0, 24, size=N),
        RNG.integers(0, 3, size=N),
    ]
)
VALUES[RNG.random(VALUES.shape) < 0.05] = np.nan
VALUES[-200:] = VALUES[:200]
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 3.0], size=N)
METRIC = make_metric(VALUES, KINDS, [0.5, 1.0, 2.0, 1.2], periods=[0, 0, 24, 0])
QUERIES = np.concatenate([VALUES[:6], RNG.normal(size=(6, 4))])
QUERIES[6:, 3] = [0, 1, 2, 7, np.nan, 0]


def stored(folder, parts=3):
    """Write shards to files, the last with one row; return files, shards of cases, and boxes."""
    home = (np.arange(N) % max(parts - 1, 1)).astype(np.uint16)
    home[17] = parts - 1
    shards = [
        Shard.of(np.flatnonzero(home == at), VALUES[home == at], KINDS, WEIGHTS[home == at])
        for at in range(parts)
    ]
    files = [write_shard(folder / f"{at}.vicinal", one) for at, one in enumerate(shards)]
    return files, home, [one.box for one in shards]


def sharded(shards, home, boxes):
    """Return an index of shards that an engine asks, and a set of the jobs that it asks for."""
    index, asked = ShardedIndex(shards, KINDS, home.copy(), boxes, weighted=True), set()
    run = shards.run

    def noting(job, tasks):
        asked.update(name for _, given in tasks for name in (job, given.get("step", job)))
        return run(job, tasks)

    shards.run = noting
    return index, asked


def answers(index):
    """What an index says, by every job."""
    numbers = np.arange(3, N, 211)
    found = index.search(
        QUERIES, METRIC, 7, exclude=np.r_[np.arange(6), [-1] * 6], required=1, with_keys=True
    )
    yield from (found.indices, found.distances, found.keys)
    yield index.rows(numbers)
    yield index.cells(numbers, 2)
    yield index.weights_of(numbers)
    for distinct in (False, True):
        yield from index.sample(50, random_state=3, distinct=distinct)
    yield from index.sample(2 * N)
    for statistic, given in [
        ("distribution", {"column": 1}),
        ("equal", {"first": 0, "second": 1}),
        ("mass", {"required": 0}),
        ("sizes", {"columns": np.arange(4), "most": 4}),
        ("target", {"column": 0}),
        ("target", {"column": 2, "period": 24.0}),
        ("target", {"column": 3, "n_classes": 3}),
    ]:
        yield from index.reduce(statistic, **given).values()


def check_engine(shards, home, boxes):
    """Ask for every job there is, also after changes, and compare with one index, bit by bit."""
    index, asked = sharded(shards, home, boxes)
    exact = ExactIndex(VALUES, KINDS, WEIGHTS)
    clustered = np.concatenate([numbers for numbers, _ in index.blocks(clustered=True)])
    assert sorted(clustered.tolist()) == list(range(N))
    for actual, expected in zip(shard_boxes(shards), boxes, strict=True):
        np.testing.assert_array_equal(actual, expected)
    _compare(index, exact)
    for one in (index, exact):
        one.remove([7, 17])
        one.update([8], VALUES[[9]])
        one.add(VALUES[:3], WEIGHTS[:3])
    _compare(index, exact)
    # Hashes of recent cases are asked in this process only.
    assert asked == (JOBS.keys() | STEPS.keys()) - {"hashes"}


def _compare(index, exact):
    for actual, expected in zip(answers(index), answers(exact), strict=True):
        np.testing.assert_array_equal(actual, expected)
