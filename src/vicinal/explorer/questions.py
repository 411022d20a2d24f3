"""The list of all questions: the form of each request, and the view that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.explorer import requests as asked
from vicinal.explorer.answers import parts, quality, rows, tables
from vicinal.explorer.served import ServedModel
from vicinal.explorer.state import State
from vicinal.explorer.views.case_map import case_map
from vicinal.explorer.views.cases import answer_cases, query_cases, summarize_cases
from vicinal.explorer.views.code import code_of
from vicinal.explorer.views.counterfactuals import find_changes
from vicinal.explorer.views.explanations import compare_rows, explain_rows
from vicinal.explorer.views.groups import compare_groups
from vicinal.explorer.views.predictions import predict_rows, what_if
from vicinal.explorer.views.quality import find_drift, impute_rows, list_findings, log_density
from vicinal.explorer.views.similarity import find_anomalies, find_neighbors, judge_rows


@dataclass(frozen=True)
class Question:
    """One question.

    Parameters
    ----------
    name : str
        Its name, and the end of its address.
    request, answer : type
        The forms of the request and of the answer.
    view : callable
        From a state and a request to an answer.
    summary : str
        What it does, in one line.
    table : str, optional
        The list in the answer that can be given as a table.
    """

    name: str
    request: type[asked.Request]
    answer: type[parts.Answer]
    view: Callable[[State, Any], dict[str, Any]]
    summary: str
    table: str | None = None


_ALL = (
    Question(
        "cases/query",
        asked.CasesQuery,
        tables.CasesPage,
        query_cases,
        "A page of the table: filtered, sorted, with predictions and convictions.",
        "rows",
    ),
    Question(
        "cases/answers",
        asked.CasesAnswers,
        tables.CasesAnswered,
        answer_cases,
        "Predictions and convictions of some cases, computed now.",
    ),
    Question(
        "cases/summary",
        asked.CasesSummary,
        tables.CasesSummarized,
        summarize_cases,
        "How many cases a filter selects.",
    ),
    Question(
        "map",
        asked.MapRequest,
        tables.MapAnswer,
        case_map,
        "The map of all cases, counted in cells; similar cases are near each other.",
    ),
    Question(
        "predict",
        asked.PredictRequest,
        rows.Predicted,
        predict_rows,
        "Predictions with an interval or a prediction set.",
        "predictions",
    ),
    Question(
        "what-if",
        asked.WhatIfRequest,
        rows.WhatIf,
        what_if,
        "One row, before and after changes of its values.",
    ),
    Question(
        "explain",
        asked.ExplainRequest,
        rows.Explained,
        explain_rows,
        "Everything behind predictions: cases, features, convictions.",
    ),
    Question(
        "compare",
        asked.CompareRequest,
        rows.Compared,
        compare_rows,
        "Two rows side by side, and how surprising each difference is.",
    ),
    Question(
        "neighbors",
        asked.NeighborsRequest,
        rows.NeighborsFound,
        find_neighbors,
        "The nearest cases of rows.",
        "neighbors",
    ),
    Question(
        "conviction",
        asked.ConvictionRequest,
        rows.Judged,
        judge_rows,
        "How surprising rows are.",
        "convictions",
    ),
    Question(
        "anomalies",
        asked.AnomaliesRequest,
        rows.AnomaliesFound,
        find_anomalies,
        "Surprising rows with the features responsible; of all cases if none are given.",
    ),
    Question(
        "counterfactual",
        asked.CounterfactualRequest,
        rows.ChangesFound,
        find_changes,
        "The smallest changes of a row that change its prediction.",
    ),
    Question(
        "density",
        asked.DensityRequest,
        quality.Density,
        log_density,
        "The log density of rows, in nats.",
        "log_density",
    ),
    Question(
        "impute",
        asked.ImputeRequest,
        quality.Imputed,
        impute_rows,
        "Rows with missing values filled in, and the uncertainty of each.",
        "rows",
    ),
    Question(
        "drift",
        asked.DriftRequest,
        quality.DriftFound,
        find_drift,
        "Whether new rows differ from the stored cases, by how much, and where.",
    ),
    Question(
        "audit",
        asked.AuditRequest,
        quality.Audited,
        list_findings,
        "Likely errors in the table, with evidence.",
    ),
    Question(
        "groups",
        asked.GroupsRequest,
        quality.GroupsCompared,
        compare_groups,
        "Two selections compared: what differs, quality, fairness.",
    ),
)
#: All questions by name, but for the code of views, which needs the name of the model, too.
QUESTIONS = {one.name: one for one in _ALL}


def answer(served: ServedModel, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a question about a request as JSON.

    Raises
    ------
    pydantic.ValidationError
        If the request has another form; it is a ValueError.
    """
    if name == "code":
        return write_code(served, asked.CodeRequest.model_validate(request))
    if name not in QUESTIONS:
        raise ParameterError(
            f"There is no question {name!r}; expected one of {', '.join(QUESTIONS)}."
            + did_you_mean(name, QUESTIONS)
        )
    question = QUESTIONS[name]
    return answered(served, question, question.request.model_validate(request))


def answered(served: ServedModel, question: Question, request: asked.Request) -> dict[str, Any]:
    """Answer a question, with the version that the answer is about."""
    state = served.state
    with served.priority.question():
        return {"version": state.version, **question.view(state, request)}


def write_code(served: ServedModel, request: asked.CodeRequest) -> dict[str, Any]:
    """Return the Python code of a view."""
    return code_of(served.state, request, served.title)
