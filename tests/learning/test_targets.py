"""Learning a target, with derived columns where they help; and where there is nothing to learn."""

from __future__ import annotations

import numpy as np
import pytest

from tests.derived.tables import encoded, kinds_of
from tests.influence.parts import index_of_column
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import TermSettings
from vicinal.influence.target import Target
from vicinal.learning.targets import learn_target
from vicinal.settings import Settings


def learn(index, kinds, n_classes=0, **options):
    metric = make_metric(index.storage.values, kinds, 1.0, weights=[0.0, 1.0])
    settings = TermSettings(metric.kinds, metric.periods, metric.weights, 1.0, metric.distinct)
    chosen = Settings(n_neighbors=5, max_queries=100, max_members=5, n_jobs=1, **options)
    target = Target.of(index, 0, n_classes=n_classes)
    return target, learn_target(index, metric, settings, target, chosen).tuning


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda", "paper"])
def test_one_known_case_teaches_nothing(weighting):
    target, tuning = learn(index_of_column([7.0, np.nan, np.nan]), NUMERIC, weighting=weighting)
    assert (tuning.ensemble.members, tuning.ensemble.background) == ((), 1.0)
    np.testing.assert_array_equal(tuning.predictions, [[7.0]])
    assert target.mean == 7.0


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda", "paper"])
def test_one_case_of_weight_two_is_two_cases(weighting):
    index = index_of_column([7.0, np.nan, np.nan], np.array([2.0, 1.0, 1.0]))
    _, tuning = learn(index, NUMERIC, weighting=weighting)
    np.testing.assert_allclose(tuning.predictions, 7.0)
    assert tuning.loss == 0


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda", "paper"])
def test_a_context_without_information_teaches_nothing(weighting):
    column = np.array([0.0, 1.0, 1.0, 1.0])
    index = index_of_column(column, kind=NOMINAL)
    metric = make_metric(index.storage.values, [NOMINAL, NUMERIC], 1.0, weights=[0.0, 1.0])
    settings = TermSettings(metric.kinds, metric.periods, metric.weights, 1.0, metric.distinct)
    target = Target.of(index, 0, n_classes=2)
    tuning, derived = learn_target(
        index,
        metric.with_weights(np.zeros(2)),
        settings,
        target,
        Settings(weighting=weighting, n_neighbors=5, max_queries=100, max_members=5, n_jobs=1),
    )
    assert derived is None
    np.testing.assert_array_equal(tuning.predictions, np.tile([0.25, 0.75], (4, 1)))
    assert tuning.trials == ()


# --- derived columns ----------------------------------------------------------------------------


def learned_from(values, kinds, n_classes=0, weights=None, **options):
    """Learn the first of encoded columns from the others."""
    kinds = np.array(kinds, dtype=np.uint8)
    context = (np.arange(len(kinds)) > 0).astype(float)
    metric = make_metric(values, kinds, 1.0, weights=context)
    terms = TermSettings(metric.kinds, metric.periods, metric.weights, 1.0, metric.distinct)
    index = ExactIndex(values, kinds, weights)
    target = Target.of(index, 0, n_classes=n_classes)
    chosen = Settings(max_queries=200, max_members=6, n_jobs=1, **options)
    return learn_target(index, metric, terms, target, chosen)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_what_no_member_uses_is_dropped(classes):
    found = learned_from(encoded(classes=classes), kinds_of(classes), classes)
    ensemble, derived = found.tuning.ensemble, found.derived
    assert derived is not None
    width = 5 + derived.count
    used = {member.space for member in ensemble.members}
    assert used == set(range(len(ensemble.spaces)))
    for space in ensemble.spaces:
        metric = space.metric
        sizes = {
            len(metric.kinds),
            len(metric.residuals),
            len(metric.weights),
            len(metric.supports),
        }
        assert sizes == {width}
        assert metric.weights[0] == 0
    active = {c for space in ensemble.spaces for c in space.metric.active.tolist()}
    for positions in derived.groups.values():
        assert not len(positions) or active & set(positions.tolist())


def test_only_the_way_of_entropy_has_derived_columns():
    for weighting in ("irw", "mda", "paper"):
        found = learned_from(encoded(), kinds_of(0), weighting=weighting)
        assert found.derived is None


def test_a_table_of_zeros_and_ones_is_learned():
    rng = np.random.default_rng(0)
    x = (rng.random((300, 6)) < 0.3).astype(float)
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=300)
    found = learned_from(np.column_stack([y, x]), [NUMERIC] * 7)
    errors = found.tuning.predictions[:, 0] - y[found.tuning.queries]
    assert np.abs(errors).mean() < 0.15


def test_a_context_that_is_constant_where_the_target_is_known_is_learned():
    values = np.column_stack([np.where(np.arange(60) < 50, np.arange(60.0), np.nan), np.zeros(60)])
    values[50:, 1] = np.arange(10.0)
    found = learned_from(values, [NUMERIC, NUMERIC])
    assert np.isfinite(found.tuning.predictions).all()


def test_the_order_of_rows_changes_no_bit_of_what_is_learned():
    values = encoded()
    order = np.random.default_rng(1).permutation(300)
    one, other = (learned_from(some, kinds_of(0)) for some in (values, values[order]))
    assert other.tuning.loss == one.tuning.loss
    assert set(order[other.tuning.queries].tolist()) == set(one.tuning.queries.tolist())
    np.testing.assert_array_equal(other.derived.cases(values), one.derived.cases(values))
    for ours, theirs in zip(other.tuning.ensemble.spaces, one.tuning.ensemble.spaces, strict=True):
        np.testing.assert_array_equal(ours.metric.weights, theirs.metric.weights)
