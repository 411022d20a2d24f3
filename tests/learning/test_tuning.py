"""Tuning: what is tried, what is averaged, and that no loss is measured where it was learned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive import prediction as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.sampling import split_cases
from vicinal.influence.losses import target_loss
from vicinal.influence.target import Target
from vicinal.learning.tuning import reachable, tune

kinds = pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])


def table(classes, n=80, seed=0, noise=0.3, weights=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    told = x[:, 0] + noise * rng.normal(size=n)
    target = (told > 0).astype(float) if classes else told
    cases = np.column_stack([target, x])
    metric = make_metric(
        cases, [NOMINAL if classes else NUMERIC] + [NUMERIC] * 3, 0.7, weights=[0, 1.0, 1.0, 1.0]
    )
    index = ExactIndex(cases, metric.kinds, weights)
    return cases, metric, index, Target.of(index, 0, n_classes=2 if classes else 0)


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
def test_the_average_is_no_worse_than_the_best_trial_and_both_are_reported(classes):
    cases, metric, index, target = table(classes)
    tuning = tune(index, {"as given": metric}, target)
    losses = [trial.loss for trial in tuning.trials]
    assert losses == sorted(losses)
    assert tuning.loss <= losses[0] + 1e-12
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
    np.testing.assert_allclose(tuning.loss, tuning.trials[0].loss, rtol=1e-9)
    assert {member.rule for member in tuning.ensemble.members} == {tuning.trials[0].rule}


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


@pytest.mark.parametrize("rules", [(), ("centred",), ("linear",), ("centred", "linear")])
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


@kinds
def test_losses_equal_the_naive_ones(classes):
    cases, _, _, target = table(classes)
    rng = np.random.default_rng(4)
    chosen = rng.permutation(80)[:30]
    truth = cases[chosen, 0]
    if classes:
        predictions = rng.dirichlet([1.0, 1.0], size=30)
        expected = naive.log_loss(predictions, truth, target.shares)
    else:
        predictions = rng.normal(size=(30, 1))
        expected = naive.relative_error(predictions[:, 0], truth)
    np.testing.assert_allclose(target_loss(predictions, chosen, target), expected, rtol=1e-12)


@kinds
def test_losses_weigh_cases(classes):
    weights = np.random.default_rng(5).integers(1, 4, size=80).astype(float)
    cases, _, _, target = table(classes, weights=weights)
    predictions = np.tile([0.3, 0.7] if classes else [0.1], (80, 1))
    everyone = np.arange(80)
    if classes:
        expected = naive.log_loss(predictions, cases[:, 0], target.shares, weights)
    else:
        expected = naive.relative_error(predictions[:, 0], cases[:, 0], weights)
    np.testing.assert_allclose(target_loss(predictions, everyone, target), expected, rtol=1e-12)


def test_only_cases_with_a_target_and_a_weight_are_asked():
    cases, metric, _, _ = table(False)
    cases[:10, 0] = np.nan
    weights = np.ones(80)
    weights[70:] = 0
    index = ExactIndex(cases, metric.kinds, weights)
    np.testing.assert_array_equal(index.sample(100, required=0)[0], np.arange(10, 70))
    assert len(index.sample(20, required=0)[0]) == 20


def test_neighbors_can_be_asked_for_by_weight():
    cases, metric, index, _ = table(False)
    assert (reachable(index, 60), reachable(index, 500)) == (60, 80)
    for weight, most in [(0.001, 80), (1.0, 80), (3.0, 240)]:
        weighed = ExactIndex(cases, metric.kinds, np.full(80, weight))
        assert reachable(weighed, 500) == most


def test_binary_tables_can_be_split():
    grid = np.array(np.meshgrid(*[[0.0, 1.0]] * 6)).reshape(6, -1).T
    parts = split_cases(grid, 2)
    assert np.bincount(parts).tolist() == [32, 32]
    order = np.random.default_rng(0).permutation(64)
    np.testing.assert_array_equal(split_cases(grid[order], 2), parts[order])
    np.testing.assert_array_equal(split_cases(np.repeat(grid, 3, axis=0), 2), np.repeat(parts, 3))


def test_a_split_does_not_depend_on_units_or_signs():
    x = np.random.default_rng(1).lognormal(size=(300, 3))
    x[::7, 1] = np.nan
    moved = x * [-3.0, 1e-9, 7.0] + [1.0, 0.0, 1e3]
    np.testing.assert_array_equal(split_cases(moved, 2), split_cases(x, 2))
