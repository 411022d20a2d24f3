"""How well the target is predicted: scores beside baselines, and a confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.formatting.values import format_percent
from vicinal.influence.answer import Answer
from vicinal.influence.losses import case_losses, errors_of
from vicinal.report.gather_calibration import first_half, gather_calibration, share
from vicinal.report.gather_ranking import brier_scores, gather_decisions, gather_rankings
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import ConfusionMatrix, Performance, Score
from vicinal.report.value_texts import amount_text
from vicinal.typing import Floats

#: Points of a chart, and classes of a confusion matrix, at most.
_MOST_POINTS, _MOST_CLASSES = 600, 12


def gather_performance(held: HeldOut) -> Performance:
    """Score the predictions of held-out cases, and baselines that use no features."""
    answers = _class_answers(held) if held.is_class else _number_answers(held)
    scores, headline = (_class_scores if held.is_class else _number_scores)(held, answers)
    unseen = ~np.isin(held.cases, held.predictor.tuning.queries)
    return Performance(
        n_cases=len(held.cases),
        n_fresh=int(unseen.sum()),
        predictors=tuple(answers),
        scores=scores,
        headline=headline,
        calibration=gather_calibration(held),
        **(_class_parts(held) if held.is_class else _points(held)),
    )


def _class_parts(held: HeldOut) -> dict[str, Any]:
    """What is shown of classes alone."""
    return {
        "confusion": _confusion(held),
        "rankings": gather_rankings(held),
        "decisions": gather_decisions(held, first_half(held)),
    }


def _points(held: HeldOut) -> dict[str, Any]:
    """True and predicted numbers of some cases, and their axis."""
    count = len(held.cases)
    some = np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int)
    truth = held.truth[some]
    predicted = held.target.near(held.predicted.values[some], truth)  # on one turn of a cycle
    points = tuple(zip(truth.tolist(), predicted.tolist(), strict=True))
    return {"points": points, "axis": held.axis(np.concatenate([truth, predicted]))}


def _class_answers(held: HeldOut) -> dict[str, Answer]:
    """Return the predictions of the model and of each baseline, by name."""
    shares, count = held.target.shares, len(held.cases)
    common = int(shares.argmax())
    always = Answer(np.full(count, float(common)), np.tile(shares, (count, 1)), None)
    return {"This model": held.predicted, f"Always {held.labels[common]}": always}


def _class_scores(held: HeldOut, answers: dict[str, Answer]) -> tuple[tuple[Score, ...], str]:
    weights = held.weights
    rights = [share(weights @ (one.values == held.truth)) for one in answers.values()]
    losses = [
        float(weights @ case_losses(one, held.target, held.truth)) for one in answers.values()
    ]
    briers = [
        float(weights @ brier_scores(held, one.probabilities))
        for one in answers.values()
        if one.probabilities is not None
    ]
    balanced = [_balanced_accuracy(held, one.values) for one in answers.values()]
    scores = (
        Score("Accuracy", "higher is better", _percents(rights)),
        Score("Balanced accuracy", "mean over classes", _percents(balanced)),
        Score("Log loss", "nats, lower is better", tuple(f"{one:.3f}" for one in losses)),
        Score("Brier score", "0 to 1, lower is better", tuple(f"{one:.3f}" for one in briers)),
    )
    error = (rights[0] * (1 - rights[0]) * float(weights @ weights)) ** 0.5
    spread = f" (± {100 * error:.1f} %, one standard error)" * (error > 0)
    common = held.labels[int(held.target.shares.argmax())]
    headline = (
        f"{format_percent(rights[0])} of the held-out cases were predicted correctly{spread}; "
        f"always predicting {common} would be correct for {format_percent(rights[1])}."
    )
    return scores, headline


def _percents(shares: list[float]) -> tuple[str, ...]:
    return tuple(f"{100 * one:.1f} %" for one in shares)


def _balanced_accuracy(held: HeldOut, predicted: Floats) -> float:
    accuracies = []
    for one in np.unique(held.truth):
        some = held.truth == one
        weights = held.weights[some]
        accuracies.append(weights @ (predicted[some] == one) / weights.sum())
    return float(np.mean(accuracies))


def _number_answers(held: HeldOut) -> dict[str, Answer]:
    """Return the predictions of the model and of each baseline, by name."""
    count = len(held.cases)
    return {
        "This model": held.predicted,
        "Always the mean": Answer(np.full(count, held.target.mean), None, None),
        "Always the median": Answer(np.full(count, _median(held)), None, None),
    }


def _median(held: HeldOut) -> float:
    """The median of all outcomes."""
    found = held.fitted.distribution(held.column)
    values = held.target.within_cycle(found["values"])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(found["counts"][order])
    middles = np.array([(reached[-1] - 1) // 2, reached[-1] // 2])
    return float(np.mean(values[order][np.searchsorted(reached, middles, side="right")]))


def _number_scores(held: HeldOut, answers: dict[str, Answer]) -> tuple[tuple[Score, ...], str]:
    target, weights = held.target, held.weights
    gaps = [errors_of(one, target, held.truth) for one in answers.values()]
    maes = [float(weights @ gap) for gap in gaps]
    # In units of the largest one, whose square a float can hold.
    unit = float(max(gap.max(initial=0.0) for gap in gaps)) or 1.0
    squares = [float(weights @ (gap / unit) ** 2) for gap in gaps]
    roots = tuple(amount_text(held.feature, unit * one**0.5) for one in squares)
    texts = tuple(amount_text(held.feature, one) for one in maes)
    variance = _variance(held, unit)
    explained = tuple(
        f"{1 - one / variance:.3f}".replace("-", "−") if variance > 0 else "–" for one in squares
    )
    scores = (
        Score("Mean absolute error", "lower is better", texts),
        Score("Root mean squared error", "lower is better", roots),
        Score("R²", "share of variance explained", explained),
    )
    error = unit * (float((weights**2) @ ((gaps[0] - maes[0]) / unit) ** 2)) ** 0.5
    headline = (
        f"Predictions of held-out cases are off by {texts[0]} on average (± "
        f"{amount_text(held.feature, error)}, one standard error); always predicting the median "
        f"would be off by {texts[2]}."
    )
    return scores, headline


def _variance(held: HeldOut, unit: float) -> float:
    """The variance of the true values, in square units; of a cyclic number about its mean."""
    mean = np.full(len(held.truth), held.target.mean)
    around = (held.target.near(held.truth, mean) - mean) / unit
    return float(held.weights @ (around - held.weights @ around) ** 2)


def _confusion(held: HeldOut) -> ConfusionMatrix:
    truth, predicted = held.truth.astype(np.intp), held.predicted.values.astype(np.intp)
    labels = held.labels
    counts = np.zeros((len(labels), len(labels)))
    np.add.at(counts, (truth, predicted), held.weights * len(truth))
    if len(labels) > _MOST_CLASSES:
        labels, counts = _rare_as_one(labels, counts)
    return ConfusionMatrix(labels, tuple(tuple(row) for row in counts.tolist()))


def _rare_as_one(labels: tuple[str, ...], counts: Floats) -> tuple[tuple[str, ...], Floats]:
    """Count the rarest classes as one."""
    order = np.argsort(-counts.sum(axis=1), kind="stable")
    kept = np.sort(order[: _MOST_CLASSES - 1])
    group = np.full(len(labels), len(kept))
    group[kept] = np.arange(len(kept))
    merged = np.zeros((len(kept) + 1, len(kept) + 1))
    np.add.at(merged, (group[:, None], group[None, :]), counts)
    return (*(labels[at] for at in kept), f"{len(labels) - len(kept)} others"), merged
