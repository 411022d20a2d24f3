"""Which features make a row surprising, against what its neighbors expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import SAME
from vicinal.index.metric import Metric
from vicinal.index.terms import case_terms
from vicinal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Per-feature surprisal of some rows; arrays of shape (m, d) over the encoded columns."""

    #: Mean excess of each feature's term over the nearest cases, times the feature's share in the
    #: distance.
    observed: Floats
    expected: Floats  # the same for these nearest cases and their own nearest, on average
    neighbors: Ints  # (m, k): the nearest cases, −1 for none

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
    found = index.search(rows.values, metric, k, exclude=rows.exclude, threads=threads)
    observed = _mean_terms(fitted, metric, rows.values, found.indices)
    named = np.unique(found.indices[found.indices >= 0])
    values = index.rows(named)
    around = index.search(values, metric, k, exclude=named, threads=threads)
    own = _mean_terms(fitted, metric, values, around.indices)
    if not len(named):
        return Breakdown(observed, np.zeros_like(observed), found.indices)
    there = found.indices >= 0
    places = np.where(there, np.searchsorted(named, found.indices), 0)
    total = np.where(there[:, :, None], own[places], 0.0).sum(axis=1)
    expected = total / np.maximum(there.sum(axis=1), 1)[:, None]
    return Breakdown(observed, expected, found.indices)


def _mean_terms(fitted: Fitted, metric: Metric, rows: Floats, indices: Ints) -> Floats:
    """Weighted mean excess of every column over the cases found; 0 where there is none."""
    share = metric.weights / (metric.weights.sum() or 1.0)
    terms = case_terms(fitted.index, rows, indices, metric, threads=fitted.threads) - SAME
    there = (indices >= 0).sum(axis=1)
    return share * np.nansum(terms, axis=1) / np.maximum(there, 1)[:, None]
