"""Weighted power means and their keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vicinal.formulas import key_to_distance, power_key, power_mean

POWERS = [0, 0.1, 0.5, 1, 2, 3.7]
powers = st.sampled_from(POWERS) | st.floats(0, 50)
sizes = st.shared(st.integers(1, 8), key="size")
terms = sizes.flatmap(lambda n: hnp.arrays(float, n, elements=st.floats(1.5, 1e12)))
weights = sizes.flatmap(lambda n: hnp.arrays(float, n, elements=st.floats(0.01, 100)))


@pytest.mark.parametrize("p", [0.1, 0.5, 1, 2, 3.7])
def test_the_mean_is_what_the_formula_says(p):
    s, w = np.array([1.5, 2.5, 40.0]), np.array([1.0, 2.0, 5.0])
    expected = ((w * s**p).sum() / w.sum()) ** (1 / p)
    np.testing.assert_allclose(power_mean(s, w, p), expected, rtol=1e-14)


def test_power_zero_is_the_geometric_mean():
    np.testing.assert_allclose(power_mean([2.0, 4.0, 8.0], [1, 1, 1], 0), 4.0, rtol=1e-15)
    np.testing.assert_allclose(power_mean([2.0, 16.0], [2, 1], 0), 4.0, rtol=1e-15)


@pytest.mark.parametrize("p", [1e-3, 1e-5, 1e-8, 1e-12, 1e-100])
def test_power_zero_is_the_limit_of_small_powers(p):
    s, w = np.array([1.5, 2.0, 9.0, 1e4]), np.array([3.0, 1.0, 1.0, 0.5])
    logs = np.log(s)
    variance = np.average(logs**2, weights=w) - np.average(logs, weights=w) ** 2
    # The next order of the limit: ln D_p = ln D_0 + p/2 · (variance of ln s) + O(p²).
    ratio = power_mean(s, w, p) / power_mean(s, w, 0)
    np.testing.assert_allclose(np.log(ratio), p / 2 * variance, rtol=20 * p, atol=1e-14)


@given(terms, weights, powers)
def test_the_mean_lies_between_the_smallest_and_the_largest_term(s, w, p):
    mean = power_mean(s, w, p)
    assert s.min() * (1 - 1e-13) <= mean <= s.max() * (1 + 1e-13)


@given(terms, weights, powers, powers)
def test_the_mean_grows_with_the_power(s, w, p, q):
    low, high = sorted([p, q])
    assert power_mean(s, w, low) <= power_mean(s, w, high) * (1 + 1e-12)


@given(terms, weights, powers, st.floats(1e-6, 1e6))
def test_the_scale_of_the_weights_does_not_matter(s, w, p, scale):
    np.testing.assert_allclose(power_mean(s, w * scale, p), power_mean(s, w, p), rtol=1e-12)


@given(terms, weights, powers, st.floats(1e-6, 1e6))
def test_the_mean_scales_with_its_terms(s, w, p, scale):
    np.testing.assert_allclose(
        power_mean(s * scale, w, p), power_mean(s, w, p) * scale, rtol=1e-12
    )


@given(terms, weights, powers)
def test_an_integer_weight_is_a_repeated_term(s, w, p):
    counts = np.ceil(w).astype(int)
    repeated = np.repeat(s, counts)
    expected = power_mean(repeated, np.ones(len(repeated)), p)
    np.testing.assert_allclose(power_mean(s, counts, p), expected, rtol=1e-11)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("ignored", [0.0, 1e300, np.inf, np.nan])
def test_terms_of_weight_zero_are_ignored(p, ignored):
    expected = power_mean([2.0, 5.0], [1, 3], p)
    np.testing.assert_array_equal(power_mean([2.0, ignored, 5.0], [1, 0, 3], p), expected)


@pytest.mark.parametrize("p", POWERS)
def test_equal_terms_are_their_own_mean(p):
    np.testing.assert_array_equal(power_mean([7.3] * 3, [1, 2, 3], p), 7.3)


@pytest.mark.parametrize("p", [*POWERS, 300.0])
def test_huge_and_tiny_terms_do_not_overflow(p):
    for size in (1e300, 1e-300):
        expected = power_mean([1.0, 2.0], [1, 1], p) * size
        np.testing.assert_allclose(power_mean([size, 2 * size], [1, 1], p), expected, rtol=1e-12)


def test_the_geometric_mean_of_the_extremes_is_in_the_middle():
    np.testing.assert_allclose(power_mean([1e-300, 1e300], [1, 1], 0), 1.0, rtol=1e-12)


def test_a_huge_power_gives_the_largest_term():
    np.testing.assert_allclose(power_mean([2.0, 3.0], [1, 1], 1e9), 3.0, rtol=1e-8)


@pytest.mark.parametrize("p", POWERS)
def test_an_infinite_term_makes_an_infinite_mean(p):
    assert power_mean([2.0, np.inf, 1e300], [1, 1, 1], p) == np.inf


@pytest.mark.parametrize("p", POWERS)
def test_terms_of_zero_have_a_mean_of_zero(p):
    assert power_mean([0.0, 0.0], [1, 1], p) == 0.0


@pytest.mark.parametrize("p", POWERS)
def test_a_missing_term_makes_a_missing_mean(p):
    assert np.isnan(power_mean([2.0, np.nan], [1, 1], p))


@pytest.mark.parametrize("p", POWERS)
def test_the_mean_of_nothing_is_missing(p):
    assert np.isnan(power_mean([2.0, 3.0], [0, 0], p))
    assert np.isnan(power_mean([], [], p))


@pytest.mark.parametrize("p", POWERS)
def test_any_axis_can_be_averaged(p):
    s = np.arange(1.0, 25.0).reshape(2, 3, 4)
    w = np.array([1.0, 2.0, 5.0])
    expected = [[power_mean(s[i, :, j], w, p) for j in range(4)] for i in range(2)]
    np.testing.assert_allclose(power_mean(s, w, p, axis=1), expected, rtol=1e-15)


def test_every_row_can_have_its_own_weights():
    actual = power_mean([[1.0, 3.0], [1.0, 3.0]], [[1, 0], [0, 1]], 1)
    np.testing.assert_array_equal(actual, [1.0, 3.0])


@given(terms, weights, st.sampled_from(POWERS))
def test_the_mean_of_the_keys_stands_for_the_mean_of_the_terms(s, w, p):
    key = np.average(power_key(s, p), weights=w)
    np.testing.assert_allclose(key_to_distance(key, p), power_mean(s, w, p), rtol=1e-12)


@pytest.mark.parametrize("p", POWERS)
def test_keys_order_like_terms_and_can_be_undone(p):
    s = np.geomspace(1.5, 1e12, 200)
    assert np.all(np.diff(power_key(s, p)) > 0)
    np.testing.assert_allclose(key_to_distance(power_key(s, p), p), s, rtol=1e-13)


def test_a_key_beyond_the_range_is_infinite_without_a_warning():
    assert power_key(1e300, 2) == np.inf
    assert power_key(0.0, 0) == -np.inf
    assert key_to_distance(1e300, 0) == np.inf
