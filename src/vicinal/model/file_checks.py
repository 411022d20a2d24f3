"""Check that the parts of a Model read from a file are valid and consistent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.derived.bins import ALL, Bins
from vicinal.derived.columns import DerivedColumns
from vicinal.derived.folds import LEFT_OUT_TOGETHER
from vicinal.exceptions import FileError
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.tuning import Tuning
from vicinal.learning.targets import RULES
from vicinal.prediction.conformal import Calibration
from vicinal.schema.schema import Schema
from vicinal.settings import Settings
from vicinal.tables.values import value_key
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter, check_parameters

#: Maximum number of neighbors of an ensemble: they are searched for many rows at once.
_MOST_NEIGHBORS = 1 << 12
_LARGEST = 1 << 31
_MOST_FOLDS = 64
#: Sums of parts of scores below this one are within what the kernels take.
_LARGEST_PART = 1e290
_RULES = {"probability", "inverse", *(rule for rules in RULES.values() for rule in rules)}


def check_settings(model: Settings) -> None:
    """Reject settings that `fit` would reject, or that would need too much memory."""
    check_parameters(vars(model))
    check_parameter("random_state", model.random_state, rule="seed")
    for name in ("n_neighbors", "max_rounds", "random_state", "max_queries", "max_members"):
        value = getattr(model, name)
        require(value < _LARGEST, f"the setting {name}={value} is too large")


def check_terms(terms: TermSettings, kinds: NDArray[np.uint8], schema: Schema) -> None:
    """Check that the schema, the cases and the terms have the same kinds of columns."""
    d = len(schema)
    require(len(kinds) == d, "the columns of the cases do not match the features")
    _check_columns(d, terms.kinds, terms.periods, terms.weights, terms.distinct)
    require(np.array_equal(terms.kinds, kinds), "the kinds of the columns do not match")
    nominal = [feature.kind == "nominal" for feature in schema.storage]
    cyclic = [feature.kind == "cyclic" for feature in schema.storage]
    require(np.array_equal(kinds == NOMINAL, nominal), "the kinds of the features do not match")
    require(np.array_equal(kinds == CYCLIC, cyclic), "the kinds of the features do not match")


def check_metric(metric: Metric, terms: TermSettings) -> None:
    """Check that a metric is valid for the kernels and has the same columns."""
    d = len(terms.kinds)
    _check_columns(
        d, metric.kinds, metric.residuals, metric.periods, metric.weights, metric.distinct
    )
    require(len(metric.supports) == d, "the columns of a metric do not match the cases")
    for points, shares in metric.supports:
        fine = np.isfinite(points).all() and np.isfinite(shares).all() and (shares >= 0).all()
        require(fine and (not len(shares) or shares.sum() > 0), "a distribution is invalid")
    words = metric.kinds[terms.kinds == NOMINAL]
    require((words == NOMINAL).all(), "a metric treats categories as numbers")
    finite = np.isfinite(metric.residuals).all() and np.isfinite(metric.periods).all()
    require(bool(finite), "a metric has residuals or periods that are not finite")
    assert metric.native is not None  # built here, because the kernels check it too


def check_target(
    key: tuple[int, ...],
    tuning: Tuning,
    calibration: Calibration | None,
    terms: TermSettings,
    n_numbers: int,
) -> None:
    """Check that what was learned about a target matches the columns and the cases."""
    d = len(terms.kinds)
    inside = all(0 <= column < d for column in key)
    require(len(key) > 1 and inside and len(set(key)) == len(key), "a target has invalid columns")
    _check_ensemble(tuning.ensemble, terms)
    require(tuning.ensemble.target == key[0], "an ensemble predicts a different target")
    queries, predictions = tuning.queries, tuning.predictions
    require(queries.ndim == 1 and predictions.ndim == 2, "the predictions of a target are invalid")
    require(len(queries) == len(predictions), "the predictions of a target are invalid")
    require(((queries >= 0) & (queries < n_numbers)).all(), "a target refers to unknown cases")
    if calibration is not None:
        scores, weights = calibration.scores, calibration.weights
        require(scores.ndim == 1 and not np.isnan(scores).any(), "calibration scores are invalid")
        require(
            weights is None or weights.shape == scores.shape, "calibration weights are invalid"
        )
        classes = calibration.classes
        require(
            classes is None or classes.shape == scores.shape, "calibration classes are invalid"
        )
        require(0 <= calibration.floor < np.inf, "a calibration has an invalid scale")


def check_derived(derived: DerivedColumns, d: int) -> None:
    """Check that derived columns are consistent and made of columns that exist."""
    what = "the derived columns of a target are invalid"
    columns, folds, shares = derived.columns, derived.folds, derived.shares
    _check_sources(columns, d)
    require((np.diff(columns) > 0).all(), what)
    _check_sources(derived.ignored, d)
    require(derived.typical.shape == (d,) and not np.isinf(derived.typical).any(), what)
    require(1 <= folds.count <= _MOST_FOLDS, what)
    _check_sources(folds.columns, d)
    _check_columns(len(folds.columns), folds.columns, folds.nominal, folds.middles, folds.halves)
    _check_numbers(folds.middles, folds.halves)
    require((folds.halves != 0).all(), what)
    require(folds.count in LEFT_OUT_TOGETHER or not folds.pairs, what)
    runs = len(folds.left_out)
    for ranks in derived.ranks:
        _check_sources(np.array([ranks.column]), d)
        _check_columns(len(ranks.points), ranks.points, ranks.shares)
        _check_numbers(ranks.points, ranks.shares)
    for means in derived.means:
        _check_sources(np.array([means.column]), d)
        require(means.means.ndim == 3, what)
        require(means.overall.shape == (runs, means.width), what)
        require(len(means.means) == runs, what)
        _check_numbers(means.means, means.overall)
    for sums in derived.additive:
        _check_bins(sums.bins, columns)
        require(not sums.bins.groups, what)
        require(sums.slopes.ndim == 3, what)
        shape = (runs, len(columns), sums.width)
        require(sums.slopes.shape == shape, what)
        require(sums.tables.shape == (*shape[:2], ALL, sums.width), what)
        _check_columns(len(columns), sums.centers, sums.scales)
        _check_numbers(sums.tables, sums.slopes, most=_LARGEST_PART)
        _check_numbers(sums.centers, sums.scales)
        require((sums.scales > 0).all(), what)
    for trees in derived.trees:
        _check_bins(trees.bins, columns)
        require(trees.nodes.ndim == 4 and len(trees.nodes) == runs, what)
        _check_columns(len(trees.bins.columns), trees.reference)
        require((trees.reference < ALL).all(), what)
        trees.check()
        _check_numbers(trees.leaves, most=_LARGEST_PART)
    every = sum(map(len, derived.groups.values()))
    require(shares.shape in ((len(derived.scores), d), (every, d)), what)
    _check_numbers(shares)
    require((shares >= 0).all() and not np.delete(shares, columns, axis=1).any(), what)


def check_context(key: tuple[int, ...], derived: DerivedColumns, ensemble: Ensemble) -> None:
    """Check that an ensemble uses no encoded columns but those that others are derived from."""
    require(max(key) < derived.width, "a target has invalid columns")
    for space in ensemble.spaces:
        used = space.metric.active[space.metric.active < derived.width]
        inside = np.isin(used, derived.columns).all()
        require(inside, "a metric uses columns that are not in its context")


def check_labels(column: Any, numbers: Ints, names: list[Any], index: Index) -> None:
    """Check that every label belongs to one case that exists, and every case has at most one."""
    what = "the labels of the cases are invalid"
    require(column is None or isinstance(column, str), what)
    require(numbers.ndim == 1 and numbers.dtype == np.int64 and len(numbers) == len(names), what)
    require(bool((np.diff(numbers) > 0).all() and index.contains(numbers).all()), what)
    require(len({value_key(name) for name in names}) == len(names), what)


def _check_bins(bins: Bins, columns: Ints) -> None:
    what = "the bins of a score are invalid"
    for groups in bins.groups:
        require(groups.bins.ndim == 2 and groups.bins.shape[1] > 0, what)
        require(groups.column in columns and (groups.bins < ALL).all(), what)
    more = [np.full(len(groups.bins), groups.column) for groups in bins.groups]
    require(np.array_equal(bins.columns, np.concatenate([columns, *more])), what)
    require(bins.nominal.shape == bins.columns.shape, what)
    require(bins.starts.shape == (len(columns) + 1,) and bins.edges.ndim == 1, what)
    sizes = np.diff(bins.starts)
    require(bins.starts[0] == 0 and bins.starts[-1] == len(bins.edges), what)
    require(((sizes >= 0) & (sizes < ALL - 1)).all(), what)
    _check_numbers(bins.edges)


def _check_numbers(*arrays: Floats, most: float = np.inf) -> None:
    fine = all((np.abs(array) < most).all() for array in arrays)  # which NaN is not
    require(fine, "derived columns have numbers that are too large, or none")


def _check_sources(columns: Ints, d: int) -> None:
    inside = columns.ndim == 1 and ((columns >= 0) & (columns < d)).all()
    require(inside, "derived columns are made of unknown columns")


def _check_ensemble(ensemble: Ensemble, terms: TermSettings) -> None:
    for space in ensemble.spaces:
        check_metric(space.metric, terms)
    for k in {ensemble.k, *map(ensemble.neighbors_in, ensemble.spaces)}:
        require(1 <= k <= _MOST_NEIGHBORS, f"an ensemble asks for {k} neighbors")
    require(-1e-9 <= ensemble.background <= 1 + 1e-9, "the background of an ensemble is invalid")
    for member in ensemble.members:
        require(0 <= member.space < len(ensemble.spaces), "a member refers to an unknown space")
        require(member.rule in _RULES, f"the rule {member.rule[:20]!r} is unknown")
        positive = member.bandwidth > 0 and member.ridge > 0 and np.isfinite(member.bandwidth)
        require(bool(positive and np.isfinite(member.share)), "a member of an ensemble is invalid")


def _check_columns(d: int, *arrays: NDArray[np.generic]) -> None:
    fits = all(array.shape == (d,) for array in arrays)
    require(fits, "the columns of a metric do not match the cases")


def require(holds: bool | np.bool_, what: str) -> None:
    """Raise a `FileError` unless a condition holds."""
    if not holds:
        raise FileError(what)
