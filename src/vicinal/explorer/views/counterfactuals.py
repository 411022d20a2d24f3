"""What would change a prediction, under constraints."""

from __future__ import annotations

from typing import Any

from vicinal.counterfactual.find import Question, find_counterfactuals
from vicinal.counterfactual.result import Counterfactual, Counterfactuals, Relaxation
from vicinal.exceptions import ParameterError
from vicinal.explorer.requests import CounterfactualRequest, Goal
from vicinal.explorer.state import State
from vicinal.explorer.subjects import excluded, one_row, rows_of
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number, value_from_json
from vicinal.formatting.values import format_pair, json_value
from vicinal.schema.feature import Feature
from vicinal.side_by_side import given_values

Json = dict[str, Any]


def find_changes(state: State, asked: CounterfactualRequest) -> Json:
    """Find the smallest changes that lead to the wanted prediction."""
    fitted = state.fitted
    target = state.target_of(asked.target)
    row = one_row(rows_of(state, asked, target))
    predictor = state.predictor(target, row.columns)
    [given] = given_values(fitted.schema, row.names, row.values, row.table)
    counted = set(row.columns.tolist())
    given = {name: one for name, one in given.items() if fitted.schema.column(name) in counted}
    state.judging(row.columns)
    question = Question(fitted, target, given, row.values[0], row.columns, int(excluded(row)[0]))
    found = find_counterfactuals(
        question, predictor, _goal(asked.wanted, fitted.schema[target]), **_limits(state, asked)
    )
    return _answer(state, found)


def _limits(state: State, asked: CounterfactualRequest) -> Json:
    schema = state.fitted.schema
    return {
        "immutable": asked.immutable,
        "ranges": {
            name: tuple(value_from_json(end, schema[name]) for end in ends)
            for name, ends in asked.ranges.items()
        },
        "directions": dict(asked.directions),
        "allowed": {
            name: [value_from_json(one, schema[name]) for one in values]
            for name, values in asked.allowed.items()
        },
        "n": asked.n,
    }


def _goal(wanted: Any, feature: Feature) -> Any:
    if not isinstance(wanted, Goal):
        return value_from_json(wanted, feature)
    if wanted.any is not None:
        return [value_from_json(one, feature) for one in wanted.any]
    if wanted.low is None and wanted.high is None:
        raise ParameterError('wanted has no limit; expected a class, {"low": …} or {"high": …}.')
    return tuple(value_from_json(end, feature) for end in (wanted.low, wanted.high))


def _answer(state: State, found: Counterfactuals) -> Json:
    relaxed = found.relaxation
    return {
        "target": found.target,
        "message": found.message,
        "counterfactuals": [_change(state, one) for one in found],
        "relaxation": None if relaxed is None else _relaxation(state, relaxed),
    }


def _relaxation(state: State, relaxed: Relaxation) -> Json:
    return {
        "constraints": [
            {"argument": argument, "feature": name} for argument, name in relaxed.constraints
        ],
        "text": str(relaxed),
        "counterfactual": _change(state, relaxed.counterfactual),
    }


def _change(state: State, one: Counterfactual) -> Json:
    shares = one.probabilities or {}
    return {
        **case_name(state.fitted, one.case),
        "changes": [
            {
                "feature": name,
                "from": json_value(before),
                "to": json_value(after),
                **dict(zip(("from_text", "to_text"), format_pair(before, after), strict=True)),
            }
            for name, (before, after) in one.changes.items()
        ],
        "row": {name: json_value(value) for name, value in one.row.items()},
        "prediction": json_value(one.prediction),
        "probabilities": [
            {"class": json_value(c), "probability": float(p)} for c, p in shares.items()
        ],
        "conviction": number(one.conviction),
    }
