"""Which features make a row surprising, against what its neighbors expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import SAME
from vicinal.index.metric import Metric
from vicinal.index.terms import case_terms
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.index.ties import search_ties
from vicinal.typing import Floats, Ints

#: Terms computed at a time, which bounds the memory.
_MOST_TERMS = 1 << 23


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Per-feature surprisal of some rows; arrays of shape (m, d) over the encoded columns."""

    #: Mean excess of each feature's term over the nearest cases, times the feature's share in the
    #: distance.
    observed: Floats
    expected: Floats  # the same for these nearest cases and their own nearest, on average
    neighbors: Ints  # (m, k): the nearest cases, −1 for none; of ties the first

    @property
    def surplus(self) -> Floats:
        """What each feature adds to the surprise: positive where a row is out of line."""
        return self.observed - self.expected


def explain_surprise(fitted: Fitted, rows: Rows, k: int) -> Breakdown:
    """Say which features' terms raise the surprisal of rows, against their k nearest cases.

    With p = 1 the surpluses of a row add up to its mean distance from its nearest cases less
    theirs from their own.
    """
    index, metric, threads = fitted.index, fitted.metric_of(rows.columns), fitted.threads
    found = search_ties(index, rows.values, metric, k, exclude=rows.exclude, threads=threads)
    observed = _mean_terms(fitted, metric, rows.values, found, k)
    named = np.unique(found.indices[found.indices >= 0])
    if not len(named):
        return Breakdown(observed, np.zeros_like(observed), found.nearest.indices)
    values = index.rows(named)
    around = search_ties(index, values, metric, k, exclude=named, threads=threads)
    own = _mean_terms(fitted, metric, values, around, k)
    places = np.searchsorted(named, np.maximum(found.indices, named[0]))
    expected = np.zeros_like(observed)
    shares = found.shares(k)
    for j in range(found.width):
        expected += shares[:, j, None] * own[places[:, j]]
    return Breakdown(observed, expected, found.nearest.indices)


def _mean_terms(
    fitted: Fitted, metric: Metric, rows: Floats, found: TiedNeighbors, k: int
) -> Floats:
    """Weighted mean excess of every column over the cases found; 0 where there is none."""
    means = np.zeros(rows.shape)
    shares = found.shares(k)
    step = max(1, _MOST_TERMS // max(1, found.width * rows.shape[1]))
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        terms = case_terms(
            fitted.index, rows[some], found.indices[some], metric, threads=fitted.threads
        )
        means[some] = np.nansum(shares[some, :, None] * (terms - SAME), axis=1)
    return metric.weights / (metric.weights.sum() or 1.0) * means
