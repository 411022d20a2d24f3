"""Why a prediction is what it is, and two rows side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.explain.case_samples import SAMPLE_SIZE, SAMPLES
from vicinal.explain.explanation.amounts import from_to
from vicinal.explain.explanation.explain import explain
from vicinal.explain.explanation.parts import FeatureShares, NearCases
from vicinal.explain.explanation.result import Explanation
from vicinal.explain.explanation.text import known_text, residual_text
from vicinal.explain.orders import usual_permutations
from vicinal.explorer.limits import MOST_EXPLAINED
from vicinal.explorer.requests import AboutRows, CompareRequest, ExplainRequest, RowReference
from vicinal.explorer.state import State
from vicinal.explorer.subjects import check_count, excluded, one_row, rows_of
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number, numbers
from vicinal.explorer.views.predictions import answers_of
from vicinal.fitted import Rows
from vicinal.formatting.durations import shared_unit
from vicinal.formatting.values import format_value, json_list, json_value
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.terms import case_terms
from vicinal.plots.waterfall import waterfall_steps
from vicinal.schema.decode import decode_column, decode_rows
from vicinal.side_by_side import ONE_RESIDUAL

Json = dict[str, Any]
#: Orders of the features at least, and up to how many cases there are as many as by default.
_LEAST_ORDERS, _FEW_CASES = 8, 20_000


def explain_rows(state: State, asked: ExplainRequest) -> Json:
    """Explain the predictions of some rows."""
    target = state.target_of(asked.target)
    rows = rows_of(state, asked, target)
    check_count(state, len(rows), MOST_EXPLAINED)
    state.predictor(target, rows.columns)
    found = explain(
        state.judging(rows.columns),
        rows,
        target,
        alpha=asked.alpha,
        features={"n_permutations": _orders(state)} if asked.contributions else False,
        n_boundary=asked.n_boundary,
    )
    truth = state.fitted.truth(rows, target)
    column = state.fitted.schema.column(target)
    known = decode_column(truth, state.fitted.schema.storage[column])
    listed = [
        _explanation(state, one, asked.n_cases, known[at], int(excluded(rows)[at]))
        for at, one in enumerate(found)
    ]
    return {"explanations": listed}


def _orders(state: State) -> int:
    """Return how many orders of many features contributions are sampled from: fewer of many cases.

    Of very many, samples predict, which takes no longer however many there are; half as many
    orders as by default are answered within a second. Standard errors are part of the answer.
    """
    usual = usual_permutations(len(state.fitted.schema.names))
    if state.n_cases > SAMPLES * SAMPLE_SIZE:
        return max(_LEAST_ORDERS, usual // 2)
    return max(_LEAST_ORDERS, min(usual, usual * _FEW_CASES // max(state.n_cases, 1)))


def _explanation(state: State, one: Explanation, count: int, truth: Any, case: int) -> Json:
    own = {"case": None, "label": None, "name": f"row {one.row}"}
    if case >= 0:
        own = case_name(state.fitted, case)
    shares = one.probabilities
    cases = _near(state, one.cases)
    residual = one.residual_conviction
    return {
        **own,
        "stored": one.stored,
        "target": one.target,
        "headline": one.headline,
        "prediction": json_value(one.prediction),
        "alpha": one.alpha,
        "interval": None if one.interval is None else json_list(one.interval),
        "set": None if one.labels is None else json_list(one.labels),
        "truth": json_value(truth),
        "probabilities": None
        if shares is None
        else [{"class": json_value(c), "probability": p} for c, p in shares.items()],
        "given": [
            {"feature": name, "value": json_value(value), "text": format_value(value)}
            for name, value in one.given.items()
        ],
        "features": list(one.cases.names),
        "weights": numbers(one.cases.weights),
        "cases": cases[:count],
        "n_contributing": len(cases),
        "rest": float(one.cases.influences[count:].sum()),
        "background": float(one.cases.background),
        "boundary": _near(state, one.boundary),
        "contributions": None if one.features is None else _contributions(one.features, one),
        "conviction": {
            "similarity": number(one.conviction.similarity),
            "familiarity": number(one.conviction.familiarity),
            "p_value": number(one.conviction.p_value),
            "direction": one.conviction.direction,
            "text": known_text(one),
            "features": [
                {"feature": name, "nats": number(nats)} for name, nats in one.conviction.features
            ],
        },
        "residual_conviction": {
            "conviction": number(residual.conviction),
            "text": residual_text(one),
        },
    }


def _near(state: State, near: NearCases) -> list[Json]:
    return [
        {
            **case_name(state.fitted, int(near.numbers[at])),
            "influence": float(near.influences[at]),
            "outcome": json_value(near.outcomes[at]),
            "distance": number(near.distances[at]),
            "values": json_list(near.values[name][at] for name in near.names),
            "terms": numbers(near.terms[at]),
            "differs": near.differs[at].tolist(),
        }
        for at in range(len(near))
    ]


def _contributions(found: FeatureShares, one: Explanation) -> Json:
    unit, size = shared_unit(found.values.tolist()) if found.in_seconds else ("", 1.0)
    low, high = from_to(found, one.prediction)
    limits = None if found.outcome is None else (0.0, 1.0)
    steps, at = [], found.baseline
    for place, step in waterfall_steps(found.baseline, found.values.tolist(), limits):
        name = found.names[place]
        steps.append(
            {
                "feature": name,
                "text": format_value(one.given.get(name)),
                "contribution": number(found.values[place] / size),
                "standard_error": number(found.standard_errors[place] / size),
                "start": number(at / size),
                "end": number((at + step) / size),
            }
        )
        at += step
    return {
        "outcome": json_value(found.outcome),
        "baseline": number(found.baseline / size),
        "prediction": number(found.prediction / size),
        "unit": unit,
        "between": [low, high],
        "exact": not bool(found.standard_errors.any()),
        "steps": steps,
    }


def compare_rows(state: State, asked: CompareRequest) -> Json:
    """Return two rows side by side, and how surprising each difference is."""
    fitted = state.fitted
    a, b = (one_row(rows_of(state, _about(one))) for one in (asked.a, asked.b))
    metric = fitted.metric_of(np.intersect1d(a.columns, b.columns))
    beside = ExactIndex(b.values, fitted.index.kinds)
    first = np.zeros((1, 1), dtype=np.int64)
    terms = case_terms(beside, a.values, first, metric, threads=fitted.threads)[0, 0]
    found = beside.search(a.values, metric, 1, threads=fitted.threads)
    weights = metric.weights / (metric.weights.sum() or 1.0)
    names = [name for name in fitted.schema.names if name in a.names and name in b.names]
    called = [
        None if (case := int(excluded(one)[0])) < 0 else case_name(fitted, case) for one in (a, b)
    ]
    return {
        "a": called[0],
        "b": called[1],
        "distance": number(found.distances[0, 0]),
        "features": [_feature(state, name, a, b, terms, weights) for name in names],
        "predictions": _predictions(state, asked),
    }


def _about(one: RowReference) -> AboutRows:
    given = {"rows": one.row, "cases": one.case, "ids": one.id}
    about = {name: [value] for name, value in given.items() if value is not None}
    return AboutRows.model_validate(about)


def _feature(state: State, name: str, a: Rows, b: Rows, terms: Any, weights: Any) -> Json:
    column, feature = state.fitted.schema.column(name), state.fitted.schema[name]
    own, other = (decode_rows(one.values[:, column], feature)[0] for one in (a, b))
    known = not np.isnan(a.values[0, column]) and not np.isnan(b.values[0, column])
    term = float(terms[column])
    return {
        "feature": name,
        "a": json_value(own),
        "b": json_value(other),
        "a_text": format_value(own),
        "b_text": format_value(other),
        "term": number(term),
        "differs": bool(known and np.nan_to_num(term, nan=SAME) > ONE_RESIDUAL),
        "weight": number(weights[column]),
    }


def _predictions(state: State, asked: CompareRequest) -> Json | None:
    if asked.target is None and state.target is None:
        return None
    target = state.target_of(asked.target)
    answers = {}
    for side, reference in (("a", asked.a), ("b", asked.b)):
        rows = rows_of(state, _about(reference), target)
        predictor = state.predictor(target, rows.columns)
        [answers[side]] = answers_of(predictor, predictor.answer(rows), 0.1)
    return answers
