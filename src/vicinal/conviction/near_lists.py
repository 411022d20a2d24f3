"""Distances of the nearest other cases of every case, of which a large table has too many."""

from __future__ import annotations

import numpy as np

from vicinal.conviction.distance_contribution import (
    distance_contributions,
    entry_distance,
    excess_of_lists,
    grain_of,
    usual_grain,
)
from vicinal.conviction.gaps import fill
from vicinal.conviction.measure import Measure
from vicinal.index.metric import Metric
from vicinal.storage import Spool
from vicinal.typing import Bools, Floats, Places


class NearLists:
    """Lists of distances, in memory or in a temporary file, by which cases are judged.

    The distances give the grain of the table, and with the grain the contribution of each case, so
    they are needed twice.

    Parameters
    ----------
    n, k : int
        Number of lists, and their length.
    measure : Measure
        How cases are judged.
    kept : bool
        Whether they stay in memory, as `distances`.
    """

    def __init__(self, n: int, k: int, measure: Measure, *, kept: bool) -> None:
        self._measure = measure
        self.distances = np.empty((n, k)) if kept else None
        self._aside = Spool(on_disk=not kept)
        self._excess, self._entry = (np.empty(0 if kept else n) for _ in range(2))

    @property
    def kept(self) -> bool:
        """Whether they are in memory."""
        return self.distances is not None

    def put(self, rows: Places, distances: Floats, counts: Floats | None) -> None:
        """Take the lists of some cases."""
        if self.distances is not None:
            self.distances[rows] = distances
            return
        self._aside.put(rows, distances)
        self._excess[rows] = excess_of_lists(distances, counts, self._measure)
        self._entry[rows] = entry_distance(distances, counts)

    def fill(self, gaps: Bools, usual: Floats, metric: Metric) -> None:
        """Add the usual terms of missing cells; lists of cases with gaps are kept."""
        assert self.distances is not None
        self.distances = fill(self.distances, gaps, usual, metric)

    def grain(self, counts: Floats | None, weights: Floats | None) -> float:
        """Return the excess that is usual between nearest cases."""
        if self.distances is not None:
            return grain_of(self.distances, counts, weights, self._measure)
        return usual_grain(self._excess, weights)

    def contributions(self, counts: Floats | None, grain: float) -> Floats:
        """Return the distance contribution of every case."""
        if self.distances is not None:
            return distance_contributions(self.distances, counts, self._measure, grain)
        phi = np.empty(len(self._excess))
        for rows, lists in self._aside:
            own = None if counts is None else counts[rows]
            phi[rows] = distance_contributions(lists, own, self._measure, grain)
        return phi

    def entry_distance(self, counts: Floats | None) -> Floats:
        """Return how near a new case must come to enter each list."""
        return self._entry if self.distances is None else entry_distance(self.distances, counts)
