"""What a report says about how predictions come about."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.report.scales import Axis

#: Features that are listed by importance; those after them are only counted.
LISTED = 20


@dataclass(frozen=True)
class Effect:
    """The average prediction when one feature is set to each of some values.

    Parameters
    ----------
    feature : str
        The feature that is changed.
    ordered : bool
        Whether its values have an order, so that a line may join the predictions.
    places : tuple of float
        Where each value stands, from 0 to 1.
    texts : tuple of str
        The values.
    series : tuple of (str, tuple of float)
        The probability of each class at each value; for a number one series without a name.
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
    loss_if_dropped, alone : tuple of float
        Information in nats that is lost without each feature, and that it gives by itself; NaN
        for features past the first `LISTED`.
    directions : tuple of str
        How a predicted number changes as the feature increases; empty for classes.
    unit : str
        The unit of the contributions.
    n_cases : int
        Cases that contributions are averaged over.
    n_measured : int
        Held-out cases that the information is measured with.
    n_orders : int or None
        Orderings of the features that were sampled; None where contributions are exact.
    effects : tuple of Effect
        Partial dependence on the most important features.
    axis : Axis
        The axis of the predictions in the effects.
    """

    names: tuple[str, ...]
    sizes: tuple[float, ...]
    loss_if_dropped: tuple[float, ...]
    alone: tuple[float, ...]
    directions: tuple[str, ...]
    unit: str
    n_cases: int
    n_measured: int
    n_orders: int | None
    effects: tuple[Effect, ...]
    axis: Axis


@dataclass(frozen=True)
class NearCase:
    """A case behind a prediction; `differs` marks values unlike those of the example."""

    case: int
    influence: float
    outcome: str
    values: tuple[str, ...]
    differs: tuple[bool, ...]


@dataclass(frozen=True)
class Example:
    """One prediction, explained down to the training cases.

    Parameters
    ----------
    case : int
        The stored case, predicted without itself.
    chosen : str
        Why it is shown.
    answer, truth : str
        The prediction with its interval or prediction set, and the true value.
    verdict : str
        Whether the prediction is correct, or its interval contains the true value.
    baseline, prediction : str
        The prediction when no feature is known, and the one that contributions lead to.
    contributions : tuple of (str, str, float, str)
        The largest ones: feature, its value, contribution, and the same as text.
    names, given : tuple of str
        Features in the table of cases, and the example's values of them.
    cases, boundary : tuple of NearCase
        The most influential cases, and the nearest with a different outcome.
    more : str
        How much the cases that are not shown contribute.
    notes : tuple of str
        Whether the case is unusual, and whether it is harder to predict than others.
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
    """The predictions for one case under all combinations of changes in some features.

    Parameters
    ----------
    case : int
        The case, predicted without itself.
    features : tuple of str
        The features that can be changed.
    ordered : tuple of bool
        Whether the values of each have an order.
    texts : tuple of tuple of str
        The values of each.
    places : tuple of tuple of float
        Where each value stands, from 0 to 1.
    own : tuple of int
        The place of the case's own value of each.
    classes : tuple of str
        The classes, or none for a number.
    answers : tuple of tuple of float
        The probability of each class, or the one number, for each combination; the last feature
        changes fastest.
    answer_texts : tuple of str
        The numbers as text; empty for classes.
    axis : Axis
        The axis of the predictions.
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
