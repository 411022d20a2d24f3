"""Cases beside a pool of others: the terms between them, for any weights of the columns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index.checks import checked_rows
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases, Found, Index
from vicinal.index.threads import thread_count
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.index.ties import TieSearch
from vicinal.typing import Floats, Ints, Places


class Pairs:
    """Cases and a pool of candidate neighbors, whose excess terms are worked out when needed.

    Kept, the terms of all pairs would fill memory, and take about as long to read again. As all
    of the pool is looked at, this suits small tables.

    Parameters
    ----------
    index : Index
        The cases.
    metric : Metric
        Of power 1; which columns count and their residuals. Weights may change later.
    cases : ndarray of int64
        Numbers of the cases to predict.
    pool : ndarray of int64
        Numbers of the candidate neighbors, ascending.
    parts : iterable of (Index, ndarray of int), optional
        Where some of the cases see the pool, and the positions of these among the sorted cases;
        by default all in the index.
    differing : ndarray of int, optional
        Columns in which what they see may differ; by default all.
    """

    def __init__(
        self,
        index: Index,
        metric: Metric,
        cases: Ints,
        pool: Ints,
        *,
        parts: Iterable[tuple[Cases, Places]] | None = None,
        differing: Places | None = None,
    ) -> None:
        self.index, self.metric = index, metric
        self.cases = np.sort(cases)
        self.pool = pool
        weights = index.weights_of(pool)
        self._heavy = None if weights is None else weights > 1
        queries = checked_rows(index.rows(self.cases), index.kinds).copy()
        views = np.zeros(len(cases), dtype=np.int64)
        active: list[int] = metric.active.tolist()
        own = set(active if differing is None else np.asarray(differing).tolist())
        values: list[Floats] = []
        where: list[list[int]] = []
        places: dict[int, int] = {}  # of the values of columns that all see alike
        whole: list[tuple[Cases, Places]] = [(index, np.arange(len(cases)))]
        for one, at in whole if parts is None else parts:
            views[at] = len(where)
            where.append([])
            for column in active:
                if column in own:
                    queries[at, column] = one.cells(self.cases[at], column)
                if column in own or column not in places:
                    places[column] = len(values)
                    values.append(one.cells(pool, column))
                where[-1].append(places[column])
        self.native = _native.Pairs(
            metric.native,
            values=np.stack(values) if values else np.empty((0, len(pool))),
            where=np.array(where, dtype=np.int64).reshape(len(where), len(metric.active)),
            queries=queries,
            views=views,
        )

    def rows_of(self, cases: Ints) -> Ints:
        """Return where among the sorted cases some of them are."""
        return np.searchsorted(self.cases, cases)

    def places_of(self, cases: Ints) -> Ints:
        """Return where in the pool some cases are, −1 for nowhere."""
        return self._places[cases]

    @cached_property
    def _places(self) -> Ints:
        """Where in the pool cases are, by their numbers; the last entry is that of none, −1."""
        places = np.full(self.index.next_number + 1, -1, dtype=np.int64)
        places[self.pool] = np.arange(len(self.pool))
        return places

    def search(
        self,
        cases: Ints,
        metric: Metric,
        k: int,
        *,
        exclude: Ints | None = None,
        threads: int | None = None,
        path: str | None = None,
    ) -> Found:
        """Find the nearest of the pool in single precision, otherwise as `ExactIndex.search`.

        The metric has the same columns and residuals, and weights of its own.
        """
        own = np.full(len(cases), -1, dtype=np.int64)
        if exclude is not None:
            own = self.places_of(exclude)
            if self._heavy is not None:  # leaving out removes one unit of weight
                own[self._heavy[own]] = -1  # of none the last one's, which changes nothing
        places, totals = _native.nearest(
            self.native,
            weights=metric.weights[metric.active].astype(np.float32),
            rows=self.rows_of(cases),
            own=own,
            k=k,
            threads=thread_count(threads),
            path=path,
        )
        indices = np.append(self.pool, -1)[places]
        distances = SAME + totals / metric.weights.sum()
        return Found(indices, distances, len(cases) * len(self.pool), totals)

    def offsets(
        self, cases: Ints, indices: Ints, metric: Metric, *, threads: int | None = None
    ) -> Floats:
        """Return `case_offsets` of some of the pool, each as its case sees it."""
        columns, factors = metric.directions
        return _native.pair_offsets(
            self.native,
            rows=self.rows_of(cases),
            places=self.places_of(indices),
            columns=columns,
            factors=factors,
            threads=thread_count(threads),
        )

    def search_ties(
        self,
        cases: Ints,
        metric: Metric,
        k: int,
        *,
        exclude: Ints | None = None,
        outcome: int | None = None,
        threads: int | None = None,
    ) -> TiedNeighbors:
        """Find the nearest of the pool with all ties for the last of k places; see `search_ties`.

        There `outcome` is explained.
        """

        def look_up(
            rows: Places, width: int, *, ceilings: Floats | None = None, left_out: bool = True
        ) -> Found:
            own = None if exclude is None or not left_out else exclude[rows]
            return self.search(cases[rows], metric, width, exclude=own, threads=threads)

        values = self.index.rows(cases)
        return TieSearch(self.index, metric, look_up, exclude, outcome).run(values, k)
