"""The excess terms of some cases against others, computed once and cached."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases, Found, Index
from vicinal.index.terms import fill_pair_excess
from vicinal.index.threads import thread_count
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.index.ties import TieSearch
from vicinal.typing import Floats, Ints, Places


class Pairs:
    """Excess terms between cases and a pool, for any weights of the columns.

    Parameters
    ----------
    parts : iterable of (Cases, ndarray of int)
        Where the terms of some of the cases are taken from, and the positions of these among the
        sorted cases; by default all from the index.
    metric : Metric
        Of power 1; which columns count and their residuals. Weights may change later.
    cases : ndarray of int64
        Numbers of the cases to predict.
    pool : ndarray of int64
        Numbers of the candidate neighbors, ascending.

    Attributes
    ----------
    excess : ndarray of float32 of shape (len(cases), d', len(pool))
        See `case_excess`.
    """

    def __init__(
        self,
        index: Index,
        metric: Metric,
        cases: Ints,
        pool: Ints,
        *,
        parts: Iterable[tuple[Cases, Places]] | None = None,
        threads: int | None = None,
    ) -> None:
        self.index = index
        self.cases = np.sort(cases)
        self.pool = pool
        weights = index.weights_of(pool)
        self._heavy = None if weights is None else weights > 1
        self.excess = np.empty((len(cases), len(metric.active), len(pool)), dtype=np.float32)
        whole: list[tuple[Cases, Places]] = [(index, np.arange(len(cases)))]
        for one, at in whole if parts is None else parts:
            queries = one.rows(self.cases[at])
            fill_pair_excess(self.excess, at, one, queries, pool, metric, threads=threads)

    def rows_of(self, cases: Ints) -> Ints:
        """Return where among the excess terms those of some of the cases are."""
        return np.searchsorted(self.cases, cases)

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
            place = np.searchsorted(self.pool, exclude)
            place[place == len(self.pool)] = 0
            left_out = self.pool[place] == exclude
            if self._heavy is not None:  # leaving out removes one unit of weight
                left_out &= ~self._heavy[place]
            own = np.where(left_out, place, -1)
        places, totals = _native.nearest(
            self.excess,
            weights=metric.weights[metric.active].astype(np.float32),
            rows=self.rows_of(cases),
            own=own,
            k=k,
            threads=thread_count(threads),
            path=path,
        )
        indices = np.where(places >= 0, self.pool[np.maximum(places, 0)], -1)
        distances = SAME + totals / metric.weights.sum()
        return Found(indices, distances, len(cases) * len(self.pool), totals)

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
