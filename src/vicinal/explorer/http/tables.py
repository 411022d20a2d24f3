"""Lists in answers as tables, in Arrow or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from vicinal.explorer.http.bodies import ARROW, CSV
from vicinal.table_files.cells import escaped
from vicinal.table_files.formats import columnar_library
from vicinal.tables.to_frame import build_frame

Columns = dict[str, list[Any]]


def wanted_table(request: Request) -> str | None:
    """Return the media type of a table, if the request prefers one to JSON."""
    accepted = request.headers.get("accept", "").lower()
    first = accepted.partition(",")[0].partition(";")[0].strip()
    return first if first in (ARROW, CSV) else None


def table_response(kind: str, name: str, answer: Mapping[str, Any], part: str) -> Response:
    """Return a list of an answer as a table."""
    columns = columns_of(name, answer, part)
    headers = {"X-Vicinal-Version": str(answer["version"])}
    if kind == CSV:
        return Response(_csv(columns), 200, headers, "text/csv; charset=utf-8")
    columnar_library("Arrow")
    return Response(_arrow(columns), 200, headers, ARROW)


def columns_of(name: str, answer: Mapping[str, Any], part: str) -> Columns:
    """Return a list of an answer as columns."""
    rows: Sequence[Any] = answer[part]
    if name == "density":
        return {"log_density": list(rows)}
    if name == "predict":
        return _joined([_prediction(one) for one in rows])
    if name == "neighbors":
        flat = [
            {"row": at, **_without(one, "values", "terms")}
            | dict(zip([f"value_{n}" for n in answer["features"]], one["values"], strict=True))
            for at, near in enumerate(rows)
            for one in near
        ]
        return _joined(flat)
    if name == "cases/query":
        names = answer["columns"]
        return _joined(
            [
                _distinct(
                    {**_without(one, "values", "flags"), "flags": "; ".join(one["flags"])},
                    dict(zip(names, one["values"], strict=True)),
                )
                for one in rows
            ]
        )
    return _joined(list(rows))


def _prediction(one: Mapping[str, Any]) -> dict[str, Any]:
    if one["probabilities"] is None:
        low, high = one["interval"]
        return {"prediction": one["prediction"], "low": low, "high": high}
    members = "; ".join(map(str, one["set"]))
    shares = {f"p_{each['class']}": each["probability"] for each in one["probabilities"]}
    return {"prediction": one["prediction"], "set": members} | dict(sorted(shares.items()))


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _distinct(own: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Put values beside what is known of a case; a feature may be called "case", too."""
    return own | {f"value_{name}" if name in own else name: one for name, one in values.items()}


def _joined(rows: Sequence[Mapping[str, Any]]) -> Columns:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _csv(columns: Columns) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([escaped(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([escaped(one) for one in row])
    return text.getvalue().encode("utf-8", "replace")


def _arrow(columns: Columns) -> bytes:
    pa = import_module("pyarrow")
    table = build_frame({name: _one_type(values) for name, values in columns.items()}, "pyarrow")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _one_type(values: list[Any]) -> list[Any]:
    """Return text where values are of several types."""
    kinds = {type(one) for one in values if one is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        return [None if one is None else str(one) for one in values]
    return values
