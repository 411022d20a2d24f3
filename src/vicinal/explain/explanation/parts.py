"""The parts of an explanation: cases, features, conviction, residual conviction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.formatting.values import json_list, json_value
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Bools, Floats, Ints, Places

#: Errors below this share of the usual one are as good as none.
FINEST = 1e-6


@dataclass(frozen=True, eq=False)
class NearCases:
    """Cases that speak to a prediction, and why they are near.

    Parameters
    ----------
    numbers : ndarray of int64 of shape (j,)
        Case numbers.
    influences : ndarray of shape (j,)
        Share of each in the prediction.
    outcomes : tuple
        What each was, in the target's own terms.
    codes : ndarray of shape (j,)
        The outcomes as numbers: what a predicted number is the mean of; for classes their place
        in the schema.
    distances : ndarray of shape (j,)
        Mean surprisal of the differences, in nats, each feature as it counts for the target.
    names : tuple of str
        The features of the context.
    values : dict of str to tuple
        The cases' values of these features, in their own terms.
    terms : ndarray of shape (j, d)
        Surprisal of each feature's difference: 1.5 where equal; NaN for features that tell
        nothing apart.
    differs : ndarray of bool of shape (j, d)
        Where the difference is more than what is expected of the feature.
    weights : ndarray of shape (d,)
        How much each feature counts for the target; they sum to 1.
    background : float
        Influence that all cases share alike, besides.
    expected : Any
        What the background says: the mean outcome, or a dict of class shares.
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

    def __len__(self) -> int:
        return len(self.numbers)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame: one row per case."""
        columns: dict[str, list[Any]] = {
            "case": self.numbers.tolist(),
            "influence": self.influences.tolist(),
            "outcome": list(self.outcomes),
            "distance": self.distances.tolist(),
        }
        for name in self.names:
            # A feature may be called "case" too.
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
        return {
            "features": list(self.names),
            "weights": json_list(self.weights.tolist()),
            "background": json_value(self.background),
            "expected": expected,
            "cases": [
                {
                    "case": int(self.numbers[at]),
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
    """What each feature contributes: baseline + Σ contributions = prediction.

    Parameters
    ----------
    names : tuple of str
        The features.
    values : ndarray of shape (d,)
        Contributions to the predicted number, or to the probability of `outcome`.
    standard_errors : ndarray of shape (d,)
        Of contributions that were sampled; 0 where they are exact.
    baseline, prediction : float
        The answer when nothing is known of the row, and the answer.
    outcome : Any
        The class whose probability is explained; None for a number.
    classes : tuple
        All classes, for classes.
    by_class : ndarray of shape (d, K), optional
        Contributions to the probability of each.
    """

    names: tuple[str, ...]
    values: Floats
    standard_errors: Floats
    baseline: float
    prediction: float
    outcome: Any = None
    classes: tuple[Any, ...] = ()
    by_class: Floats | None = None

    @property
    def order(self) -> Places:
        """Places of the features, the largest contribution first."""
        return np.argsort(-np.abs(self.values), kind="stable")

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame: one row per feature, largest contribution first."""
        order = self.order
        return {
            "feature": [self.names[i] for i in order],
            "contribution": self.values[order].tolist(),
            "standard_error": self.standard_errors[order].tolist(),
        }

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
    """Whether a row is one we know.

    Parameters
    ----------
    similarity, familiarity : float
        Convictions: 1 is ordinary, low surprising.
    p_value : float
        Share of the stored cases at least as surprising.
    direction : str
        ``"outlier"``, ``"inlier"`` or ``"ordinary"``.
    features : tuple of (str, float)
        Features responsible for an outlier, and the surprisal in nats that each adds.
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
        Error to expect here if the influences are right: for classes the probability that
        the true one will not have been given, for numbers how far outcomes are off the prediction.
    usual : float
        Mean error of the cases that the target was learned from, each predicted without itself.
    around : float
        The same of the cases behind this prediction, by their influence.
    error : float, optional
        The error of this prediction, where the row says what is true.
    """

    expected: float
    usual: float
    around: float
    error: float | None = None

    @property
    def conviction(self) -> float:
        """Usual ÷ expected error: 1 for a prediction like others, low for a harder one."""
        return self._ratio(self.usual, self.expected)

    @property
    def of_error(self) -> float | None:
        """The cases' error ÷ this one (the paper's): low where they do not explain it."""
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
        # Errors next to none are as good as none, and where there are none nothing is unusual.
        fine = FINEST * self.usual
        return (above + fine) / (below + fine) if below + fine > 0 else 1.0


def json_shares(shares: Mapping[Any, float]) -> list[dict[str, Any]]:
    """Return the probabilities of classes as values that JSON can hold."""
    return [{"class": json_value(c), "probability": json_value(p)} for c, p in shares.items()]
