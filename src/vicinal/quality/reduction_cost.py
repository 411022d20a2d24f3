"""The cost of a reduction, measured on held-out cases."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vicinal.fitted import Fitted
from vicinal.formulas import cyclic_gap
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import sample_cases
from vicinal.index.ties import search_ties
from vicinal.influence.answer import Answer, answer
from vicinal.influence.losses import target_loss
from vicinal.influence.target import Target
from vicinal.prediction.predictor import Predictor
from vicinal.quality.condensing import merge_cases_to
from vicinal.typing import Floats

#: Held-out cases: the maximum number, and at most one in this many.
_MOST_HELD_OUT, _HELD_OUT_EVERY = 500, 5


class ReductionCost:
    """Losses on held-out cases, predicted from all others and from shares of them.

    The loss is that of a predictor's target; without one, it is the error of all features relative
    to predictions from all other cases. The metric defines which cases are similar. The values and
    weights are those of cases with a positive weight, in an order that depends only on their
    content.
    """

    def __init__(
        self,
        fitted: Fitted,
        metric: Metric,
        predictor: Predictor | None,
        values: Floats,
        weights: Floats,
    ) -> None:
        count = min(_MOST_HELD_OUT, len(values) // _HELD_OUT_EVERY)
        seed = fitted.settings.random_state + 1
        held_out = sample_cases(values, count, random_state=seed)
        rest = np.setdiff1d(np.arange(len(values)), held_out)
        self._fitted, self._metric, self._predictor = fitted, metric, predictor
        self._held_out = values[held_out]
        self._values, self._weights = values[rest], weights[rest]
        self._losses: dict[int, float] = {}

    @cached_property
    def before(self) -> float:
        """The loss with all other cases."""
        return self._loss(self._everything)

    def after(self, share: float) -> float:
        """Return the loss when this share of the other cases is kept."""
        size = max(1, round(share * len(self._values)))
        if size not in self._losses:
            kept, weights, _ = merge_cases_to(
                self._values,
                self._weights,
                self._metric,
                size,
                kinds=self._fitted.index.kinds,
                threads=self._fitted.threads,
            )
            self._losses[size] = self._loss(self._index(self._values[kept], weights))
        return self._losses[size]

    @cached_property
    def _everything(self) -> ExactIndex:
        return self._index(self._values, self._weights)

    def _index(self, values: Floats, weights: Floats | None = None) -> ExactIndex:
        return ExactIndex(values, self._fitted.terms.kinds, weights)

    def _loss(self, index: ExactIndex) -> float:
        if not len(self._held_out):
            return float("nan")
        if self._predictor is None:
            return 1.0 if index is self._everything else self._relative_error(index)
        return self._target_loss(index, self._predictor)

    def _relative_error(self, index: ExactIndex) -> float:
        errors, before = feature_errors(self._fitted, index, self._held_out), self._errors_before
        counted = (before > 0) & ~np.isnan(errors)
        return float((errors[counted] / before[counted]).mean()) if counted.any() else 1.0

    @cached_property
    def _errors_before(self) -> Floats:
        return feature_errors(self._fitted, self._everything, self._held_out)

    def _target_loss(self, index: ExactIndex, predictor: Predictor) -> float:
        column, learned = predictor.column, predictor.target
        rows = self._held_out[~np.isnan(self._held_out[:, column])]
        if not len(rows):
            return float("nan")
        n_classes, period = learned.n_classes, learned.period
        target = Target.of(index, column, n_classes=n_classes, period=period)
        truth = Target.of(self._index(rows), column, n_classes=n_classes, period=period)
        answered = answer(
            predictor.cases.like(index),
            predictor.ensemble,
            target,
            predictor.cases.rows(rows),
            threads=self._fitted.threads,
        )
        places = np.arange(len(rows))
        return target_loss(_guesses(answered, target, truth.outcomes_of(places)), places, truth)


def _guesses(answered: Answer, target: Target, truth: Floats) -> Floats:
    """Return predictions for `target_loss`; cyclic ones are shifted closest to the truth."""
    if answered.probabilities is not None:
        return answered.probabilities
    if not target.period:
        return answered.values[:, None]
    return (truth + answered.values - target.near(truth, answered.values))[:, None]


def feature_errors(fitted: Fitted, index: Index, rows: Floats) -> Floats:
    """Predict every feature of rows from the others, and return the mean error of each.

    The k nearest cases contribute in inverse proportion to their distance. For nominal features
    the error is the share of another category. NaN for features of weight 0.
    """
    metric, k = fitted.metric, fitted.settings.n_neighbors
    result = np.full(rows.shape[1], np.nan)
    for column in metric.active:
        others = metric.restricted(metric.active[metric.active != column])
        found = search_ties(index, rows, others, k, required=int(column), threads=fitted.threads)
        there = found.indices >= 0
        cells = index.cells(np.maximum(found.indices, 0), int(column))
        outcomes = np.where(there, cells, 0.0)
        counts = found.places(k)
        share = (there if counts is None else counts) / found.distances
        total = share.sum(axis=1)
        truth = rows[:, column]
        if metric.kinds[column] == NOMINAL:
            errors = (share * (outcomes != truth[:, None])).sum(axis=1)
        elif metric.kinds[column] == CYCLIC:
            gaps = cyclic_gap(outcomes, truth[:, None], float(metric.periods[column]))
            errors = (share * np.nan_to_num(gaps)).sum(axis=1)
        else:
            errors = np.abs((share * outcomes).sum(axis=1) - truth * total)
        known = ~np.isnan(truth) & (total > 0)
        if known.any():
            result[column] = (errors[known] / total[known]).mean()
    return result
