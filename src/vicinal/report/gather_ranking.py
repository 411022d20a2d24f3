"""How well probabilities rank held-out cases, and what other decisions would change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vicinal.formatting.values import format_percent
from vicinal.prediction.decision import Decision, balanced_weights
from vicinal.prediction.goals import GOALS, counts
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import Decisions, Ranking
from vicinal.report.ranking import RankedCases
from vicinal.report.scales import Point
from vicinal.typing import Bools, Floats, Places

#: Classes that are ranked at most, and points of a curve.
_MOST_CLASSES, _MOST_POINTS = 6, 120
#: The share of the cases, those ranked first, whose lift is shown.
_FIRST = 0.1
#: Thresholds of the second of two classes, and points of the curves over them.
_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_CURVE_POINTS = 41


def gather_rankings(held: HeldOut) -> tuple[Ranking, ...]:
    """Rank held-out cases by the probability of each class; of two classes, of the rarer one."""
    given = _given(held)
    found = []
    for code in _ranked_classes(held):
        positive = held.truth == code
        if positive.any() and not positive.all():
            ranked = RankedCases.of(given[:, code], positive, held.weights)
            found.append(_ranking(held.labels[code], ranked))
    return tuple(found)


def brier_scores(held: HeldOut, given: Floats) -> Floats:
    """Return the squared error of the probabilities of each case, halved: from 0 to 1."""
    truth = held.truth.astype(np.intp)
    squares = (given**2).sum(axis=1) - 2 * given[np.arange(len(truth)), truth] + 1.0
    brier: Floats = squares / 2
    return brier


def gather_decisions(held: HeldOut, first: Bools) -> Decisions | None:
    """Compare decision rules; tuned ones are learned on one half and judged on the other.

    None if only one class occurs.
    """
    codes = np.flatnonzero(held.target.shares > 0)
    codes = codes[np.argsort(-held.target.shares[codes], kind="stable")]
    if len(codes) < 2:
        return None
    given = _given(held)[:, codes]
    place = np.zeros(len(held.labels), dtype=np.intp)
    place[codes] = np.arange(len(codes))
    truth = place[held.truth.astype(np.intp)]
    true, _ = counts(truth, truth, held.weights, len(codes))
    rows = []
    for name, chosen in _rules(held, given, truth, first):
        hits, predicted = counts(truth, chosen, held.weights, len(codes))
        scores = [float(goal(hits, predicted, true)) for goal in GOALS.values()]
        texts = [f"{100 * score:.1f} %" for score in scores[:3]] + [f"{scores[3]:.2f}"]
        if len(codes) == 2:
            texts += [_share(hits[1], true[1]), _share(hits[1], predicted[1])]
        rows.append((name, tuple(texts)))
    rare = held.labels[codes[1]] if len(codes) == 2 else ""
    if not rare:
        return Decisions(rare, tuple(rows), ())
    ranked = given[:, 1], truth == 1, held.weights
    return Decisions(rare, tuple(rows), _thresholds(*ranked), _threshold_curves(*ranked))


def _rules(
    held: HeldOut, given: Floats, truth: Places, first: Bools
) -> Iterator[tuple[str, Places]]:
    """Yield decision rules by the parameters that ask for them, and what they choose."""
    yield "Most probable class (default)", given.argmax(axis=1)
    shares = held.target.shares
    weights = balanced_weights(np.sort(shares[shares > 0])[::-1])
    yield 'class_weight="balanced"', Decision.weighted(weights).choose(given)
    for goal in GOALS:
        chosen = given.argmax(axis=1)
        for half in (first, ~first):
            if half.any() and not half.all():
                tuned = Decision.tuned(goal, given[~half], truth[~half], held.weights[~half])
                chosen[half] = tuned.choose(given[half])
        yield f'decision="{goal}"', chosen


def _thresholds(scores: Floats, positive: Bools, weights: Floats) -> tuple[tuple[str, ...], ...]:
    rows = []
    for threshold in _THRESHOLDS:
        flagged = scores >= threshold
        hits = float(weights @ (flagged & positive))
        texts = [_share(hits, float(weights @ one)) for one in (positive, flagged)]
        # Of two errors, one costs (1 − t)/t times the other where the threshold is best.
        ratio = f"{(1 - threshold) / threshold:.3g} : 1"
        rows.append((f"{threshold:g}", ratio, *texts, format_percent(float(weights @ flagged))))
    return tuple(rows)


def _threshold_curves(
    scores: Floats, positive: Bools, weights: Floats
) -> tuple[tuple[str, tuple[Point, ...]], ...]:
    """Recall, precision and share predicted, at evenly spaced thresholds."""
    places = np.linspace(0.0, 1.0, _CURVE_POINTS)
    flagged = scores[:, None] >= places
    total, hits = weights @ flagged, (weights * positive) @ flagged
    known = total > 0  # nothing predicted has no precision
    return (
        ("recall", _points(places, hits / (weights @ positive))),
        ("precision", _points(places[known], hits[known] / total[known])),
        ("share predicted", _points(places, total / weights.sum())),
    )


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else "–"


def _given(held: HeldOut) -> Floats:
    assert held.predicted.probabilities is not None
    return held.predicted.probabilities


def _ranked_classes(held: HeldOut) -> list[int]:
    """Return the codes of the classes that are ranked, most frequent first."""
    order = np.argsort(-held.target.shares, kind="stable")
    order = order[held.target.shares[order] > 0]
    return order[1:].tolist() if len(order) == 2 else order[:_MOST_CLASSES].tolist()


def _ranking(label: str, ranked: RankedCases) -> Ranking:
    some = np.unique(np.linspace(0, len(ranked.recall) - 1, _MOST_POINTS).astype(int))
    return Ranking(
        label=label,
        rate=ranked.rate,
        auc=ranked.auc,
        average_precision=ranked.average_precision,
        ks=ranked.ks,
        lift=ranked.lift(_FIRST),
        roc=_points(ranked.false_alarms[some], ranked.recall[some]),
        precision_recall=_points(ranked.recall[some][1:], ranked.precision[some][1:]),
        gains=_points(ranked.flagged[some], ranked.recall[some]),
    )


def _points(x: Floats, y: Floats) -> tuple[Point, ...]:
    return tuple(zip(x.tolist(), y.tolist(), strict=True))
