"""The stored cases, each judged without itself: what everything else is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.conviction.contribution_sums import ContributionSums
from vicinal.conviction.distance_contribution import leveled_shares
from vicinal.conviction.gaps import gaps_of, mean_excess, search_known, usual_terms
from vicinal.conviction.measure import Measure
from vicinal.conviction.near_lists import NearLists
from vicinal.index.case_weights import counted_weights
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.progress import track
from vicinal.storage import Spool
from vicinal.typing import Bools, Floats, Ints, Places

#: Rows looked up at a time, which bounds the memory for their neighbors.
BLOCK = 4096
#: Of more cases, the lists of nearest ones are not kept, but searched again when they are needed.
MOST_KEPT = 1 << 18


@dataclass(frozen=True, eq=False)
class Replicate:
    """What a sample of the cases says without one group of it."""

    grain: float
    usual: Floats
    overall: float
    sums: ContributionSums


@dataclass(frozen=True, eq=False)
class Baseline:
    """Distance contributions of stored cases; arrays run over `numbers`.

    These are all cases, or a sample of them: then `replicates` tell how far its means may be off.
    """

    index: Index
    metric: Metric
    threads: int | None
    measure: Measure  # how they were measured
    numbers: Ints  # the cases, ascending
    weights: Floats | None  # case weights
    #: (n, k): distances of the nearest other cases, None if they are not kept, and the places each
    #: takes where cases have weights.
    distances: Floats | None
    counts: Floats | None
    contribution: Floats  # φ of each case
    expected: Floats  # φ expected of each case, or of those of the reference
    entry_distance: Floats  # how near a new case must come to be among the nearest k
    grain: float  # the excess that is usual between nearest cases
    overall: float  # mean φ
    gaps: Bools | None  # (n, d): cells that are missing, if there are any
    known_terms: Floats | None = None  # (d,): usual terms, where they are known
    n_cases: float | None = None  # weight of all cases, if these are a sample
    replicates: tuple[Replicate, ...] = ()
    reference: Places | None = None  # the cases whose expectation is known, if not all

    @property
    def sampled(self) -> bool:
        """Whether these are a sample of the cases."""
        return self.n_cases is not None

    @cached_property
    def masses(self) -> Floats:
        """How many cases each stands for."""
        mass = np.ones(len(self.numbers)) if self.weights is None else self.weights
        return mass if self.n_cases is None else mass * (self.n_cases / mass.sum())

    @cached_property
    def sums(self) -> ContributionSums:
        """Sums over the contributions of all cases."""
        return ContributionSums.of(self.contribution, self.masses)

    @cached_property
    def usual_terms(self) -> Floats:
        """The usual term of each feature between nearest cases, which stands for missing ones."""
        if self.known_terms is not None:
            return self.known_terms
        excess = np.zeros((len(self.numbers), len(self.metric.kinds)))
        for alone, values in blocks_of(self.index, None):
            found = nearest(self.index, values, self.metric, self.measure, alone, self.threads)
            excess[self.places(alone)] = own_excess(
                self.index, values, self.metric, self.measure, found, self.threads
            )
        return usual_terms(excess, np.zeros(excess.shape, dtype=bool), self.weights)

    @cached_property
    def similarity(self) -> Floats:
        """Similarity conviction of each case, or of those of the reference."""
        known = self.contribution
        return self.expected / (known if self.reference is None else known[self.reference])

    @property
    def similarity_weights(self) -> Floats | None:
        """The weights of these cases."""
        if self.weights is None or self.reference is None:
            return self.weights
        return self.weights[self.reference]

    def nearest_distances(self, places: Places) -> Floats:
        """Return the distances of the nearest other cases of the cases at some places."""
        if self.distances is not None:
            return self.distances[places]
        some, which = np.unique(places, return_inverse=True)
        alone, k = self.numbers[some], self.measure.n_neighbors
        values = self.index.rows(alone)
        found = nearest(self.index, values, self.metric, self.measure, alone, self.threads)
        return found.nearest.distances[:, :k][which]

    def gaps_at(self, places: Places) -> Bools:
        """Return which cells of the cases at some places are missing, in a further axis."""
        if self.gaps is None:
            return np.broadcast_to(np.False_, (*places.shape, len(self.metric.kinds)))
        return self.gaps[places]

    def places(self, indices: Ints) -> Places:
        """Where the cases of these numbers stand in the arrays; 0 for no case, −1."""
        return _places(self.numbers, indices)


def blocks_of(
    index: Index, numbers: Ints | None, size: int = BLOCK
) -> Iterator[tuple[Ints, Floats]]:
    """Yield cases a block at a time, numbers and values; by default all of them.

    Like cases come one after the other: they need the same of the table.
    """
    if numbers is None:
        yield from index.blocks(size=size, clustered=True)
        return
    for start in range(0, len(numbers), size):
        some = numbers[start : start + size]
        yield some, index.rows(some)


def measure_baseline(
    index: Index,
    metric: Metric,
    measure: Measure,
    *,
    grain: float | None = None,
    usual: Floats | None = None,
    threads: int | None = None,
) -> Baseline:
    """Judge every stored case without itself, by grain and usual terms of the cases, or given."""
    numbers, gaps = _numbers_and_gaps(index, metric)
    weights = index.weights_of(numbers)
    measure = measure.within(max(len(numbers), 0.0 if weights is None else float(weights.sum())))
    k, n = measure.n_neighbors, len(numbers)
    counts = None if weights is None else np.empty((n, k))
    lists = NearLists(n, k, measure, kept=n <= MOST_KEPT or gaps is not None)
    around = Spool(on_disk=not lists.kept)
    excess = np.empty((0, len(metric.kinds)) if gaps is None else gaps.shape)
    count = -(-n // BLOCK)
    for alone, values in track(blocks_of(index, None), total=count, what="judging cases"):
        rows = _places(numbers, alone)
        found = nearest(index, values, metric, measure, alone, threads)
        near = found.nearest
        if counts is not None:
            counts[rows] = counted_weights(index, near.indices[:, :k], k, alone)
        lists.put(rows, near.distances[:, :k], None if counts is None else counts[rows])
        around.put(rows, _narrow(found.indices), _once(reference_shares(found, measure)))
        if gaps is not None and usual is None:
            excess[rows] = own_excess(index, values, metric, measure, found, threads)
    if gaps is not None:
        usual = usual_terms(excess, gaps, weights) if usual is None else usual
        lists.fill(gaps, usual, metric)
    grain = lists.grain(counts, weights) if grain is None else grain
    phi = lists.contributions(counts, grain)
    overall = float(np.average(phi, weights=weights)) if n else 1.0
    local = np.empty(n)
    for rows, indices, shares in around:
        beside = phi.take(_places(numbers, indices))
        local[rows] = expectation(beside, shares, fallback=phi[rows])
    return Baseline(
        *(index, metric, threads, measure, numbers, weights),
        distances=lists.distances,
        counts=counts,
        contribution=phi,
        expected=with_prior(local, overall, measure),
        entry_distance=lists.entry_distance(counts),
        grain=grain,
        overall=overall,
        gaps=gaps,
        known_terms=usual,
    )


def _narrow(indices: Ints) -> NDArray[np.signedinteger[Any]]:
    """Return case numbers in half of the memory, if they fit."""
    fits = not indices.size or int(indices.max()) <= np.iinfo(np.int32).max
    return indices.astype(np.int32) if fits else indices


def _once(shares: Floats) -> Floats:
    """Return rows of shares, only the first if all are alike: as they are where nothing ties."""
    return shares[:1].copy() if (shares == shares[:1]).all() else shares


def nearest(
    index: Index,
    values: Floats,
    metric: Metric,
    measure: Measure,
    alone: Ints,
    threads: int | None,
) -> TiedNeighbors:
    """Find as many cases near stored ones as a measure needs, each without itself."""
    return search_known(index, values, metric, measure.width, exclude=alone, threads=threads)


def _numbers_and_gaps(index: Index, metric: Metric) -> tuple[Ints, Bools | None]:
    """Return the case numbers, and which of their cells are missing; None if there are none."""
    numbers, gaps = [np.empty(0, dtype=np.int64)], []
    for some, values in index.blocks(size=BLOCK):
        numbers.append(some)
        gaps.append(gaps_of(values, metric))
    missing = np.concatenate(gaps) if any(block.any() for block in gaps) else None
    return np.concatenate(numbers), missing


def own_excess(
    index: Index,
    values: Floats,
    metric: Metric,
    measure: Measure,
    found: TiedNeighbors,
    threads: int | None,
) -> Floats:
    """Return the mean excess of each feature between cases and their nearest."""
    shares = leveled_shares(found.distances, found.places(measure.n_neighbors), measure)
    total = shares.sum(axis=1, keepdims=True)
    shares = shares / np.where(total > 0, total, 1.0)
    return mean_excess(index, metric, values, found, shares, threads)


def _places(numbers: Ints, indices: NDArray[np.signedinteger[Any]]) -> Places:
    if len(numbers) and numbers[-1] == len(numbers) - 1:
        return np.maximum(indices, 0)  # no case was ever removed
    return np.where(indices >= 0, np.searchsorted(numbers, indices), 0)


def reference_shares(found: TiedNeighbors, measure: Measure) -> Floats:
    """Return what each neighbor counts in the local expectation."""
    return leveled_shares(found.distances, found.places(measure.n_reference), measure)


def expectation(around: Floats, shares: Floats, *, fallback: Floats) -> Floats:
    """Return the mean φ of the cases around, as each counts; the fallback where there is none."""
    total, places = np.zeros(len(around)), np.zeros(len(around))
    for j in range(around.shape[1]):
        total += shares[:, j] * around[:, j]
        places += shares[:, j]
    return np.where(places > 0, total / np.where(places > 0, places, 1.0), fallback)


def with_prior(local: Floats, overall: float, measure: Measure) -> Floats:
    """Return the local expectation, drawn towards the overall one."""
    if measure.prior == 0:
        return local
    return np.exp((1 - measure.prior) * np.log(local) + measure.prior * np.log(overall))
