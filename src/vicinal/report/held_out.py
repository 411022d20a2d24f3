"""Cases that are held out, one at a time, and predicted: what a report says about a target."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

import numpy as np

from vicinal.fitted import Fitted
from vicinal.formatting.values import format_value
from vicinal.index.sampling import sample_cases
from vicinal.influence.answer import Answer
from vicinal.influence.losses import errors_of
from vicinal.influence.target import Target
from vicinal.prediction.predictor import Predictor, learn
from vicinal.report.scales import Axis, duration_axis, number_axis
from vicinal.report.value_texts import day_texts, value_texts
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints

#: Seconds.
_DAY = 86400.0


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Cases, each predicted from all the others, with their true values and predictions."""

    predictor: Predictor
    target: Target
    cases: Ints
    truth: Floats
    predicted: Answer
    #: They sum to 1.
    weights: Floats
    #: The error over the expected one, or the probability that the true class did not get.
    scores: Floats

    @property
    def fitted(self) -> Fitted:
        """All cases."""
        return self.predictor.fitted

    @property
    def column(self) -> int:
        """The encoded column of the target."""
        return self.predictor.column

    @property
    def feature(self) -> Feature:
        """The target as a feature of the table."""
        return self.fitted.schema.storage[self.column]

    @property
    def is_class(self) -> bool:
        """Whether the target is a class rather than a number."""
        return self.predicted.probabilities is not None

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes as text; none for a number."""
        return tuple(map(format_value, self.feature.categories or ())) if self.is_class else ()

    def some(self, most: int, among: Ints | None = None) -> Ints:
        """Choose at most so many of the cases, by what they hold."""
        cases = self.cases if among is None else among
        values = self.fitted.index.rows(cases)
        seed = self.fitted.settings.random_state
        return cases[sample_cases(values, most, random_state=seed)]

    def predict(self, rows: Floats, exclude: Ints, most: int) -> tuple[tuple[str, ...], Floats]:
        """Predict encoded rows: the classes with their probabilities, or no classes and numbers.

        At most so many classes are distinguished; the less frequent ones count as one, "others".
        """
        answered = self.predictor.predict(rows, exclude)
        if answered.probabilities is None:
            return (), answered.values[:, None]
        shares, found = self.target.shares, answered.probabilities
        if len(shares) <= most:
            return self.labels, found
        kept = np.sort(np.argsort(-shares, kind="stable")[: most - 1])
        rest = np.maximum(1.0 - found[:, kept].sum(axis=1), 0.0)
        labels = (*(self.labels[at] for at in kept), "others")
        return labels, np.column_stack([found[:, kept], rest])

    def axis(self, values: Floats) -> Axis:
        """Return the range of encoded values of the target, with ticks in its own terms."""
        low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        if not low <= high:
            return Axis(0.0, 1.0, ())
        ranks = self.feature.kind is Kind.ORDINAL
        if not ranks and self.feature.family == "number":
            plain = number_axis(low, high)
            return self._in_cycle(plain) if self.feature.kind is Kind.CYCLIC else plain
        if self.feature.family == "duration":
            return duration_axis(low, high)
        count = min(5, int(high - low) + 1) if ranks else 4
        marks = np.linspace(low, high, max(count, 2))
        marks = np.unique(np.round(marks)) if ranks else self._whole_days(marks)
        texts = day_texts(value_texts(self.fitted, marks, self.column))
        return Axis(low, high, tuple(zip(marks.tolist(), texts, strict=True)))

    def _in_cycle(self, axis: Axis) -> Axis:
        """Label the ticks of an axis that goes on beyond a cycle, such as hours past midnight."""
        marks = np.array([place for place, _ in axis.ticks])
        texts = value_texts(self.fitted, marks, self.column)
        return replace(axis, ticks=tuple(zip(marks.tolist(), texts, strict=True)))

    def _whole_days(self, marks: Floats) -> Floats:
        """Move ticks of dates that are days apart to the midnights before them."""
        seconds = np.round(marks)
        times = self.fitted.decoded(seconds, self.column).tolist()
        if marks[1] - marks[0] < _DAY or not all(isinstance(one, dt.datetime) for one in times):
            return marks
        days = seconds - [one.hour * 3600 + one.minute * 60 + one.second for one in times]
        return days[days >= marks[0]]


def hold_out(fitted: Fitted, target: str) -> HeldOut:
    """Hold cases out, one at a time, and predict them from the others."""
    predictor = learn(fitted, target, fitted.columns_for(fitted.schema.names, target))
    settings, described = fitted.settings, predictor.target
    cases = predictor.left_out_cases(
        settings.max_queries, among="fresh", seed=settings.random_state + 1
    )
    truth = described.outcomes_of(cases)
    predicted = predictor.left_out(cases)
    scores = errors_of(predicted, described, truth)
    if predicted.spread is not None:
        scores = scores / predictor.calibration.scale(predicted.spread)
    weights = described.weights_of(cases)
    return HeldOut(predictor, described, cases, truth, predicted, weights, scores)
