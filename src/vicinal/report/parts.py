"""The plain results that a report is made of: numbers and short texts, none of them escaped."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """A range of encoded values, and the texts at some of them."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Distribution:
    """How often values occur.

    Parameters
    ----------
    labels : tuple of str
        Of each bar.
    counts : tuple of float
        Cases, or their weight, in each.
    ordered : bool
        Whether the bars are ranges of numbers that touch each other.
    """

    labels: tuple[str, ...]
    counts: tuple[float, ...]
    ordered: bool


@dataclass(frozen=True)
class FeatureSummary:
    """One feature of the table.

    Parameters
    ----------
    name, kind : str
        What it is called and what it is.
    values : str
        What it holds, in short.
    missing : float
        Share of the cases that lack it.
    residual : str
        The error that is expected when it is predicted from the others.
    followed : float or None
        How much of the error the others take away: 1 − residual ÷ error without them.
    distribution : Distribution
        Of its values.
    """

    name: str
    kind: str
    values: str
    missing: float
    residual: str
    followed: float | None
    distribution: Distribution


@dataclass(frozen=True)
class Pairs:
    """How much of the error in each feature each other one takes away, by itself."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Score:
    """One measure of the predictions, beside those of baselines: texts in the same order."""

    name: str
    hint: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Confusion:
    """Cases by their true class (rows) and their predicted one (columns)."""

    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Calibration:
    """What was promised, what came true, and in how many cases.

    Parameters
    ----------
    what : {"classes", "intervals"}
        Whether probabilities or intervals make the promise.
    points : tuple of (promised, observed, count)
        As shares.
    error : float
        Mean difference of the two.
    sentence : str
        What intervals or label sets of 90 % did.
    """

    what: str
    points: tuple[tuple[float, float, float], ...]
    error: float
    sentence: str


@dataclass(frozen=True)
class Prediction:
    """How well left-out cases are predicted.

    Parameters
    ----------
    n_cases : int
        Cases that were left out, one at a time.
    n_fresh : int
        Those among them that played no part in learning the target.
    predictors : tuple of str
        Who predicted: this model first, then the baselines.
    scores : tuple of Score
        Of each of them.
    headline : str
        The result in one sentence.
    confusion : Confusion, optional
        For classes.
    points, axis : tuple of (true, predicted), and what they are measured on
        For numbers.
    calibration : Calibration
        Whether the model is as sure as it says.
    """

    n_cases: int
    n_fresh: int
    predictors: tuple[str, ...]
    scores: tuple[Score, ...]
    headline: str
    calibration: Calibration
    confusion: Confusion | None = None
    points: tuple[Point, ...] = ()
    axis: Axis | None = None


@dataclass(frozen=True)
class Effect:
    """What is predicted on average when one feature is set to each of some values.

    Parameters
    ----------
    feature : str
        The one that is changed.
    ordered : bool
        Whether its values are numbers, so that a line may join the answers.
    places : tuple of float
        Where each value stands, from 0 to 1.
    texts : tuple of str
        The values.
    series : tuple of (str, tuple of float)
        Of each class its probability at each value; of a number the one prediction.
    """

    feature: str
    ordered: bool
    places: tuple[float, ...]
    texts: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Importance:
    """Which features matter to the target, the most important first.

    Parameters
    ----------
    names : tuple of str
        The features.
    sizes : tuple of float
        Mean absolute contribution of each to the predictions.
    lost, alone : tuple of float
        Nats that are lost without each feature, and that it tells by itself; NaN for those that
        are not listed.
    directions : tuple of str
        What more of the feature does to a number that is predicted.
    unit : str
        Of the contributions.
    n_cases : int
        Cases that contributions were found for.
    n_told : int
        Cases that the nats are of.
    n_orders : int or None
        Orders of the features that were tried; None where all sets of them were asked.
    effects : tuple of Effect
        Of the most important ones.
    axis : Axis
        Of the predictions in the effects.
    """

    names: tuple[str, ...]
    sizes: tuple[float, ...]
    lost: tuple[float, ...]
    alone: tuple[float, ...]
    directions: tuple[str, ...]
    unit: str
    n_cases: int
    n_told: int
    n_orders: int | None
    effects: tuple[Effect, ...]
    axis: Axis


@dataclass(frozen=True)
class Anomaly:
    """A case that is unlike the others.

    Parameters
    ----------
    case : int
        Its number.
    conviction, p_value : float
        How surprising it is.
    reasons : tuple of (str, str, float, tuple of str)
        Of each feature responsible: its name, the value, the surprisal it adds in nats, and the
        values of the nearest ordinary cases.
    ordinary : tuple of int
        Those cases.
    """

    case: int
    conviction: float
    p_value: float
    reasons: tuple[tuple[str, str, float, tuple[str, ...]], ...]
    ordinary: tuple[int, ...]


@dataclass(frozen=True)
class Doubts:
    """Findings of one kind: what was looked for, how many there are, and the strongest.

    Parameters
    ----------
    title : str
        What was looked for.
    count : int
        How many there are.
    rows : tuple of (str, str)
        Of the strongest: where, and what speaks for it.
    """

    title: str
    count: int
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NearCase:
    """A case behind an answer, or at its boundary; `differs` marks values unlike the row's."""

    case: int
    influence: float
    outcome: str
    values: tuple[str, ...]
    differs: tuple[bool, ...]


@dataclass(frozen=True)
class Example:
    """One answer, explained down to its cases.

    Parameters
    ----------
    case : int
        The stored case that was predicted without itself.
    chosen : str
        Why it is shown.
    answer, truth : str
        What is predicted, with its limits, and what the table says.
    verdict : str
        Whether the answer is right, or its interval holds the truth.
    baseline, prediction : str
        The answer when nothing is known, and the answer that contributions lead to.
    contributions : tuple of (str, str, float, str)
        Of the largest ones: feature, value of the row, contribution, and the same as text.
    names, given : tuple of str
        Features shown in the table of cases, and the row's values of them.
    cases, boundary : tuple of NearCase
        The most influential cases, and the nearest with another outcome.
    more : str
        What the cases that are not shown have together.
    notes : tuple of str
        Whether it is unusual, and harder than others.
    """

    case: int
    chosen: str
    answer: str
    truth: str
    verdict: str
    baseline: str
    prediction: str
    contributions: tuple[tuple[str, str, float, str], ...]
    names: tuple[str, ...]
    given: tuple[str, ...]
    cases: tuple[NearCase, ...]
    boundary: tuple[NearCase, ...]
    more: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class WhatIf:
    """The answers for one case when some of its features are changed, all combinations of them.

    Parameters
    ----------
    case : int
        The case; it is left out.
    features : tuple of str
        Those that can be changed.
    ordered : tuple of bool
        Whether the values of each are numbers.
    texts : tuple of tuple of str
        The values of each.
    places : tuple of tuple of float
        Where each value stands, from 0 to 1.
    own : tuple of int
        Which of them the case has.
    classes : tuple of str
        The classes, or none for a number.
    answers : tuple of tuple of float
        Of each combination, the last feature changing fastest: the probability of each class, or
        the one number.
    answer_texts : tuple of str
        The numbers as text; empty for classes.
    axis : Axis
        Of the numbers.
    """

    case: int
    features: tuple[str, ...]
    ordered: tuple[bool, ...]
    texts: tuple[tuple[str, ...], ...]
    places: tuple[tuple[float, ...], ...]
    own: tuple[int, ...]
    classes: tuple[str, ...]
    answers: tuple[tuple[float, ...], ...]
    answer_texts: tuple[str, ...]
    axis: Axis


@dataclass(frozen=True)
class Report:
    """Everything that a page shows.

    Parameters
    ----------
    title : str
        Of the page.
    n_cases, n_features : int
        Of the table.
    missing : float
        Share of its cells that are missing.
    features : tuple of FeatureSummary
        In the order of the table.
    anomalies : tuple of Anomaly
        The most surprising; `n_anomalies` is how many there are.
    doubts : tuple of Doubts
        By what was looked for.
    target : str, optional
        What is predicted; the parts below are there only with it.
    pairs : Pairs, optional
        Shown without a target.
    made : str
        By what the page was made.
    """

    title: str
    n_cases: int
    n_features: int
    missing: float
    features: tuple[FeatureSummary, ...]
    anomalies: tuple[Anomaly, ...]
    n_anomalies: int
    doubts: tuple[Doubts, ...]
    made: str
    target: str | None = None
    pairs: Pairs | None = None
    prediction: Prediction | None = None
    importance: Importance | None = None
    examples: tuple[Example, ...] = ()
    what_ifs: tuple[WhatIf, ...] = ()
