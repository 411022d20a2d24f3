"""The nearest cases of queries, with all that tie for the last of the k places.

Which of several cases at the same distance come first says nothing about a query, so cases that
tie for the last places share them. The search first looks for one case more than needed: only
queries for which that case ties with the last one are searched again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from vicinal.index.case_weights import masses_of
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases, Found
from vicinal.index.sampling import distinct_cases
from vicinal.index.tie_groups import TieGroup, equal_cases, represent
from vicinal.index.tied_neighbors import Listing, TiedNeighbors, combined
from vicinal.typing import Bools, Floats, Ints, Places

#: Distinct ties for the last places, at most. If there are more, some of them stand for all; see
#: `represent`.
MOST_TIES = 512

#: Ties of a query that are listed one by one, at most.
MOST_LISTED = 10_000

#: Equal queries are searched for all ties at once if there are at least so many of them.
_OFTEN = 8

#: Maximum size of an array of neighbors that is searched for at a time.
_MOST_CELLS = 1 << 21


class Lookup(Protocol):
    """Looks for the nearest cases of some of the queries."""

    def __call__(
        self, rows: Places, width: int, *, ceilings: Floats | None = None, left_out: bool = True
    ) -> Found:
        """Return so many of the nearest, with keys, within the ceilings; see `Index.search`."""


def search_ties(
    index: Cases,
    queries: Floats,
    metric: Metric,
    k: int,
    *,
    exclude: Ints | None = None,
    required: int | None = None,
    outcome: int | None = None,
    alike: Metric | None = None,
    listed: bool = False,
    most: int = MOST_TIES,
    first: Found | None = None,
    threads: int | None = None,
) -> TiedNeighbors:
    """Find the nearest cases that take k places, with all ties for the last; see `Index.search`.

    Parameters
    ----------
    outcome : int, optional
        A column that cases must agree in to be represented by one of them, besides those of the
        metric; by default the required one.
    alike : Metric, optional
        The metric in whose columns cases must agree to be represented by one of them, if not that
        of the search.
    listed : bool
        Whether to return a listing of all cases, too.
    most : int
        Distinct ties for the last places, at most; if there are more, some of them stand for all.
    first : Found, optional
        One neighbor more than k, with keys, if they are known already.

    Returns
    -------
    TiedNeighbors
        Where several tie for the last places, one case stands for all that equal it in the
        columns of the metric, in outcome and in weight.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.index.exact import ExactIndex
    >>> from vicinal.index.metric import Metric
    >>> from vicinal.index.support import observed_support
    >>> from vicinal.index.ties import search_ties
    >>> values = np.array([[1.0], [4.0], [4.0], [9.0]])
    >>> kinds = np.zeros(1, dtype=np.uint8)
    >>> metric = Metric(
    ...     kinds=kinds,
    ...     residuals=np.ones(1),
    ...     periods=np.zeros(1),
    ...     weights=np.ones(1),
    ...     p=1.0,
    ...     supports=(observed_support(values[:, 0], nominal=False),),
    ...     distinct=np.zeros(1, dtype=bool),
    ... )
    >>> index = ExactIndex(values, kinds)
    >>> found = search_ties(index, np.array([[2.0]]), metric, k=2, listed=True)
    >>> found.indices, found.masses, found.places(2)
    (array([[0, 1]]), array([[1., 2.]]), array([[1., 1.]]))
    >>> found.listing.indices, found.listing.divide(found.places(2))
    (array([[0, 1, 2]]), array([[1. , 0.5, 0.5]]))
    """

    def look_up(
        rows: Places, width: int, *, ceilings: Floats | None = None, left_out: bool = True
    ) -> Found:
        some = slice(None) if len(queries) == 1 else rows  # a copy would take as long as a search
        own = None if exclude is None or not left_out else exclude[some]
        return index.search(
            queries[some],
            metric,
            width,
            exclude=own,
            required=required,
            ceilings=ceilings,
            with_keys=True,
            threads=threads,
        )

    outcome = required if outcome is None else outcome
    search = TieSearch(index, alike or metric, look_up, exclude, outcome, listed=listed, most=most)
    return search.run(queries, k, first)


class TieSearch:
    """Searches for the nearest cases, and again for ties where there may be more.

    Parameters
    ----------
    index : Cases
        The cases.
    metric : Metric
        What ties must agree in to be represented by one case, with the `outcome` column.
    look_up : Lookup
        The search.
    exclude : ndarray of int64, optional
        Number of the case that each query leaves out.
    listed, most
        As in `search_ties`.
    """

    def __init__(
        self,
        index: Cases,
        metric: Metric,
        look_up: Lookup,
        exclude: Ints | None,
        outcome: int | None,
        *,
        listed: bool = False,
        most: int = MOST_TIES,
    ) -> None:
        self.index, self.metric, self.look_up = index, metric, look_up
        self.exclude, self.outcome = exclude, outcome
        self.listed, self.most = listed, most

    def run(self, queries: Floats, k: int, known: Found | None = None) -> TiedNeighbors:
        """Search for the neighbors that take k places, of which the first may be known."""
        rows = np.arange(len(queries))
        found = self.look_up(rows, k + 1) if known is None else known
        first = self._listed(rows, found)
        last = _last_keys(first, k)
        more = np.flatnonzero((first.indices[:, k] >= 0) & (first.keys[:, k] == last))
        first = first.first(k, found.evaluated)
        nearest = first.nearest
        first = first.listed() if self.listed else first
        if not len(more):
            return first
        parts = [(rows, first)]
        repeated = _repeated(queries[:, self.metric.active], more)
        parts += self._in_groups(queries, more[repeated], first, last)
        more, width = more[~repeated], k
        while len(more) and width < k + self.most:
            width = min(8 * width, k + self.most)
            wider, more = self._wider(more, width, last)
            parts += wider
        parts += self._in_groups(queries, more, first, last)
        return replace(combined(parts, len(rows)), found=nearest)

    def _wider(
        self, rows: Places, width: int, last: Floats
    ) -> tuple[list[tuple[Places, TiedNeighbors]], Places]:
        """Return lists of up to so many neighbors, and for which queries these are too few."""
        parts, left = [], []
        for some in _chunks(rows, width):
            ceilings = last[some]
            found = self._listed(some, self.look_up(some, width + 1, ceilings=ceilings))
            within = (found.indices >= 0) & (found.keys <= ceilings[:, None])
            done = ~within[:, width]
            left.append(some[~done])
            if done.any():
                ties = found.rows(done).compact(within[done])
                parts.append((some[done], self._merged(ties, ceilings[done])))
        return parts, np.concatenate(left)

    def _listed(self, rows: Places, found: Found) -> TiedNeighbors:
        """Return cases found one by one, each with its weight."""
        assert found.keys is not None
        own = None if self.exclude is None else self.exclude[rows]
        masses = masses_of(self.index, found.indices, own)
        return TiedNeighbors(found.indices, found.distances, found.keys, masses)

    def _merged(self, found: TiedNeighbors, last: Floats) -> TiedNeighbors:
        """Let the first of equal neighbors with the last key stand for all of them.

        Nearer ones stay as they are, as with a group: so answers do not depend on which other
        queries are searched at the same time, not even by rounding.
        """
        there = found.indices >= 0
        tied = there & (found.keys >= last[:, None])
        numbers, place = np.unique(found.indices[tied], return_inverse=True)
        _, _, which = equal_cases(self.index, numbers, self.metric, self.outcome)
        groups = np.where(there, len(numbers) + np.arange(found.width), -1)
        groups[tied] = which[place]
        merged = found.merged(groups)
        return merged if self.listed else replace(merged, listing=None)

    def _in_groups(
        self, queries: Floats, rows: Places, first: TiedNeighbors, last: Floats
    ) -> Iterator[tuple[Places, TiedNeighbors]]:
        """Yield the neighbors of queries with many ties; equal queries have the same ones."""
        if not len(rows):
            return
        alike = np.column_stack([queries[rows][:, self.metric.active], last[rows]])
        places, which, _ = distinct_cases(alike)
        for number, group, distance in self._groups(rows[places], last, 8 * first.width):
            some = rows[which == number]
            width = len(group.members if self.listed else group.indices)
            for chunk in _chunks(some, first.width + width):
                yield chunk, self._with_group(chunk, first, group, last[chunk[0]], distance)

    def _groups(
        self, rows: Places, last: Floats, width: int
    ) -> Iterator[tuple[int, TieGroup, float]]:
        """Yield for each query its position, all cases with its last key, and their distance."""
        waiting = np.arange(len(rows))
        while len(waiting):
            width, left = min(width, len(self.index)), []
            for some in _chunks(waiting, width):
                keys = last[rows[some]]
                found = self.look_up(rows[some], width, ceilings=keys, left_out=False)
                assert found.keys is not None
                tied = (found.indices >= 0) & (found.keys == keys[:, None])
                done = ~tied[:, -1] | (width == len(self.index))
                for at in np.flatnonzero(done):
                    members = found.indices[at, tied[at]]
                    group = represent(self.index, members, self.metric, self.outcome, self.most)
                    yield int(some[at]), group, float(found.distances[at, tied[at]][0])
                left.append(some[~done])
            waiting, width = np.concatenate(left), 8 * width

    def _with_group(
        self, rows: Places, first: TiedNeighbors, group: TieGroup, key: float, distance: float
    ) -> TiedNeighbors:
        """Put a group of ties behind the nearer cases of some queries."""
        own = np.full(len(rows), -1) if self.exclude is None else self.exclude[rows]
        indices, masses, cases = group.without(own)
        near, shape = first.rows(rows), indices.shape
        weights, ones = near.units()
        both = TiedNeighbors(
            np.concatenate([near.indices, indices], axis=1),
            np.concatenate([near.distances, np.full(shape, distance)], axis=1),
            np.concatenate([near.keys, np.full(shape, key)], axis=1),
            np.concatenate([weights, masses], axis=1),
            np.concatenate([ones, cases], axis=1),
        )
        kept = np.concatenate([(near.indices >= 0) & (near.keys < key), indices >= 0], axis=1)
        found = both.compact(kept)
        if not self.listed:
            return found
        if group.sampled or len(group.members) > MOST_LISTED:
            return found.listed()
        places = np.cumsum(kept, axis=1) - 1
        nearer = kept[:, : near.width]
        columns = [places[:, : near.width], places[:, near.width + group.which]]
        members, parts = group.members_without(own, masses)
        listing = Listing(
            np.concatenate([np.where(nearer, near.indices, -1), members], axis=1),
            np.maximum(np.concatenate(columns, axis=1), 0),
            np.concatenate([nearer.astype(np.float64), parts], axis=1),
        )
        return replace(found, listing=listing)


def _last_keys(found: TiedNeighbors, k: int) -> Floats:
    """Return the key of the case that takes the last of k places."""
    if found.masses is None:
        return found.keys[:, k - 1]
    full = np.cumsum(found.masses[:, :k], axis=1) >= k
    place = np.where(full.any(axis=1), full.argmax(axis=1), k - 1)
    return np.take_along_axis(found.keys, place[:, None], axis=1)[:, 0]


def _repeated(values: Floats, rows: Places) -> Bools:
    """Return which of some queries are there so often that all are answered by one search."""
    if len(rows) < _OFTEN:
        return np.zeros(len(rows), dtype=bool)
    _, which, _ = distinct_cases(values[rows])
    often: Bools = np.bincount(which)[which] >= _OFTEN
    return often


def _chunks(rows: Places, width: int) -> Iterator[Places]:
    """Yield as many rows at a time as have lists of this width in bounded memory."""
    step = max(1, _MOST_CELLS // width)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
