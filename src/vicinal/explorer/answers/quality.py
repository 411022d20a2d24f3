"""Density, missing values, drift, audits and groups; and changes of the cases."""

from __future__ import annotations

from vicinal.explorer.answers.parts import Answer, CaseName, Number, Part, Sample, Value


class Density(Answer):
    """Log densities of rows."""

    log_density: list[Number]
    unit: str


class ImputedCell(Part):
    """A missing value that was filled in."""

    row: int
    feature: str
    value: Value
    text: str
    interval: list[Value] | None
    set: list[Value] | None
    conviction: Number


class Imputed(Answer):
    """Rows without missing values."""

    rows: list[dict[str, Value]]
    cells: list[ImputedCell]


class FeatureDrift(Part):
    """How a feature changed."""

    feature: str
    gap: Number
    p_own: Number
    p_given_others: Number
    p_adjusted: Number
    change: str


class DriftFound(Answer):
    """How new rows differ from the stored cases."""

    changed: bool
    p_value: Number
    amount: Number
    together: Number
    n_stored: int
    n_new: int
    features: list[FeatureDrift]


class FindingKind(Part):
    """What an audit looked for, and how many it found."""

    kind: str
    title: str
    count: int


class Finding(CaseName):
    """A likely error."""

    kind: str
    feature: str | None
    score: Number
    evidence: str
    cases: list[CaseName]
    suggested: Value


class Audited(Answer):
    """Likely errors in a table."""

    target: str | None
    sample: Sample
    kinds: list[FindingKind]
    total: int
    offset: int
    findings: list[Finding]


class GroupSize(Part):
    """How many cases a selection has, and how many of them were predicted."""

    cases: int
    computed: int


class GroupText(Part):
    """A feature of a selection in words."""

    text: str
    missing: int


class TwoDistributions(Part):
    """Shares of the cases of both selections."""

    labels: list[str]
    a: list[float]
    b: list[float]
    ordered: bool


class FeatureGap(Part):
    """How a feature differs between two selections."""

    feature: str
    kind: str
    gap: Number
    p_value: Number
    a: GroupText
    b: GroupText
    distribution: TwoDistributions


class QualityMeasure(Part):
    """A measure of the quality of predictions, with standard errors."""

    name: str
    a: Number
    b: Number
    a_error: Number
    b_error: Number
    unit: str
    better: str


class Quality(Part):
    """How well both selections are predicted."""

    measures: list[QualityMeasure]


class FairnessGroup(Part):
    """A group of a protected column; rates of classes, or errors of numbers."""

    value: Value
    text: str
    cases: int
    selection_rate: Number = None
    true_positive_rate: Number = None
    false_positive_rate: Number = None
    precision: Number = None
    accuracy: Number = None
    base_rate: Number = None
    mean_absolute_error: Number = None
    bias: Number = None
    coverage: Number = None


class FairnessMeasure(Part):
    """How alike the groups are treated."""

    name: str
    value: Number
    text: str


class Fairness(Part):
    """Whether the groups of a protected column are treated alike."""

    protected: str
    positive: Value
    groups: list[FairnessGroup]
    measures: list[FairnessMeasure]


class GroupsCompared(Answer):
    """Two selections compared."""

    a: GroupSize
    b: GroupSize
    features: list[FeatureGap]
    quality: Quality | None
    fairness: Fairness | None


class Code(Part):
    """Code that makes a view."""

    language: str
    code: str


class Changed(Answer):
    """Cases that were added, changed or removed."""

    cases: list[int]


class LogEntry(Part):
    """One change."""

    when: str
    action: str
    count: int
    cases: list[int]


class Log(Answer):
    """All changes, the latest first."""

    total: int
    offset: int
    changes: list[LogEntry]
