"""Two selections compared: what differs, and how well each is predicted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats

from vicinal.exceptions import ParameterError
from vicinal.explorer.computed import CasePredictions
from vicinal.explorer.filters import selected
from vicinal.explorer.requests import GroupsRequest
from vicinal.explorer.state import State
from vicinal.explorer.values import number
from vicinal.explorer.views.fairness import fairness_of
from vicinal.formatting.values import format_percent, format_value
from vicinal.schema.kinds import Kind
from vicinal.typing import Bools, Floats

Json = dict[str, Any]
#: Cases of a selection that are compared, at most, and bars of a distribution.
_MOST, _BARS = 20_000, 12


def compare_groups(state: State, asked: GroupsRequest) -> Json:
    """Compare two selections; the second is by default all cases that are not in the first."""
    target = (
        None if asked.target is None and state.target is None else state.target_of(asked.target)
    )
    n_cases = len(state.table)
    mask_a = selected(state, asked.a, target)
    a = np.ones(n_cases, dtype=bool) if mask_a is None else mask_a
    b = ~a
    if asked.b is not None:
        mask_b = selected(state, asked.b, target)
        b = np.ones(n_cases, dtype=bool) if mask_b is None else mask_b
    for name, mask in (("first", a), ("second", b)):
        if not mask.any():
            raise ParameterError(f"The {name} selection has no case; expected at least one.")
    found = None if target is None else state.result("predictions", target)
    names = state.fitted.schema.names
    features = [_feature(state, name, a, b) for name in names]
    features.sort(key=lambda one: -(one["gap"] or 0.0))
    known = None if found is None else np.isin(state.table.numbers, found.numbers)
    counts = {
        side: {
            "cases": int(mask.sum()),
            "computed": 0 if known is None else int((mask & known).sum()),
        }
        for side, mask in (("a", a), ("b", b))
    }
    answer: Json = {**counts, "features": features, "quality": None, "fairness": None}
    if found is not None:
        sides = [np.isin(found.numbers, state.table.numbers[mask]) for mask in (a, b)]
        answer["quality"] = {"measures": _quality(found, *sides)}
        if asked.protected is not None:
            assert target is not None
            answer["fairness"] = fairness_of(
                state, found, target, asked.protected, asked.positive, sides[0] | sides[1]
            )
    return answer


def _feature(state: State, name: str, a: Bools, b: Bools) -> Json:
    """Compare the distributions of one feature."""
    values, feature = state.table.column(name), state.fitted.schema[name]
    own, other = _some(values[a]), _some(values[b])
    nominal = feature.kind is Kind.NOMINAL
    gap, p_value = (_nominal_gap if nominal else _ordered_gap)(own, other)
    texts = [_text(state, name, one) for one in (own, other)]
    return {
        "feature": name,
        "kind": str(feature.kind),
        "gap": number(gap),
        "p_value": number(p_value),
        "a": {"text": texts[0], "missing": int(np.isnan(values[a]).sum())},
        "b": {"text": texts[1], "missing": int(np.isnan(values[b]).sum())},
        "distribution": _distribution(state, name, own, other),
    }


def _some(values: Floats) -> Floats:
    """Return at most so many values, evenly spread over the selection."""
    if len(values) <= _MOST:
        return values
    return values[np.linspace(0, len(values) - 1, _MOST).astype(np.intp)]


def _nominal_gap(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the total variation distance, and the p-value of a χ² test; missing is a category."""
    codes, places = np.unique(np.nan_to_num(np.concatenate([a, b]), nan=-1.0), return_inverse=True)
    counts = np.array(
        [np.bincount(some, minlength=len(codes)) for some in (places[: len(a)], places[len(a) :])],
        dtype=np.float64,
    )
    shares = counts / counts.sum(axis=1, keepdims=True)
    gap = float(np.abs(shares[0] - shares[1]).sum() / 2)
    return gap, float(stats.chi2_contingency(counts).pvalue) if len(codes) > 1 else 1.0


def _ordered_gap(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the largest difference of the distributions, and the p-value of it."""
    known = a[~np.isnan(a)], b[~np.isnan(b)]
    if not (len(known[0]) and len(known[1])):
        differs = bool(len(known[0])) != bool(len(known[1]))
        return float(differs), 0.0 if differs else 1.0
    found = stats.ks_2samp(*known, method="asymp")
    return float(found.statistic), float(found.pvalue)


def _text(state: State, name: str, values: Floats) -> str:
    """Return the median, or the most frequent category with its share."""
    known, column = values[~np.isnan(values)], state.fitted.schema.column(name)
    if not len(known):
        return "all missing"
    if state.fitted.schema[name].kind is Kind.NOMINAL:
        codes, counts = np.unique(known, return_counts=True)
        most = counts.argmax()
        share = format_percent(float(counts[most] / len(known)))
        return f"{format_value(state.fitted.decoded(codes[[most]], column)[0])} {share}"
    median = np.quantile(known, 0.5, method="inverted_cdf")
    return f"median {format_value(state.fitted.decoded(np.array([median]), column)[0])}"


def _distribution(state: State, name: str, a: Floats, b: Floats) -> Json:
    column = state.fitted.schema.column(name)
    nominal = state.fitted.schema[name].kind is Kind.NOMINAL
    known = [one[~np.isnan(one)] for one in (a, b)]
    values = np.concatenate(known)
    distinct, counts = np.unique(values, return_counts=True)
    if nominal or len(distinct) <= _BARS:
        shown = np.sort(np.argsort(-counts, kind="stable")[:_BARS])
        if nominal:
            shown = shown[np.argsort(-counts[shown], kind="stable")]
        bars = [[_share(one == value) for value in distinct[shown]] for one in known]
        labels = [format_value(one) for one in state.fitted.decoded(distinct[shown], column)]
    else:
        edges = np.linspace(distinct[0], distinct[-1], _BARS + 1)
        bars = [(np.histogram(one, edges)[0] / max(len(one), 1)).tolist() for one in known]
        texts = [format_value(one) for one in state.fitted.decoded(edges, column)]
        labels = [f"{low} to {high}" for low, high in pairwise(texts)]
    return {"labels": labels, "a": bars[0], "b": bars[1], "ordered": not nominal}


def _share(mask: Bools) -> float:
    return float(mask.mean()) if len(mask) else 0.0


def _quality(found: CasePredictions, a: Bools, b: Bools) -> list[Json]:
    """Return measures of quality of both selections, with standard errors of means."""
    known = ~np.isnan(found.truth)
    a, b = a & known, b & known
    if found.is_class:
        measures: list[tuple[str, Callable[[Bools], Floats], str, str]] = [
            ("Accuracy", lambda m: _rights(found, m), "share", "higher"),
            (
                "Mean probability of the true class",
                lambda m: 1 - found.error[m],
                "share",
                "higher",
            ),
            ("Log loss", lambda m: _log_losses(found.error[m]), "nats", "lower"),
        ]
    else:
        measures = [
            ("Mean absolute error", lambda m: found.error[m], "number", "lower"),
            ("Mean error (bias)", lambda m: found.signed[m], "number", "near 0"),
            ("Coverage of 90 % intervals", lambda m: _rights(found, m), "share", "near 0.9"),
        ]
    rows = [
        {
            "name": name,
            **_mean("a", values(a)),
            **_mean("b", values(b)),
            "unit": unit,
            "better": better,
        }
        for name, values, unit, better in measures
    ]
    if not found.is_class:
        rows.append(
            {
                "name": "R²",
                "a": number(_explained(found, a)),
                "b": number(_explained(found, b)),
                "a_error": None,
                "b_error": None,
                "unit": "share",
                "better": "higher",
            }
        )
    return rows


def _rights(found: CasePredictions, mask: Bools) -> Floats:
    return np.where(found.wrong[mask], 0.0, 1.0)


def _log_losses(errors: Floats) -> Floats:
    return np.asarray(-np.log(np.maximum(1 - errors, 1e-9)), dtype=np.float64)


def _mean(side: str, values: Floats) -> Json:
    count = len(values)
    if not count:
        return {side: None, f"{side}_error": None}
    error = float(values.std(ddof=1) / count**0.5) if count > 1 else None
    return {side: number(values.mean()), f"{side}_error": number(error)}


def _explained(found: CasePredictions, mask: Bools) -> float:
    truth = found.truth[mask]
    if len(truth) < 2 or not np.ptp(truth) > 0:
        return float("nan")
    unit = float(np.abs(truth - truth.mean()).max())
    residual = float(((found.signed[mask] / unit) ** 2).mean())
    return 1 - residual / float((((truth - truth.mean()) / unit) ** 2).mean())
