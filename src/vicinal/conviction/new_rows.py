"""New cases, judged as if each of them alone were added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vicinal.conviction.baseline import (
    BLOCK,
    Baseline,
    expectation,
    reference_shares,
    with_prior,
)
from vicinal.conviction.distance_contribution import distance_contributions, with_new_row
from vicinal.conviction.gaps import distances_back, fill, gaps_of, patterns, search_known, without
from vicinal.index.case_weights import counted_weights
from vicinal.index.exact import ExactIndex
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.typing import Bools, Floats, Ints, Places

#: New rows a stored case is compared with at first; more where all of them come near.
_FIRST = 16

#: Lists of neighbors, and distances of new rows, at a time; both bound the memory.
_MOST_LISTS = 1 << 16
_MOST_CELLS = 1 << 21


class Judged(NamedTuple):
    """φ of some rows, and what was expected of each."""

    contribution: Floats
    expected: Floats


class Entries(NamedTuple):
    """Stored cases whose neighbors would change, by the new row that would enter them."""

    rows: Places  # the new row, ascending
    places: Places  # the stored case, by its place in the baseline
    contribution: Floats  # φ of that case with the new row among its neighbors


def judge(stored: Baseline, rows: Floats, exclude: Ints | None = None) -> Judged:
    """Return φ of new rows and what the cases around lead to expect."""
    parts = [slice(at, at + BLOCK) for at in range(0, len(rows), BLOCK)]
    blocks = [
        _judge(stored, rows[some], None if exclude is None else exclude[some]) for some in parts
    ]
    if not blocks:
        return Judged(np.empty(0), np.empty(0))
    return Judged(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _judge(stored: Baseline, rows: Floats, exclude: Ints | None) -> Judged:
    index, metric, threads = stored.index, stored.metric, stored.threads
    measure = stored.measure
    k = measure.n_neighbors
    found = search_known(index, rows, metric, measure.width, exclude=exclude, threads=threads)
    near = found.nearest
    counts = counted_weights(index, near.indices[:, :k], k, exclude)
    distances, gaps = near.distances[:, :k], gaps_of(rows, metric)
    if gaps.any():
        distances = fill(distances, gaps, stored.usual_terms, metric)
    phi = distance_contributions(distances, counts, measure, stored.grain)
    if not len(stored.numbers):
        return Judged(phi, phi)
    there, places = found.indices >= 0, stored.places(found.indices)
    back = _distances_back(stored, rows, found, places)
    beside = stored.contribution[places]
    # Cases around that would have the new row among their own neighbors expect less of it.
    enters = there & (back < stored.entry_distance[places])
    beside[enters] = _with_row(stored, places[enters], back[enters])
    local = expectation(beside, reference_shares(found, measure), fallback=phi)
    return Judged(phi, with_prior(local, stored.overall, measure))


def _distances_back(
    stored: Baseline, rows: Floats, found: TiedNeighbors, places: Places
) -> Floats:
    """How far the cases found are from the rows; with gaps it is not as far as the way there."""
    gaps = stored.gaps_at(places)
    changed = gaps_of(rows, stored.metric).any(axis=1, keepdims=True) | gaps.any(axis=2)
    if not changed.any():
        return found.distances
    back = distances_back(
        stored.index, rows, found, gaps, stored.usual_terms, stored.metric, stored.threads
    )
    return np.where(changed, back, found.distances)


def _with_row(stored: Baseline, places: Places, distances: Floats) -> Floats:
    """φ of these cases with one more case at these distances."""
    phi = np.empty(len(places))
    for start in range(0, len(places), _MOST_LISTS):
        some = slice(start, start + _MOST_LISTS)
        counts = None if stored.counts is None else stored.counts[places[some]]
        lists = with_new_row(stored.distances[places[some]], counts, distances[some])
        phi[some] = distance_contributions(*lists, stored.measure, stored.grain)
    return phi


def entries(stored: Baseline, rows: Floats, most: int | None = None) -> Entries | None:
    """Find every stored case that would have one of the new rows among its neighbors.

    The search runs the other way round: the new rows are the cases of an index of their own, and
    each stored case looks for those that are near enough. So it is pruned like any search, exact,
    and costs what one search for all stored cases costs.

    Parameters
    ----------
    most : int, optional
        If there are more entries, return None: rows near the center enter most lists.
    """
    added = ExactIndex(rows, stored.metric.kinds)
    found, count = [], 0
    for numbers, values in stored.index.blocks(size=BLOCK):
        block = stored.places(numbers)
        for some, gaps in patterns(gaps_of(values, stored.metric)):
            for places, near, distances in _entering(
                added, stored, values[some], gaps, stored.entry_distance[block[some]]
            ):
                found.append((near, block[some][places], distances))
                count += len(near)
                if most is not None and count > most:
                    return None
    if not found:
        return Entries(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))
    row, place, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((place, row))
    return Entries(row[order], place[order], _with_row(stored, place[order], distance[order]))


def _entering(
    added: ExactIndex, stored: Baseline, values: Floats, gaps: Bools, within: Floats
) -> Iterator[tuple[Places, Places, Floats]]:
    """Yield places of values, numbers of new rows, and distances that are near enough."""
    asking, known = np.arange(len(values)), without(stored.metric, gaps)
    k = min(_FIRST, len(added))
    while len(asking):
        left = []
        for start in range(0, len(asking), max(1, _MOST_CELLS // k)):
            some = asking[start : start + max(1, _MOST_CELLS // k)]
            found = added.search(values[some], known, k, threads=stored.threads)
            distances = _filled(stored, found.distances, gaps)
            inside = distances < within[some, None]
            done = ~inside[:, -1] | (k == len(added))
            at, column = np.nonzero(inside & done[:, None])
            yield some[at], found.indices[at, column], distances[at, column]
            left.append(some[~done])
        asking = np.concatenate(left)
        k = min(8 * k, len(added))


def _filled(stored: Baseline, distances: Floats, gaps: Bools) -> Floats:
    """Distances of cases with these gaps over all features."""
    if not gaps.any():
        return distances
    every = np.broadcast_to(gaps, (len(distances), len(gaps)))
    return fill(distances, every, stored.usual_terms, stored.metric)
