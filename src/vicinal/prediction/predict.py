"""Predict any feature from any others, with intervals, prediction sets and influential cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted
from vicinal.influence.tuning import Tuning
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.interval import interval
from vicinal.prediction.predictor import learn
from vicinal.prediction.rule import deciding
from vicinal.typing import Bools, Floats
from vicinal.validation import check_parameter, check_parameters


def predict(
    fitted: Fitted,
    rows: Any,
    target: str | Iterable[str],
    *,
    context: Iterable[str] | None = None,
    decision: Any = None,
    class_weight: Any = None,
) -> Any:
    """Predict any feature from any others.

    The model learns to predict a target when it is first needed, and keeps the result.

    Parameters
    ----------
    rows : table or None
        Rows to predict, in any form `fit` takes. Columns of the targets, if present, are
        ignored. None predicts the training cases, each from the others (leave-one-out).
    target : str or list of str
        The feature or features to predict; no target is used to predict another.
    context : list of str, optional
        Features to predict from; by default all columns of the rows except the targets.
    decision : {"accuracy", "balanced_accuracy", "f1", "mcc"} or array_like, optional
        How to decide on a class; by default the most probable one. A goal: the class with the
        largest multiplier × probability, where the multipliers maximize the goal on the
        leave-one-out predictions of training cases. For two classes they amount to a threshold;
        "f1" is then that of the second class, and otherwise the mean over the classes. A cost
        matrix of shape (n_classes, n_classes), where rows are true classes and columns are
        predicted ones, in the order of ``schema_[target].class_order``: the class of the least
        expected cost.
    class_weight : "balanced" or dict, optional
        How many times a case of each class counts in the decision, which by itself predicts the
        class with the largest weight × probability. "balanced" weights are inversely
        proportional to the frequencies of the classes. With a cost matrix, the weights multiply
        its rows; with a goal, cases are counted by the weight of their class when it is
        maximized.

    Returns
    -------
    ndarray or dict of str to ndarray
        Predicted numbers or categories, as in the table. For several targets, a dict by
        feature name.

    Notes
    -----
    The decision does not affect probabilities and prediction sets, which stay calibrated.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> model = vicinal.Model().fit(load_penguins())
    >>> model.predict({"bill_length_mm": [50.0], "flipper_length_mm": [230]}, "species")
    array(['Gentoo'], dtype=object)
    """
    rule = {"decision": decision, "class_weight": class_weight}
    check_parameters(rule)
    if isinstance(target, str) or not isinstance(target, Iterable):
        return _predict(fitted, rows, target, context, rule)
    targets = list(target)
    return {name: _predict(fitted, rows, name, context, rule, targets) for name in targets}


def _predict(
    fitted: Fitted,
    rows: Any,
    target: str,
    context: Iterable[str] | None,
    rule: Mapping[str, Any],
    without: Iterable[str] = (),
) -> NDArray[Any]:
    asked = fitted.rows(rows, target, context, without=without)
    predictor = deciding(learn(fitted, target, asked.columns), **rule)
    return fitted.predicted(predictor.answer(asked).values, predictor.column)


def predict_proba(
    fitted: Fitted, rows: Any, target: str, *, context: Iterable[str] | None = None
) -> Floats:
    """Predict the probability of each class of a nominal feature.

    Returns
    -------
    ndarray of shape (m, n_classes)
        Probabilities in the order of ``schema_[target].class_order``: by frequency, unless the
        parameter ``classes`` sets another order. Every row sums to 1.
    """
    asked = fitted.rows(rows, target, context)
    predictor = learn(fitted, target, asked.columns)
    probabilities = predictor.answer(asked).probabilities
    if probabilities is None:
        raise ParameterError(
            f"{target!r} is {fitted.schema[target].kind}, so it has no class probabilities; "
            "see predict_interval, or declare it in categorical_features."
        )
    return fitted.by_class(probabilities, predictor.column)


def predict_interval(
    fitted: Fitted,
    rows: Any,
    target: str,
    *,
    alpha: float = 0.1,
    context: Iterable[str] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Predict intervals that contain the true value with probability 1 − alpha.

    Their widths are based on leave-one-out errors, relative to the spread among the influential
    cases of each row (conformal prediction).

    Returns
    -------
    lower, upper : ndarray
        Interval ends in the units of the feature. With too few cases, they are infinite; for
        ordinal features the first and the last category, for times None. Intervals of cyclic
        features run from lower to upper around the cycle; None means the whole cycle.

    Notes
    -----
    Intervals stay within natural bounds. 0 is one if at least 20 cases have a value and all have
    the same sign; 0 and 1 are if all values lie between and come within 0.05 of both. The
    greatest value observed is no bound: a new row may exceed it. The chance that a new row is
    the first to pass a bound is at most 1 in n + 1 for n cases.
    """
    check_parameter("alpha", alpha)
    asked = fitted.rows(rows, target, context)
    predictor = learn(fitted, target, asked.columns)
    if predictor.target.n_classes:
        raise ParameterError(f"{target!r} is nominal; see predict_set, which gives classes.")
    return interval(predictor, predictor.answer(asked), alpha)


def predict_set(
    fitted: Fitted,
    rows: Any,
    target: str,
    *,
    alpha: float = 0.1,
    coverage: str = "class",
    context: Iterable[str] | None = None,
) -> Bools:
    """Predict sets of classes that contain the true class with probability 1 − alpha.

    By default this holds within each class: of the rows of a rare class, too, at most a share
    alpha lack it in their set (class-conditional, or Mondrian, conformal prediction). A class
    with fewer than about 1/alpha cases is in every set, because so few cannot rule it out.

    Parameters
    ----------
    alpha : float, default 0.1
        Share of the sets that may miss the true class.
    coverage : {"class", "overall"}, default "class"
        Where the share holds: within each class, or over all rows together. In the second case
        sets are smaller, and may miss a rare class nearly always.

    Returns
    -------
    ndarray of bool of shape (m, n_classes)
        Whether each class is in the set, in the order of ``schema_[target].class_order``. No set
        is empty: the most probable class is always in it.
    """
    check_parameters({"alpha": alpha, "coverage": coverage})
    asked = fitted.rows(rows, target, context)
    predictor = learn(fitted, target, asked.columns)
    if not predictor.target.n_classes:
        raise ParameterError(f"{target!r} is a number; see predict_interval.")
    within = predictor.prediction_set(predictor.answer(asked), alpha, coverage=coverage)
    return fitted.by_class(within, predictor.column)


def influences(
    fitted: Fitted, rows: Any, target: str, *, context: Iterable[str] | None = None
) -> CaseInfluences:
    """Return the training cases behind each prediction, which is Σ influence × outcome.

    Returns
    -------
    CaseInfluences
        Case numbers, influences and outcomes, and the baseline shared equally by all cases.
    """
    asked = fitted.rows(rows, target, context)
    predictor = learn(fitted, target, asked.columns)
    merged = CaseInfluences.merged(predictor.influences(asked), predictor.target)
    there = merged.indices >= 0
    labels = np.full(there.shape, None, dtype=object)
    labels[there] = fitted.decoded(merged.outcomes[there], predictor.column)
    merged = replace(
        merged,
        case_labels=fitted.labels.some(merged.indices.ravel().tolist()),
        queries=fitted.labels_of(asked),
    )
    if not predictor.target.n_classes:
        return replace(merged, labels=labels, library=fitted.library)
    places = fitted.class_places(predictor.column)
    return replace(
        merged,
        outcomes=places[merged.outcomes.astype(np.intp)].astype(np.float64),
        expected=fitted.by_class(merged.expected, predictor.column),
        labels=labels,
        library=fitted.library,
    )


def tuning(fitted: Fitted, target: str, *, context: Iterable[str] | None = None) -> Tuning:
    """Return the configurations tried for a target, their losses, and the ensemble chosen."""
    names = fitted.schema.names if context is None else list(context)
    return learn(fitted, target, fitted.columns_for(names, target)).tuning
