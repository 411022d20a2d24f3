"""What a report says about how predictions come about."""

from __future__ import annotations

from dataclasses import dataclass

from vicinal.report.scales import Axis

#: Features that are listed by importance; those after them are only counted.
LISTED = 20


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
    #: Orderings of the features that were sampled; None where contributions are exact.
    n_orders: int | None
    #: Partial dependence on the most important features, and the axis of the predictions.
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
