"""The nearest cases of queries among those of all shards.

Every query first asks a pilot, a sample of the cases: its k-th nearest cannot be nearer than the
k-th of all. Then it asks the shard that it is nearest to, and last all that can have a case nearer
than the k-th found so far. So most queries ask few shards, and these rule out most of their cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from vicinal.index.metric import Metric
from vicinal.index.shard import Shard
from vicinal.index.shard_floors import Box, floors
from vicinal.index.shard_jobs import run_job
from vicinal.index.shard_merge import Merged
from vicinal.typing import Arrays, Bools, Floats, Ints, Places


class Run(Protocol):
    """Runs a job on some shards; see `Shards.run`."""

    def __call__(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]], /
    ) -> Iterator[tuple[int, Arrays]]:
        """Yield the answers in any order."""


def search_shards(
    run: Run,
    boxes: Sequence[Box],
    pilot: Shard | None,
    queries: Floats,
    exclude: Ints,
    ceilings: Floats,
    **options: Any,
) -> Merged:
    """Find the nearest cases of each query, with options of the job ``"search"``.

    Parameters
    ----------
    boxes : sequence of Box
        One for each shard.
    pilot : Shard, optional
        A sample of the cases.
    exclude : ndarray of int64
        The case to leave out for each query; −1 for none.
    ceilings : ndarray
        Maximum key of the cases to find, for each query.
    """
    search = _Search(run, queries, exclude, options)
    highest = ceilings if pilot is None else search.pilot_ceilings(pilot, ceilings)
    bounds = np.empty((len(queries), len(boxes)))
    for shard, box in enumerate(boxes):
        bounds[:, shard] = floors(box, queries, options["metric"])
    if not len(boxes):
        return search.merged
    own = np.arange(len(boxes)) == bounds.argmin(axis=1)[:, None]
    search.ask(own, highest)
    highest = np.minimum(highest, search.merged.keys[:, -1])
    search.ask(~own & (bounds <= highest[:, None]), highest)
    return search.finished()


def by_nearest_shard(boxes: Sequence[Box], queries: Floats, metric: Metric) -> Places:
    """Return an order of queries in which those next to the same shard follow each other."""
    nearest, least = np.zeros(len(queries), dtype=np.intp), np.full(len(queries), np.inf)
    for shard, box in enumerate(boxes):
        bounds = floors(box, queries, metric)
        nearest[bounds < least] = shard
        np.minimum(least, bounds, out=least)
    return np.argsort(nearest, kind="stable")


class _Search:
    """The queries of one search, and what has been found for them."""

    def __init__(self, run: Run, queries: Floats, exclude: Ints, options: dict[str, Any]) -> None:
        self.run, self.options = run, options
        self.asked: dict[str, Any] = {"queries": queries, "exclude": exclude}
        self.merged = Merged(len(queries), options["k"])

    def pilot_ceilings(self, pilot: Shard, ceilings: Floats) -> Floats:
        """Return ceilings that are no higher than the k-th nearest of a sample."""
        k = self.options["k"]
        if k > len(pilot):
            return ceilings
        found = run_job("search", pilot, **self.asked, **self.options, ceilings=ceilings)
        if found["keys"].shape[1] < k:
            return ceilings
        full = found["indices"][:, -1] >= 0
        return np.where(full, np.minimum(ceilings, found["keys"][:, -1]), ceilings)

    def ask(self, wanted: Bools, ceilings: Floats) -> None:
        """Let queries ask shards, and merge what they find."""
        tasks = []
        for shard in np.flatnonzero(wanted.any(axis=0)).tolist():
            rows = wanted[:, shard]
            part = {name: values[rows] for name, values in self.asked.items()}
            tasks.append((shard, {**part, **self.options, "ceilings": ceilings[rows]}))
        for shard, answer in self.run("search", tasks):
            self.merged.add(np.flatnonzero(wanted[:, shard]), answer)

    def finished(self) -> Merged:
        """Return what was found, in the order of distances."""
        # Roots are rounded, by which distances may differ from the order of their keys.
        distances = self.merged.distances
        np.maximum.accumulate(distances, axis=1, out=distances)
        return self.merged
