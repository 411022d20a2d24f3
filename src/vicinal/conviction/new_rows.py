"""New cases, judged as if each of them alone were added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from vicinal.conviction.sampled_baseline import Lists, lists_around, of_lists
from vicinal.conviction.unseen import Unseen
from vicinal.formulas import power_mean
from vicinal.index.case_weights import counted_weights
from vicinal.index.exact import ExactIndex
from vicinal.index.terms import case_terms
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.progress import track
from vicinal.typing import Bools, Floats, Ints, Places

#: New rows a stored case is compared with at first; more where all of them come near.
_FIRST = 16

#: Looking at cases that share their gaps apart takes about as long as so many terms.
_SAVED_TERMS = 4096
#: Distances that are summed up in another order differ by far less.
_ROUNDING = 1 + 1e-9

#: Lists of neighbors, and distances of new rows, at a time; both bound the memory.
_MOST_LISTS = 1 << 16
_MOST_CELLS = 1 << 21


class Judged(NamedTuple):
    """φ of some rows, and what was expected of each.

    If cases were sampled, `contributions` and `similarities` are those by every replicate of the
    sample, (replicates, m).
    """

    contribution: Floats
    expected: Floats
    contributions: Floats | None = None
    similarities: Floats | None = None


class Entries(NamedTuple):
    """Stored cases whose neighbors would change, by the new row that would enter them."""

    rows: Places  # the new row, ascending
    places: Places  # the stored case, by its place in the baseline
    contribution: Floats  # φ of that case with the new row among its neighbors


#: No stored case would change.
NO_ENTRIES = Entries(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))


def judge(
    stored: Baseline,
    rows: Floats,
    exclude: Ints | None = None,
    *,
    changed: bool = True,
    unseen: Unseen | None = None,
) -> Judged:
    """Return φ of new rows and what the cases around lead to expect.

    Rows with a case to exclude are changed versions of it. If they are not `changed`, they are the
    cases themselves, which those around know already. `unseen` are values that no case has in
    columns that do not vary.
    """
    if not len(rows):
        none = np.empty((len(stored.replicates), 0)) if stored.sampled else None
        return Judged(np.empty(0), np.empty(0), none, none)
    blocks, starts = [], range(0, len(rows), BLOCK)
    for at in track(starts, total=len(starts), what="judging rows"):
        some = slice(at, at + BLOCK)
        own = None if exclude is None else exclude[some]
        new = None if unseen is None else unseen.take(some)
        blocks.append(_judge(stored, rows[some], own, changed, new))
    parts = [part for part in zip(*blocks, strict=True) if part[0] is not None]
    return Judged(*(np.concatenate(part, axis=-1) for part in parts))


def _judge(
    stored: Baseline, rows: Floats, exclude: Ints | None, changed: bool, unseen: Unseen | None
) -> Judged:
    found = search_known(
        stored.index,
        rows,
        stored.metric,
        stored.measure.width,
        exclude=exclude,
        threads=stored.threads,
    )
    new = np.ones(len(rows), dtype=bool) if exclude is None or changed else exclude < 0
    asked = _Asked(rows, found, new, exclude, unseen)
    if not stored.sampled:
        return Judged(*asked.judged(stored, stored))
    lists = lists_around(stored, found.indices)
    near = of_lists(stored, lists)
    phi, expected = asked.judged(stored, near)
    replicates = _by_replicates(asked, stored, near, lists, phi, expected)
    return Judged(phi, expected, *replicates)


@dataclass(frozen=True, eq=False)
class _Asked:
    """Rows and the cases found around them."""

    rows: Floats
    found: TiedNeighbors
    new: Bools  # whether each is new, and not a stored case
    exclude: Ints | None
    unseen: Unseen | None

    def judged(self, stored: Baseline, near: Baseline) -> tuple[Floats, Floats]:
        """Return φ and its expectation by a baseline, and that of the cases around."""
        index, metric, measure, found = stored.index, stored.metric, stored.measure, self.found
        k, nearest = measure.n_neighbors, found.nearest
        counts = counted_weights(index, nearest.indices[:, :k], k, self.exclude)
        distances, gaps = nearest.distances[:, :k], gaps_of(self.rows, metric)
        if gaps.any():
            distances = fill(distances, gaps, stored.usual_terms, metric)
        if self.unseen is not None:
            distances = self.unseen.farther(distances, metric.p)
        phi = distance_contributions(distances, counts, measure, stored.grain)
        if not len(near.numbers):
            return phi, phi
        there, places = found.indices >= 0, near.places(found.indices)
        back = _distances_back(near, self.rows, found, places)
        if self.unseen is not None:
            back = self.unseen.farther(back, metric.p)
        beside = near.contribution[places]
        # Cases around that would have the new row among their own neighbors expect less of it.
        enters = there & (back < near.entry_distance[places]) & self.new[:, None]
        beside[enters] = _with_row(near, places[enters], back[enters])
        local = expectation(beside, reference_shares(found, measure), fallback=phi)
        return phi, with_prior(local, stored.overall, measure)


def _by_replicates(
    asked: _Asked, stored: Baseline, near: Baseline, lists: Lists, phi: Floats, expected: Floats
) -> tuple[Floats, Floats]:
    """Return φ and similarity of rows by each replicate of the sample.

    Without gaps they depend on its grain and its mean φ alone, nearly linearly for such small
    differences.
    """
    if lists.gaps.any() or gaps_of(asked.rows, stored.metric).any():
        every = []
        for one in stored.replicates:
            other = replace(stored, grain=one.grain, overall=one.overall, known_terms=one.usual)
            every.append(asked.judged(other, of_lists(other, lists)))
        contributions, expectations = (np.array(part) for part in zip(*every, strict=True))
        return contributions, expectations / contributions
    step = 0.01 * stored.grain
    other = replace(stored, grain=stored.grain + step)
    moved = asked.judged(other, of_lists(other, lists))
    grains = np.array([one.grain for one in stored.replicates])[:, None]
    overall = np.array([one.overall for one in stored.replicates])[:, None]
    change = (grains - stored.grain) / step
    contributions = phi + change * (moved[0] - phi)
    expectations = expected + change * (moved[1] - expected)
    expectations = expectations * (overall / stored.overall) ** stored.measure.prior
    return contributions, expectations / contributions


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
        lists = with_new_row(stored.nearest_distances(places[some]), counts, distances[some])
        phi[some] = distance_contributions(*lists, stored.measure, stored.grain)
    return phi


def entries(
    stored: Baseline, rows: Floats, most: int | None = None, unseen: Unseen | None = None
) -> Entries | None:
    """Find every stored case that would have one of the new rows among its neighbors.

    The search runs the other way round: the new rows are the cases of an index of their own, and
    each stored case looks for those that are near enough. So it is pruned like any search, exact,
    and costs what one search for all stored cases costs.

    Parameters
    ----------
    most : int, optional
        If there are more entries, return None: rows near the center enter most lists.
    unseen : Unseen, optional
        Values of the new rows that no case has, in columns that do not vary.
    """
    added = ExactIndex(rows, stored.metric.kinds)
    found, count = [], 0
    for numbers, values in stored.index.blocks(size=BLOCK):
        block, lacking = stored.places(numbers), gaps_of(values, stored.metric)
        within = stored.entry_distance[block]
        asked = np.arange(len(values))
        if len(added) * values.size <= _SAVED_TERMS * _pattern_count(lacking):
            asked = _within_reach(added, stored, values, lacking, within)
        for members, gaps in patterns(lacking[asked]):
            some = asked[members]
            for places, near, distances in _entering(
                added, stored, values[some], gaps, within[some]
            ):
                whose = block[some][places]
                if unseen is not None:
                    far = unseen.take(near).farther(distances[:, None], stored.metric.p)[:, 0]
                    inside = far < stored.entry_distance[whose]
                    near, whose, distances = near[inside], whose[inside], far[inside]
                found.append((near, whose, distances))
                count += len(near)
                if most is not None and count > most:
                    return None
    if not found:
        return NO_ENTRIES
    row, place, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((place, row))
    return Entries(row[order], place[order], _with_row(stored, place[order], distance[order]))


def _pattern_count(gaps: Bools) -> int:
    """Return how many patterns of gaps there are, or fewer if there are many columns."""
    return len(np.unique(gaps @ np.exp2(np.arange(gaps.shape[1]) % 52)))


def _within_reach(
    added: ExactIndex, stored: Baseline, values: Floats, gaps: Bools, within: Floats
) -> Places:
    """Return the cases that may have a new row among their neighbors; others surely have none.

    All terms are computed at once, whatever gaps the cases have, and distances are rounded
    otherwise than those of a search.
    """
    metric, every = stored.metric, np.arange(len(added))
    near = np.logical_not(gaps.any(axis=1))
    asked = np.flatnonzero(~near)
    step = max(1, _MOST_CELLS // (len(added) * values.shape[1]))
    for some in (asked[start : start + step] for start in range(0, len(asked), step)):
        shape = (len(some), len(every))
        terms = case_terms(
            added, values[some], np.broadcast_to(every, shape), metric, threads=stored.threads
        )
        terms = np.where(gaps[some, None], stored.usual_terms, terms)
        distances = power_mean(terms, metric.weights, metric.p)
        near[some] = (distances <= _ROUNDING * within[some, None]).any(axis=1)
    return np.flatnonzero(near)


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
