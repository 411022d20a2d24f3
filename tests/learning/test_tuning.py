"""Tuning: what is tried, what is averaged, and that no loss is measured where it was learned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.tables import kinds, table
from tests.naive import prediction as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target
from vicinal.learning import entropy as entropy_module
from vicinal.learning import learner as learner_module
from vicinal.learning import neighborhoods, scoring
from vicinal.learning import tuning as tuning_module
from vicinal.learning.entropy import entropy_weights
from vicinal.learning.tuning import neighbors_of, reachable, tune


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


def test_more_neighbors_are_searched_among_many_cases_by_scores_alone():
    rng = np.random.default_rng(5)
    score = rng.normal(size=1000)
    cases = np.column_stack([score + rng.normal(size=1000), score])
    metric = make_metric(cases, [NUMERIC, NUMERIC], 0.7, weights=[0.0, 1.0])
    index = ExactIndex(cases, metric.kinds)
    target = Target.of(index, 0, n_classes=0)
    for scores, k in [((), 60), (("scores",), 100)]:
        spaces = tune(index, {"scores": metric}, target, max_queries=100, scores=scores)
        assert {space.k for space in spaces.ensemble.spaces} == {k}


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


@pytest.mark.parametrize(("rare", "expected"), [(0.5, 100), (0.2, 100), (0.1, 200), (0.01, 300)])
def test_rare_classes_are_predicted_from_more_neighbors(rare, expected):
    told = (np.arange(1000) < 1000 * rare).astype(float)
    index = ExactIndex(told[:, None], np.array([NOMINAL], dtype=np.uint8))
    assert neighbors_of(Target.of(index, 0, n_classes=2)) == pytest.approx(expected, abs=1)


@kinds
def test_small_tables_try_equal_weights(classes):
    _, metric, index, target = table(classes)
    *_, plain = tune(index, {"as given": metric}, target).ensemble.spaces
    assert plain.name == "as given, equal weights"
    assert len(set(plain.metric.weights[plain.metric.active])) == 1


@pytest.mark.parametrize(("rows", "spaces"), [(140, 4), (160, 2)])
def test_metrics_of_halves_are_averaged_unless_cases_are_few(rows, spaces):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 3))
    kinds = np.array([NUMERIC] * 4, dtype=np.uint8)
    cases = np.c_[x.sum(axis=1), x]
    index = ExactIndex(cases, kinds)
    metric = make_metric(cases, kinds, 1.0, weights=[0.0, 1, 1, 1])
    tuning = tune(index, {"as given": metric}, Target.of(index, 0, n_classes=0))
    names = [space.name for space in tuning.ensemble.spaces]
    assert names.count("as given") == spaces


def test_small_tables_with_very_many_cells_are_split_once(monkeypatch):
    _, metric, index, target = table(0)
    once = tune(index, {"as given": metric}, target, halvings=1)
    monkeypatch.setattr(tuning_module, "MOST_CELLS", 79)
    wide = tune(index, {"as given": metric}, target)
    assert wide.ensemble.members == once.ensemble.members
    np.testing.assert_array_equal(wide.predictions, once.predictions)


@kinds
def test_predictions_worked_out_again_are_those_that_were_not_kept(classes, monkeypatch):
    _, metric, index, target = table(classes)
    kept = tune(index, {"as given": metric}, target)
    monkeypatch.setattr(scoring, "MOST_KEPT", 0)
    monkeypatch.setattr(neighborhoods, "MOST_KEPT", 0)
    monkeypatch.setattr(scoring, "_MOST_OFFSETS_KEPT", 0)
    again = tune(index, {"as given": metric}, target)
    assert again.ensemble.members == kept.ensemble.members
    np.testing.assert_array_equal(again.predictions, kept.predictions)


def test_few_cases_find_a_rule_of_more_than_the_nearest():
    # The nearest of a row differ in one bit and so in their parity; those after them have its own.
    bits = np.array(list(np.ndindex(2, 2, 2, 2, 2)), dtype=float)
    cases = np.column_stack([bits.sum(axis=1) % 2, bits])
    metric = make_metric(cases, [NOMINAL] * 6, 0.2, weights=[0.0] + [1.0] * 5)
    index = ExactIndex(cases, metric.kinds)
    tuning = tune(index, {"as given": metric}, Target.of(index, 0, n_classes=2))
    np.testing.assert_array_equal(tuning.predictions.argmax(axis=1), cases[tuning.queries, 0])
    assert {tuning.ensemble.spaces[one.space].k for one in tuning.ensemble.members} == {13}


def test_the_first_part_of_the_cases_is_in_both_halves():
    contents = np.random.default_rng(0).normal(size=(600, 3))
    cases = np.arange(600)
    part = tuning_module._first_part(contents, cases, 1)
    assert len(part) == 600 // tuning_module.PARTS
    for half in tuning_module._halves(contents, cases, 0):
        assert 60 < np.isin(part, half).sum() < 140


@kinds
def test_a_hopeless_representation_is_not_learned_from_all_cases(classes, monkeypatch):
    # The outcome follows from the first column; a metric of the others tells nothing.
    _, metric, index, target = table(classes, n=700)
    useless = metric.with_weights(np.array([0.0, 0.0, 1.0, 1.0]))
    asked = {}

    def learn(views, metric, target, cases, **options):
        asked.setdefault(tuple(metric.active.tolist()), []).append(len(cases))
        return entropy_weights(views, metric, target, cases, **options)

    monkeypatch.setattr(learner_module, "entropy_weights", learn)
    tune(index, {"as given": metric, "useless": useless}, target)
    useful, hopeless = (asked[tuple(one.active.tolist())] for one in (metric, useless))
    assert max(useful) > 300
    assert max(hopeless) < 150


@pytest.fixture
def at_most_two_columns(monkeypatch):
    """Tables are wide, and metrics keep two columns."""
    monkeypatch.setattr(entropy_module, "MOST_TERMS_OF_ONE", 0)
    monkeypatch.setattr(learner_module, "MOST_CELLS", 0)
    monkeypatch.setattr(learner_module, "MOST_COLUMNS", 2)


@kinds
def test_of_wide_tables_the_heaviest_columns_are_kept_once_weights_were_learned(
    classes, at_most_two_columns, monkeypatch
):
    cases, _, _, _ = table(classes, n=700)
    noise = np.random.default_rng(1).normal(size=(700, 6))
    wide = np.column_stack([cases, noise])
    kinds = [NOMINAL if classes else NUMERIC] + [NUMERIC] * 9
    metric = make_metric(wide, kinds, 0.7, weights=[0] + [1.0] * 9)
    index = ExactIndex(wide, metric.kinds)
    learned = []

    def learn(views, metric, target, cases, **options):
        learned.append(len(metric.active))
        return entropy_weights(views, metric, target, cases, **options)

    monkeypatch.setattr(learner_module, "entropy_weights", learn)
    target = Target.of(index, 0, n_classes=2 if classes else 0)
    tuning = tune(index, {"as given": metric}, target)
    assert set(learned) == {9, 2}  # of all columns from the first part of the cases alone
    for space in tuning.ensemble.spaces:
        assert 1 in space.metric.active  # the outcome follows from it
        assert len(space.metric.active) <= 4  # two of each half
    plain = tune(index, {"as given": metric}, target, max_members=1)
    assert tuning.loss <= plain.loss + 1e-12


def test_a_column_that_one_half_has_dropped_weighs_as_the_lightest_it_has_kept():
    metric = make_metric(np.zeros((2, 4)), [NUMERIC] * 4, 1.0)
    halves = [metric.with_weights(np.array(one)) for one in ([4.0, 0, 0, 1.0], [1.0, 9.0, 0, 0])]
    mean = tuning_module._mean_metric(halves)
    np.testing.assert_allclose(mean.weights, [2.0, 3.0, 0.0, 1.0])
