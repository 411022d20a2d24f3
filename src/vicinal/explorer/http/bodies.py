"""Requests from JSON; or from a table in Arrow or CSV, with the other fields in the address."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from fastapi import Request

from vicinal.exceptions import ParameterError
from vicinal.explorer.http.arrow import check_stream
from vicinal.explorer.requests import Request as Asked
from vicinal.explorer.requests import Targeted
from vicinal.explorer.served import ServedModel
from vicinal.explorer.subjects import GivenTable, check_count
from vicinal.table_files.reading import read_body

T = TypeVar("T", bound=Asked)

ARROW, CSV, JSON = "application/vnd.apache.arrow.stream", "text/csv", "application/json"
_TABLES = {ARROW: "arrow", CSV: "csv"}
#: Where the guard leaves the body of a request, which it has read.
BODY = "vicinal.body"


class BadSyntax(ValueError):
    """The body cannot be read at all."""


class UnknownMediaType(ValueError):
    """The body is of a type that is not read."""


def read_request(request: Request, served: ServedModel, form: type[T]) -> T:
    """Read the request that a question is about."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body: bytes = request.scope[BODY]
    if kind in _TABLES and "rows" in form.model_fields:
        return _from_table(request, body, served, form, _TABLES[kind])
    if kind != JSON and (kind or body):
        tables = f", {ARROW} or {CSV}" if "rows" in form.model_fields else ""
        raise UnknownMediaType(f"The Content-Type is {kind[:100]!r}; expected {JSON}{tables}.")
    return form.model_validate(parse_json(body) if body else {})


def parse_json(body: bytes) -> Any:
    """Read JSON, and nothing that JSON does not have.

    Examples
    --------
    >>> from vicinal.explorer.http.bodies import parse_json
    >>> parse_json(b'{"age": 3.5}')
    {'age': 3.5}
    >>> parse_json(b"[NaN]")
    Traceback (most recent call last):
        ...
    vicinal.explorer.http.bodies.BadSyntax: The body has NaN, ...
    """
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except BadSyntax:
        raise
    except RecursionError:
        raise BadSyntax("The body is nested too deeply; expected an object of rows.") from None
    except ValueError as error:
        raise BadSyntax(f"The body is not JSON: {error}."[:300]) from None


def _refuse_constant(name: str) -> None:
    raise BadSyntax(f"The body has {name}, which JSON does not have; write null for missing.")


def _from_table(request: Request, body: bytes, served: ServedModel, form: type[T], kind: str) -> T:
    fields: dict[str, Any] = dict(request.query_params.items())
    if "rows" in fields:
        raise ParameterError("The address has rows, and so has the body; expected one of them.")
    if "context" in fields:
        fields["context"] = request.query_params.getlist("context")
    state = served.state
    if kind == "arrow":
        check_stream(body, state.limits.rows)
    block = read_body(body, kind, "the body")
    check_count(state, len(block))
    schema = state.fitted.schema
    hidden = [fields.get("target") or state.target] if issubclass(form, Targeted) else []
    table = block.rows(schema, (), [one for one in hidden if one is not None])
    asked = form.model_validate({**fields, "rows": [{"": None}]})
    object.__setattr__(asked, "rows", GivenTable(table))
    return asked
