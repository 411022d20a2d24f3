"""Decisions: equal to the naive ones, and the laws that they obey."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.naive import decision as naive
from vicinal.prediction.decision import Decision, balanced_weights, tune_multipliers
from vicinal.prediction.goals import GOALS, counts

goals = st.sampled_from(sorted(GOALS))


@st.composite
def predictions(draw, n_classes=None, most=10):
    """Probabilities in eighths or so (with many ties), true classes, and weights."""
    k = draw(st.integers(2, 4)) if n_classes is None else n_classes
    rows = st.lists(st.integers(0, 8), min_size=k, max_size=k).filter(any)
    parts = draw(st.lists(rows, min_size=1, max_size=most))
    n = len(parts)
    truth = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    masses = draw(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=n, max_size=n))
    return [[Fraction(one, sum(row)) for one in row] for row in parts], truth, masses


def arrays(drawn):
    rows, truth, masses = drawn
    return np.array(rows, dtype=float), np.array(truth), np.array(masses, dtype=float)


def value(goal, probabilities, truth, masses, decision=None):
    chosen = probabilities.argmax(axis=1) if decision is None else decision.choose(probabilities)
    n_classes = probabilities.shape[1]
    true, _ = counts(truth, truth, masses, n_classes)
    return float(GOALS[goal](*counts(truth, chosen, masses, n_classes), true))


@settings(max_examples=150)
@given(drawn=predictions(n_classes=2, most=25), goal=goals)
def test_the_threshold_is_the_one_found_by_trying_all(drawn, goal):
    expected = naive.tune_multipliers(goal, *drawn)
    actual = tune_multipliers(goal, *arrays(drawn))
    np.testing.assert_allclose(actual, np.array(expected, dtype=float), rtol=1e-9)


@settings(max_examples=60)
@given(drawn=predictions(), goal=goals)
def test_the_multipliers_are_those_found_by_trying_all(drawn, goal):
    expected = naive.tune_multipliers(goal, *drawn)
    actual = tune_multipliers(goal, *arrays(drawn))
    np.testing.assert_allclose(actual, np.array(expected, dtype=float), rtol=1e-9)


@settings(max_examples=150)
@given(drawn=predictions(), goal=goals)
def test_on_the_predictions_themselves_no_goal_is_missed_more_than_by_the_plain_rule(drawn, goal):
    probabilities, truth, masses = arrays(drawn)
    tuned = Decision.tuned(goal, probabilities, truth, masses)
    plain = value(goal, probabilities, truth, masses)
    assert value(goal, probabilities, truth, masses, tuned) >= plain - 1e-9


@settings(max_examples=100)
@given(drawn=predictions(), goal=goals, seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(drawn, goal, seed):
    probabilities, truth, masses = arrays(drawn)
    order = np.random.default_rng(seed).permutation(len(truth))
    one = tune_multipliers(goal, probabilities, truth, masses)
    other = tune_multipliers(goal, probabilities[order], truth[order], masses[order])
    np.testing.assert_array_equal(one, other)


@settings(max_examples=100)
@given(drawn=predictions(), goal=goals)
def test_a_weight_of_two_counts_as_two_cases(drawn, goal):
    probabilities, truth, masses = arrays(drawn)
    again = np.repeat(np.arange(len(truth)), masses.astype(int))
    one = tune_multipliers(goal, probabilities, truth, masses)
    other = tune_multipliers(goal, probabilities[again], truth[again], np.ones(len(again)))
    np.testing.assert_array_equal(one, other)


weights_of = {k: st.lists(st.integers(1, 9), min_size=k, max_size=k) for k in (2, 3, 4)}


@settings(max_examples=100)
@given(drawn=predictions(), data=st.data(), scale=st.sampled_from([1e-6, 0.3, 7.0, 1e9]))
def test_weights_decide_by_products_and_only_their_ratios_matter(drawn, data, scale):
    probabilities, _, _ = arrays(drawn)
    weights = data.draw(weights_of[probabilities.shape[1]])
    expected = [naive.chosen(row, weights) for row in drawn[0]]
    for factor in (1.0, scale):
        actual = Decision.weighted(factor * np.array(weights, dtype=float))
        assert actual.choose(probabilities).tolist() == expected


@settings(max_examples=50)
@given(drawn=predictions(), data=st.data(), goal=goals, scale=st.sampled_from([1e-6, 0.3, 1e9]))
def test_with_a_goal_only_the_ratios_of_class_weights_matter(drawn, data, goal, scale):
    probabilities, truth, masses = arrays(drawn)
    weights = np.array(data.draw(weights_of[probabilities.shape[1]]), dtype=float)
    one = Decision.tuned(goal, probabilities, truth, masses, weights)
    other = Decision.tuned(goal, probabilities, truth, masses, scale * weights)
    np.testing.assert_allclose(one.gains, other.gains, rtol=1e-9)


def test_classes_that_tie_once_they_are_weighed_tie_in_any_unit():
    probabilities = np.array([[1, 5], [1, 0], [3, 4], [7, 0], [7, 1]], dtype=float)
    probabilities /= probabilities.sum(axis=1, keepdims=True)  # the first row ties by [5, 1]
    truth, masses, weights = (
        np.zeros(5, dtype=int),
        np.array([1.0, 1, 1, 3, 1]),
        np.array([5.0, 1]),
    )
    found = [
        Decision.tuned("accuracy", probabilities, truth, masses, unit * weights).gains
        for unit in (1.0, 1e-6, 0.3, 1e9)
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-9)


@given(drawn=predictions(), weight=st.sampled_from([1e-3, 1.0, 0.1, 41.0]))
def test_equal_weights_decide_as_the_plain_rule(drawn, weight):
    probabilities, _, _ = arrays(drawn)
    decision = Decision.weighted(np.full(probabilities.shape[1], weight))
    np.testing.assert_array_equal(decision.choose(probabilities), probabilities.argmax(axis=1))


@given(drawn=predictions(), cost=st.sampled_from([1.0, 0.1, 30.0]), free=st.sampled_from([0, -2]))
def test_equal_costs_of_all_errors_decide_as_the_plain_rule(drawn, cost, free):
    probabilities, _, _ = arrays(drawn)
    n_classes = probabilities.shape[1]
    costs = np.where(np.eye(n_classes) > 0, free, cost)
    chosen = Decision.least_cost(costs).choose(probabilities)
    np.testing.assert_array_equal(chosen, probabilities.argmax(axis=1))


@settings(max_examples=100)
@given(drawn=predictions(), data=st.data())
def test_costs_decide_on_the_class_of_the_least_expected_cost(drawn, data):
    probabilities, _, _ = arrays(drawn)
    k = probabilities.shape[1]
    row = st.lists(st.integers(-3, 9), min_size=k, max_size=k)
    costs = data.draw(st.lists(row, min_size=k, max_size=k))
    weights = data.draw(weights_of[k])
    weighed = [[w * one for one in row] for w, row in zip(weights, costs, strict=True)]
    for known, asked in ((None, costs), (np.array(weights, dtype=float), weighed)):
        decision = Decision.least_cost(np.array(costs, dtype=float), known)
        expected = [naive.cheapest(one, asked) for one in drawn[0]]
        assert decision.choose(probabilities).tolist() == expected


@settings(max_examples=100)
@given(drawn=predictions(), data=st.data(), goal=goals)
def test_goals_are_those_of_the_naive_twin_and_of_scikit_learn(drawn, data, goal):
    from sklearn import metrics

    probabilities, truth, masses = arrays(drawn)
    n_classes = probabilities.shape[1]
    guess = st.lists(st.integers(0, n_classes - 1), min_size=len(truth), max_size=len(truth))
    guesses = np.array(data.draw(guess))
    true, _ = counts(truth, truth, masses, n_classes)
    actual = float(GOALS[goal](*counts(truth, guesses, masses, n_classes), true))
    expected = naive.goal_value(goal, truth, guesses, drawn[2], n_classes)
    np.testing.assert_allclose(actual, float(expected), atol=1e-12)
    assume(len(set(truth)) == n_classes)
    theirs = {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "f1": lambda *a, **k: metrics.f1_score(
            *a, **k, average="binary" if n_classes == 2 else "macro"
        ),
        "mcc": metrics.matthews_corrcoef,
    }
    expected = theirs[goal](truth, guesses, sample_weight=masses)
    np.testing.assert_allclose(actual, expected, atol=1e-9)


def test_balanced_weights_are_those_of_scikit_learn():
    from sklearn.utils.class_weight import compute_class_weight

    y = np.repeat([0, 1, 2], [70, 25, 5])
    expected = compute_class_weight("balanced", classes=np.arange(3), y=y)
    np.testing.assert_allclose(balanced_weights(np.array([0.7, 0.25, 0.05])), expected)
    assert balanced_weights(np.array([0.5, 0.5, 0.0])).tolist() == [1.0, 1.0, 1.0]


def test_of_calibrated_probabilities_the_best_threshold_for_balanced_accuracy_is_the_frequency():
    rng = np.random.default_rng(0)
    p = rng.beta(0.4, 3.6, size=20_000)
    truth = (rng.random(len(p)) < p).astype(int)
    tuned = Decision.tuned("balanced_accuracy", np.column_stack([1 - p, p]), truth)
    weights = np.diag(tuned.gains)
    assert weights[0] / weights.sum() == pytest.approx(0.1, abs=0.03)


def test_the_average_over_near_thresholds_varies_less_than_the_best_threshold():
    found = {"smooth": [], "raw": []}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = np.sort(rng.beta(0.4, 3.6, size=300))
        truth = (rng.random(300) < p).astype(int)
        tuned = Decision.tuned("balanced_accuracy", np.column_stack([1 - p, p]), truth)
        weights = np.diag(tuned.gains)
        found["smooth"].append(weights[0] / weights.sum())
        values = [
            (truth[p > t].sum() / truth.sum())
            + (~truth.astype(bool))[p <= t].sum() / (300 - truth.sum())
            for t in p
        ]
        found["raw"].append(p[int(np.argmax(values))])
    assert np.std(found["smooth"]) < np.std(found["raw"])


def test_without_cases_or_with_one_class_nothing_is_tuned():
    none = np.empty(0, dtype=int)
    assert tune_multipliers("f1", np.empty((0, 2)), none, np.empty(0)).tolist() == [1.0, 1.0]
    assert tune_multipliers("mcc", np.ones((3, 1)), np.zeros(3, int), np.ones(3)).tolist() == [1.0]
