"""What may be asked, as types: the bodies of requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vicinal.explorer.limits import (
    MOST_ANSWERED,
    MOST_BINS,
    MOST_CONDITIONS,
    MOST_COUNTERFACTUALS,
    MOST_LISTED,
    MOST_NEIGHBORS,
    MOST_PAGE,
)

#: A cell of a table: JSON has no other single values.
Cell = str | bool | int | float | None
Row = dict[str, Cell]
Share = Annotated[float, Field(gt=0, lt=1)]
CaseNumber = Annotated[int, Field(ge=0, lt=2**53)]
Label = str | int | float
#: A place on the map, or a bound of a range.
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Request(BaseModel):
    """The fields of every request."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Targeted(Request):
    """About a target."""

    target: str | None = Field(None, description="Column to predict; that of the service if null.")


class AboutRows(Request):
    """About rows: new ones, or stored cases, which are left out of their own answers."""

    rows: list[Row] | None = Field(None, description="New rows, by column name.")
    cases: list[CaseNumber] | None = Field(None, description="Numbers of stored cases.")
    ids: list[Label] | None = Field(None, description="Labels of stored cases.")
    changes: Row | None = Field(None, description="Values to change in the stored case or row.")
    context: list[str] | None = Field(None, description="Features to use; all by default.")

    #: Whether the question may be about all stored cases.
    _optional = False

    @model_validator(mode="after")
    def _one_of_three(self) -> AboutRows:
        given = [name for name in ("rows", "cases", "ids") if getattr(self, name) is not None]
        if len(given) > 1 or not (given or self._optional):
            got = " and ".join(given) or "none of them"
            raise ValueError(f"got {got}; expected one of rows, cases and ids")
        return self


class Region(Request):
    """A rectangle of the map."""

    x: tuple[Finite, Finite] = (0.0, 1.0)
    y: tuple[Finite, Finite] = (0.0, 1.0)


ComputedName = Literal["case", "prediction", "probability", "error", "conviction", "p_value"]


class Condition(Request):
    """A condition that selects cases, by exactly one of feature, by, flag, cases, ids, region."""

    feature: str | None = None
    by: ComputedName | None = None
    flag: str | None = None
    cases: Annotated[list[CaseNumber], Field(max_length=MOST_LISTED)] | None = None
    ids: Annotated[list[Label], Field(max_length=MOST_LISTED)] | None = None
    region: Region | None = None
    at_least: Cell = None
    at_most: Cell = None
    among: Annotated[list[Cell], Field(max_length=MOST_LISTED)] | None = Field(None, alias="in")
    missing: bool | None = None
    contains: str | None = None
    negated: bool = Field(False, alias="not")

    @model_validator(mode="after")
    def _one_subject(self) -> Condition:
        subjects = ("feature", "by", "flag", "cases", "ids", "region")
        given = [name for name in subjects if getattr(self, name) is not None]
        if len(given) != 1:
            got = " and ".join(given) or "none of them"
            raise ValueError(f"got {got}; expected one of {', '.join(subjects)}")
        return self


Filter = Annotated[list[Condition], Field(max_length=MOST_CONDITIONS)]


class Sort(Request):
    """What cases are sorted by."""

    by: Literal["feature", "label", ComputedName] = "feature"
    feature: str | None = None
    descending: bool = False


class CasesQuery(Targeted):
    """A page of the table."""

    filter: Filter = []
    search: str | None = Field(None, max_length=1000)
    sort: Annotated[list[Sort], Field(max_length=8)] = []
    offset: CaseNumber = 0
    limit: int = Field(100, ge=1, le=MOST_PAGE)
    columns: list[str] | None = None


class CasesAnswers(Targeted):
    """Predictions and convictions of some cases, now."""

    cases: list[CaseNumber] = Field(min_length=1, max_length=MOST_ANSWERED)


class CasesSummary(Targeted):
    """How many cases a filter selects."""

    filter: Filter = []


class Color(Request):
    """What the color of the map means."""

    by: Literal[
        "count", "feature", "prediction", "probability", "error", "conviction", "p_value"
    ] = "count"
    feature: str | None = None


class MapRequest(Targeted):
    """The map of all cases, or a part of it."""

    bins: int = Field(96, ge=1, le=MOST_BINS)
    view: Region = Region()
    filter: Filter = []
    color: Color = Color()


class PredictRequest(AboutRows, Targeted):
    """Predict rows."""

    alpha: Share = 0.1
    decision: Literal["accuracy", "balanced_accuracy", "f1", "mcc"] | None = None
    class_weight: Literal["balanced"] | None = None


class WhatIfRequest(AboutRows, Targeted):
    """One row, before and after changes."""

    alpha: Share = 0.1
    n_cases: int = Field(8, ge=0, le=100)


class ExplainRequest(AboutRows, Targeted):
    """Explain predictions."""

    alpha: Share = 0.1
    contributions: bool = True
    n_cases: int = Field(10, ge=1, le=MOST_NEIGHBORS)
    n_boundary: int = Field(3, ge=0, le=100)


class RowReference(Request):
    """One row: a case by number or label, or a new row."""

    case: CaseNumber | None = None
    id: Label | None = None
    row: Row | None = None

    @model_validator(mode="after")
    def _one_of_three(self) -> RowReference:
        given = [name for name in ("case", "id", "row") if getattr(self, name) is not None]
        if len(given) != 1:
            got = " and ".join(given) or "none of them"
            raise ValueError(f"got {got}; expected one of case, id and row")
        return self


class CompareRequest(Targeted):
    """Two rows side by side."""

    a: RowReference
    b: RowReference


class NeighborsRequest(AboutRows):
    """The nearest cases of rows."""

    k: int = Field(10, ge=1, le=MOST_NEIGHBORS)
    terms: bool = False


class ConvictionRequest(AboutRows):
    """How surprising rows are."""


class AnomaliesRequest(AboutRows):
    """Surprising rows; of the stored cases if no rows are given."""

    _optional = True

    threshold: float | None = Field(None, gt=0, lt=1e6)
    alpha: Share | None = None
    false_discovery_rate: Share | None = None
    inliers: bool = False
    offset: CaseNumber = 0
    limit: int = Field(50, ge=1, le=MOST_PAGE)


class Goal(Request):
    """Several classes, any of which is wanted, or a range of numbers."""

    any: list[Cell] | None = None
    low: Cell = None
    high: Cell = None


class CounterfactualRequest(AboutRows, Targeted):
    """What would change the prediction of a row."""

    wanted: Cell | Goal
    immutable: list[str] = []
    ranges: dict[str, tuple[Cell, Cell]] = {}
    directions: dict[str, Literal["increase", "decrease"]] = {}
    allowed: dict[str, list[Cell]] = {}
    n: int = Field(1, ge=1, le=MOST_COUNTERFACTUALS)


class DensityRequest(AboutRows):
    """The log density of rows."""


class ImputeRequest(Request):
    """Rows with missing values."""

    rows: list[Row]
    effort: Literal["low", "medium", "high"] = "low"
    alpha: Share = 0.1


class DriftRequest(Request):
    """New rows to compare with the stored cases."""

    rows: list[Row]
    shuffles: int = Field(499, ge=19, le=9999)


class AuditRequest(Targeted):
    """Likely errors in the table."""

    kind: Literal["label", "surprising", "duplicate", "unusual", "giveaway", "feature"] | None = (
        None
    )
    offset: CaseNumber = 0
    limit: int = Field(50, ge=1, le=MOST_PAGE)


class GroupsRequest(Targeted):
    """Two selections to compare."""

    a: Filter
    b: Filter | None = None
    protected: str | None = None
    positive: Cell = None


class CodeRequest(Request):
    """The Python code of a view."""

    view: str = Field(max_length=100)
    request: dict[str, Any] = {}


class AddRequest(Request):
    """Cases to add."""

    rows: list[Row] = Field(min_length=1)


class WhichCases(Request):
    """Stored cases, by number or by label."""

    cases: list[CaseNumber] | None = None
    ids: list[Label] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> WhichCases:
        if (self.cases is None) == (self.ids is None):
            raise ValueError("expected one of cases and ids")
        return self


class UpdateRequest(WhichCases):
    """New values of cases, one row for each."""

    rows: list[Row] = Field(min_length=1)


class RemoveRequest(WhichCases):
    """Cases to remove."""
