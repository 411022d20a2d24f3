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
from vicinal.index.case_weights import counted_weights
from vicinal.index.exact import ExactIndex
from vicinal.index.ties import search_ties
from vicinal.typing import Floats, Places

#: New rows a stored case is compared with at first; more where all of them come near.
_FIRST = 16


class Judged(NamedTuple):
    """φ of some rows, and what was expected of each."""

    contribution: Floats
    expected: Floats


class Entries(NamedTuple):
    """Stored cases whose neighbors would change, by the new row that would enter them."""

    rows: Places  # the new row, ascending
    places: Places  # the stored case, by its place in the baseline
    contribution: Floats  # φ of that case with the new row among its neighbors


def judge(stored: Baseline, rows: Floats) -> Judged:
    """Return φ of new rows and what the cases around lead to expect."""
    blocks = [_judge(stored, rows[at : at + BLOCK]) for at in range(0, len(rows), BLOCK)]
    if not blocks:
        return Judged(np.empty(0), np.empty(0))
    return Judged(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _judge(stored: Baseline, rows: Floats) -> Judged:
    index, metric, threads = stored.index, stored.metric, stored.threads
    measure = stored.measure
    k = measure.n_neighbors
    found = search_ties(index, rows, metric, measure.width, threads=threads)
    near = found.nearest
    counts = counted_weights(index, near.indices[:, :k], k)
    phi = distance_contributions(near.distances[:, :k], counts, measure, stored.grain)
    if not len(stored.numbers):
        return Judged(phi, phi)
    there, distances = found.indices >= 0, found.distances
    places = stored.places(found.indices)
    beside = stored.contribution[places]
    # Cases around that would have the new row among their own neighbors expect less of it.
    enters = there & (distances < stored.entry_distance[places])
    beside[enters] = _with_row(stored, places[enters], distances[enters])
    local = expectation(beside, reference_shares(found, measure), fallback=phi)
    return Judged(phi, with_prior(local, stored.overall, measure))


def _with_row(stored: Baseline, places: Places, distances: Floats) -> Floats:
    """φ of these cases with one more case at these distances."""
    counts = None if stored.counts is None else stored.counts[places]
    lists = with_new_row(stored.distances[places], counts, distances)
    return distance_contributions(*lists, stored.measure, stored.grain)


def entries(stored: Baseline, rows: Floats) -> Entries:
    """Find every stored case that would have one of the new rows among its neighbors.

    The search runs the other way round: the new rows are the cases of an index of their own, and
    each stored case looks for those that are near enough. So it is pruned like any search, exact,
    and costs what one search for all stored cases costs.
    """
    added = ExactIndex(rows, stored.metric.kinds)
    found = [
        (near, block[places], distances)
        for numbers, values in stored.index.blocks(size=BLOCK)
        for block in [stored.places(numbers)]
        for places, near, distances in _entering(
            added, stored, values, stored.entry_distance[block]
        )
    ]
    if not found:
        return Entries(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))
    row, place, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((place, row))
    return Entries(row[order], place[order], _with_row(stored, place[order], distance[order]))


def _entering(
    added: ExactIndex, stored: Baseline, values: Floats, within: Floats
) -> Iterator[tuple[Places, Places, Floats]]:
    """Yield places of values, numbers of new rows, and distances that are near enough."""
    asking = np.arange(len(values))
    k = min(_FIRST, len(added))
    while len(asking):
        found = added.search(values[asking], stored.metric, k, threads=stored.threads)
        inside = found.distances < within[asking, None]
        done = ~inside[:, -1] | (k == len(added))
        at, column = np.nonzero(inside & done[:, None])
        yield asking[at], found.indices[at, column], found.distances[at, column]
        asking = asking[~done]
        k = min(8 * k, len(added))
