"""Predictions that are explained down to the training cases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vicinal.explain.explanation.amounts import from_to, in_unit
from vicinal.explain.explanation.explain import explain
from vicinal.explain.explanation.parts import FeatureShares, NearCases
from vicinal.explain.explanation.result import Explanation
from vicinal.explain.explanation.text import known_text, residual_text
from vicinal.formatting.values import format_percent, format_signed, format_value
from vicinal.report.held_out import HeldOut
from vicinal.report.parts import Example, NearCase
from vicinal.report.value_texts import value_texts
from vicinal.typing import Floats

#: What is shown of an example, at most.
_CONTRIBUTIONS, _NAMES, _CASES, _BOUNDARY = 10, 8, 5, 2


def choose_examples(held: HeldOut) -> dict[int, str]:
    """Choose cases to explain, each with the reason: a typical one, then the most instructive."""
    predicted = held.predicted
    if predicted.probabilities is not None:
        ranked = np.sort(predicted.probabilities, axis=1)
        top = ranked[:, -1]
        margin = top - ranked[:, -2] if ranked.shape[1] > 1 else top
        right = predicted.values == held.truth
        wanted = [
            (_median_place(np.where(right, top, np.nan)), "a typical prediction"),
            (_lowest_place(np.where(~right, -top, np.nan)), "the most confident error"),
            (_lowest_place(margin), "a close call"),
        ]
    else:
        assert predicted.spread is not None
        wanted = [
            (_median_place(held.scores), "a typical prediction"),
            (_lowest_place(-held.scores), "the largest error relative to the expected error"),
            (_lowest_place(-predicted.spread), "the least certain prediction"),
        ]
    chosen: dict[int, str] = {}
    for at, why in wanted:
        if at is not None:
            chosen.setdefault(int(held.cases[at]), why)
    return chosen


def gather_examples(held: HeldOut, chosen: Mapping[int, str]) -> tuple[Example, ...]:
    """Explain the chosen cases, each predicted without itself and given with the reason."""
    target = held.feature.name
    rows = held.fitted.cases(np.array(list(chosen), dtype=np.int64), target)
    found = explain(held.fitted, rows, target)
    return tuple(_example(held, one, why) for one, why in zip(found, chosen.values(), strict=True))


def _median_place(values: Floats) -> int | None:
    """The place of the median of the values that are known."""
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return None
    return int(known[np.argsort(values[known], kind="stable")[(len(known) - 1) // 2]])


def _lowest_place(values: Floats) -> int | None:
    """The place of the smallest value that is known."""
    return None if np.isnan(values).all() else int(np.nanargmin(values))


def _example(held: HeldOut, one: Explanation, chosen: str) -> Example:
    at = int(np.flatnonzero(held.cases == one.row)[0])
    [truth] = value_texts(held.fitted, held.truth[[at]], held.column)
    shares = one.features
    assert shares is not None
    largest = [shares.names[i] for i in shares.order[:_NAMES]]
    names = tuple(name for name in one.cases.names if name in largest)
    rest = one.cases.influences[_CASES:]
    more = f"{len(rest)} more cases contribute {format_percent(float(rest.sum()))} in total"
    baseline, prediction = from_to(shares, one.prediction)
    unit, values, _ = in_unit(shares, one.prediction)
    what = f" (contributions in {unit})" if unit else ""
    if shares.outcome is not None:
        what = f" (probability of {format_value(shares.outcome)})"
    return Example(
        case=int(one.row),
        chosen=chosen,
        answer=one.headline,
        truth=truth,
        verdict=_verdict(held, at, one.alpha),
        baseline=baseline,
        prediction=prediction + what,
        contributions=_contributions(one, shares, values),
        names=names,
        given=tuple(format_value(one.given[name]) for name in names),
        cases=_near_cases(one.cases, names, _CASES),
        boundary=_near_cases(one.boundary, names, _BOUNDARY),
        more=more if len(rest) else "",
        notes=(known_text(one), residual_text(one)),
        name=held.fitted.labels.text(one.row),
    )


def _contributions(
    one: Explanation, shares: FeatureShares, values: Floats
) -> tuple[tuple[str, str, float, str], ...]:
    most = float(np.abs(values).max(initial=0.0))
    largest = [(shares.names[i], float(values[i])) for i in shares.order[:_CONTRIBUTIONS]]
    return tuple(
        (name, format_value(one.given[name]), value, format_signed(value, most))
        for name, value in largest
    )


def _verdict(held: HeldOut, at: int, alpha: float) -> str:
    """Whether the prediction is correct, or its interval contains the true value."""
    if held.is_class:
        right = bool(held.predicted.values[at] == held.truth[at])
        return "the prediction is correct" if right else "the prediction is incorrect"
    inside = bool(held.scores[at] <= held.predictor.calibration.quantile(alpha))
    return "the interval contains it" if inside else "the interval does not contain it"


def _near_cases(found: NearCases, names: tuple[str, ...], most: int) -> tuple[NearCase, ...]:
    places = [found.names.index(name) for name in names]
    return tuple(
        NearCase(
            int(found.numbers[at]),
            float(found.influences[at]),
            format_value(found.outcomes[at]),
            tuple(format_value(found.values[name][at]) for name in names),
            tuple(bool(found.differs[at][i]) for i in places),
            found.case_labels.text(found.numbers[at]),
        )
        for at in range(min(len(found), most))
    )
