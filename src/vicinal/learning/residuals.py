"""The expected error of each feature, predicted from the others, leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formulas import cyclic_gap, nominal_contrast
from vicinal.index.kinds import CYCLIC, NOMINAL, NUMERIC
from vicinal.index.leave_one_out import predict_each_feature
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.support import Support
from vicinal.learning.reference import MOST_REFERENCE, Reference
from vicinal.progress import logger, track
from vicinal.typing import Floats, Places

#: At chance level a nominal feature would have no contrast and be ignored, though it may be
#: important for a target; so its residual stays below this share of chance.
BELOW_CHANCE = 0.8

#: The first rounds use only this many cases, until no residual changes by more than this
#: share of itself.
ROUGH_QUERIES = 64
ROUGH_TOLERANCE = 0.2

#: Queries per native call, so that a progress bar can move.
_BATCH = 128


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals and how they were found.

    Parameters
    ----------
    values : ndarray of shape (d,)
        Expected absolute error in the unit of the column; for nominal columns the expected
        probability not given to the true category. NaN for columns without information.
    metric : Metric
        The metric made of them.
    history : tuple of ndarray
        The residuals of each round; the first one is the spread of the column by itself.
    converged : bool
        Whether every residual is within the tolerance of its estimated limit.
    n_queries, n_reference : int
        Number of cases predicted, and number of reference cases.
    """

    values: Floats
    metric: Metric
    history: tuple[Floats, ...]
    converged: bool
    n_queries: int
    n_reference: int


def learn_residuals(
    values: Floats,
    settings: TermSettings,
    *,
    case_weights: Floats | None = None,
    max_reference: int = MOST_REFERENCE,
    random_state: int = 0,
    **options: Any,
) -> Residuals:
    """Learn the residual of every column from sampled cases, with options of `learn_from`.

    Integer weights mean the same as repeated rows.
    """
    reference = Reference.of_values(values, case_weights, max_reference, random_state=random_state)
    return learn_from(reference, settings, **options)


def learn_from(
    reference: Reference,
    settings: TermSettings,
    *,
    k: int,
    max_rounds: int = 8,
    tolerance: float = 0.05,
    max_queries: int = 256,
    start: Floats | None = None,
    mean: str = "absolute",
    threads: int | None = None,
) -> Residuals:
    """Learn the residual of every column from the chosen cases.

    Each round predicts every column of some cases from their other columns, by the k nearest in
    the metric of the round before, and takes the mean errors as the new residuals.

    Parameters
    ----------
    tolerance : float
        The rounds end when no residual changes by more than this share of itself. For sampled
        cases the limit is twice as much, for the change in this round or the extrapolated
        change in all later rounds.
    max_queries : int
        Maximum number of cases to predict.
    start : ndarray of shape (d,), optional
        Initial residuals, if known; NaN elsewhere.
    mean : {"absolute", "square"}
        How the errors of numbers are averaged: their mean, or the root of their mean square
        divided by √2. For Laplace errors both equal the scale; a column that is almost always the
        same, with rare large deviations, has a small mean and a large mean square.
    """
    if max_rounds < 1:
        raise ParameterError(f"max_rounds must be at least 1; got {max_rounds}.")
    queries, rough = reference.sample(max_queries), reference.sample(ROUGH_QUERIES)
    learner = _Learner(reference, settings, mean)

    residuals = learner.spread()
    if start is not None:
        residuals = np.where(np.isnan(start) | np.isnan(residuals), residuals, start)
    history = [residuals]
    converged, before, last, rate = False, None, np.inf, np.inf
    # A table that is small enough is used in full, without sampling.
    whole = len(reference) <= max_queries
    asked = queries if max_rounds < 3 or whole else rough
    # The sampling error of the mean is of the same size.
    enough = tolerance if whole else 2 * tolerance
    for number in range(1, max_rounds + 1):
        metric = learner.metric(residuals)
        errors = learner.errors(metric, asked, k, threads, f"residuals, round {number}")
        previous, residuals = residuals, learner.mean_errors(errors, asked, fallback=residuals)
        history.append(residuals)
        active = metric.active
        moves = np.abs(residuals - previous)[active] / previous[active]
        moved = float(moves.max(initial=0.0))
        logger.info("residuals, round %d: largest change %.2g", number, moved)
        if asked is before and last > 0:
            rate = moved / last
        last, before = moved, asked
        # The remaining change if changes keep shrinking at this rate.
        left = moved * rate / (1 - rate) if rate < 1 and not whole else np.inf
        converged = len(asked) == len(queries) and min(moved, left) <= enough
        if converged:
            break
        if moved <= ROUGH_TOLERANCE or number >= max_rounds - 2:
            asked = queries
    return Residuals(
        residuals,
        learner.metric(residuals),
        tuple(history),
        converged,
        n_queries=min(int(np.isin(reference.which, queries).sum()), max_queries),
        n_reference=len(reference.which),
    )


class _Learner:
    """The reference cases in one representation."""

    def __init__(self, reference: Reference, settings: TermSettings, mean: str) -> None:
        self.mean = mean
        self.columns = reference.columns
        self.case_weights = reference.weights
        self.settings = settings
        nominal = (settings.kinds == NOMINAL).tolist()
        self.supports = tuple(reference.support(i, nominal=n) for i, n in enumerate(nominal))
        self.floors = reference.half_gaps.copy()
        cases = len(reference) if self.case_weights is None else self.case_weights.sum()
        for i in np.flatnonzero(nominal).tolist():
            self.floors[i] = 0.5 / (cases + 1) if self._n_classes(i) > 1 else np.nan

    def _within_limits(self, residuals: Floats) -> Floats:
        limited = np.maximum(residuals, self.floors)
        for i in np.flatnonzero(self.settings.kinds == NOMINAL).tolist():
            limited[i] = min(limited[i], BELOW_CHANCE * (1 - 1 / max(self._n_classes(i), 2)))
        return np.where(np.isnan(self.floors), np.nan, limited)

    def _n_classes(self, i: int) -> int:
        return int((self.supports[i].shares > 0).sum())

    def spread(self) -> Floats:
        """Return the error of predicting each column by its median or its class frequencies."""
        return self._within_limits(
            np.array([self._spread(i, s) for i, s in enumerate(self.supports)])
        )

    def _spread(self, i: int, support: Support) -> float:
        points, shares = support
        if not len(points):
            return np.nan
        if self.settings.kinds[i] == NOMINAL:
            return float(1 - (shares**2).sum())
        if self.settings.kinds[i] == CYCLIC:
            gaps = cyclic_gap(points[:, None], points, self.settings.periods[i])
            return float((gaps @ shares).min())
        middle = points[np.searchsorted(np.cumsum(shares), 0.5)]
        return float(np.abs(points - middle) @ shares)

    def metric(self, residuals: Floats) -> Metric:
        """Return the metric of these residuals; uninformative columns get weight 0."""
        settings = self.settings
        silent = np.isnan(residuals)
        scales = np.where(silent, 1.0, residuals)
        for i in np.flatnonzero((settings.kinds == NOMINAL) & ~silent).tolist():
            scales[i] = nominal_contrast(residuals[i], self._n_classes(i))
        return Metric(
            kinds=settings.kinds,
            residuals=scales,
            periods=settings.periods,
            weights=np.where(silent, 0.0, settings.weights),
            p=settings.p,
            supports=self.supports,
            distinct=settings.distinct,
        )

    def errors(
        self, metric: Metric, queries: Places, k: int, threads: int | None, what: str
    ) -> Floats:
        """Return leave-one-out errors of every column, NaN if there is no prediction."""
        batches = range(0, len(queries), _BATCH)
        predictions = np.concatenate(
            [
                predict_each_feature(
                    self.columns,
                    metric,
                    queries[start : start + _BATCH],
                    k,
                    weights=self.case_weights,
                    threads=threads,
                )
                for start in track(batches, total=len(batches), what=what)
            ]
        )
        truth = self.columns[:, queries].T
        kinds = self.settings.kinds
        errors = np.where(kinds == NUMERIC, np.abs(truth - predictions), 1.0 - predictions)
        for i in np.flatnonzero(kinds == CYCLIC):
            errors[:, i] = cyclic_gap(truth[:, i], predictions[:, i], self.settings.periods[i])
        return errors

    def mean_errors(self, errors: Floats, queries: Places, *, fallback: Floats) -> Floats:
        """Return the mean error of each column, within its limits, or the fallback."""
        known = ~np.isnan(errors)
        mass = np.ones(len(queries)) if self.case_weights is None else self.case_weights[queries]
        total = mass @ known
        errors, total = np.where(known, errors, 0.0), np.where(total > 0, total, np.nan)
        means = mass @ errors / total
        if self.mean == "square":
            # In units of the largest, whose square could overflow.
            largest = errors.max(axis=0, initial=0.0)
            unit = np.where(largest > 0, largest, 1.0)
            roots = unit * np.sqrt(mass @ (errors / unit) ** 2 / total / 2)
            means = np.where(self.settings.kinds == NOMINAL, means, roots)
        return self._within_limits(np.where(np.isnan(total), fallback, means))
