"""What all answers are made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

#: A value of the table.
Value = str | bool | int | float | None
Number = float | None
Point = list[Number]


class Part(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Answer(Part):
    """An answer about a version of the cases."""

    version: int = Field(description="Number of changes ever made to the cases.")


class Sample(Part):
    """How many cases were used."""

    cases: int
    of: int


class CaseName(Part):
    """A stored case: its number, its label, and what to show."""

    case: int | None
    label: Value
    name: str


class Problem(BaseModel):
    """What went wrong (RFC 9457): got, expected, and what to do."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[dict[str, Any]] | None = None


class Pending(Part):
    """A result that is still being computed; ask again."""

    state: str
    task: str
    progress: float
    message: str


class Health(Part):
    """Whether the service answers."""

    status: str


class Histogram(Part):
    """Counts between edges."""

    edges: list[Number]
    counts: list[int]
