"""Lists of neighbors with all that tie for the last places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index.case_weights import shared_places, shared_places_of_each
from vicinal.index.protocol import Found
from vicinal.typing import Bools, Floats, Ints, Places


@dataclass(frozen=True, eq=False)
class Listing:
    """The cases that neighbors stand for, one by one.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, w')
        Case numbers; −1 for none.
    columns : ndarray of int of shape (m, w')
        Which neighbor stands for each.
    parts : ndarray of shape (m, w')
        The part of that neighbor which is the case's own; 0 where there is none.
    """

    indices: Ints
    columns: Places
    parts: Floats

    def divide(self, values: Floats) -> Floats:
        """Divide what neighbors have among the cases that they stand for."""
        return np.take_along_axis(values, self.columns, axis=1) * self.parts


@dataclass(frozen=True, eq=False)
class TiedNeighbors:
    """Nearest cases of each query, nearest first, with all ties for the last places.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, w)
        Case numbers; −1 for none, which come last.
    distances, keys : ndarray of shape (m, w)
        As in `Found`; neighbors with the same key are tied.
    masses : ndarray of shape (m, w), optional
        The weight that each neighbor stands for, less the unit left out; None if it is always 1.
    cases : ndarray of shape (m, w), optional
        The number of cases that each neighbor stands for; None if it is always 1.
    found : Found, optional
        The k nearest without further ties, as `Index.search` returns them.
    listing : Listing, optional
        The cases that they stand for, if requested.
    """

    indices: Ints
    distances: Floats
    keys: Floats
    masses: Floats | None = None
    cases: Floats | None = None
    found: Found | None = None
    listing: Listing | None = None

    @property
    def nearest(self) -> Found:
        """The k nearest without further ties; of those tied the first by case number."""
        assert self.found is not None, "only the result of a search has these"
        return self.found

    @property
    def width(self) -> int:
        """The length of the lists."""
        return self.indices.shape[1]

    def units(self) -> tuple[Floats, Floats]:
        """Return masses and cases, 0 where there is no neighbor."""
        there = (self.indices >= 0).astype(np.float64)
        masses = there if self.masses is None else self.masses
        return masses, there if self.cases is None else self.cases

    def places(self, k: int) -> Floats | None:
        """Return how many of k places each takes, at most as many as searched; None for 1 each."""
        if self.masses is None and self.width <= k:
            return None
        masses, cases = self.units()
        crowded = (masses.sum(axis=1) > k) | (cases.sum(axis=1) > k)
        places = masses.copy()
        few = self.cases is None and self.width <= k
        counts = None if few else cases[crowded]
        places[crowded] = shared_places(self.keys[crowded], masses[crowded], counts, k)
        return places

    def places_of_each(self, several: Iterable[int]) -> Iterator[Floats]:
        """Yield how many places each takes, for several k."""
        return shared_places_of_each(self.keys, *self.units(), several)

    def shares(self, k: int) -> Floats:
        """Return the share that each has in the places taken; 0 where there is none."""
        places = self.places(k)
        taken = (self.indices >= 0).astype(np.float64) if places is None else places
        total = taken.sum(axis=1, keepdims=True)
        return taken / np.where(total > 0, total, 1.0)

    def rows(self, rows: Places | Bools) -> TiedNeighbors:
        """Return the lists of some of the queries."""
        return self._changed(lambda part: part[rows])

    def first(self, width: int, evaluated: int = 0) -> TiedNeighbors:
        """Return the first of the neighbors of each query, as found by so many evaluations."""
        indices, distances = self.indices[:, :width], self.distances[:, :width]
        return TiedNeighbors(
            indices,
            distances,
            self.keys[:, :width],
            None if self.masses is None else self.masses[:, :width],
            None if self.cases is None else self.cases[:, :width],
            Found(indices, distances, evaluated),
        )

    def compact(self, kept: Bools) -> TiedNeighbors:
        """Return some of the neighbors, in lists as short as can be."""
        order = np.argsort(~kept, axis=1, kind="stable")[:, : kept.sum(axis=1).max(initial=0)]
        found = self._changed(lambda part: np.take_along_axis(part, order, axis=1))
        absent = ~np.take_along_axis(kept, order, axis=1)
        for part, nothing in found.parts():
            part[absent] = nothing
        return found

    def merged(self, groups: Ints) -> TiedNeighbors:
        """Return lists in which the first neighbor of a group stands for all of it, with listing.

        Neighbors of a query with the same number are a group; where there is none, it is −1.
        """
        order = np.argsort(groups, axis=1, kind="stable")
        ordered = np.take_along_axis(groups, order, axis=1)
        starts = np.ones(groups.shape, dtype=bool)
        starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        firsts = np.maximum.accumulate(np.where(starts, np.arange(self.width), 0), axis=1)
        # The column of the first of each neighbor's group.
        first = np.empty_like(order)
        np.put_along_axis(first, order, np.take_along_axis(order, firsts, axis=1), axis=1)
        cells = (first + self.width * np.arange(len(groups))[:, None]).ravel()
        single, _ = self.units()
        masses, cases = (
            np.bincount(cells, part.ravel(), part.size).astype(np.float64).reshape(part.shape)
            for part in self.units()
        )
        kept = cases > 0
        total = np.take_along_axis(masses, first, axis=1)
        columns = np.take_along_axis(np.cumsum(kept, axis=1) - 1, first, axis=1)
        listing = Listing(
            self.indices,
            np.where(self.indices >= 0, columns, 0),
            np.divide(single, total, out=np.zeros_like(single), where=single > 0),
        )
        whole = TiedNeighbors(self.indices, self.distances, self.keys, masses, cases)
        return replace(whole.compact(kept), listing=listing)

    def listed(self) -> TiedNeighbors:
        """Return the same with a listing, in which every neighbor stands for itself."""
        there = self.indices >= 0
        columns = np.where(there, np.arange(self.width), 0)
        return replace(self, listing=Listing(self.indices, columns, there.astype(np.float64)))

    def parts(self) -> list[tuple[NDArray[Any], Any]]:
        """Return the arrays, each with what it has where there is no neighbor."""
        pairs: list[tuple[NDArray[Any] | None, Any]] = [
            (self.indices, -1),
            (self.distances, np.inf),
            (self.keys, np.inf),
            (self.masses, 0.0),
            (self.cases, 0.0),
        ]
        return [(part, nothing) for part, nothing in pairs if part is not None]

    def _changed(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> TiedNeighbors:
        return TiedNeighbors(
            change(self.indices),
            change(self.distances),
            change(self.keys),
            None if self.masses is None else change(self.masses),
            None if self.cases is None else change(self.cases),
        )


def combined(parts: list[tuple[Places, TiedNeighbors]], size: int) -> TiedNeighbors:
    """Return the lists of so many queries, from those of some.

    Later parts replace earlier ones. There is a listing if all parts have one.
    """
    weighted = any(found.masses is not None for _, found in parts)
    grouped = any(found.cases is not None for _, found in parts)

    def joined(arrays: list[NDArray[Any]], nothing: float) -> NDArray[Any]:
        width = max(array.shape[1] for array in arrays)
        whole = np.full((size, width), nothing, dtype=arrays[0].dtype)
        for (rows, _), array in zip(parts, arrays, strict=True):
            whole[rows, : array.shape[1]] = array
            whole[rows, array.shape[1] :] = nothing
        return whole

    every = [found for _, found in parts]
    listings = [found.listing for found in every if found.listing is not None]
    units = [found.units() for found in every]
    return TiedNeighbors(
        joined([found.indices for found in every], -1),
        joined([found.distances for found in every], np.inf),
        joined([found.keys for found in every], np.inf),
        joined([masses for masses, _ in units], 0.0) if weighted or grouped else None,
        joined([cases for _, cases in units], 0.0) if grouped else None,
        listing=Listing(
            joined([listing.indices for listing in listings], -1),
            joined([listing.columns for listing in listings], 0),
            joined([listing.parts for listing in listings], 0.0),
        )
        if len(listings) == len(parts)
        else None,
    )
