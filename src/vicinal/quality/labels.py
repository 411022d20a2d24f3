"""Label errors: cases whose outcome is likely wrong, given what the other cases suggest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vicinal.fitted import Rows
from vicinal.formatting.values import format_value, json_value
from vicinal.influence.answer import Answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.predictor import Predictor
from vicinal.quality.findings import Finding
from vicinal.typing import Bools, Floats

#: Added to probabilities before their logarithm is taken, so that scores stay finite.
_SMALLEST_PROBABILITY = 1e-3


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """How far each case's outcome is from what the other cases suggest; arrays run over cases."""

    #: The larger, the more likely the outcome is wrong. NaN if there is none.
    score: Floats
    suggested: Floats  # what the other cases suggest: an encoded value or class code
    #: Classes: the probability of the suggested class. Numbers: the local scale of errors.
    support: Floats
    likely: Bools  # whether the outcome is more likely wrong than right


def find_label_errors(predictor: Predictor, cases: Rows) -> tuple[list[Finding], dict[int, float]]:
    """List stored cases whose outcome is likely wrong, and score every case.

    Parameters
    ----------
    predictor : Predictor
        Predicts the target whose values are checked.
    cases : Rows
        Stored cases, each predicted leave-one-out.

    Returns
    -------
    findings : list of Finding
        The likely errors, most suspicious first.
    scores : dict of int to float
        The score of every case by number; NaN if it has no outcome.
    """
    answered = predictor.answer(cases)
    truth = predictor.target.outcomes_of(cases.numbers)
    errors = _label_errors(predictor, cases, truth, answered)
    score = np.where(np.isnan(errors.score), -np.inf, errors.score)
    likely = np.flatnonzero(errors.likely)
    ranked = likely[np.argsort(-score[likely], kind="stable")]
    has = predictor.fitted.predicted(truth[ranked], predictor.column)
    suggested = predictor.fitted.predicted(errors.suggested[ranked], predictor.column)
    influential = _most_influential(predictor, cases.take(ranked))
    findings = []
    for at, place in enumerate(ranked.tolist()):
        support = float(errors.support[place])
        if answered.probabilities is not None:
            words = f"{has[at]!r}; the other cases suggest {suggested[at]!r} ({support:.0%})"
        else:
            words = f"{format_value(has[at])}; the other cases suggest "
            words += f"{format_value(suggested[at])} (±{support:.3g})"
        details = {
            "has": json_value(has[at]),
            "suggested": json_value(suggested[at]),
            "support": support,
            "because_of": influential[at],
        }
        most = ", ".join(map(predictor.fitted.labels.text, influential[at][:3]))
        words = f"{predictor.name} is {words}" + f", most of all {most}" * bool(most)
        case = int(cases.numbers[place])
        findings.append(
            Finding("label", case, predictor.name, float(score[place]), words, details)
        )
    return findings, dict(zip(cases.numbers.tolist(), errors.score.tolist(), strict=True))


def _label_errors(
    predictor: Predictor, cases: Rows, truth: Floats, answered: Answer
) -> LabelErrors:
    if answered.probabilities is not None:
        weights = predictor.index.weights_of(cases.numbers)
        errors = suspect_classes(truth, answered.probabilities, weights)
        if not classes_are_predictable(truth, answered.probabilities, weights):
            errors = replace(errors, likely=np.zeros_like(errors.likely))
        return errors
    assert answered.spread is not None
    scale = predictor.calibration.scale(answered.spread)
    off = predictor.target.near(truth, answered.values) - answered.values
    return suspect_numbers(off, answered.values, scale)


def _most_influential(predictor: Predictor, cases: Rows) -> list[list[int]]:
    """Return the five cases with the most influence on the prediction of each case."""
    if not len(cases):
        return []
    merged = CaseInfluences.merged(predictor.influences(cases), predictor.target)
    return [[int(case) for case in row[:5] if case >= 0] for row in merged.indices]


def suspect_classes(
    codes: Floats, probabilities: Floats, weights: Floats | None = None
) -> LabelErrors:
    """Suspect classes to which the other cases give little probability.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The class that each case has; NaN for none.
    probabilities : ndarray of shape (n, n_classes)
        Leave-one-out predictions.
    weights : ndarray of shape (n,), optional
        Case weights.

    Notes
    -----
    The score is the surprisal of the class less that of the most probable other one, in nats: how
    strongly the other cases support another class. A class is likely wrong if another one is more
    probable, and at least as probable as it usually is for its own cases (confident learning,
    Northcutt et al. 2021).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.labels import suspect_classes
    >>> predicted = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05]])
    >>> errors = suspect_classes(np.array([0.0, 0.0, 1.0, 1.0]), predicted)
    >>> errors.likely.tolist(), errors.suggested[3]
    ([False, False, False, True], np.float64(0.0))
    """
    known = ~np.isnan(codes)
    own = np.where(known, codes, 0.0).astype(np.intp)
    rows = np.arange(len(codes))
    given = np.where(known, probabilities[rows, own], np.nan)
    mass = known * (1.0 if weights is None else weights)
    total = np.bincount(own, weights=mass, minlength=probabilities.shape[1])
    sums = np.bincount(own, weights=mass * np.nan_to_num(given), minlength=probabilities.shape[1])
    usual = np.divide(sums, total, out=np.ones_like(sums), where=total > 0)
    others = probabilities.copy()
    others[rows[known], own[known]] = -1.0
    best = others.argmax(axis=1)
    support = others[rows, best]
    likely = known & (support > np.nan_to_num(given, nan=2.0)) & (support >= usual[best])
    support = np.maximum(support, 0.0)
    score = np.log(support + _SMALLEST_PROBABILITY) - np.log(given + _SMALLEST_PROBABILITY)
    return LabelErrors(score, best.astype(np.float64), support, likely)


def classes_are_predictable(
    codes: Floats, probabilities: Floats, weights: Floats | None = None
) -> bool:
    r"""Return whether the other cases predict the class of a case better than chance.

    If they do not, their predictions are no evidence of label errors.

    Parameters
    ----------
    codes, probabilities, weights
        As in `suspect_classes`.

    Notes
    -----
    If classes were independent of the predictions, case i would get :math:`\sum_c p_{ic} s_c` for
    its class on average, with class frequencies s. The mean over cases must exceed this by two
    standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.labels import classes_are_predictable
    >>> codes = np.array([0.0, 1.0] * 10)
    >>> classes_are_predictable(codes, np.tile([0.6, 0.4], (20, 1)))
    False
    >>> classes_are_predictable(codes, np.eye(2)[codes.astype(int)])
    True
    """
    known = ~np.isnan(codes)
    own, predicted = codes[known].astype(np.intp), probabilities[known]
    mass = np.ones(len(own)) if weights is None else weights[known]
    total = float(mass.sum())
    if total <= 0:
        return False
    shares = np.bincount(own, weights=mass, minlength=predicted.shape[1]) / total
    chance = predicted @ shares
    error = float(np.sqrt(mass @ ((predicted - chance[:, None]) ** 2 @ shares))) / total
    gain = float(mass @ (predicted[np.arange(len(own)), own] - chance)) / total
    return gain > 2 * error


def suspect_numbers(
    errors: Floats, values: Floats, scale: Floats, *, most_expected: float = 0.5
) -> LabelErrors:
    """Suspect numbers whose prediction errors are unusually large for this table.

    Parameters
    ----------
    errors : ndarray of shape (n,)
        Outcome minus leave-one-out prediction; NaN if there is no outcome.
    values : ndarray of shape (n,)
        The predictions.
    scale : ndarray of shape (n,)
        Expected size of the errors near each prediction.
    most_expected : float
        Numbers are likely wrong if fewer than this many errors of that size are expected in the
        whole table, given how fast large errors become rare.

    Notes
    -----
    The score is the size of the error in units of the local scale. Beyond the 90 % quantile q,
    scores are assumed to decay exponentially, at the rate between it and the 98 % quantile, which
    a few wrong values do not affect: of n cases, :math:`0.1 n e^{-(s - q)/b}` are expected
    beyond s.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.labels import suspect_numbers
    >>> errors = np.append(np.linspace(-1, 1, 99), 30.0)
    >>> np.flatnonzero(suspect_numbers(errors, np.zeros(100), np.ones(100)).likely)
    array([99])
    """
    score = np.abs(errors) / scale
    known = score[~np.isnan(score)]
    if not len(known):
        return LabelErrors(score, values, scale, np.zeros(len(score), dtype=bool))
    start, end = np.quantile(known, [0.9, 0.98])
    # Between the two quantiles the exponential falls by a factor of 5.
    pace = max((end - start) / np.log(5.0), np.finfo(float).tiny)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = 0.1 * len(known) * np.exp(-(score - start) / pace)
    return LabelErrors(score, values, scale, (score > end) & (expected < most_expected))
