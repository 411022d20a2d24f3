"""What a report says of predictions: scores beside baselines, and whether promises are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vicinal.formatting.values import format_percent, format_value
from vicinal.index.sampling import split_cases
from vicinal.model.predicting import Learned
from vicinal.model.report_table import amount_text, stored_texts
from vicinal.prediction.answer import Answer
from vicinal.prediction.conformal import Calibration
from vicinal.report import parts as report
from vicinal.report.scales import number_axis
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Feature
from vicinal.typing import Bools, Floats, Ints, Places

if TYPE_CHECKING:
    from vicinal.model.reporting import Reporting

__all__ = ["LeftOut", "find_axis", "find_prediction", "leave_out", "merge_classes"]


#: Points of a chart, and classes of a table, at most.
_MOST_POINTS, _MOST_CLASSES = 600, 12
#: Sizes of intervals whose promise is checked, and the one that is put into words.
_PROMISES, _PROMISED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95), 0.9


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Cases that were left out and predicted: their truth, their answers, their shares."""

    target: str
    feature: Feature
    column: int
    learned: Learned
    cases: Ints
    truth: Floats
    answered: Answer
    weights: Floats
    scores: Floats
    halves: Places

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes as text; none for a number."""
        return tuple(map(format_value, self.feature.categories or ())) if self.is_class else ()

    @property
    def is_class(self) -> bool:
        """Whether classes are predicted."""
        return self.answered.probabilities is not None


def leave_out(model: Reporting, target: str) -> LeftOut:
    """Leave cases out, one at a time, and predict them."""
    names = [name for name in model.schema_.names if name != target]
    column = model.schema_.column(target)
    learned = model._learn(target, model._columns_but(names, target))
    cases = model._cases_to_leave_out(learned)
    values = model.index_.case_values(cases)
    said = model._left_out(learned.target, learned.tuning.ensemble, cases)
    truth = learned.target.outcomes[cases]
    if said.probabilities is not None:
        scores = 1.0 - said.probabilities[np.arange(len(cases)), truth.astype(np.intp)]
    else:
        assert said.spread is not None
        errors = np.abs(learned.target.near(truth, said.values) - said.values)
        scores = errors / model._calibration(learned).scale(said.spread)
    return LeftOut(
        target,
        model.schema_[target],
        column,
        learned,
        cases,
        truth,
        said,
        learned.target.weights_of(cases),
        scores,
        split_cases(values, 2, random_state=model.random_state),
    )


def find_prediction(model: Reporting, left: LeftOut) -> report.Prediction:
    """How well the cases were predicted, beside baselines that know no features."""
    fresh = int((~np.isin(left.cases, left.learned.tuning.queries)).sum())
    if left.is_class:
        predictors, scores, headline = _class_scores(left)
        return report.Prediction(
            n_cases=len(left.cases),
            n_fresh=fresh,
            predictors=predictors,
            scores=scores,
            headline=headline,
            calibration=_class_calibration(left),
            confusion=_confusion(left),
        )
    predictors, scores, headline = _number_scores(model, left)
    some = np.linspace(0, len(left.cases) - 1, min(len(left.cases), _MOST_POINTS)).astype(int)
    predicted = left.answered.values
    return report.Prediction(
        n_cases=len(left.cases),
        n_fresh=fresh,
        predictors=predictors,
        scores=scores,
        headline=headline,
        calibration=_interval_calibration(left),
        points=tuple((float(left.truth[at]), float(predicted[at])) for at in some),
        axis=find_axis(model, left, np.concatenate([left.truth[some], predicted[some]])),
    )


def find_axis(model: Reporting, left: LeftOut, values: Floats) -> report.Axis:
    """The range of encoded values of the target, with texts in its own terms."""
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if not low <= high:
        return report.Axis(0.0, 1.0, ())
    if left.feature.kind is Kind.ORDINAL or left.feature.family != "number":
        ranks = left.feature.kind is Kind.ORDINAL
        count = min(5, int(high - low) + 1) if ranks else 4
        marks = np.linspace(low, high, max(count, 2))
        marks = np.unique(np.round(marks)) if ranks else marks
        texts = stored_texts(model, marks, left.column)
        return report.Axis(low, high, tuple(zip(marks.tolist(), texts, strict=True)))
    return number_axis(low, high)


def merge_classes(left: LeftOut, rows: Floats, most: int) -> tuple[tuple[str, ...], Floats]:
    """The most frequent classes and their probabilities, the others as one."""
    shares = left.learned.target.shares
    if len(shares) <= most:
        return left.labels, rows
    kept = np.sort(np.argsort(-shares, kind="stable")[: most - 1])
    rest = np.maximum(1.0 - rows[:, kept].sum(axis=1), 0.0)
    return (*(left.labels[at] for at in kept), "others"), np.column_stack([rows[:, kept], rest])


def _class_scores(
    left: LeftOut,
) -> tuple[tuple[str, ...], tuple[report.Score, ...], str]:
    probabilities = left.answered.probabilities
    assert probabilities is not None
    truth, weights = left.truth.astype(np.intp), left.weights
    shares = left.learned.target.shares
    common = int(shares.argmax())
    guesses = [left.answered.values.astype(np.intp), np.full(len(truth), common)]
    given = [probabilities[np.arange(len(truth)), truth], shares[truth]]
    rights = [_share(weights @ (guess == truth)) for guess in guesses]
    error = (rights[0] * (1 - rights[0]) * float(weights @ weights)) ** 0.5
    present = np.unique(truth)
    balanced = [
        float(
            np.mean(
                [
                    weights[truth == c] @ (g[truth == c] == c) / weights[truth == c].sum()
                    for c in present
                ]
            )
        )
        for g in guesses
    ]
    losses = [float(-(weights @ np.log(np.maximum(one, 1e-12)))) for one in given]
    scores = (
        report.Score(
            "Accuracy",
            "higher is better",
            (f"{100 * rights[0]:.1f} %", f"{100 * rights[1]:.1f} %"),
        ),
        report.Score(
            "Balanced accuracy",
            "mean over classes",
            tuple(f"{100 * one:.1f} %" for one in balanced),
        ),
        report.Score("Log loss", "nats, lower is better", tuple(f"{one:.3f}" for one in losses)),
    )
    sure = f" (± {100 * error:.1f} %, one standard error)" * (error > 0)
    headline = (
        f"{format_percent(rights[0])} of the left-out cases were predicted rightly{sure}; always "
        f"saying {left.labels[common]} would be right for {format_percent(rights[1])}."
    )
    return ("This model", f"Always {left.labels[common]}"), scores, headline


def _number_scores(
    model: Reporting, left: LeftOut
) -> tuple[tuple[str, ...], tuple[report.Score, ...], str]:
    target, weights = left.learned.target, left.weights
    known = target.outcomes[model.index_.numbers]
    median = float(np.nanmedian(known))
    mean = np.full(len(left.truth), target.mean)
    guesses = [left.answered.values, mean, np.full(len(left.truth), median)]
    gaps = [np.abs(target.near(left.truth, guess) - guess) for guess in guesses]
    maes = [float(weights @ gap) for gap in gaps]
    # In units of the largest one, whose square a float can hold.
    unit = float(max(gap.max(initial=0.0) for gap in gaps)) or 1.0
    squares = [float(weights @ (gap / unit) ** 2) for gap in gaps]
    error = unit * (float((weights**2) @ ((gaps[0] - maes[0]) / unit) ** 2)) ** 0.5
    around_mean = (target.near(left.truth, mean) - mean) / unit
    around = float(weights @ (around_mean - weights @ around_mean) ** 2)
    text = [amount_text(left.feature, one) for one in maes]
    explained = [
        f"{1 - one / around:.3f}".replace("-", "−") if around > 0 else "–" for one in squares
    ]
    scores = (
        report.Score(
            "Mean absolute error",
            "lower is better",
            tuple(text),
        ),
        report.Score(
            "Root mean square error",
            "lower is better",
            tuple(amount_text(left.feature, unit * one**0.5) for one in squares),
        ),
        report.Score("R²", "share of variance explained", tuple(explained)),
    )
    headline = (
        f"Predictions of left-out cases are off by {text[0]} on average (± "
        f"{amount_text(left.feature, error)}, one standard error); always saying the median would "
        f"be off by {text[2]}."
    )
    return ("This model", "Always the mean", "Always the median"), scores, headline


def _share(mass: float) -> float:
    """A sum of shares without what rounding added to it or took away."""
    return min(max(round(float(mass), 12), 0.0), 1.0)


def _confusion(left: LeftOut) -> report.Confusion:
    truth, said = left.truth.astype(np.intp), left.answered.values.astype(np.intp)
    counts = np.zeros((len(left.labels), len(left.labels)))
    np.add.at(counts, (truth, said), left.weights * len(truth))
    labels: tuple[str, ...] = left.labels
    if len(labels) > _MOST_CLASSES:
        size = counts.sum(axis=1)
        order = np.argsort(-size, kind="stable")
        kept, rest = np.sort(order[: _MOST_CLASSES - 1]), order[_MOST_CLASSES - 1 :]
        group = np.full(len(labels), len(kept))
        group[kept] = np.arange(len(kept))
        merged = np.zeros((len(kept) + 1, len(kept) + 1))
        np.add.at(merged, (group[:, None], group[None, :]), counts)
        counts, labels = merged, (*(labels[at] for at in kept), f"{len(rest)} others")
    return report.Confusion(labels, tuple(tuple(row) for row in counts.tolist()))


def _class_calibration(left: LeftOut) -> report.Calibration:
    probabilities = left.answered.probabilities
    assert probabilities is not None
    sure = probabilities.max(axis=1)
    right = left.answered.values == left.truth
    group = np.minimum((10 * sure).astype(int), 9)
    points, error = [], 0.0
    for one in np.unique(group):
        some = group == one
        mass = left.weights[some].sum()
        promised = float(left.weights[some] @ sure[some] / mass)
        observed = float(left.weights[some] @ right[some] / mass)
        points.append((promised, observed, float(some.sum())))
        error += float(mass) * abs(promised - observed)
    held, size = 0.0, 0.0
    for part, limit in _limits(left, _PROMISED):
        inside = 1.0 - probabilities[part] <= limit
        held += float(left.weights[part] @ (left.scores[part] <= limit))
        size += float(left.weights[part] @ inside.sum(axis=1))
    sentence = (
        f"Probabilities are off by {100 * error:.1f} percentage points on average. Label sets "
        "that promise "
        f"{100 * _PROMISED:.0f} % held the truth in {format_percent(_share(held))} of the cases "
        "and "
        f"name {size:.2f} classes on average."
    )
    return report.Calibration("classes", tuple(points), error, sentence)


def _interval_calibration(left: LeftOut) -> report.Calibration:
    points = []
    for promised in _PROMISES:
        held = sum(
            float(left.weights[part] @ (left.scores[part] <= limit))
            for part, limit in _limits(left, promised)
        )
        points.append((promised, _share(held), float(len(left.cases))))
    error = float(np.mean([abs(x - y) for x, y, _ in points]))
    observed = points[_PROMISES.index(_PROMISED)][1]
    sentence = (
        f"Intervals that promise {100 * _PROMISED:.0f} % held the truth in "
        f"{format_percent(observed)} of the cases."
    )
    return report.Calibration("intervals", tuple(points), error, sentence)


def _limits(left: LeftOut, promised: float) -> list[tuple[Bools, float]]:
    """Each half of the cases, and the score that the other half says is exceeded so seldom."""
    limits = []
    for half in (0, 1):
        part = left.halves == half
        order = np.argsort(left.scores[~part], kind="stable")
        weights = left.learned.target.weights
        mass = None if weights is None else weights[left.cases][~part][order]
        made = Calibration(left.scores[~part][order], weights=mass)
        limits.append((part, made.quantile(1 - promised)))
    return limits
