"""Predictions, explanations, neighbors, convictions and counterfactuals of rows."""

from __future__ import annotations

from pydantic import Field

from vicinal.explorer.answers.parts import Answer, CaseName, Histogram, Number, Part, Sample, Value


class ClassProbability(Part):
    """A class and its probability."""

    class_: Value = Field(alias="class")
    probability: float


class Prediction(Part):
    """A prediction with an interval or a set."""

    prediction: Value
    probabilities: list[ClassProbability] | None
    set: list[Value] | None
    interval: list[Value] | None


class Predicted(Answer):
    """Predictions of rows."""

    target: str
    target_kind: str
    alpha: float
    predictions: list[Prediction]


class Conviction(Part):
    """How surprising a row is; 1 is ordinary, low is surprising."""

    similarity: Number
    familiarity: Number
    p_value: Number
    direction: str
    text: str


class Influence(CaseName):
    """A case behind a prediction."""

    influence: float
    outcome: Value


class Moment(Prediction):
    """A row before or after changes."""

    headline: str
    conviction: Conviction
    cases: list[Influence]


class WhatIf(Answer):
    """A row before and after changes."""

    target: str
    changed: list[str]
    before: Moment | None
    after: Moment
    row: dict[str, Value]


class Given(Part):
    """A value that a prediction is based on."""

    feature: str
    value: Value
    text: str


class NearCase(Influence):
    """A case beside the row that is explained."""

    distance: Number
    values: list[Value]
    terms: list[Number]
    differs: list[bool]


class Step(Part):
    """A step of a waterfall."""

    feature: str
    text: str
    contribution: Number
    standard_error: Number
    start: Number
    end: Number


class Contributions(Part):
    """From the baseline to the prediction, as text in `between`.

    Dates, times and durations are explained in a unit that fits, which is named.
    """

    outcome: Value
    baseline: Number
    prediction: Number
    unit: str
    between: list[str]
    exact: bool
    steps: list[Step]


class FeatureNats(Part):
    """A feature, and the surprisal that it adds."""

    feature: str
    nats: Number


class ExplainedConviction(Conviction):
    """How surprising a row is, and why."""

    features: list[FeatureNats]


class ResidualConviction(Part):
    """Whether a prediction is harder than usual."""

    conviction: Number
    text: str


class Explanation(CaseName):
    """A prediction and everything behind it."""

    stored: bool
    target: str
    headline: str
    prediction: Value
    alpha: float
    interval: list[Value] | None
    set: list[Value] | None
    truth: Value
    probabilities: list[ClassProbability] | None
    given: list[Given]
    features: list[str]
    weights: list[Number]
    cases: list[NearCase]
    n_contributing: int
    rest: float
    background: float
    boundary: list[NearCase]
    contributions: Contributions | None
    conviction: ExplainedConviction
    residual_conviction: ResidualConviction


class Explained(Answer):
    """Explanations of rows."""

    explanations: list[Explanation]


class FeatureBeside(Part):
    """A feature of two rows."""

    feature: str
    a: Value
    b: Value
    a_text: str
    b_text: str
    term: Number
    differs: bool
    weight: Number


class Compared(Answer):
    """Two rows side by side; a new row has no name."""

    a: CaseName | None
    b: CaseName | None
    distance: Number
    features: list[FeatureBeside]
    predictions: dict[str, Prediction] | None


class Neighbor(CaseName):
    """A near case."""

    distance: Number
    values: list[Value]
    terms: list[Number] | None


class NeighborsFound(Answer):
    """The nearest cases of rows."""

    features: list[str]
    neighbors: list[list[Neighbor]]


class Judged(Answer):
    """How surprising rows are."""

    convictions: list[Conviction]


class AnomalyFeature(FeatureNats):
    """A feature that makes a row an anomaly, beside ordinary cases."""

    text: str
    ordinary_texts: list[str]


class Anomaly(CaseName):
    """A surprising case or row."""

    row: int | None
    conviction: Number
    p_value: Number
    tail_p_value: Number
    direction: str
    features: list[AnomalyFeature]
    ordinary: list[CaseName]


class AnomaliesFound(Answer):
    """Surprising rows, the most surprising first."""

    total: int
    offset: int
    judged: int
    sample: Sample
    clean_share: Number
    promise: str
    histogram: Histogram | None
    anomalies: list[Anomaly]


class Change(Part):
    """A changed value."""

    feature: str
    from_: Value = Field(alias="from")
    to: Value
    from_text: str
    to_text: str


class Counterfactual(CaseName):
    """A changed row, and the nearest case with a wanted outcome."""

    changes: list[Change]
    row: dict[str, Value]
    prediction: Value
    probabilities: list[ClassProbability]
    conviction: Number


class Constraint(Part):
    """A constraint to drop."""

    argument: str
    feature: str


class Relaxation(Part):
    """What would be possible without some constraints."""

    constraints: list[Constraint]
    text: str
    counterfactual: Counterfactual


class ChangesFound(Answer):
    """What would change a prediction."""

    target: str
    message: str
    counterfactuals: list[Counterfactual]
    relaxation: Relaxation | None
