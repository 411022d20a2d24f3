"""Neighbors of rows, how surprising rows are, and the most surprising ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.conviction.anomalies import Anomalies, anomalies
from vicinal.explorer.limits import MOST_PAGE
from vicinal.explorer.requests import AnomaliesRequest, ConvictionRequest, NeighborsRequest
from vicinal.explorer.state import State
from vicinal.explorer.subjects import check_count, rows_of
from vicinal.explorer.table import case_name
from vicinal.explorer.values import number, numbers
from vicinal.explorer.views.predictions import conviction_of, convictions_for
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.values import format_value, json_value
from vicinal.index.terms import case_terms
from vicinal.schema.decode import decode_column

Json = dict[str, Any]
#: Rows times neighbors of one request.
_MOST_PAIRS = 200_000
#: Edges of the histogram of convictions; what lies beyond counts in the last bin.
_EDGES = np.linspace(0.0, 2.0, 41).round(2)


def find_neighbors(state: State, asked: NeighborsRequest) -> Json:
    """Find the nearest cases of rows."""
    fitted, rows = state.fitted, rows_of(state, asked)
    k = min(asked.k, max(len(fitted.index), 1))
    check_count(state, len(rows), max(1, _MOST_PAIRS // k))
    metric = fitted.metric_of(rows.columns)
    found = fitted.index.search(
        rows.values, metric, k, exclude=rows.exclude, threads=fitted.threads
    )
    terms = None
    if asked.terms:
        terms = case_terms(
            fitted.index, rows.values, found.indices, metric, threads=fitted.threads
        )[:, :, fitted.schema.table_order]
    values = _values(fitted, found.indices)
    return {
        "features": list(fitted.schema.names),
        "neighbors": [
            [
                {
                    **case_name(fitted, int(case)),
                    "distance": number(found.distances[at, rank]),
                    "values": values[int(case)],
                    "terms": None if terms is None else numbers(terms[at, rank]),
                }
                for rank, case in enumerate(near)
                if case >= 0
            ]
            for at, near in enumerate(found.indices)
        ],
    }


def _values(fitted: Fitted, indices: Any) -> dict[int, list[Any]]:
    cases = np.unique(indices[indices >= 0])
    matrix = fitted.index.rows(cases)
    columns = [
        [
            json_value(one)
            for one in decode_column(matrix[:, column], fitted.schema.storage[column])
        ]
        for column in fitted.schema.table_order.tolist()
    ]
    return {int(case): [one[at] for one in columns] for at, case in enumerate(cases.tolist())}


def judge_rows(state: State, asked: ConvictionRequest) -> Json:
    """Say how surprising rows are."""
    rows = rows_of(state, asked)
    found = convictions_for(state, rows, familiarity=len(rows) <= MOST_PAGE)
    return {"convictions": [conviction_of(found, at) for at in range(len(found))]}


def find_anomalies(state: State, asked: AnomaliesRequest) -> Json:
    """List surprising rows, or surprising stored cases."""
    rows: Rows | None = None
    if asked.rows is not None or asked.cases is not None or asked.ids is not None:
        rows = rows_of(state, asked)
    elif not state.tasks.known("conviction", None):
        state.result("conviction")  # which says that it is not ready
    rule: Json = {
        "alpha": asked.alpha,
        "false_discovery_rate": asked.false_discovery_rate,
        "inliers": asked.inliers,
    }
    if asked.threshold is not None:
        rule["threshold"] = asked.threshold
    if rows is None:
        key, compared = ("anomalies", *rule.items()), len(state.reference.index)
        found = state.kept(key, lambda: anomalies(state.reference, None, **rule))
    else:
        found = anomalies(state.judging(rows.columns), rows, **rule)
        compared = state.n_compared(rows.columns)
    end = asked.offset + asked.limit
    return {
        "total": len(found),
        "offset": asked.offset,
        "judged": found.n_judged,
        "sample": {"cases": compared, "of": state.n_cases},
        "clean_share": number(found.clean_share),
        "promise": found.promise,
        "histogram": _histogram(state) if rows is None else None,
        "anomalies": [
            _anomaly(state, found, at, rows) for at in range(asked.offset, min(end, len(found)))
        ],
    }


def _histogram(state: State) -> Json | None:
    """Return how many of the stored cases have which conviction."""
    judged = state.computed("conviction")
    if judged is None:
        return None
    known = judged.similarity[~np.isnan(judged.similarity)]
    counts, edges = np.histogram(np.clip(known, _EDGES[0], _EDGES[-1]), _EDGES)
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _anomaly(state: State, found: Anomalies, at: int, rows: Rows | None) -> Json:
    fitted = state.fitted
    place = int(found.cases[at])
    own: Json = {"case": None, "label": None, "name": f"row {place}", "row": place}
    if found.stored:
        own = {**case_name(fitted, place), "row": None}
        values = fitted.index.rows([place])[0]
    else:
        assert rows is not None
        values = rows.values[place]
    ordinary = [int(case) for case in found.ordinary[at] if case >= 0]
    return {
        **own,
        "conviction": number(found.conviction[at]),
        "p_value": number(found.p_value[at]),
        "tail_p_value": number(found.tail_p_value[at]),
        "direction": str(found.direction[at]),
        "features": [
            {
                "feature": name,
                "nats": number(nats),
                "text": _texts(fitted, name, values[None])[0],
                "ordinary_texts": _texts(fitted, name, fitted.index.rows(ordinary)),
            }
            for name, nats in found.features[at]
        ],
        "ordinary": [case_name(fitted, case) for case in ordinary],
    }


def _texts(fitted: Fitted, name: str, matrix: Any) -> list[str]:
    column = fitted.schema.column(name)
    return [format_value(one) for one in decode_column(matrix[:, column], fitted.schema[name])]
