"""Predictions of rows, with intervals and sets; and what changes if values do."""

from __future__ import annotations

from typing import Any

from vicinal.conviction.results import Convictions, convictions_of
from vicinal.explain.explanation.parts import RowConviction
from vicinal.explain.explanation.text import conviction_sentence
from vicinal.explorer.requests import PredictRequest, WhatIfRequest
from vicinal.explorer.state import State
from vicinal.explorer.subjects import one_row, rows_of
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number
from vicinal.explorer.views.schema import target_kind
from vicinal.fitted import Rows
from vicinal.formatting.values import format_percent, format_value, json_list, json_value
from vicinal.influence.answer import Answer
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.interval import interval
from vicinal.prediction.predictor import Predictor
from vicinal.prediction.rule import deciding
from vicinal.schema.decode import decode_rows

Json = dict[str, Any]


def predict_rows(state: State, asked: PredictRequest) -> Json:
    """Predict rows."""
    target = state.target_of(asked.target)
    rows = rows_of(state, asked, target)
    predictor = deciding(state.predictor(target, rows.columns), asked.decision, asked.class_weight)
    return {
        "target": target,
        "target_kind": target_kind(state, target),
        "alpha": asked.alpha,
        "predictions": answers_of(predictor, predictor.answer(rows), asked.alpha),
    }


def answers_of(predictor: Predictor, answered: Answer, alpha: float) -> list[Json]:
    """Return predictions as JSON, with an interval or a set."""
    fitted, column = predictor.fitted, predictor.column
    values = json_list(fitted.predicted(answered.values, column))
    given = answered.probabilities
    if given is None:
        low, high = interval(predictor, answered, alpha)
        return [
            {"prediction": value, "probabilities": None, "set": None, "interval": [a, b]}
            for value, a, b in zip(values, json_list(low), json_list(high), strict=True)
        ]
    order = fitted.schema.storage[column].class_order
    labels = json_list(order)
    shares = fitted.by_class(given, column)
    within = fitted.by_class(predictor.prediction_set(answered, alpha), column)
    return [
        {
            "prediction": value,
            "probabilities": [
                {"class": labels[at], "probability": float(own[at])}
                for at in (-own).argsort(kind="stable").tolist()
            ],
            "set": [label for label, is_in in zip(labels, members, strict=True) if is_in],
            "interval": None,
        }
        for value, own, members in zip(values, shares, within, strict=True)
    ]


def what_if(state: State, asked: WhatIfRequest) -> Json:
    """Return what is predicted for a row, before and after changes."""
    target = state.target_of(asked.target)
    after = one_row(rows_of(state, asked, target))
    changed = [name for name in asked.changes or () if name != target]
    before = None
    if changed:
        unchanged = asked.model_copy(update={"changes": None})
        own = one_row(rows_of(state, unchanged, target))
        if asked.rows is None:
            # A stored case is changed many times in a row, and what was before stays the same.
            key = ("before", unchanged.model_dump_json())
            before = state.kept(key, lambda: _moment(state, own, target, asked))
        else:
            before = _moment(state, own, target, asked)
    return {
        "target": target,
        "changed": changed,
        "before": before,
        "after": _moment(state, after, target, asked),
        "row": row_values(state, after),
    }


def row_values(state: State, rows: Rows) -> Json:
    """Return the values of one row as JSON."""
    schema = state.fitted.schema
    return {
        name: json_value(decode_rows(rows.values[:1, schema.column(name)], schema[name])[0])
        for name in rows.names
    }


def _moment(state: State, row: Rows, target: str, asked: WhatIfRequest) -> Json:
    predictor = state.predictor(target, row.columns)
    found = predictor.influences(row)
    [answer] = answers_of(predictor, predictor.answer(row), asked.alpha)
    return {
        **answer,
        "headline": headline(target, answer, asked.alpha),
        "conviction": judged(state, row),
        "cases": influential(
            predictor, CaseInfluences.merged(found, predictor.target), asked.n_cases
        ),
    }


def headline(target: str, answer: Json, alpha: float) -> str:
    """Return a prediction in one line."""
    text = f"{format_value(target)} = {format_value(answer['prediction'])}"
    if answer["probabilities"] is not None:
        [share] = [
            one["probability"]
            for one in answer["probabilities"]
            if one["class"] == answer["prediction"]
        ][:1] or [float("nan")]
        return f"{text} ({format_percent(share)})"
    low, high = (("…" if end is None else format_value(end)) for end in answer["interval"])
    return f"{text}, between {low} and {high} ({100 * (1 - alpha):.4g} %)"


def judged(state: State, row: Rows) -> Json:
    """Say how surprising a row is, compared with all cases or the sample that stands for them."""
    return conviction_of(convictions_for(state, row), 0)


def convictions_for(state: State, rows: Rows, *, familiarity: bool = False) -> Convictions:
    """Return the convictions of rows, compared with all cases or with a sample of many."""
    return convictions_of(state.judging(rows.columns), rows, with_familiarity=familiarity)


def conviction_of(found: Convictions, at: int) -> Json:
    """Return the conviction of one row as JSON, with a sentence."""
    familiarity = None if found.familiarity is None else float(found.familiarity[at])
    one = RowConviction(
        float(found.similarity[at]),
        float("nan") if familiarity is None else familiarity,
        float(found.p_value[at]),
        str(found.direction[at]),
    )
    return {
        "similarity": number(one.similarity),
        "familiarity": number(familiarity),
        "p_value": number(one.p_value),
        "direction": one.direction,
        "text": conviction_sentence(one),
    }


def influential(predictor: Predictor, found: CaseInfluences, count: int) -> list[Json]:
    """Return the most influential cases of the first row."""
    fitted = predictor.fitted
    there = found.indices[0] >= 0
    numbers, shares = found.indices[0][there][:count], found.shares[0][there][:count]
    outcomes = fitted.decoded(predictor.target.outcomes_of(numbers), predictor.column)
    return [
        {**case_name(fitted, case), "influence": float(share), "outcome": json_value(outcome)}
        for case, share, outcome in zip(numbers.tolist(), shares, outcomes, strict=True)
    ]
