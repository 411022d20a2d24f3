"""The quality of predictions, and which features matter."""

from __future__ import annotations

from vicinal.explorer.answers.parts import Answer, Histogram, Number, Part, Point, Sample


class Score(Part):
    """A score of the model and of baselines."""

    name: str
    hint: str
    texts: list[str]


class CalibrationPoint(Part):
    """Expected and observed share."""

    expected: float
    observed: float
    cases: float


class Calibration(Part):
    """Whether probabilities or intervals are calibrated."""

    what: str
    points: list[CalibrationPoint]
    error: float
    sentence: str


class CoveragePoint(Part):
    """Nominal and observed coverage of intervals or sets."""

    nominal: float
    observed: Number
    cases: float


class Confusion(Part):
    """Cases by true class (rows) and predicted class (columns)."""

    labels: list[str]
    counts: list[list[float]]


class Ranking(Part):
    """How well cases are ranked by the probability of a class."""

    label: str
    rate: float
    auc: float
    average_precision: float
    ks: float
    lift: float
    roc: list[Point]
    precision_recall: list[Point]
    gains: list[Point]


class Rule(Part):
    """A rule to decide on a class, and its scores."""

    rule: str
    scores: list[str]


class Decisions(Part):
    """What rules to decide on a class lead to."""

    rare: str
    rules: list[Rule]
    score_names: list[str]
    thresholds: list[list[str]]


class Axis(Part):
    """A range of numbers with ticks."""

    low: Number
    high: Number
    ticks: list[tuple[float, str]]


class Residuals(Part):
    """True and predicted numbers, and how far predictions are above the truth."""

    points: list[Point]
    axis: Axis
    histogram: Histogram
    #: The unit of errors of times; empty of anything else.
    unit: str


class Performance(Part):
    """How well held-out cases are predicted."""

    headline: str
    n_cases: int
    n_fresh: int
    predictors: list[str]
    scores: list[Score]
    calibration: Calibration
    coverage: list[CoveragePoint]
    confusion: Confusion | None
    rankings: list[Ranking] | None
    decisions: Decisions | None
    residuals: Residuals | None


class FeatureImportance(Part):
    """How much a feature matters."""

    feature: str
    size: Number
    loss_if_dropped: Number
    alone: Number
    direction: str


class Series(Part):
    """Average predictions of one class, or of a number."""

    label: str
    values: list[Number]


class Effect(Part):
    """Average predictions at some values of a feature."""

    feature: str
    ordered: bool
    places: list[float]
    texts: list[str]
    series: list[Series]


class Importance(Part):
    """Which features matter."""

    unit: str
    n_cases: int
    features: list[FeatureImportance]
    effects: list[Effect]
    axis: Axis


class Overview(Answer):
    """Quality of predictions, and features that matter."""

    target: str | None
    target_kind: str | None
    sample: Sample
    performance: Performance | None
    importance: Importance | None
