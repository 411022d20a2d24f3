"""Errors as problem details (RFC 9457), with the texts that the library has anyway."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from vicinal.exceptions import FeatureError, FileError, ParameterError, TableError, VicinalError
from vicinal.explorer.limits import TooLarge
from vicinal.explorer.served import OtherVersion, ReadOnly
from vicinal.explorer.tasks import RETRY, NotReady

MEDIA_TYPE = "application/problem+json"
#: Status and title of each kind of problem.
KINDS: dict[str, tuple[int, str]] = {
    "table": (422, "Unsuitable table"),
    "feature": (422, "Unknown or unsuitable feature"),
    "parameter": (422, "Unsuitable parameter"),
    "request": (422, "The request has another form"),
    "syntax": (400, "The request cannot be read"),
    "not-found": (404, "Not found"),
    "method": (405, "Method not allowed"),
    "media-type": (415, "Unknown media type"),
    "too-large": (413, "Too large"),
    "too-busy": (503, "Too busy"),
    "too-slow": (503, "Too slow"),
    "unfinished": (408, "The request did not arrive in time"),
    "headers": (431, "Headers too large"),
    "token": (401, "A token is needed"),
    "host": (421, "Unknown host"),
    "origin": (403, "Request of another site"),
    "read-only": (403, "Read-only"),
    "version": (412, "Other version"),
    "failure": (500, "Failure"),
}
#: The longest text of an error, and the most errors that are listed.
_LONGEST, _LISTED = 2000, 20


def dumped(value: Any) -> bytes:
    """Write JSON; ASCII alone, so that any text of a table can be written."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def problem(
    kind: str,
    detail: str,
    *,
    instance: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """Return a problem as a response."""
    status, title = KINDS[kind]
    body = {
        "type": f"urn:vicinal:problem:{kind}",
        "title": title,
        "status": status,
        "detail": detail[:_LONGEST],
        **({} if instance is None else {"instance": instance[:_LONGEST]}),
        **more,
    }
    return Response(dumped(body), status, headers, MEDIA_TYPE)


def problem_of(error: Exception, request: Request) -> Response:
    """Return what went wrong as a response."""
    instance = request.url.path
    if isinstance(error, NotReady):
        return pending(error)
    if isinstance(error, ValidationError | RequestValidationError):
        return _wrong_form(error, instance)
    if isinstance(error, HTTPException):
        return _http(error, request)
    return problem(*_told(error), instance=instance)


def _told(error: Exception) -> tuple[str, str]:
    """Return the kind of a problem, and what to say about it."""
    if isinstance(error, ReadOnly):
        text = "The model is read-only; start the service with --writable to change its cases."
        return "read-only", text
    if isinstance(error, OtherVersion):
        text = "The cases have changed since this version; look at them again, then repeat."
        return "version", text
    if isinstance(error, VicinalError):
        return _kind(error), str(error)
    return "failure", "An error in the service; its log says more."


def pending(error: NotReady) -> Response:
    """Say how far a computation is."""
    task = error.task
    body = {
        "state": "running" if task.state == "running" else "waiting",
        "task": task.name,
        "progress": round(task.progress, 3),
        "message": task.message,
    }
    return Response(dumped(body), 202, {"Retry-After": str(RETRY)}, "application/json")


def _kind(error: VicinalError) -> str:
    kinds = {
        TooLarge: "too-large",
        TableError: "table",
        FeatureError: "feature",
        FileError: "failure",
        ParameterError: "parameter",
    }
    return next((kind for cls, kind in kinds.items() if isinstance(error, cls)), "parameter")


def _wrong_form(error: ValidationError | RequestValidationError, instance: str) -> Response:
    found = error.errors()
    listed = [
        {"where": ".".join(map(str, one["loc"]))[:200], "expected": one["msg"].rstrip(".")[:200]}
        for one in found[:_LISTED]
    ]
    first = listed[0]
    where = f"{first['where']}: " if first["where"] else ""
    detail = f"{where}{first['expected']}. See /docs for the form of this request."
    return problem("request", detail, instance=instance, errors=listed)


def _http(error: HTTPException, request: Request) -> Response:
    path = request.url.path
    if error.status_code == 405:
        text = f"{request.method} is not possible here; see /docs."
        return problem("method", text, instance=path, headers=error.headers)
    if error.status_code == 404:
        return problem("not-found", f"There is nothing at {path}; see /docs.", instance=path)
    return problem("syntax", str(error.detail), instance=path, headers=error.headers)
