"""Models, columns, pages of the table, and the map."""

from __future__ import annotations

from vicinal.explorer.answers.parts import Answer, CaseName, Number, Part, Sample, Value


class ModelEntry(Part):
    """A model that is served."""

    name: str
    title: str
    cases: int
    features: int
    target: str | None
    target_kind: str | None
    writable: bool
    labeled: bool
    version: int
    url: str


class ModelList(Part):
    """All models that are served."""

    vicinal: str
    models: list[ModelEntry]


class TaskStatus(Part):
    """A computation in the background."""

    name: str
    target: str | None
    state: str
    progress: float
    message: str
    seconds: float


class Status(Answer):
    """What is computed in the background."""

    state: str
    tasks: list[TaskStatus]


class Category(Part):
    """A category, and how many cases have it."""

    value: Value
    text: str
    count: int


class Input(Part):
    """What a form needs to know about a column."""

    type: str
    minimum: Value
    maximum: Value
    step: Number
    categories: list[Category] | None
    more_categories: int


class Bars(Part):
    """How often values occur."""

    labels: list[str]
    counts: list[float]
    ordered: bool


class Column(Part):
    """A column of the table."""

    name: str
    role: str
    kind: str
    dtype: str
    note: str | None
    missing: int
    distinct: int
    typical: Value
    residual: str
    explained: Number
    input: Input
    distribution: Bars


class Ignored(Part):
    """A column that is not a feature."""

    name: str
    role: str
    reason: str


class SchemaAnswer(Answer):
    """The columns of a table."""

    model: str
    cases: int
    target: str | None
    id_column: str | None
    labeled: bool
    columns: list[Column]
    ignored: list[Ignored]


class CaseAnswer(CaseName):
    """What was computed for a case; null where it was not."""

    prediction: Value
    probability: Number
    error: Number
    conviction: Number
    p_value: Number
    flags: list[str]


class CaseRow(CaseAnswer):
    """A row of the table."""

    values: list[Value]


class Computed(Part):
    """For how many cases something was computed."""

    state: str
    cases: int
    of: int


class CasesPage(Answer):
    """A page of the table."""

    total: int
    of: int
    offset: int
    columns: list[str]
    rows: list[CaseRow]
    computed: dict[str, Computed]


class CasesAnswered(Answer):
    """Predictions and convictions of some cases."""

    rows: list[CaseAnswer]


class CasesSummarized(Answer):
    """How many cases a filter selects, and the first of them."""

    total: int
    of: int
    cases: list[int]


class View(Part):
    """A rectangle of the map."""

    x: list[float]
    y: list[float]


class MapColor(Part):
    """What the values of cells and points are."""

    kind: str
    classes: list[str] | None
    low: Number
    high: Number


class Cells(Part):
    """Cells of the map that hold cases."""

    x: list[int]
    y: list[int]
    count: list[int]
    value: list[Number] | None
    share: list[Number] | None


class MapPoint(Part):
    """A single case on the map."""

    case: int
    name: str
    x: float
    y: float
    value: Number


class MapAnswer(Answer):
    """The map of all cases, or a part of it."""

    view: View
    bins: int
    total: int
    of: int
    sample: Sample
    color: MapColor
    cells: Cells
    points: list[MapPoint] | None
