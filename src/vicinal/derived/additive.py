"""Scores that are sums over the features: linear, or like a scorecard by bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from vicinal.derived.bins import ALL, MISSING, Bins
from vicinal.derived.logistic import logistic
from vicinal.typing import Bools, Floats, Ints

#: Standardized numbers beyond this count as this.
FARTHEST = 5.0
#: Strength of the penalty on squared coefficients, of standardized columns and indicators.
PENALTY = 1.0
#: Sums of squares and products that are kept for parts of the cases, at most.
MOST_SUMS = 4_000_000
#: Bins of a number in a score by bins.
SCORECARD_BINS = 12


@dataclass(frozen=True, eq=False)
class AdditiveScores:
    """Scores of one or more outcomes, each a sum over the features; see `Folds` for the runs.

    The part of a feature is ``tables[run, feature, bin] + slopes[run, feature] · z`` with z the
    standardized number, 0 where it is missing.

    Parameters
    ----------
    bins : Bins
        Bins of the features.
    tables : ndarray of shape (runs, features, bins, width)
        Points for each bin.
    slopes : ndarray of shape (runs, features, width)
        Coefficients of the numbers.
    centers, scales : ndarray of shape (features,)
        How numbers are standardized.
    """

    bins: Bins
    tables: Floats
    slopes: Floats
    centers: Floats
    scales: Floats

    @property
    def width(self) -> int:
        """Number of scores."""
        return self.slopes.shape[2]

    @cached_property
    def _with_means(self) -> tuple[Floats, Floats | None]:
        """Tables and slopes of each run and, last, their means; no slopes if all are 0."""
        tables = np.concatenate([self.tables, self.tables.mean(axis=0, keepdims=True)])
        slopes = np.concatenate([self.slopes, self.slopes.mean(axis=0, keepdims=True)])
        return tables, slopes if slopes.any() else None

    def parts(self, rows: Floats, runs: Ints) -> Floats:
        """Return what each feature adds to the scores of encoded rows: (m, features, width).

        The run −1 stands for the mean over all runs.
        """
        tables, slopes = self._with_means
        codes = self.bins.codes(rows)
        features = np.arange(codes.shape[1])
        found: Floats = tables[runs[:, None], features, codes]
        if slopes is not None:
            z = _standardized(rows[:, self.bins.columns], self.centers, self.scales)
            found = found + slopes[runs] * z[:, :, None]
        return found

    def values(self, rows: Floats, runs: Ints) -> Floats:
        """Return the scores of encoded rows, (m, width)."""
        return self.parts(rows, runs).sum(axis=1)


def learn_additive(
    values: Floats,
    bins: Bins,
    truth: Floats,
    weights: Floats,
    held: Bools,
    *,
    n_classes: int,
    linear: bool,
) -> AdditiveScores:
    """Learn scores by ridge regression, for classes ridge logistic regression.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    bins : Bins
        Of these, every bin gets a coefficient; of numbers, if `linear`, only missing values do.
    truth : ndarray of shape (n,)
        Class codes, or numbers.
    held : ndarray of bool of shape (runs, n)
        The cases that each run is learned without.
    linear : bool
        Whether numbers have slopes instead of points by bin.
    """
    # Here, since it takes as long to import as all of the package.
    from scipy import sparse

    codes = bins.codes(values)
    centers, scales = _moments(values[:, bins.columns], weights)
    numbers = np.flatnonzero(~bins.nominal) if linear else np.empty(0, dtype=np.intp)
    z = _standardized(values[:, bins.columns], centers, scales)[:, numbers]
    cells = _cells(codes, numbers)
    design = sparse.hstack([sparse.csr_matrix(z), _indicators(codes, cells)], format="csr")
    width = n_classes if n_classes > 2 else 1
    tables = np.zeros((len(held), codes.shape[1], ALL, width))
    slopes = np.zeros((len(held), codes.shape[1], width))
    # Sums of several threads would depend on their number.
    with _linear_algebra().limit(limits=1):
        found = _coefficients(design, truth, weights, held, n_classes)
    slopes[:, numbers] = found[:, : len(numbers)]
    tables[:, cells // ALL, cells % ALL] = found[:, len(numbers) :]
    return AdditiveScores(bins, tables, slopes, centers, scales)


@lru_cache(maxsize=1)
def _linear_algebra() -> ThreadpoolController:
    """The libraries that may use threads; to find them takes as long as a score of few cases."""
    return ThreadpoolController()


def _standardized(cells: Floats, centers: Floats, scales: Floats) -> Floats:
    z = np.minimum(np.maximum((cells - centers) / scales, -FARTHEST), FARTHEST)
    return np.where(np.isnan(z), 0.0, z)


def _moments(cells: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the mean absolute deviation of each column."""
    known = ~np.isnan(cells)
    total = np.maximum((weights[:, None] * known).sum(axis=0), 1e-300)
    centers = (weights[:, None] * np.where(known, cells, 0.0) / total).sum(axis=0)
    away = np.abs(np.where(known, cells - centers, 0.0))
    scales = (weights[:, None] * away / total).sum(axis=0)
    usable = np.isfinite(scales) & (scales > 0)
    return np.where(np.isfinite(centers), centers, 0.0), np.where(usable, scales, 1.0)


def _cells(codes: Any, numbers: Any) -> Ints:
    """Return the bins that occur and get a coefficient, as feature · ALL + bin."""
    features = np.arange(codes.shape[1])
    cells = np.unique(features * ALL + codes)
    sloped = np.isin(cells // ALL, numbers) & (cells % ALL != MISSING)
    return cells[~sloped].astype(np.int64)


def _indicators(codes: Any, cells: Ints) -> Any:
    """Return a sparse matrix that says which of the bins each row has."""
    from scipy import sparse

    place = np.full(codes.shape[1] * ALL, -1)
    place[cells] = np.arange(len(cells))
    found = place[np.arange(codes.shape[1]) * ALL + codes]
    rows, _ = np.nonzero(found >= 0)
    columns = found[found >= 0]
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (len(codes), len(cells)))


def _coefficients(
    design: Any, truth: Floats, weights: Floats, held: Bools, n_classes: int
) -> Floats:
    """Return coefficients without the intercept, (runs, columns, width)."""
    if not n_classes:
        return _ridge(design, truth, weights, held)[:, :, None]
    return logistic(design, truth, weights, held, n_classes=n_classes, penalty=PENALTY)


def _ridge(design: Any, truth: Floats, weights: Floats, held: Bools) -> Floats:
    """Return the coefficients of ridge regression, (runs, columns); no penalty on the intercept.

    Runs share most of their cases, so sums are added up once for each part of the cases that the
    same runs are given.
    """
    from scipy import sparse

    size = design.shape[1]
    _, first, which = np.unique(
        np.packbits(held, axis=0), axis=1, return_index=True, return_inverse=True
    )
    which, count = which.ravel(), len(first)
    if len(held) > 1 and count * size**2 > MOST_SUMS:
        each = [_ridge(design, truth, weights, held[[run]]) for run in range(len(held))]
        return np.concatenate(each)
    totals = np.bincount(which, weights, count)
    # From the mean of the part: that of all cases would tell a run about those it is without.
    middles = np.bincount(which, weights * truth, count) / np.maximum(totals, 1e-300)
    # Every part has columns of its own, so that one product has the sums of all.
    rows = np.repeat(np.arange(design.shape[0]), np.diff(design.indptr))
    columns = which[rows] * size + design.indices
    apart = sparse.csr_matrix(
        (design.data * weights[rows], columns, design.indptr), (design.shape[0], count * size)
    )
    squares = np.asarray((design.T @ apart).todense()).reshape(size, count, size)
    sums = np.asarray(apart.sum(axis=0)).reshape(count, size)
    slopes = np.asarray(apart.T @ (truth - middles[which])).reshape(count, size)
    out = np.zeros((len(held), size))
    for run, given in enumerate(~held[:, first]):
        total = max(float(totals[given].sum()), 1e-300)
        mean = sums[given].sum(axis=0) / total
        moments = squares[:, given].sum(axis=1) - total * np.outer(mean, mean)
        moments[np.diag_indices_from(moments)] += PENALTY
        off = middles[given] - totals[given] @ middles[given] / total
        out[run] = np.linalg.solve(moments, slopes[given].sum(axis=0) + off @ sums[given])
    return out
