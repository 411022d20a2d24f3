"""The OpenAPI document, and a page that shows it without any script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from vicinal import __version__
from vicinal.explorer import requests
from vicinal.explorer.answers import overview, parts, quality, rows, tables
from vicinal.explorer.http.bodies import ARROW, CSV, JSON
from vicinal.formatting.html import Markup, tag

Json = dict[str, Any]
_ANSWERS = (parts, tables, overview, rows, quality)
_REF = "#/components/schemas/{model}"
_PROBLEMS = {
    "400": "The request cannot be read.",
    "401": "A token is needed.",
    "403": "Another site asks, or the model is read-only.",
    "404": "There is no such model.",
    "408": "The request did not arrive in time.",
    "412": "The cases have another version.",
    "413": "The request is too large.",
    "415": "The body is of an unknown type.",
    "421": "The request is for another host.",
    "431": "The headers are too large.",
    "422": "The request has another form, or asks for what is not there.",
    "503": "Too many requests at a time, or no answer in time.",
}
_DESCRIPTION = (
    "Questions about tables, answered from their most similar cases. Errors are problem details "
    "(RFC 9457); a result that is still being computed is a 202 with Retry-After."
)
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark}code,pre{font:14px/1.4 ui-monospace,monospace}"
    "pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:6px}"
    "details{margin:.5rem 0}summary{cursor:pointer}h2{margin-top:2rem}"
    ".method{display:inline-block;min-width:4rem;font-weight:600}"
)


def operation(
    answer: str, form: type[BaseModel] | None = None, *, late: bool = False, status: int = 200
) -> Json:
    """Return what a route says about itself: its request, its answer, its problems."""
    responses: dict[int | str, Json] = {
        code: {"description": text, "content": {"application/problem+json": _refer("Problem")}}
        for code, text in _PROBLEMS.items()
    }
    responses[str(status)] = {"description": "The answer.", "content": {JSON: _refer(answer)}}
    if late:
        responses["202"] = {"description": "Ask again.", "content": {JSON: _refer("Pending")}}
    made: Json = {
        "responses": dict(sorted(responses.items())),
        "status_code": status,
        "response_class": Response,
    }
    if form is not None:
        content = {JSON: _refer(form.__name__)}
        if "rows" in form.model_fields:
            content |= {kind: {"schema": {"type": "string"}} for kind in (ARROW, CSV)}
        made["openapi_extra"] = {"requestBody": {"required": True, "content": content}}
    return made


def named(function: Callable[..., Response], name: str) -> Callable[..., Response]:
    """Give a function that was made of another one a name, and only the arguments of a route."""

    def answer(request: Request, model: str) -> Response:
        return function(request, model)

    answer.__name__ = name.replace("/", "_")
    return answer


def openapi(app: FastAPI, models: Iterable[str]) -> Json:
    """Return the OpenAPI document with the names of the models; made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Vicinal",
            version=__version__,
            description=_DESCRIPTION,
            routes=app.routes,
        )
        made.setdefault("components", {})["schemas"] = _schemas()
        for methods in made["paths"].values():
            for route in methods.values():
                # FastAPI's own form of errors, which is not ours.
                route["responses"].pop("default", None)
                for one in route.get("parameters", ()):
                    if one["name"] == "model":
                        one["schema"] = {"type": "string", "enum": list(models)}
        app.openapi_schema = made
    return app.openapi_schema


def _refer(name: str) -> Json:
    return {"schema": {"$ref": _REF.format(model=name)}}


@cache
def _schemas() -> Json:
    """Return the forms of all requests and answers."""
    answers = [one for module in _ANSWERS for one in _forms(module)]
    forms: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        *((one, "validation") for one in _forms(requests)),
        *((one, "serialization") for one in answers),
    ]
    _, found = models_json_schema(forms, ref_template=_REF)
    return dict(sorted(found["$defs"].items()))


def _forms(module: ModuleType) -> list[type[BaseModel]]:
    return [
        one
        for one in vars(module).values()
        if isinstance(one, type)
        and issubclass(one, BaseModel)
        and one is not BaseModel
        and one.__module__ == module.__name__
    ]


def page(document: Json) -> str:
    """Return a page of all routes with their forms; it needs no script and no other file."""
    paths = [
        _route(path, method, route, document["components"]["schemas"])
        for path, methods in document["paths"].items()
        for method, route in methods.items()
    ]
    curl = "curl -s localhost:8765/v1/models"
    parts_of_page = [
        tag("h1", "Vicinal: all requests"),
        tag("p", _DESCRIPTION),
        tag("pre", curl),
        tag("p", tag("a", "The same as an OpenAPI document", href="/v1/openapi.json")),
        *paths,
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width,initial-scale=1"),
        tag("title", "Vicinal: all requests"),
        tag("style", _STYLE),
    )
    return f"<!doctype html>{tag('html', head, tag('body', *parts_of_page), lang='en')}"


def _route(path: str, method: str, route: Json, schemas: Json) -> Markup:
    inside = [tag("p", route.get("summary", ""))]
    body = route.get("requestBody", {}).get("content", {}).get(JSON)
    if body is not None:
        inside += [tag("h3", "Request"), _form(body["schema"], schemas)]
        if len(route["requestBody"]["content"]) > 1:
            inside.append(tag("p", f"Rows may also come as {ARROW} or {CSV}."))
    for status in ("200", "201"):
        answer = route["responses"].get(status, {}).get("content", {}).get(JSON)
        if answer is not None:
            inside += [tag("h3", "Answer"), _form(answer["schema"], schemas)]
    summary = tag("summary", tag("code", tag("span", method.upper(), class_="method"), " ", path))
    return tag("details", summary, *inside)


def _form(schema: Json, schemas: Json) -> Markup:
    """Return a form as JSON with types in place of values."""
    return tag("pre", json.dumps(_example(schema, schemas, 0), indent=1, ensure_ascii=False))


def _example(schema: Json, schemas: Json, depth: int) -> Any:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if depth > 8:
        return "…"
    if "anyOf" in schema:
        found = [_example(one, schemas, depth + 1) for one in schema["anyOf"]]
        plain = [one for one in found if not isinstance(one, dict | list)]
        complex_ones = [one for one in found if isinstance(one, dict | list)]
        return complex_ones[0] if complex_ones else " or ".join(map(str, plain))
    if schema.get("type") == "array":
        items = schema.get("prefixItems") or [schema.get("items", {})]
        return [_example(one, schemas, depth + 1) for one in items]
    if schema.get("type") == "object":
        more = schema.get("additionalProperties")
        fields = schema.get("properties") or ({"…": more} if isinstance(more, dict) else {})
        return {name: _example(one, schemas, depth + 1) for name, one in fields.items()}
    choices = schema.get("enum") or [schema.get("const") or schema.get("type", "any value")]
    return " | ".join(map(str, choices))
