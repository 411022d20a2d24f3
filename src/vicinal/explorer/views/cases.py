"""Pages of the table, predictions and convictions of some cases, and how many a filter selects."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.conviction.results import directions
from vicinal.exceptions import ParameterError
from vicinal.explorer.computed import predict_cases
from vicinal.explorer.filters import FLAGS, computed_column, flagged, selected
from vicinal.explorer.requests import CasesAnswers, CasesQuery, CasesSummary, Sort
from vicinal.explorer.state import State
from vicinal.explorer.subjects import numbers_of
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number
from vicinal.explorer.views.predictions import convictions_for
from vicinal.formatting.values import json_value
from vicinal.typing import Floats, Places

#: Case numbers that a summary lists.
_LISTED = 1000
_COMPUTED = ("probability", "error", "conviction", "p_value")


def query_cases(state: State, asked: CasesQuery) -> dict[str, Any]:
    """Return a page of the table."""
    target = _target(state, asked.target)
    names = list(state.fitted.schema.names) if asked.columns is None else asked.columns
    state.fitted.schema.columns(names)  # an unknown name is an error
    if len(set(names)) < len(names):
        raise ParameterError("columns names a column twice; expected each once.")
    places = _matching(state, asked, target)
    keys = [_sort_keys(state, one, target) for one in asked.sort]
    page = state.table.ordered(places, keys, asked.offset, asked.limit)
    return {
        "total": state.n_cases if places is None else len(places),
        "of": state.n_cases,
        "offset": asked.offset,
        "columns": names,
        "rows": _rows(state, page, names, target),
        "computed": {
            "prediction": _progress(state, "predictions", target),
            "conviction": _progress(state, "conviction", None),
        },
    }


def answer_cases(state: State, asked: CasesAnswers) -> dict[str, Any]:
    """Predict and judge some cases now."""
    target = _target(state, asked.target)
    numbers = numbers_of(state, asked.cases, None)
    rows = [case_name(state.fitted, one) for one in numbers.tolist()]
    found = convictions_for(state, state.fitted.cases(numbers))
    for at, row in enumerate(rows):
        row |= dict.fromkeys(("prediction", "probability", "error"))
        row["conviction"] = number(found.similarity[at])
        row["p_value"] = number(found.p_value[at])
        named = str(directions(found.similarity[[at]])[0])
        row["flags"] = [named] if named != "ordinary" else []
    if target is not None:
        predictor = state.predictor(target)
        answered = predict_cases(predictor, numbers)
        decoded = state.fitted.predicted(answered.values, predictor.column)
        for at, row in enumerate(rows):
            row["prediction"] = json_value(decoded[at])
            row["probability"] = number(answered.probability[at])
            row["error"] = number(answered.error[at])
            row["flags"] += ["wrong prediction"] * bool(answered.wrong[at])
    return {"rows": rows}


def summarize_cases(state: State, asked: CasesSummary) -> dict[str, Any]:
    """Count the cases that a filter selects."""
    mask = selected(state, asked.filter, _target(state, asked.target))
    numbers = state.table.numbers if mask is None else state.table.numbers[mask]
    return {"total": len(numbers), "of": state.n_cases, "cases": numbers[:_LISTED].tolist()}


def _target(state: State, asked: str | None) -> str | None:
    """Return the target of a request, if there is one."""
    return None if asked is None and state.target is None else state.target_of(asked)


def _matching(state: State, asked: CasesQuery, target: str | None) -> Places | None:
    """Return the places of the cases that a query is about; None for all."""
    mask = selected(state, asked.filter, target)
    if asked.search:
        found = state.table.found(asked.search)
        mask = found if mask is None else mask & found
    return None if mask is None else np.flatnonzero(mask)


def _sort_keys(state: State, sort: Sort, target: str | None) -> Floats:
    """Return numbers that sort cases as asked."""
    if sort.by == "feature":
        if sort.feature is None:
            raise ParameterError("sort names no feature; expected one, or another value of by.")
        keys = state.table.sort_keys(sort.feature)
    elif sort.by == "label":
        keys = state.table.label_ranks()
    else:
        keys = computed_column(state, sort.by, target)
    return -keys if sort.descending else keys


def _rows(
    state: State, page: Places, names: list[str], target: str | None
) -> list[dict[str, Any]]:
    table, fitted = state.table, state.fitted
    values = table.cells(page, names)
    columns = {name: computed_column(state, name, target, page) for name in _COMPUTED}
    predicted: Any = [None] * len(page)
    if target is not None:
        codes = computed_column(state, "prediction", target, page)
        known = ~np.isnan(codes)
        decoded = fitted.predicted(codes[known], fitted.schema.column(target))
        for at, one in zip(np.flatnonzero(known).tolist(), decoded, strict=True):
            predicted[at] = json_value(one)
    marks = {flag: flagged(state, flag, target, page) for flag in FLAGS}
    return [
        {
            **case_name(fitted, int(table.numbers[place])),
            "values": values[at],
            "prediction": predicted[at],
            **{name: number(column[at]) for name, column in columns.items()},
            "flags": [flag for flag, column in marks.items() if column[at]],
        }
        for at, place in enumerate(page.tolist())
    ]


def _progress(state: State, name: str, target: str | None) -> dict[str, Any]:
    """Say how many cases something was computed for."""
    known = None if name == "predictions" and target is None else state.computed(name, target)
    if known is None:
        return {"state": "running", "cases": 0, "of": state.n_cases}
    return {"state": "ready", "cases": len(known.numbers), "of": state.n_cases}
