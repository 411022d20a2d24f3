"""Conformal quantiles and scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.influence.parts import calibrate_classes, calibrate_numbers
from tests.naive import prediction as naive
from vicinal.prediction.conformal import Calibration

alphas = st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99])
some_scores = st.lists(st.integers(0, 8).map(float), max_size=40)


@settings(max_examples=200)
@given(scores=some_scores, alpha=alphas)
def test_the_quantile_equals_the_naive_one(scores, alpha):
    actual = Calibration(np.sort(np.array(scores))).quantile(alpha)
    assert actual == naive.conformal_quantile(scores, alpha)


@settings(max_examples=100)
@given(scores=some_scores.filter(bool), alpha=alphas, data=st.data())
def test_integer_weights_equal_repeated_scores(scores, alpha, data):
    counts = st.integers(1, 3)
    weights = np.array(data.draw(st.lists(counts, min_size=len(scores), max_size=len(scores))))
    truth, spread = np.array(scores), np.arange(1.0, len(scores) + 1)
    weighed = calibrate_numbers(truth, np.zeros(len(truth)), spread, weights.astype(float))
    repeated = calibrate_numbers(
        np.repeat(truth, weights), np.zeros(weights.sum()), np.repeat(spread, weights)
    )
    np.testing.assert_allclose(weighed.floor, repeated.floor)
    np.testing.assert_allclose(weighed.quantile(alpha), repeated.quantile(alpha))


def test_the_unit_of_fractional_weights_does_not_matter():
    scores = np.arange(1.0, 100.0)
    for unit in (1.0, 0.5, 1e-6):
        assert Calibration(scores, weights=np.full(99, unit)).quantile(0.1) == 90.0


@settings(max_examples=100)
@given(scores=some_scores, alpha=alphas, data=st.data())
def test_the_limit_of_each_class_is_the_naive_quantile_of_its_own_scores(scores, alpha, data):
    size = len(scores)
    codes = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    calibration = Calibration(np.sort(np.array(scores)), classes=np.array(codes, dtype=np.int64))
    pairs = list(zip(sorted(scores), codes, strict=True))
    expected = [
        naive.conformal_quantile([score for score, code in pairs if code == one], alpha)
        for one in range(4)
    ]
    np.testing.assert_array_equal(calibration.limits(alpha, 4), expected)


def test_without_classes_all_of_them_have_the_same_limit():
    calibration = Calibration(np.arange(1.0, 10.0))
    np.testing.assert_array_equal(calibration.limits(0.2, 2), [8.0, 8.0])


def test_too_few_scores_say_nothing():
    assert Calibration(np.arange(8.0)).quantile(0.1) == np.inf
    assert Calibration(np.empty(0)).quantile(0.5) == np.inf


@settings(max_examples=50)
@given(seed=st.integers(0, 999), alpha=alphas, scale=st.sampled_from([1e-9, 1.0, 1e12]))
def test_intervals_move_with_the_unit_of_the_target(seed, alpha, scale):
    rng = np.random.default_rng(seed)
    truth, guess, spread = rng.normal(size=(3, 30))
    spread = np.abs(spread)
    one = calibrate_numbers(truth, guess, spread)
    other = calibrate_numbers(truth * scale, guess * scale, spread * scale)
    np.testing.assert_allclose(
        other.quantile(alpha) * other.scale(spread * scale),
        scale * one.quantile(alpha) * one.scale(spread),
        rtol=1e-9,
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_expected_errors_have_the_mean_of_the_errors_and_grow_with_the_spread(weighted):
    rng = np.random.default_rng(2)
    truth, guess, spread = rng.normal(size=(3, 40))
    spread = np.abs(spread) * 1e200
    weights = rng.integers(1, 4, size=40) if weighted else np.ones(40)
    known = calibrate_numbers(truth, guess, spread, weights if weighted else None)
    expected = known.expected_error(spread)
    np.testing.assert_allclose(expected @ weights, np.abs(truth - guess) @ weights)
    assert (np.argsort(expected) == np.argsort(spread)).all()


def test_perfect_predictions_give_intervals_of_no_width():
    truth = np.arange(20.0)
    calibration = calibrate_numbers(truth, truth, np.zeros(20))
    assert calibration.quantile(0.1) * calibration.scale(np.array([3.0])) == 0


def test_scores_of_classes_are_what_was_not_given_to_the_truth():
    probabilities = np.array([[0.7, 0.3], [0.4, 0.6], [0.9, 0.1]])
    calibration = calibrate_classes(np.array([0.0, 0.0, 1.0]), probabilities)
    np.testing.assert_allclose(calibration.scores, [0.3, 0.6, 0.9])
    np.testing.assert_array_equal(calibration.classes, [0, 0, 1])


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2, 0.5])
def test_a_new_score_exceeds_the_quantile_as_often_as_said(alpha):
    rng = np.random.default_rng(0)
    m, trials = 39, 4000
    scores = rng.exponential(size=(trials, m + 1))
    missed = [row[-1] > Calibration(np.sort(row[:-1])).quantile(alpha) for row in scores]
    expected = alpha - (-(m + 1) * alpha % 1) / (m + 1)
    deviation = np.sqrt(expected * (1 - expected) / trials)
    assert abs(np.mean(missed) - expected) < 4 * deviation
