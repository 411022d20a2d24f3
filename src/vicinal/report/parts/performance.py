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
    """Expected shares beside observed ones.

    Parameters
    ----------
    what : {"classes", "intervals"}
        Whether the expected shares are probabilities or the nominal coverage of intervals.
    points : tuple of (expected, observed, count)
        The two shares, and the number of cases behind them.
    error : float
        Mean absolute difference of the two.
    sentence : str
        The observed coverage of 90 % prediction intervals or prediction sets.
    """

    what: str
    points: tuple[tuple[float, float, float], ...]
    error: float
    sentence: str


@dataclass(frozen=True)
class Performance:
    """How well held-out cases are predicted.

    Parameters
    ----------
    n_cases : int
        Cases that were held out, one at a time.
    n_fresh : int
        Those among them that nothing was learned from.
    predictors : tuple of str
        This model, then the baselines.
    scores : tuple of Score
        Scores of each of them.
    headline : str
        The result in one sentence.
    calibration : CalibrationCurve
        Whether probabilities or intervals are calibrated.
    confusion : ConfusionMatrix, optional
        For classes.
    points : tuple of (true, predicted)
        For numbers.
    axis : Axis, optional
        The axis of the points.
    """

    n_cases: int
    n_fresh: int
    predictors: tuple[str, ...]
    scores: tuple[Score, ...]
    headline: str
    calibration: CalibrationCurve
    confusion: ConfusionMatrix | None = None
    points: tuple[Point, ...] = ()
    axis: Axis | None = None
