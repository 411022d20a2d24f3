"""All routes of the service, and which models they are about."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from vicinal import __version__
from vicinal.exceptions import ParameterError, VicinalError, did_you_mean
from vicinal.explorer import changes
from vicinal.explorer import requests as asked
from vicinal.explorer.http import documents
from vicinal.explorer.http.bodies import BadSyntax, UnknownMediaType, read_request
from vicinal.explorer.http.guard import Guard
from vicinal.explorer.http.metrics import MEDIA_TYPE, Metrics
from vicinal.explorer.http.pages import load_pages, page_response
from vicinal.explorer.http.problems import dumped, problem, problem_of
from vicinal.explorer.http.settings import ServiceSettings
from vicinal.explorer.http.tables import table_response, wanted_table
from vicinal.explorer.questions import QUESTIONS, Question, answered, write_code
from vicinal.explorer.served import OtherVersion, ReadOnly, ServedModel
from vicinal.explorer.tasks import NotReady
from vicinal.explorer.views.overview import overview
from vicinal.explorer.views.schema import schema_view
from vicinal.formatting.values import json_tree

_MODEL = "/v1/models/{model}"


class UnknownModel(ParameterError):
    """No model has this name."""


def create_app(models: Iterable[ServedModel], settings: ServiceSettings | None = None) -> Guard:
    """Return the service as an ASGI application.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.explorer.http.app import create_app
    >>> from vicinal.explorer.served import ServedModel
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3]})
    >>> app = create_app([ServedModel(model, "heights")])
    """
    service = Service(models, settings or ServiceSettings())
    return Guard(service.app, service.settings, service.metrics)


class Service:
    """The routes, and what they share."""

    def __init__(self, models: Iterable[ServedModel], settings: ServiceSettings) -> None:
        self.models = {one.name: one for one in models}
        self.settings = settings
        self.metrics = Metrics(self.models)
        self.stopping = False
        self.app = FastAPI(
            title="Vicinal",
            version="1",
            docs_url=None,
            redoc_url=None,
            openapi_url=None,
            lifespan=self._life,
        )
        self._add_problems()
        self._add_operations()
        self._add_models()
        for one in QUESTIONS.values():
            self._add_question(one)
        self._add_changes()
        self.app.openapi = partial(documents.openapi, self.app, tuple(self.models))  # type: ignore[method-assign]

    @asynccontextmanager
    async def _life(self, _: FastAPI) -> AsyncIterator[None]:
        for one in self.models.values():
            one.start()
        yield
        self.stopping = True
        for one in self.models.values():
            one.stop()

    def model(self, name: str) -> ServedModel:
        """Return a model by its name in the address."""
        if name not in self.models:
            raise UnknownModel(
                f"There is no model {name[:100]!r}; expected one of "
                f"{', '.join(map(repr, self.models))}.{did_you_mean(name[:100], self.models)}"
            )
        return self.models[name]

    def _add_problems(self) -> None:
        async def answer(request: Request, error: Exception) -> Response:
            return problem_of(error, request)

        async def unreadable(request: Request, error: Exception) -> Response:
            kind = "media-type" if isinstance(error, UnknownMediaType) else "syntax"
            return problem(kind, str(error), instance=request.url.path)

        async def unknown(request: Request, error: Exception) -> Response:
            return problem("not-found", str(error), instance=request.url.path)

        known: tuple[type[Exception], ...] = (VicinalError, HTTPException, NotReady)
        known += (ReadOnly, OtherVersion, ValidationError, RequestValidationError)
        for one in (*known, Exception):
            self.app.add_exception_handler(one, answer)
        for wrong in (BadSyntax, UnknownMediaType):
            self.app.add_exception_handler(wrong, unreadable)
        self.app.add_exception_handler(UnknownModel, unknown)

    def _add_operations(self) -> None:
        async def health() -> Response:
            return reply({"status": "ok"})

        async def ready() -> Response:
            if self.stopping:
                return reply({"status": "stopping"}, 503)
            return reply({"status": "ready"})

        async def metrics() -> Response:
            return Response(self.metrics.text(), media_type=MEDIA_TYPE)

        async def document() -> Response:
            return reply(self.app.openapi())

        async def page() -> Response:
            return Response(documents.page(self.app.openapi()), media_type="text/html")

        for path, answer, summary in (
            ("/health", health, "Whether the process answers."),
            ("/ready", ready, "Whether requests may be sent."),
        ):
            self._get(path, answer, summary, documents.operation("Health"))
        for path, answer in (
            ("/metrics", metrics),
            ("/v1/openapi.json", document),
            ("/docs", page),
        ):
            self.app.add_api_route(path, answer, methods=["GET"], include_in_schema=False)
        if self.settings.pages:
            self._add_pages()

    def _add_pages(self) -> None:
        for address, file in load_pages().items():

            async def answer(request: Request, file: Any = file) -> Response:
                return page_response(request, file)

            self.app.add_api_route(address, answer, methods=["GET"], include_in_schema=False)

    def _add_models(self) -> None:
        def listed() -> Response:
            models = [one.describe() for one in self.models.values()]
            return reply({"vicinal": __version__, "models": models})

        def one(model: str) -> Response:
            return reply(self.model(model).describe())

        def status(model: str) -> Response:
            state = self.model(model).state
            done = "ready" if state.tasks.ready else "running"
            tasks = state.tasks.describe()
            return reply({"version": state.version, "state": done, "tasks": tasks})

        def schema(model: str) -> Response:
            state = self.model(model).state
            return reply({"model": model, "version": state.version, **schema_view(state)})

        def quality(model: str, target: str | None = None) -> Response:
            state = self.model(model).state
            return reply({"version": state.version, **overview(state, target)})

        def log(model: str, offset: str = "0", limit: str = "100") -> Response:
            start, most = whole(offset, "offset", 2**53), whole(limit, "limit", 1000)
            return reply(changes.list_changes(self.model(model), start, most))

        get = self._get
        get("/v1/models", listed, "All models.", documents.operation("ModelList"))
        get(_MODEL, one, "One model.", documents.operation("ModelEntry"))
        get(f"{_MODEL}/status", status, "What is computed.", documents.operation("Status"))
        get(f"{_MODEL}/schema", schema, "The columns.", documents.operation("SchemaAnswer"))
        get(f"{_MODEL}/overview", quality, "Quality.", documents.operation("Overview", late=True))
        get(f"{_MODEL}/log", log, "The changes, latest first.", documents.operation("Log"))

    def _add_question(self, question: Question) -> None:
        def answer(request: Request, model: str) -> Response:
            served = self.model(model)
            given = read_request(request, served, question.request)
            found = answered(served, question, given)
            kind = wanted_table(request)
            if kind is not None and question.table is not None:
                return table_response(kind, question.name, found, question.table)
            return reply(found)

        path, form = f"{_MODEL}/{question.name}", question.request
        self._post(path, answer, question.summary, form, question.answer.__name__)

    def _add_changes(self) -> None:
        def code(request: Request, model: str) -> Response:
            served = self.model(model)
            return reply(write_code(served, read_request(request, served, asked.CodeRequest)))

        self._post(f"{_MODEL}/code", code, "The Python code of a view.", asked.CodeRequest, "Code")
        for method, end, form, act, status, summary in (
            ("POST", "cases", asked.AddRequest, changes.add_cases, 201, "Add cases."),
            ("PATCH", "cases", asked.UpdateRequest, changes.update_cases, 200, "Change cases."),
            (
                "POST",
                "cases/remove",
                asked.RemoveRequest,
                changes.remove_cases,
                200,
                "Remove cases.",
            ),
        ):
            change = partial(self._change, form, act, status)
            answer = documents.named(change, f"{method.lower()}_{end}")
            self._post(f"{_MODEL}/{end}", answer, summary, form, "Changed", method, status)

    def _change(
        self,
        form: type[asked.Request],
        act: Callable[[ServedModel, Any, int | None], dict[str, Any]],
        status: int,
        request: Request,
        model: str,
    ) -> Response:
        served = self.model(model)
        if not served.writable:
            raise ReadOnly
        version = wanted_version(request.headers.get("if-match"))
        return reply(act(served, read_request(request, served, form), version), status)

    def _get(self, path: str, answer: Any, summary: str, options: dict[str, Any]) -> None:
        self.app.add_api_route(
            path, answer, methods=["GET"], summary=summary, response_model=None, **options
        )

    def _post(
        self,
        path: str,
        answer: Any,
        summary: str,
        form: type[asked.Request],
        answer_name: str,
        method: str = "POST",
        status: int = 200,
    ) -> None:
        options = documents.operation(answer_name, form, late=status == 200, status=status)
        self.app.add_api_route(
            path, answer, methods=[method], summary=summary, response_model=None, **options
        )


def reply(value: dict[str, Any], status: int = 200) -> Response:
    """Return JSON."""
    try:
        body = dumped(value)
    except ValueError:  # a NaN somewhere, which JSON does not have
        body = dumped(json_tree(value))
    return Response(body, status, media_type="application/json")


def wanted_version(header: str | None) -> int | None:
    """Read the header If-Match.

    Examples
    --------
    >>> from vicinal.explorer.http.app import wanted_version
    >>> wanted_version('"3"'), wanted_version(None)
    (3, None)
    """
    if header is None or header.strip() == "*":
        return None
    found = re.fullmatch(r'\s*"(\d{1,15})"\s*', header, re.ASCII)
    if found is None:
        raise ParameterError(f'If-Match is {header[:100]!r}; expected a version, such as "3".')
    return int(found[1])


def whole(text: str, name: str, most: int) -> int:
    """Read a whole number of the address."""
    if not re.fullmatch(r"\d{1,16}", text, re.ASCII) or int(text) > most:
        raise ParameterError(f"{name} is {text[:100]!r}; expected a whole number up to {most}.")
    return int(text)
