"""Which features make a row surprising, against what its neighbors expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.conviction.baseline import Baseline
from vicinal.conviction.gaps import gaps_of, mean_excess, search_known
from vicinal.conviction.measure import Measure
from vicinal.conviction.sampled_baseline import baseline_of
from vicinal.conviction.unseen import unseen_values
from vicinal.fitted import Fitted, Rows
from vicinal.formulas import SAME
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.typing import Floats, Ints


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


def explain_surprise(
    fitted: Fitted, rows: Rows, measure: Measure, baseline: str = "auto"
) -> Breakdown:
    """Say which features' terms raise the surprisal of rows, against their nearest cases.

    With p = 1 the surpluses of a row add up to its mean distance from its nearest cases less
    theirs from their own, both over the features that the row has: a missing cell adds nothing.
    """
    stored = baseline_of(fitted, rows.columns, measure, baseline)
    index, metric, threads, k = fitted.index, stored.metric, fitted.threads, stored.measure.width
    found = search_known(index, rows.values, metric, k, exclude=rows.exclude, threads=threads)
    observed = _mean_terms(stored, rows.values, found, k)
    unseen = unseen_values(fitted, rows)
    if unseen is not None:
        observed = observed + unseen.excess
    named = np.unique(found.indices[found.indices >= 0])
    if not len(named):
        return Breakdown(observed, np.zeros_like(observed), found.nearest.indices)
    values = index.rows(named)
    around = search_known(index, values, metric, k, exclude=named, threads=threads)
    own = _mean_terms(stored, values, around, k)
    places = np.searchsorted(named, np.maximum(found.indices, named[0]))
    expected = np.zeros_like(observed)
    shares = found.shares(k)
    for j in range(found.width):
        expected += shares[:, j, None] * own[places[:, j]]
    expected = np.where(gaps_of(rows.values, metric), observed, expected)
    return Breakdown(observed, expected, found.nearest.indices)


def _mean_terms(stored: Baseline, rows: Floats, found: TiedNeighbors, k: int) -> Floats:
    """Weighted mean excess of every column over the cases found; the usual one for gaps."""
    metric, gaps = stored.metric, gaps_of(rows, stored.metric)
    means = mean_excess(stored.index, metric, rows, found, found.shares(k), stored.threads)
    if gaps.any():
        means = np.where(gaps, stored.usual_terms - SAME, means)
    return metric.weights / (metric.weights.sum() or 1.0) * means
