"""Density of rows, missing values, drift, and likely errors of the table."""

from __future__ import annotations

from typing import Any

from vicinal.density.log_density import density
from vicinal.explorer.requests import AuditRequest, DensityRequest, DriftRequest, ImputeRequest
from vicinal.explorer.state import State
from vicinal.explorer.subjects import check_count, new_table, rows_of
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number, numbers
from vicinal.formatting.values import format_value, json_list, json_value
from vicinal.quality.audit import KINDS
from vicinal.quality.drift import drift
from vicinal.quality.findings import Finding
from vicinal.quality.imputation import Imputation
from vicinal.quality.impute import impute

Json = dict[str, Any]
#: Rows of one request, where each is compared with every case.
_MOST_ROWS = 10_000


def log_density(state: State, asked: DensityRequest) -> Json:
    """Return the log density of rows."""
    rows = rows_of(state, asked)
    check_count(state, len(rows), _MOST_ROWS)
    return {"log_density": numbers(density(state.fitted, rows)), "unit": "nats"}


def impute_rows(state: State, asked: ImputeRequest) -> Json:
    """Impute missing values of rows."""
    table = new_table(state, asked.rows)
    with state.learning:
        found = impute(state.reference, table, effort=asked.effort, alpha=asked.alpha)
    columns = _columns(found.table)
    names = list(columns)
    return {
        "rows": [
            dict(zip(names, json_list(row), strict=True))
            for row in zip(*columns.values(), strict=True)
        ],
        "cells": [_cell(found, at) for at in range(len(found))],
    }


def _columns(table: Any) -> dict[str, Any]:
    """Return a table of any library as columns."""
    if isinstance(table, dict):
        return table
    from vicinal.tables.frames import as_frame

    frame = as_frame(table)
    assert frame is not None
    return {name: frame.get_column(name).to_list() for name in frame.columns}


def _cell(found: Imputation, at: int) -> Json:
    classes = found.classes[at]
    return {
        "row": int(found.rows[at]),
        "feature": found.features[at],
        "value": json_value(found.values[at]),
        "text": format_value(found.values[at]),
        "interval": None if classes else json_list((found.lower[at], found.upper[at])),
        "set": json_list(classes) if classes else None,
        "conviction": number(found.conviction[at]),
    }


def find_drift(state: State, asked: DriftRequest) -> Json:
    """Test whether new rows differ from the stored cases."""
    found = drift(state.fitted, new_table(state, asked.rows), shuffles=asked.shuffles)
    told = found.to_dict()
    return {
        "changed": found.changed(),
        **{name: number(told[name]) for name in ("p_value", "amount", "together")},
        "n_stored": found.n_stored,
        "n_new": found.n_new,
        "features": [
            {name: one if isinstance(one, str) else number(one) for name, one in row.items()}
            for row in told["features"]
        ],
    }


def list_findings(state: State, asked: AuditRequest) -> Json:
    """List likely errors of the table, the strongest evidence of each kind first."""
    target = (
        None if asked.target is None and state.target is None else state.target_of(asked.target)
    )
    found = state.result("audit", target)
    listed = found.findings if asked.kind is None else found.of(asked.kind)
    end = asked.offset + asked.limit
    return {
        "target": target,
        "sample": {"cases": found.n_cases, "of": state.n_cases},
        "kinds": [
            {"kind": kind, "title": KINDS[kind], "count": len(found.of(kind))}
            for kind in found.looked_for
        ],
        "total": len(listed),
        "offset": asked.offset,
        "findings": [_finding(state, one) for one in listed[asked.offset : end]],
    }


def _finding(state: State, one: Finding) -> Json:
    own: Json = {"case": None, "label": None, "name": one.feature or ""}
    if one.case is not None:
        own = case_name(state.fitted, one.case)
    details = one.details
    others = details.get("because_of") or details.get("ordinary") or ()
    if "twin" in details:
        others = (details["twin"],)
    return {
        **own,
        "kind": one.kind,
        "feature": one.feature,
        "score": number(one.score),
        "evidence": one.evidence,
        "cases": [case_name(state.fitted, int(case)) for case in others][:20],
        "suggested": json_value(details.get("suggested")),
    }
