"""What a report says about how well a target is predicted."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.report.scales import Axis, Point


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
    #: For numbers: true and predicted values.
    points: tuple[Point, ...] = ()
    axis: Axis | None = None
