"""Whether parts of a Model that come from a file can be, and fit each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric, TermSettings
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.tuning import Tuning
from vicinal.learning.targets import RULES
from vicinal.prediction.conformal import Calibration
from vicinal.schema.schema import Schema
from vicinal.settings import Settings
from vicinal.validation import check_parameter, check_parameters

#: Neighbors that a member of an ensemble may ask for: they are sought for many rows at once.
_MOST_NEIGHBORS = 1 << 12
_LARGEST = 1 << 31
_RULES = {"probability", "inverse", *(rule for rules in RULES.values() for rule in rules)}


def check_settings(model: Settings) -> None:
    """Refuse settings that `fit` would refuse, or that no machine has the memory for."""
    check_parameters(vars(model))
    check_parameter("random_state", model.random_state, rule="seed")
    for name in ("n_neighbors", "max_rounds", "random_state", "max_queries", "max_members"):
        value = getattr(model, name)
        require(value < _LARGEST, f"its setting {name} is {value}")


def check_terms(terms: TermSettings, kinds: NDArray[np.uint8], schema: Schema) -> None:
    """Kinds must be the same for the schema, the cases and the terms."""
    d = len(schema)
    require(len(kinds) == d, "its cases have other columns than its features")
    _check_columns(d, terms.kinds, terms.periods, terms.weights, terms.distinct)
    require(np.array_equal(terms.kinds, kinds), "its kinds of columns differ")
    nominal = [feature.kind == "nominal" for feature in schema.storage]
    cyclic = [feature.kind == "cyclic" for feature in schema.storage]
    require(np.array_equal(kinds == NOMINAL, nominal), "its kinds of features differ")
    require(np.array_equal(kinds == CYCLIC, cyclic), "its kinds of features differ")


def check_metric(metric: Metric, terms: TermSettings) -> None:
    """A metric must be one that the kernels take, over the same columns."""
    d = len(terms.kinds)
    _check_columns(
        d, metric.kinds, metric.residuals, metric.periods, metric.weights, metric.distinct
    )
    require(len(metric.supports) == d, "a metric has other columns than the cases")
    for points, shares in metric.supports:
        fine = np.isfinite(points).all() and np.isfinite(shares).all() and (shares >= 0).all()
        require(fine and (not len(shares) or shares.sum() > 0), "a distribution cannot be")
    words = metric.kinds[terms.kinds == NOMINAL]
    require((words == NOMINAL).all(), "a metric reads words as numbers")
    finite = np.isfinite(metric.residuals).all() and np.isfinite(metric.periods).all()
    require(bool(finite), "a metric has residuals or periods that are no numbers")
    assert metric.native is not None  # made here, for what the kernels themselves refuse


def check_target(
    key: tuple[int, ...],
    tuning: Tuning,
    calibration: Calibration | None,
    terms: TermSettings,
    n_numbers: int,
) -> None:
    """What was learned about a target must fit the columns and the cases."""
    d = len(terms.kinds)
    inside = all(0 <= column < d for column in key)
    require(len(key) > 1 and inside and len(set(key)) == len(key), "a target has no columns")
    _check_ensemble(tuning.ensemble, terms)
    require(tuning.ensemble.target == key[0], "a target is predicted as another")
    queries, predictions = tuning.queries, tuning.predictions
    require(queries.ndim == 1 and predictions.ndim == 2, "the predictions of a target cannot be")
    require(len(queries) == len(predictions), "the predictions of a target cannot be")
    require(((queries >= 0) & (queries < n_numbers)).all(), "a target was learned from no case")
    if calibration is not None:
        scores, weights = calibration.scores, calibration.weights
        require(scores.ndim == 1 and not np.isnan(scores).any(), "a calibration has no scores")
        require(weights is None or weights.shape == scores.shape, "a calibration cannot be")
        require(0 <= calibration.floor < np.inf, "a calibration has no scale")


def _check_ensemble(ensemble: Ensemble, terms: TermSettings) -> None:
    for space in ensemble.spaces:
        check_metric(space.metric, terms)
    require(1 <= ensemble.k <= _MOST_NEIGHBORS, f"an ensemble asks for {ensemble.k} neighbors")
    require(-1e-9 <= ensemble.background <= 1 + 1e-9, "the background of an ensemble cannot be")
    for member in ensemble.members:
        require(0 <= member.space < len(ensemble.spaces), "a member speaks of another space")
        require(member.rule in _RULES, f"the rule {member.rule[:20]!r} is not known")
        positive = member.bandwidth > 0 and member.ridge > 0 and np.isfinite(member.bandwidth)
        require(bool(positive and np.isfinite(member.share)), "a member of an ensemble cannot be")


def _check_columns(d: int, *arrays: NDArray[np.generic]) -> None:
    fits = all(array.shape == (d,) for array in arrays)
    require(fits, "a metric has other columns than the cases")


def require(holds: bool | np.bool_, what: str) -> None:
    """Refuse what a file holds, unless."""
    if not holds:
        raise FileError(what)
