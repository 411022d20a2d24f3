"""Surprising labels, and which of them are likely wrong, given what the other cases suggest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.fitted import Rows
from vicinal.formatting.durations import format_seconds, is_time, whole_seconds
from vicinal.formatting.values import format_percent, format_value, json_value
from vicinal.index.memory import return_memory
from vicinal.influence.answer import Answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.predictor import Predictor
from vicinal.quality.findings import Finding, LabelErrors
from vicinal.quality.label_classes import (
    classes_are_predictable,
    contestable,
    suspect_classes,
)
from vicinal.quality.label_margins import label_margins
from vicinal.quality.label_noise import likely_wrong
from vicinal.quality.label_numbers import suspect_numbers
from vicinal.typing import Bools, Floats


def find_label_errors(
    predictor: Predictor, cases: Rows, false_discovery_rate: float
) -> tuple[list[Finding], dict[int, float]]:
    """List stored cases whose outcome is likely wrong or surprising, and score every case.

    Parameters
    ----------
    predictor : Predictor
        Predicts the target whose values are checked.
    cases : Rows
        Stored cases, each predicted leave-one-out.
    false_discovery_rate : float
        Expected share of right outcomes among those called likely wrong.

    Returns
    -------
    findings : list of Finding
        The likely errors (``"label"``), then outcomes that are only ``"surprising"``, each with
        the highest scores first.
    scores : dict of int to float
        The score of every case by number; NaN if it has no outcome.
    """
    answered = predictor.left_out(cases.numbers)
    return_memory(predictor.index)
    truth = predictor.target.outcomes_of(cases.numbers)
    errors = _label_errors(predictor, cases, truth, answered, false_discovery_rate)
    score = np.where(np.isnan(errors.score), -np.inf, errors.score)
    listed = np.flatnonzero(errors.likely | errors.surprising)
    ranked = listed[np.lexsort((-score[listed], ~errors.likely[listed]))]
    has = predictor.fitted.predicted(truth[ranked], predictor.column)
    suggested = predictor.fitted.predicted(errors.suggested[ranked], predictor.column)
    influential = _most_influential(predictor, cases.take(ranked))
    findings = []
    for at, place in enumerate(ranked.tolist()):
        support = float(errors.support[place])
        if answered.probabilities is not None:
            words = f"{has[at]!r}; the other cases suggest {suggested[at]!r} "
            words += f"({format_percent(support)})"
        else:
            size = format_seconds if is_time(suggested[at]) else format_value
            words = f"{format_value(has[at])}; the other cases suggest "
            words += f"{format_value(whole_seconds(suggested[at]))} "
            words += f"(±{size(float(f'{support:.3g}'))})"
        details = {
            "has": json_value(has[at]),
            "suggested": json_value(suggested[at]),
            "support": support,
            "because_of": influential[at],
        }
        most = ", ".join(map(predictor.fitted.labels.text, influential[at][:3]))
        words = f"{predictor.name} is {words}" + f", most of all {most}" * bool(most)
        kind = "label" if errors.likely[place] else "surprising"
        case = int(cases.numbers[place])
        findings.append(Finding(kind, case, predictor.name, float(score[place]), words, details))
    return findings, dict(zip(cases.numbers.tolist(), errors.score.tolist(), strict=True))


def _label_errors(
    predictor: Predictor, cases: Rows, truth: Floats, answered: Answer, rate: float
) -> LabelErrors:
    if answered.probabilities is not None:
        weights = predictor.index.weights_of(cases.numbers)
        errors = suspect_classes(truth, answered.probabilities, weights)
        if not classes_are_predictable(truth, answered.probabilities, weights):
            return replace(errors, surprising=np.zeros_like(errors.surprising))
        likely = _wrong_classes(predictor, cases, truth, answered, errors.surprising, rate)
        return replace(errors, likely=likely)
    assert answered.spread is not None
    scale = predictor.calibration.scale(answered.spread)
    off = predictor.target.near(truth, answered.values) - answered.values
    return suspect_numbers(off, answered.values, scale, false_discovery_rate=rate)


def _wrong_classes(
    predictor: Predictor,
    cases: Rows,
    truth: Floats,
    answered: Answer,
    surprising: Bools,
    rate: float,
) -> Bools:
    """Return which surprising classes are likely wrong; see `vicinal.quality.label_noise`."""
    assert answered.probabilities is not None
    predicted = answered.probabilities.argmax(axis=1)
    known = ~np.isnan(truth)
    weights = predictor.index.weights_of(cases.numbers)
    candidates = surprising & contestable(truth, predicted, weights)
    likely = np.zeros(len(truth), dtype=bool)
    if not candidates.any():
        return likely
    margins = label_margins(predictor, cases, predicted)[known]
    likely[known] = likely_wrong(
        margins,
        (predicted != truth)[known],
        candidates[known],
        answered.probabilities.shape[1],
        rate,
        None if weights is None else weights[known],
    )
    return likely


def _most_influential(predictor: Predictor, cases: Rows) -> list[list[int]]:
    """Return the five cases with the most influence on the prediction of each case."""
    if not len(cases):
        return []
    merged = CaseInfluences.merged(predictor.influences(cases), predictor.target)
    return [[int(case) for case in row[:5] if case >= 0] for row in merged.indices]
