"""The decision rule that the parameters `decision` and `class_weight` ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.prediction.decision import Decision, balanced_weights
from vicinal.prediction.predictor import Predictor
from vicinal.tables.values import value_key
from vicinal.typing import Floats
from vicinal.validation import check_parameters


def deciding(predictor: Predictor, decision: Any, class_weight: Any) -> Predictor:
    """Return a predictor that decides on classes as asked.

    A class without any case is never predicted.

    Raises
    ------
    ParameterError
        If the target is a number, or a parameter does not fit its classes.
    """
    if decision is None and class_weight is None:
        return predictor
    feature = predictor.fitted.schema.storage[predictor.column]
    if not predictor.target.n_classes:
        raise ParameterError(
            f"{feature.name!r} is {feature.kind}, so it has no classes to decide on; "
            "leave out decision and class_weight."
        )
    check_rule(feature.class_order, decision, class_weight)
    weights = _weights_of(predictor, class_weight)
    if decision is None:
        return predictor.deciding(Decision.weighted(weights))
    if not isinstance(decision, str):
        there = predictor.fitted.class_codes(predictor.column) >= 0
        costs = _matrix(decision)[np.ix_(there, there)]
        return predictor.deciding(Decision.least_cost(costs, weights))
    key = ("decision", predictor.column, *predictor.context.tolist(), decision, weights.tobytes())
    made = predictor.fitted.cached(key, lambda: _tuned(predictor, decision, weights))
    return predictor.deciding(made)


def check_rule(labels: Sequence[Any], decision: Any, class_weight: Any) -> None:
    """Refuse parameters that break their rules or do not fit the classes, given in order.

    Examples
    --------
    >>> from vicinal.prediction.rule import check_rule
    >>> check_rule(["no", "yes"], None, {"yess": 5})
    Traceback (most recent call last):
        ...
    vicinal.exceptions.ParameterError: class_weight names 'yess', which is not a class; \
expected some of 'no', 'yes'. Did you mean 'yes'?
    """
    check_parameters({"decision": decision, "class_weight": class_weight})
    _named_weights(labels, class_weight)
    if decision is None or isinstance(decision, str):
        return
    shape, expected = _matrix(decision).shape, (len(labels), len(labels))
    if shape != expected:
        raise ParameterError(
            f"decision is a cost matrix of shape {shape}; expected {expected}, with a row for "
            "each true class and a column for each predicted class, in the order "
            f"{_listed(labels)}."
        )


def _weights_of(predictor: Predictor, class_weight: Any) -> Floats:
    """Return the weights of the classes that have a case, in class order."""
    fitted, column = predictor.fitted, predictor.column
    codes = fitted.class_codes(column)
    if isinstance(class_weight, str):
        return balanced_weights(predictor.target.shares[codes[codes >= 0]])
    weights = _named_weights(fitted.schema.storage[column].class_order, class_weight)
    return weights[codes >= 0]


def _named_weights(labels: Sequence[Any], class_weight: Any) -> Floats:
    """Return the weight of each class; 1 where a dict does not name it."""
    weights = np.ones(len(labels))
    if not isinstance(class_weight, Mapping):
        return weights
    places = {value_key(label): place for place, label in enumerate(labels)}
    for label, weight in class_weight.items():
        place = places.get(value_key(label))
        if place is None:
            raise ParameterError(
                f"class_weight names {label!r}, which is not a class; "
                f"expected some of {_listed(labels)}." + did_you_mean(label, labels)
            )
        weights[place] = weight
    return weights


def _tuned(predictor: Predictor, goal: str, weights: Floats) -> Decision:
    """Tune the decision on leave-one-out predictions of known cases."""
    cases, probabilities = predictor.left_out_probabilities()
    codes = predictor.fitted.class_codes(predictor.column)
    codes = codes[codes >= 0]
    truth = np.argsort(codes)[predictor.target.outcomes_of(cases).astype(np.intp)]
    masses = predictor.index.weights_of(cases)
    return Decision.tuned(goal, probabilities[:, codes], truth, masses, weights)


def _matrix(costs: Any) -> Floats:
    return np.asarray(costs, dtype=np.float64)


def _listed(labels: Sequence[Any]) -> str:
    return ", ".join(map(repr, labels[:10])) + ", …" * (len(labels) > 10)
