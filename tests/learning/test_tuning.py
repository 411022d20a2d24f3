"""Tuning: what is tried, what is averaged, and that no loss is measured where it was learned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.tables import kinds, table
from tests.naive import prediction as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target
from vicinal.learning.tuning import reachable, sampled_cases, tune


@kinds
def test_members_and_background_share_the_answer(classes):
    _, metric, index, target = table(classes)
    ensemble = tune(index, {"as given": metric}, target).ensemble
    total = ensemble.background + sum(member.share for member in ensemble.members)
    np.testing.assert_allclose(total, 1.0)
    assert all(member.share > 0 for member in ensemble.members)
    assert all(space.metric.p == 1 for space in ensemble.spaces)
    assert ensemble.background >= (1e-3 if classes else 0)


@kinds
def test_the_losses_of_the_average_and_of_all_trials_are_reported(classes):
    cases, metric, index, target = table(classes)
    tuning = tune(index, {"as given": metric}, target)
    losses = [trial.loss for trial in tuning.trials]
    assert losses == sorted(losses)
    truth = cases[tuning.queries, 0]
    trace = 1e-3 if classes else 0.0
    if classes:
        plain = (tuning.predictions - trace * target.shares) / (1 - trace)
        expected = naive.log_loss(plain, truth, target.shares)
    else:
        expected = naive.relative_error(tuning.predictions[:, 0], truth)
    np.testing.assert_allclose(tuning.loss, expected, rtol=1e-9)
    np.testing.assert_array_equal(np.unique(tuning.queries), np.arange(80))


@kinds
def test_one_member_is_the_best_trial_alone(classes):
    _, metric, index, target = table(classes)
    tuning = tune(index, {"as given": metric}, target, max_members=1)
    best = tuning.trials[0]
    assert {(m.rule, m.bandwidth, m.ridge) for m in tuning.ensemble.members} == {
        (best.rule, best.bandwidth, best.ridge)
    }
    assert tuning.loss >= best.loss - 1e-12


@kinds
def test_losses_on_noise_are_honest(classes):
    # Weights fitted to noise would look good on the cases they were fitted to.
    rng = np.random.default_rng(3)
    x = rng.normal(size=(100, 8))
    told = rng.normal(size=100)
    cases = np.column_stack([(told > 0).astype(float) if classes else told, x])
    metric = make_metric(
        cases, [NOMINAL if classes else NUMERIC] + [NUMERIC] * 8, 0.7, weights=[0] + [1.0] * 8
    )
    index = ExactIndex(cases, metric.kinds)
    target = Target.of(index, 0, n_classes=2 if classes else 0)
    tuning = tune(index, {"as given": metric}, target)
    chance = np.log(2) if classes else 1.0
    assert tuning.loss > 0.9 * chance


@pytest.mark.parametrize("rules", [(), ("centered",), ("linear",), ("centered", "linear")])
def test_only_the_rules_asked_for_are_tried(rules):
    _, metric, index, target = table(False)
    tuning = tune(index, {"as given": metric}, target, rules=rules)
    assert {trial.rule for trial in tuning.trials} == {"probability", *rules}
    allowed = {"probability", *rules}
    assert {member.rule for member in tuning.ensemble.members} <= allowed


def test_every_reading_is_tried():
    _, metric, index, target = table(False)
    tuning = tune(index, {"one": metric, "two": metric.restricted(np.array([1]))}, target)
    assert {trial.reading for trial in tuning.trials} == {"one", "two"}


def test_neighbors_can_be_asked_for_by_weight():
    cases, metric, index, _ = table(False)
    assert (reachable(index, 60), reachable(index, 500)) == (60, 80)
    for weight, most in [(0.001, 80), (1.0, 80), (3.0, 240)]:
        weighed = ExactIndex(cases, metric.kinds, np.full(80, weight))
        assert reachable(weighed, 500) == most


@pytest.mark.parametrize("seed", range(5))
def test_merged_cases_with_equal_features_are_sampled_together(seed):
    # 60 features with both outcomes each, one of them of many rows.
    x = np.repeat(np.arange(60.0), 2)
    told = np.tile([0.0, 1.0], 60)
    weights = np.ones(120)
    weights[:2] = 200.0
    index = ExactIndex(np.c_[told, x], np.array([NOMINAL, NUMERIC], dtype=np.uint8), weights)
    target = Target.of(index, 0, n_classes=2)
    cases = sampled_cases(index, target, np.array([1]), 20, random_state=seed)
    assert len(cases) == 40
    assert all(set(told[cases][x[cases] == one]) == {0, 1} for one in set(x[cases]))
