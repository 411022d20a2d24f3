"""The parts of an explanation: cases, features, conviction, residual conviction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.formatting.durations import shared_unit
from vicinal.formatting.values import json_list, json_value
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Bools, Floats, Ints, Places

#: Errors below this share of the usual error are treated as zero.
FINEST = 1e-6


@dataclass(frozen=True, eq=False)
class NearCases:
    """Training cases near a row: their influence on the prediction, and why they are near.

    Parameters
    ----------
    numbers : ndarray of int64 of shape (j,)
        Case numbers.
    influences : ndarray of shape (j,)
        Share of each case in the prediction.
    outcomes : tuple
        The target's value of each case.
    codes : ndarray of shape (j,)
        The outcomes as numbers, which a predicted number is the mean of; for classes, their
        position in the schema.
    distances : ndarray of shape (j,)
        Mean surprisal of the differences, in nats, with the feature weights of the target.
    names : tuple of str
        The features of the context.
    values : dict of str to tuple
        The cases' values of these features.
    terms : ndarray of shape (j, d)
        Surprisal of each feature's difference: 1.5 where equal; NaN for features that do not
        vary.
    differs : ndarray of bool of shape (j, d)
        Whether both values are known and differ by more than expected for the feature.
    weights : ndarray of shape (d,)
        Weight of each feature for the target; the weights sum to 1.
    background : float
        The baseline: influence that is shared equally by all cases.
    expected : Any
        What the background predicts: the mean outcome, or a dict of class frequencies.
    case_labels : CaseLabels
        What the cases are called, if they have labels.
    """

    numbers: Ints
    influences: Floats
    outcomes: tuple[Any, ...]
    codes: Floats
    distances: Floats
    names: tuple[str, ...]
    values: Mapping[str, tuple[Any, ...]]
    terms: Floats
    differs: Bools
    weights: Floats
    background: float = 0.0
    expected: Any = None
    case_labels: CaseLabels = NO_LABELS

    def __len__(self) -> int:
        return len(self.numbers)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame: one row per case."""
        columns: dict[str, list[Any]] = {
            "case": list(self.case_labels.listed(self.numbers)),
            "influence": self.influences.tolist(),
            "outcome": list(self.outcomes),
            "distance": self.distances.tolist(),
        }
        for name in self.names:
            # A feature may also be called "case".
            columns[f"value_{name}" if name in columns else name] = list(self.values[name])
        for name, terms in zip(self.names, self.terms.T, strict=True):
            columns[f"term_{name}"] = terms.tolist()
        return columns

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per case: influence, outcome, values and terms."""
        return build_frame(self.columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        expected = self.expected
        expected = json_shares(expected) if isinstance(expected, Mapping) else json_value(expected)
        name, named = self.case_labels.of, len(self.case_labels) > 0
        return {
            "features": list(self.names),
            "weights": json_list(self.weights.tolist()),
            "background": json_value(self.background),
            "expected": expected,
            "cases": [
                {
                    "case": int(self.numbers[at]),
                    **({"label": json_value(name(self.numbers[at]))} if named else {}),
                    "influence": json_value(self.influences[at]),
                    "outcome": json_value(self.outcomes[at]),
                    "distance": json_value(self.distances[at]),
                    "values": json_list(self.values[name][at] for name in self.names),
                    "terms": json_list(self.terms[at].tolist()),
                    "differs": self.differs[at].tolist(),
                }
                for at in range(len(self))
            ],
        }


@dataclass(frozen=True, eq=False)
class FeatureShares:
    """The contribution of each feature: baseline + Σ contributions = prediction.

    Parameters
    ----------
    names : tuple of str
        The features.
    values : ndarray of shape (d,)
        Contributions to the predicted number, or to the probability of `outcome`.
    standard_errors : ndarray of shape (d,)
        Standard errors of sampled contributions; 0 for exact ones.
    baseline, prediction : float
        The predictions without any features and with all features.
    outcome : Any
        The class whose probability is explained; None for a number.
    classes : tuple
        All classes, for nominal targets.
    by_class : ndarray of shape (d, K), optional
        Contributions to the probability of each class.
    in_seconds : bool
        Whether a date, a time or a duration is predicted: contributions are in seconds here, and
        in a unit that fits in `to_frame`.
    """

    names: tuple[str, ...]
    values: Floats
    standard_errors: Floats
    baseline: float
    prediction: float
    outcome: Any = None
    classes: tuple[Any, ...] = ()
    by_class: Floats | None = None
    in_seconds: bool = False

    @property
    def order(self) -> Places:
        """The positions of the features, largest contribution first."""
        return np.argsort(-np.abs(self.values), kind="stable")

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame: one row per feature, largest contribution first."""
        order = self.order
        unit, seconds = shared_unit(self.values.tolist())
        seconds = seconds if self.in_seconds else 1.0
        columns = {
            "feature": [self.names[i] for i in order],
            "contribution": (self.values[order] / seconds).tolist(),
            "standard_error": (self.standard_errors[order] / seconds).tolist(),
        }
        return {**columns, "unit": [unit] * len(order)} if self.in_seconds else columns

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per feature, the largest contribution first."""
        return build_frame(self.columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        by_class = self.by_class
        return {
            "outcome": json_value(self.outcome),
            "baseline": json_value(self.baseline),
            "prediction": json_value(self.prediction),
            "contributions": [
                {
                    "feature": name,
                    "contribution": json_value(value),
                    "standard_error": json_value(error),
                    **({} if by_class is None else {"by_class": json_list(by_class[at].tolist())}),
                }
                for at, (name, value, error) in enumerate(
                    zip(self.names, self.values, self.standard_errors, strict=True)
                )
            ],
            "classes": json_list(self.classes),
        }


@dataclass(frozen=True)
class RowConviction:
    """Whether a row resembles the training data.

    Parameters
    ----------
    similarity, familiarity : float
        Convictions: 1 is ordinary, low is surprising.
    p_value : float
        Share of the training cases that are at least as surprising.
    direction : str
        ``"outlier"``, ``"inlier"`` or ``"ordinary"``.
    features : tuple of (str, float)
        Features that make the row an outlier, and the surprisal in nats that each adds.
    """

    similarity: float
    familiarity: float
    p_value: float
    direction: str
    features: tuple[tuple[str, float], ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame, of one row."""
        return {
            "similarity": [self.similarity],
            "familiarity": [self.familiarity],
            "p_value": [self.p_value],
            "direction": [self.direction],
            "features": [", ".join(name for name, _ in self.features)],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe of one row."""
        return build_frame(self.columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {
            "similarity": json_value(self.similarity),
            "familiarity": json_value(self.familiarity),
            "p_value": json_value(self.p_value),
            "direction": self.direction,
            "features": [[name, json_value(nats)] for name, nats in self.features],
        }


@dataclass(frozen=True)
class ResidualConviction:
    """Whether a prediction is harder than usual.

    Parameters
    ----------
    expected : float
        Error to expect here: for classes, the probability not given to the true class, if the
        probabilities are right; for numbers, the mean error of left-out cases, more where the
        outcomes of the cases behind the prediction are spread, and less where they agree.
    usual : float
        Mean leave-one-out error of the cases that the target was learned from.
    around : float
        Mean leave-one-out error of the cases behind this prediction, weighted by influence.
    error : float, optional
        The error of this prediction, if the row has the true value.
    """

    expected: float
    usual: float
    around: float
    error: float | None = None

    @property
    def conviction(self) -> float:
        """Usual ÷ expected error: 1 for an average prediction, low for a harder one."""
        return self._ratio(self.usual, self.expected)

    @property
    def of_error(self) -> float | None:
        """The cases' error ÷ this error (as in the paper): low if they do not explain it."""
        return None if self.error is None else self._ratio(self.around, self.error)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame, of one row."""
        return {
            "expected_error": [self.expected],
            "usual_error": [self.usual],
            "error_around": [self.around],
            "residual_conviction": [self.conviction],
            "error": [self.error],
            "conviction_of_error": [self.of_error],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe of one row."""
        return build_frame(self.columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {name: json_value(values[0]) for name, values in self.columns().items()}

    def _ratio(self, above: float, below: float) -> float:
        # Tiny errors are treated as zero, and without any error nothing is unusual.
        fine = FINEST * self.usual
        return (above + fine) / (below + fine) if below + fine > 0 else 1.0


def json_shares(shares: Mapping[Any, float]) -> list[dict[str, Any]]:
    """Return the probabilities of classes as JSON values."""
    return [{"class": json_value(c), "probability": json_value(p)} for c, p in shares.items()]
