"""The index of a table in parts: shards on disk, in other processes or on other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.exceptions import ParameterError
from vicinal.index.checks import (
    check_each_once,
    checked_case_weights,
    checked_cases,
    checked_numbers,
    checked_rows,
)
from vicinal.index.exact import BLOCK, ExactIndex
from vicinal.index.metric import Metric
from vicinal.index.protocol import Found
from vicinal.index.shard import Shard
from vicinal.index.shard_floors import Box
from vicinal.index.shard_jobs import run_job
from vicinal.index.shard_memory import ShardMemory
from vicinal.index.shard_samples import sample_shards
from vicinal.index.shard_search import by_nearest_shard, search_shards
from vicinal.index.shards import Shards, rebuilt_shard, shard_boxes
from vicinal.index.statistics import summarize
from vicinal.typing import Arrays, Bools, Floats, Ints, Places

#: The shard of a number without a case.
NOWHERE = np.uint16(0xFFFF)
#: Cases that may be gathered in one place for questions that need all of them there, at most.
MOST_GATHERED = 250_000


class ShardedIndex:
    """The cases of all shards, and those that were added or changed since.

    Every answer is that of one index of all cases, to the last bit: lists of neighbors are merged
    by key and case number, and sums are exact.

    Parameters
    ----------
    shards : Shards
        The shards.
    kinds : ndarray of uint8
        The kind of each column, as in `Metric`.
    home : ndarray of uint16
        The shard of each case number; `NOWHERE` for none.
    boxes : sequence of Box
        For each shard the range of its values.
    pilot : Shard, optional
        A sample of the cases. Its k-th nearest are an upper bound for those of all cases, which
        lets shards rule out most of theirs.
    splits : tuple of ndarray, optional
        Columns and values between the cases of different shards; see `shard_samples`.
    weighted : bool
        Whether cases have weights.
    edges, scales : ndarray, optional
        Where the bins of each column begin, and what counts as a large difference; see
        `ExactIndex`.
    """

    def __init__(
        self,
        shards: Shards,
        kinds: NDArray[np.uint8],
        home: NDArray[np.uint16],
        boxes: Sequence[Box],
        *,
        pilot: Shard | None = None,
        splits: tuple[Ints, Floats] | None = None,
        weighted: bool = False,
        edges: Floats | None = None,
        scales: Floats | None = None,
    ) -> None:
        self.shards, self.boxes, self.home = shards, list(boxes), home
        self.pilot, self.splits, self.weighted = pilot, splits, weighted
        self.version, self._kinds = 0, kinds
        self._count = int((home != NOWHERE).sum())
        self._edges, self.scales = edges, scales
        self._gathered: tuple[int, ExactIndex] | None = None
        self._memory = ShardMemory()
        # What was added or changed. Its number is that after the last shard.
        self.recent: Shard | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each column."""
        return self._kinds

    @property
    def next_number(self) -> int:
        """The number that the next case will have."""
        return len(self.home)

    @property
    def numbers(self) -> Ints:
        """Numbers of all cases, ascending."""
        return np.flatnonzero(self.home != NOWHERE)

    @property
    def at_once(self) -> int:
        """How many cases a question may sample if it needs them in one place."""
        return min(len(self), MOST_GATHERED)

    def numbers_of(self, shard: int) -> Ints:
        """Numbers of the cases of a shard, ascending; after the last come the recent ones."""
        return np.flatnonzero(self.home == shard)

    def with_shards(self, shards: Shards, route: Callable[[Floats], Ints]) -> Self:
        """Return an index of the same cases in other shards, with none that are recent."""
        home = self.home.copy()
        recent = self.numbers_of(len(self.shards))
        home[recent] = route(self.rows(recent))
        return self._with(shards=shards, home=home, boxes=shard_boxes(shards), recent=None)

    def edges(self) -> Floats:
        """Return where the bins of each column begin, and where its values begin and end."""
        if self._edges is None:
            self._edges = self.gathered().edges()
        return self._edges

    def gathered(self) -> ExactIndex:
        """Return all cases in one place, for questions that need them there.

        Raises
        ------
        ParameterError
            If there are too many of them.
        """
        if len(self) > MOST_GATHERED:
            raise ParameterError(
                f"This question needs all cases in memory, and there are {len(self)} in shards; "
                f"expected at most {MOST_GATHERED}. Fit a Model to a sample of them."
            )
        if self._gathered is None or self._gathered[0] != self.version:
            numbers = self.numbers
            made = ExactIndex.of_cases(
                numbers,
                self.rows(numbers),
                self.kinds,
                self.weights_of(numbers),
                next_number=self.next_number,
                scales=self.scales,
            )
            self._gathered = (self.version, made)
        return self._gathered[1]

    # --- search ----------------------------------------------------------------------------------

    def search(
        self,
        queries: Floats,
        metric: Metric,
        k: int,
        *,
        exclude: Ints | None = None,
        required: int | None = None,
        ceilings: Floats | None = None,
        with_keys: bool = False,
        with_values: bool = False,
        threads: int | None = None,
    ) -> Found:
        """Find the k nearest cases of each query; see `ExactIndex.search`.

        Every query first asks the shard that it is nearest to, and then those that can have a
        nearer case than the k-th found.
        """
        if k < 1:
            raise ParameterError(f"k must be at least 1; got {k}.")
        asked = np.full(len(queries), -1) if exclude is None else np.asarray(exclude)
        self._home_of(asked[asked >= 0])
        merged = search_shards(
            self._run,
            self._every_box(),
            self.pilot,
            checked_rows(queries, self.kinds),
            asked,
            np.full(len(queries), np.inf) if ceilings is None else np.array(ceilings),
            metric=metric,
            k=k,
            required=-1 if required is None else required,
            threads=threads or 0,
        )
        values = None
        if with_values:
            values = np.full((*merged.indices.shape, len(self.kinds)), np.nan)
            values[merged.indices >= 0] = self.rows(merged.indices[merged.indices >= 0])
        keys = merged.keys if with_keys else None
        return Found(merged.indices, merged.distances, merged.evaluated, keys, values)

    def together(self, queries: Floats, metric: Metric) -> Places:
        """Return an order of queries in which those that ask the same shards follow each other."""
        return by_nearest_shard(self._every_box(), queries, metric)

    def _every_box(self) -> list[Box]:
        recent = [] if self.recent is None else [self.recent.box]
        return [*self.boxes, *recent]

    # --- cases -----------------------------------------------------------------------------------

    def rows(self, numbers: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers."""
        wanted = np.asarray(numbers)
        values = np.empty((*wanted.shape, len(self.kinds)))
        for places, answer in self._lookup("rows", wanted):
            values[places] = answer["values"]
        return values

    def cells(self, numbers: Ints, column: int) -> Floats:
        """Return one column of the cases of these numbers, which may have any shape.

        For the number −1, and for cases that are gone, it is NaN.
        """
        wanted = np.asarray(numbers)
        cells = np.full(wanted.shape, np.nan)
        there = self.contains(wanted)
        some = wanted[there]
        found = np.empty(len(some))
        for (places,), answer in self._lookup("cells", some, column=column):
            found[places] = answer["cells"]
        cells[there] = found
        return cells

    def weights_of(self, numbers: ArrayLike) -> Floats | None:
        """Return the weights of the cases of these numbers, or None where all are 1."""
        wanted = np.asarray(numbers)
        if not self.weighted:
            return None
        weights = np.empty(wanted.shape)
        for places, answer in self._lookup("weights", wanted):
            weights[places] = answer["weights"]
        return weights

    def contains(self, numbers: ArrayLike) -> Bools:
        """Return whether each case number exists."""
        wanted = np.asarray(numbers, dtype=np.int64)
        in_range = (wanted >= 0) & (wanted < len(self.home))
        found: Bools = np.zeros(wanted.shape, dtype=bool)
        found[in_range] = self.home[wanted[in_range]] != NOWHERE
        return found

    def sample(self, count: int, **options: Any) -> tuple[Ints, Floats]:
        """Sample cases with a positive weight; see `Index.sample`."""
        options = {**options, "splits": self.splits, "recent": self.recent is not None}
        numbers, values = sample_shards(self._ask, count, **options)
        return numbers, self.rows(numbers) if values is None else values

    def reduce(self, statistic: str, **arguments: Any) -> Arrays:
        """Summarize the cases by one of the statistics of `vicinal.index.statistics`."""
        return summarize(
            statistic, lambda step, **given: self._ask("step", step=step, **given), **arguments
        )

    def blocks(
        self, *, size: int = BLOCK, clustered: bool = False
    ) -> Iterator[tuple[Ints, Floats]]:
        """Go through all cases, so many at a time: numbers and values."""
        orders = [part["numbers"] for part in self._ask("order")] if clustered else [self.numbers]
        for numbers in orders:
            for start in range(0, len(numbers), size):
                some = numbers[start : start + size]
                yield some, self.rows(some)

    def rebuilt_by(
        self,
        make: Callable[[Floats], Floats],
        kinds: NDArray[np.uint8],
        scales: Floats | None = None,
    ) -> Self:
        """Return an index of the same numbers and weights with columns made of the values."""
        made = self._with(_kinds=kinds, home=self.home.copy(), version=0, _edges=None)
        made.shards, made.scales = self.shards.rebuilt(make, kinds), scales
        made.boxes = shard_boxes(made.shards)
        both = (self.pilot, self.recent)
        rebuilt = [None if one is None else rebuilt_shard(one, make, kinds) for one in both]
        made.pilot, made.recent = rebuilt
        return made

    def copied(self) -> Self:
        """Return a copy that changes on its own."""
        return self._with(
            shards=self.shards.copied(),
            home=self.home.copy(),
            pilot=None if self.pilot is None else self.pilot.copied(),
            recent=None if self.recent is None else self.recent.copied(),
        )

    def _with(self, **changes: Any) -> Self:
        made = copy(self)
        made.__dict__.update(_gathered=None, _memory=ShardMemory(), **changes)
        return made

    # --- changes ---------------------------------------------------------------------------------

    def add(self, values: Floats, weights: Floats | None = None) -> Ints:
        """Add cases and return their numbers."""
        rows = checked_cases(values, self.kinds)
        mass = None if weights is None else checked_case_weights(weights, len(rows))
        numbers = np.arange(len(self.home), len(self.home) + len(rows), dtype=np.int64)
        self.home = np.append(self.home, np.full(len(rows), NOWHERE))
        self.weighted = self.weighted or mass is not None
        self._put(numbers, rows, mass)
        self.version += 1
        return numbers

    def update(self, indices: ArrayLike, values: Floats, weights: Floats | None = None) -> None:
        """Change the values of these cases."""
        rows = checked_cases(values, self.kinds)
        mass = None if weights is None else checked_case_weights(weights, len(rows))
        wanted = np.atleast_1d(np.asarray(indices))
        self._home_of(wanted)
        check_each_once(wanted, rows)
        if len(rows):
            mass = self.weights_of(wanted) if mass is None else mass
            self._take_out(wanted)
            order = np.argsort(wanted)
            some = None if mass is None else mass[order]
            self._put(wanted[order].astype(np.int64), rows[order], some)
        self.version += 1

    def remove(self, indices: ArrayLike) -> None:
        """Remove the cases of these numbers."""
        self._take_out(np.unique(np.asarray(indices)))
        self.version += 1

    def _put(self, numbers: Ints, rows: Floats, weights: Floats | None) -> None:
        """Add cases to the recent ones, in the order of their numbers."""
        if not len(numbers):
            return
        self.weighted = self.weighted or weights is not None
        mass = np.ones(len(rows)) if weights is None and self.weighted else weights
        if self.recent is None:
            self.recent = Shard.of(numbers, rows, self.kinds, mass)
        else:
            self.recent = self.recent.with_more(numbers, rows, mass)
        self.home[numbers] = len(self.shards)
        self._count = int((self.home != NOWHERE).sum())

    def _take_out(self, numbers: Ints) -> None:
        homes = self._home_of(numbers)
        for shard in np.unique(homes).tolist():
            some = numbers[homes == shard]
            if shard < len(self.shards):
                self.shards.hide(shard, some)
            elif self.recent is not None:
                self.recent.hide(some)
        if self.pilot is not None:
            here = numbers[self.pilot.places(numbers) >= 0]
            here = here[np.isin(here, self.pilot.numbers)]
            if len(here):
                self.pilot.hide(here)
        self.home[numbers] = NOWHERE
        self._count -= len(numbers)

    # --- asking ----------------------------------------------------------------------------------

    def _home_of(self, numbers: NDArray[Any]) -> NDArray[np.uint16]:
        """Return the shard of each case; an error if there is no such case."""
        there = self.contains(checked_numbers(numbers))
        if not there.all():
            raise ParameterError(
                f"There is no case number {numbers[~there][0]} (any more); "
                f"{len(self)} cases are held."
            )
        return self.home[numbers.astype(np.intp)]

    def _lookup(
        self, job: str, numbers: NDArray[Any], **arguments: Any
    ) -> Iterator[tuple[tuple[NDArray[np.intp], ...], Arrays]]:
        """Ask every shard about its cases among these, and yield where they are."""
        homes = self._home_of(numbers)
        places = {shard: np.nonzero(homes == shard) for shard in np.unique(homes).tolist()}
        tasks = [(at, {"numbers": numbers[some], **arguments}) for at, some in places.items()]
        for shard, answer in self._run(job, tasks):
            yield places[shard], answer

    def _ask(self, job: str, *, shards: slice = slice(None), **arguments: Any) -> list[Arrays]:
        """Run a job on all shards, and return the answers in their order."""
        asked = range(len(self.shards) + (self.recent is not None))[shards]
        run = partial(self._run, job, [(shard, arguments) for shard in asked])
        return self._memory.answer(self.version, job, asked, arguments, run)

    def _run(
        self, job: str, tasks: Sequence[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, Arrays]]:
        recent = len(self.shards)
        yield from self.shards.run(job, [task for task in tasks if task[0] < recent])
        for shard, arguments in tasks:
            if shard == recent and self.recent is not None:
                yield shard, run_job(job, self.recent, **arguments)
