"""Learning ends well where there is nothing to learn."""

from __future__ import annotations

import numpy as np
import pytest

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import TermSettings
from vicinal.influence.target import Target
from vicinal.learning.targets import learn_target
from vicinal.settings import Settings


def index_of(column, weights=None, kind=NUMERIC):
    cases = np.column_stack([column, np.arange(float(len(column)))])
    return ExactIndex(cases, np.array([kind, NUMERIC], dtype=np.uint8), weights)


def learn(index, kinds, n_classes=0, **options):
    metric = make_metric(index.storage.values, kinds, 1.0, weights=[0.0, 1.0])
    settings = TermSettings(metric.kinds, metric.periods, metric.weights, 1.0, metric.distinct)
    chosen = Settings(n_neighbors=5, max_queries=100, max_members=5, n_jobs=1, **options)
    target = Target.of(index, 0, n_classes=n_classes)
    return target, learn_target(index, metric, settings, target, chosen).tuning


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda"])
def test_one_known_case_teaches_nothing(weighting):
    target, tuning = learn(index_of([7.0, np.nan, np.nan]), NUMERIC, weighting=weighting)
    assert (tuning.ensemble.members, tuning.ensemble.background) == ((), 1.0)
    np.testing.assert_array_equal(tuning.predictions, [[7.0]])
    assert target.mean == 7.0


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda"])
def test_one_case_of_weight_two_is_two_cases(weighting):
    index = index_of([7.0, np.nan, np.nan], np.array([2.0, 1.0, 1.0]))
    _, tuning = learn(index, NUMERIC, weighting=weighting)
    np.testing.assert_allclose(tuning.predictions, 7.0)
    assert tuning.loss == 0


@pytest.mark.parametrize("weighting", ["entropy", "irw", "mda"])
def test_a_context_without_information_teaches_nothing(weighting):
    column = np.array([0.0, 1.0, 1.0, 1.0])
    index = index_of(column, kind=NOMINAL)
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
