"""The plain results that a page is made of: numbers and short texts, none of them escaped."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.report.scales import Axis, Point

#: Features that are listed by importance; those after them are only counted.
LISTED = 20


@dataclass(frozen=True)
class Distribution:
    """How often values occur, as bars."""

    labels: tuple[str, ...]
    #: Cases, or their weight, in each bar.
    counts: tuple[float, ...]
    #: Whether the bars are adjacent ranges of numbers.
    ordered: bool


@dataclass(frozen=True)
class FeatureSummary:
    """One feature of the table."""

    name: str
    kind: str
    #: A short summary of its values.
    values: str
    #: Share of the cases in which it is missing.
    missing: float
    #: The expected error when it is predicted from the other features.
    residual: str
    #: Share of the error that the other features remove: 1 − residual ÷ error without them.
    explained: float | None
    distribution: Distribution


@dataclass(frozen=True)
class FeaturePairs:
    """Share of the error in each feature that each other feature removes by itself."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Anomaly:
    """A case that is unlike the others."""

    case: int
    conviction: float
    p_value: float
    #: For each feature responsible its name, its value, the surprisal it adds in nats, and the
    #: values of the nearest ordinary cases.
    reasons: tuple[tuple[str, str, float, tuple[str, ...]], ...]
    #: The nearest ordinary cases.
    ordinary: tuple[int, ...]
    #: What the case and the ordinary ones are called, if they have labels.
    name: str | None = None
    ordinary_names: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Findings:
    """What was looked for in the data, how many were found, and the strongest of them."""

    title: str
    count: int
    #: Where each is, and the evidence.
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Score:
    """One score of the model and of the baselines, as texts in the same order."""

    name: str
    hint: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class ConfusionMatrix:
    """Number of cases by true class (rows) and predicted class (columns)."""

    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class CalibrationCurve:
    """Expected shares beside observed ones."""

    #: ``"classes"`` or ``"intervals"``: whether the expected shares are probabilities or the
    #: nominal coverage of prediction intervals.
    what: str
    #: Expected and observed share, and the number of cases.
    points: tuple[tuple[float, float, float], ...]
    #: Mean absolute difference of the two shares.
    error: float
    #: The observed coverage of 90 % prediction intervals or prediction sets.
    sentence: str


@dataclass(frozen=True)
class Ranking:
    """How well held-out cases are ranked by the probability of one class."""

    label: str
    #: The share of the class.
    rate: float
    auc: float
    average_precision: float
    #: The largest difference of the two shares of the ROC curve.
    ks: float
    #: How many times more cases of the class than on average are among the first tenth.
    lift: float
    #: Shares of the other cases and of those of the class above each threshold.
    roc: tuple[Point, ...]
    #: Recall and precision.
    precision_recall: tuple[Point, ...]
    #: Shares of all cases and of those of the class.
    gains: tuple[Point, ...]


@dataclass(frozen=True)
class Decisions:
    """What rules to decide on a class lead to."""

    #: The rarer of two classes, or nothing.
    rare: str
    #: The parameter that asks for each rule; accuracy, balanced accuracy, F1 and MCC, and for
    #: two classes recall and precision of the rarer one.
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    #: For two classes: threshold, ratio of costs, recall, precision and share predicted.
    thresholds: tuple[tuple[str, ...], ...]
    #: Recall, precision and share predicted, at thresholds from 0 to 1.
    threshold_curves: tuple[tuple[str, tuple[Point, ...]], ...] = ()


@dataclass(frozen=True)
class Performance:
    """How well cases are predicted that were held out, one at a time."""

    n_cases: int
    #: Those that nothing was learned from.
    n_fresh: int
    #: This model, then the baselines.
    predictors: tuple[str, ...]
    scores: tuple[Score, ...]
    #: The result in one sentence.
    headline: str
    calibration: CalibrationCurve
    #: For classes.
    confusion: ConfusionMatrix | None = None
    rankings: tuple[Ranking, ...] = ()
    decisions: Decisions | None = None
    #: For numbers: true and predicted values.
    points: tuple[Point, ...] = ()
    axis: Axis | None = None


@dataclass(frozen=True)
class Effect:
    """The average prediction when one feature is set to each of some values."""

    feature: str
    #: Whether the values have an order, so that a line may join the predictions.
    ordered: bool
    #: Where each value stands, from 0 to 1.
    places: tuple[float, ...]
    #: The values.
    texts: tuple[str, ...]
    #: The probability of each class at each value; for a number one series without a name.
    series: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Importance:
    """Which features matter to the target, the most important first."""

    names: tuple[str, ...]
    #: Mean absolute contribution to the predictions.
    sizes: tuple[float, ...]
    #: Information in nats that is lost without the feature; NaN past the first `LISTED`.
    loss_if_dropped: tuple[float, ...]
    #: Information in nats that the feature gives by itself; NaN past the first `LISTED`.
    alone: tuple[float, ...]
    #: How a predicted number changes as the feature increases; empty for classes.
    directions: tuple[str, ...]
    #: The unit of the contributions.
    unit: str
    #: Cases that contributions are averaged over.
    n_cases: int
    #: Held-out cases that the information is measured on.
    n_measured: int
    #: What contributions were estimated from; nothing where they are exact.
    estimated_from: str
    #: Partial dependence on the most important features, and the axis of the predictions.
    effects: tuple[Effect, ...]
    axis: Axis
    #: The greatest standard error of the information, in nats.
    greatest_error: float = 0.0


@dataclass(frozen=True)
class NearCase:
    """A case behind a prediction; `differs` marks values unlike those of the example."""

    case: int
    influence: float
    outcome: str
    values: tuple[str, ...]
    differs: tuple[bool, ...]
    #: What the case is called, if it has a label.
    name: str | None = None


@dataclass(frozen=True)
class Example:
    """The prediction of a case without itself, explained down to the training cases."""

    case: int
    #: Why it is shown.
    chosen: str
    #: The prediction with its interval or prediction set, and the true value.
    answer: str
    truth: str
    #: Whether the prediction is correct, or its interval contains the true value.
    verdict: str
    #: The prediction when no feature is known, and the one that contributions lead to.
    baseline: str
    prediction: str
    #: The largest ones: feature, its value, contribution, and the same as text.
    contributions: tuple[tuple[str, str, float, str], ...]
    #: Features in the table of cases, and the example's values of them.
    names: tuple[str, ...]
    given: tuple[str, ...]
    #: The most influential cases, and the nearest with a different outcome.
    cases: tuple[NearCase, ...]
    boundary: tuple[NearCase, ...]
    #: How much the cases that are not shown contribute.
    more: str
    #: Whether the case is unusual, and whether it is harder to predict than others.
    notes: tuple[str, ...]
    #: What the case is called, if it has a label.
    name: str | None = None


@dataclass(frozen=True)
class WhatIf:
    """The predictions of a case without itself, for all combinations of some changes."""

    case: int
    #: The features that can be changed, and whether the values of each have an order.
    features: tuple[str, ...]
    ordered: tuple[bool, ...]
    #: The values of each feature, and where they stand, from 0 to 1.
    texts: tuple[tuple[str, ...], ...]
    places: tuple[tuple[float, ...], ...]
    #: The place of the case's own value of each feature.
    own: tuple[int, ...]
    #: The classes, or none for a number.
    classes: tuple[str, ...]
    #: The probability of each class, or the one number, for each combination; the last feature
    #: changes fastest.
    answers: tuple[tuple[float, ...], ...]
    #: The numbers as text; empty for classes.
    answer_texts: tuple[str, ...]
    axis: Axis
    #: What the case is called, if it has a label.
    name: str | None = None


@dataclass(frozen=True)
class Report:
    """Everything that a page shows."""

    title: str
    n_cases: int
    n_features: int
    #: Share of the cells that are missing.
    missing: float
    features: tuple[FeatureSummary, ...]
    #: The most surprising ones, and how many there are.
    anomalies: tuple[Anomaly, ...]
    n_anomalies: int
    findings: tuple[Findings, ...]
    created_by: str
    target: str | None = None
    #: Columns that are no features, and why; features with something to note, and what.
    ignored: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    #: Number of cases that were judged as anomalies, and checked for errors; all if None.
    n_judged: int | None = None
    n_audited: int | None = None
    #: Without a target only.
    pairs: FeaturePairs | None = None
    #: With a target only, as those that follow.
    performance: Performance | None = None
    importance: Importance | None = None
    examples: tuple[Example, ...] = ()
    what_ifs: tuple[WhatIf, ...] = ()
