"""Residual conviction: how far off one feature of a row is, against how far its neighbors are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import cyclic_gap
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.tied_neighbors import TiedNeighbors
from vicinal.index.ties import search_ties
from vicinal.progress import track
from vicinal.typing import Floats, Ints, Places

#: Errors below this share of the residual are as good as none.
_FINEST = 1e-6

#: Sums below this share of what was added have canceled out: only rounding is left of them.
_CANCELED = 1e-9


def residual_convictions(
    fitted: Fitted, rows: Any = None, features: Iterable[str] | None = None
) -> dict[str, Floats]:
    """Say how far off features of rows are, against how far those of their neighbors are.

    Parameters
    ----------
    rows : table, optional
        Rows to judge; by default the stored cases, each without itself.
    features : list of str, optional
        Features to predict from the others; by default all that the rows have.

    Returns
    -------
    dict of str to ndarray
        Residual conviction of each feature: 1 for errors like the neighbors', near 0 for
        values that the data do not explain; NaN where a row lacks the feature, and where a
        cyclic feature cannot be predicted because its neighbors' directions cancel out.
    """
    asked = fitted.rows(rows)
    names = list(asked.names if features is None else fitted.context(features, asked.names))
    columns = np.array([fitted.schema.column(name) for name in names], dtype=np.intp)
    return dict(zip(names, judge_features(fitted, asked, columns).T, strict=True))


def judge_features(fitted: Fitted, rows: Rows, columns: Places) -> Floats:
    """Return the residual conviction of each row (m, …) and of each of some columns.

    A feature is predicted from the others by the nearest cases, each by the inverse of its
    distance, and the error compared with the errors of these cases.
    """
    index, metric, threads = fitted.index, fitted.metric_of(rows.columns), fitted.threads
    # No row has more neighbors than all cases together, each as often as it weighs.
    mass = float(index.reduce("mass", required=None)["mass"])
    k = min(fitted.settings.n_neighbors, max(len(index), math.ceil(mass), 1))
    error, expected = np.full((2, len(rows), len(columns)), np.nan)
    for at, column in track(enumerate(columns), total=len(columns), what="judging features"):
        others = metric.restricted(np.setdiff1d(metric.active, [column]))
        options: dict[str, Any] = {"outcome": int(column), "threads": threads}
        found = search_ties(index, rows.values, others, k, exclude=rows.exclude, **options)
        error[:, at] = _errors(index, metric, rows.values[:, column], found, int(column), k)
        named = np.unique(found.indices[found.indices >= 0])
        values = index.rows(named)
        around = search_ties(index, values, others, k, exclude=named, **options)
        own = _errors(index, metric, values[:, column], around, int(column), k)
        expected[:, at] = _mean_over(own, named, found, k)
    fine = _FINEST * np.where(metric.kinds == NOMINAL, 1.0, metric.residuals)[columns]
    return (expected + fine) / (error + fine)


def _errors(
    index: Index, metric: Metric, truth: Floats, found: TiedNeighbors, i: int, k: int
) -> Floats:
    """Absolute error of predicting column i by inverse distance; nominal: mass on others."""
    indices, distances = found.indices, found.distances
    there = indices >= 0
    outcomes = np.where(there, index.cells(np.maximum(indices, 0), i), np.nan)
    share = np.where(np.isnan(outcomes), 0.0, found.shares(k) / np.maximum(distances, 1.0))
    total = share.sum(axis=1)
    known = np.where(np.isnan(outcomes), 0.0, outcomes)
    total = np.where(total > 0, total, np.nan)
    if metric.kinds[i] == NOMINAL:
        wrong = (share * (known != truth[:, None])).sum(axis=1) / total
        return np.where(np.isnan(truth), np.nan, wrong)
    if metric.kinds[i] == CYCLIC:
        turns = (share * np.exp(2j * np.pi * known / metric.periods[i])).sum(axis=1)
        mean = np.angle(turns) / (2 * np.pi) % 1.0 * metric.periods[i]
        # Without outcomes, or if they cancel, there is no direction: rounding would choose one.
        directed = np.abs(turns) >= _CANCELED * total
        return np.where(directed, cyclic_gap(truth, mean, metric.periods[i]), np.nan)
    # The mean of differences, not the difference of means: equal values have no error at all, nor
    # have those that cancel out but for rounding.
    gaps = share * (truth[:, None] - known)
    error, size = np.abs(gaps.sum(axis=1)), np.abs(gaps).sum(axis=1)
    return np.where(error <= _CANCELED * size, 0.0, error) / total


def _mean_over(own: Floats, named: Ints, found: TiedNeighbors, k: int) -> Floats:
    """Mean of the neighbors' own errors, of those that have one."""
    indices = found.indices
    if not len(named):
        return np.full(len(indices), np.nan)
    values = own[np.searchsorted(named, np.maximum(indices, named[0]))]
    known = ~np.isnan(values) & (indices >= 0)
    shares = np.where(known, found.shares(k), 0.0)
    count = shares.sum(axis=1)
    total = (shares * np.where(known, values, 0.0)).sum(axis=1)
    return np.where(count > 0, total / np.where(count > 0, count, 1.0), np.nan)
