"""The columns of a table: roles, values, and what a form needs to know about each."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.explorer.state import State
from vicinal.explorer.values import number
from vicinal.fitted import Fitted
from vicinal.formatting.values import format_value, json_value
from vicinal.report.gather_table import summarize_feature
from vicinal.schema.feature import Feature
from vicinal.schema.kinds import Kind
from vicinal.schema.roles import ROLE_NAMES
from vicinal.typing import Arrays

#: Categories that are listed, the most frequent ones.
_CATEGORIES = 500
_TYPES = {
    "int": "integer",
    "bool": "boolean",
    "date": "date",
    "datetime": "datetime",
    "time": "time",
    "duration": "duration",
}


def target_kind(state: State, target: str | None) -> str | None:
    """Return what a target is: a class or a number."""
    if target is None:
        return None
    fitted = state.fitted
    return "class" if fitted.n_classes(fitted.schema.column(target)) else "number"


def schema_view(state: State) -> dict[str, Any]:
    """Describe all columns."""
    return state.kept("schema", lambda: _schema(state))


def _schema(state: State) -> dict[str, Any]:
    fitted = state.fitted
    notes = dict(fitted.schema.notes)
    return {
        "cases": state.n_cases,
        "target": state.target,
        "id_column": fitted.labels.column,
        "labeled": len(fitted.labels) > 0,
        "columns": [
            _column(fitted, name, "target" if name == state.target else "feature", notes.get(name))
            for name in fitted.schema.names
        ],
        "ignored": [
            {"name": one.name, "role": one.role, "reason": ROLE_NAMES[one.role]}
            for one in fitted.schema.ignored
        ],
    }


def _column(fitted: Fitted, name: str, role: str, note: str | None) -> dict[str, Any]:
    column = fitted.schema.column(name)
    feature, found = fitted.schema.storage[column], fitted.distribution(column)
    summary = summarize_feature(fitted, name)
    return {
        "name": name,
        "role": role,
        "kind": str(feature.kind),
        "dtype": feature.dtype,
        "note": note,
        "missing": int(found["missing"]),
        "distinct": len(found["values"]),
        "typical": _typical(fitted, feature, column, found),
        "residual": summary.residual,
        "explained": number(summary.explained),
        "input": _input(fitted, feature, column, found),
        "distribution": {
            "labels": list(summary.distribution.labels),
            "counts": list(summary.distribution.counts),
            "ordered": summary.distribution.ordered,
        },
    }


def _typical(fitted: Fitted, feature: Feature, column: int, found: Arrays) -> Any:
    """Return the median, or the most frequent category."""
    values, mass = found["values"], found["mass"]
    if not len(values):
        return None
    if feature.kind is Kind.NOMINAL:
        place = int(mass.argmax())
    else:
        place = int(np.searchsorted(np.cumsum(mass), mass.sum() / 2))
    return json_value(fitted.decoded(values[[min(place, len(values) - 1)]], column)[0])


def _input(fitted: Fitted, feature: Feature, column: int, found: Arrays) -> dict[str, Any]:
    listed = feature.kind is Kind.NOMINAL or feature.listed
    low = high = step = categories = None
    more = 0
    if listed:
        categories, more = _categories(fitted, feature, column, found)
    elif len(found["values"]):
        domain = fitted.domain(column)
        ends = np.array([found["values"].min(), found["values"].max()])
        low, high = (json_value(one) for one in fitted.decoded(ends, column))
        step = number(domain.step) if domain.step and feature.kind is Kind.CONTINUOUS else None
    return {
        "type": "category" if listed else _TYPES.get(feature.dtype, "number"),
        "minimum": low,
        "maximum": high,
        "step": step,
        "categories": categories,
        "more_categories": more,
    }


def _categories(
    fitted: Fitted, feature: Feature, column: int, found: Arrays
) -> tuple[list[dict[str, Any]], int]:
    counts = dict(zip(found["values"].tolist(), found["counts"].tolist(), strict=True))
    known = feature.categories or ()
    codes = range(len(known))
    if feature.kind is Kind.NOMINAL:
        codes = sorted(codes, key=lambda code: -counts.get(float(code), 0))  # type: ignore[assignment]
    listed = [
        {
            "value": json_value(known[code]),
            "text": format_value(known[code]),
            "count": int(counts.get(float(code), 0)),
        }
        for code in list(codes)[:_CATEGORIES]
    ]
    return listed, max(len(known) - len(listed), 0)
