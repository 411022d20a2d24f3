"""The terms of every kind of feature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.formulas import (
    SAME,
    cyclic_gap,
    laplace_term,
    lk_distance,
    nominal_contrast,
    nominal_term,
)

finite = st.floats(-1e12, 1e12)


# --- numbers ---------------------------------------------------------------------------------


def test_equal_values_have_the_term_of_equal_values():
    np.testing.assert_array_equal(laplace_term(0.0, [1e-300, 1.0, 1e300]), SAME)


@given(gap=st.floats(0, 1e12), residual=st.floats(1e-12, 1e12))
def test_a_term_is_the_lk_distance_in_units_of_the_residual(gap, residual):
    expected = lk_distance(gap, residual) / residual
    np.testing.assert_allclose(laplace_term(gap, residual), expected, rtol=1e-14)


def test_a_term_by_hand():
    np.testing.assert_allclose(laplace_term(2.0, 2.0), 1.0 + 2.0 * math.exp(-1.0), rtol=1e-15)


def test_terms_grow_with_the_gap():
    terms = laplace_term(np.concatenate([np.linspace(0, 50, 5001), np.geomspace(51, 1e300)]), 1.0)
    assert np.all(np.diff(terms) > 0)


@given(t=st.floats(0, 1e300))
def test_a_term_is_never_below_that_of_equal_values_nor_below_the_gap(t):
    assert laplace_term(t, 1.0) >= max(SAME, t)


def test_near_zero_a_term_rises_with_a_quarter_of_the_square():
    gap = np.array([1e-3, 1e-2])
    np.testing.assert_allclose(laplace_term(gap, 1.0) - SAME, gap**2 / 4, rtol=1e-2)


def test_far_away_a_term_is_the_gap_in_residuals():
    np.testing.assert_array_equal(laplace_term([1e3, 1e12, 1e300], 1.0), [1e3, 1e12, 1e300])


@pytest.mark.parametrize(
    ("gap", "residual", "expected"),
    [(np.inf, 1.0, np.inf), (1e300, 1e-300, np.inf), (1.0, 0.0, np.inf), (0.0, 0.0, SAME)],
)
def test_the_ends_of_the_range_have_their_limits_and_no_warning(gap, residual, expected):
    assert laplace_term(gap, residual) == expected


def test_a_missing_gap_stays_missing():
    np.testing.assert_array_equal(laplace_term([np.nan, 0.0], 1.0), [np.nan, SAME])


@given(gap=st.floats(0, 1e6), residual=st.floats(1e-6, 1e6), power=st.integers(-60, 60))
def test_units_do_not_matter(gap, residual, power):
    unit = 2.0**power
    assert laplace_term(gap * unit, residual * unit) == laplace_term(gap, residual) or gap < 1e-250


# --- circles ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [(23, 1, 2), (1, 23, 2), (6, 18, 12), (5, 5, 0), (0, 24, 0), (-1, 2, 3)],
)
def test_the_shorter_way_round_the_clock(x, y, expected):
    assert cyclic_gap(x, y, 24.0) == expected


@given(x=st.floats(0, 1), y=st.floats(0, 1), period=st.floats(1e-3, 1e6))
def test_a_gap_is_symmetric_and_at_most_half_the_circle(x, y, period):
    gap = cyclic_gap(x * period, y * period, period)
    assert gap == cyclic_gap(y * period, x * period, period)
    assert 0 <= gap <= period / 2


@given(x=st.integers(0, 23), y=st.integers(0, 23), turns=st.integers(-5, 5))
def test_whole_turns_do_not_matter(x, y, turns):
    assert cyclic_gap(x + 24 * turns, y, 24) == cyclic_gap(x, y, 24)


@given(x=finite, y=finite, z=finite, period=st.floats(1.0, 1e6))
def test_the_detour_is_never_shorter(x, y, z, period):
    through = cyclic_gap(x, y, period) + cyclic_gap(y, z, period)
    assert cyclic_gap(x, z, period) <= through + 1e-3


# --- classes ---------------------------------------------------------------------------------


def test_the_contrast_of_three_classes_by_hand():
    # Masses 0.9 on the class itself and 0.05 on each other one: 18 times less likely.
    np.testing.assert_allclose(nominal_contrast(0.1, 3), math.log(18.0), rtol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 10, 1000])
def test_at_chance_there_is_no_contrast(n_classes):
    np.testing.assert_allclose(nominal_contrast(1 - 1 / n_classes, n_classes), 0, atol=1e-12)


def test_worse_than_chance_there_is_no_contrast_either():
    np.testing.assert_array_equal(nominal_contrast([0.6, 0.99, 1.0], 2), 0.0)


def test_a_single_class_has_no_contrast():
    np.testing.assert_array_equal(nominal_contrast([0.0, 0.5, 1.0], 1), 0.0)


def test_a_class_without_error_has_infinite_contrast():
    assert nominal_contrast(0.0, 4) == np.inf


def test_the_contrast_falls_with_the_error_and_grows_with_the_classes():
    assert np.all(np.diff(nominal_contrast(np.linspace(1e-9, 0.5, 1000), 2)) < 0)
    assert np.all(np.diff(nominal_contrast(0.2, np.arange(2, 50))) > 0)


def test_a_tiny_error_keeps_its_digits():
    np.testing.assert_allclose(nominal_contrast(1e-300, 2), 300 * math.log(10), rtol=1e-15)


def test_the_term_of_classes_is_the_same_base_plus_the_contrast():
    np.testing.assert_array_equal(nominal_term([False, True], [7.0, 7.0]), [SAME, SAME + 7.0])


def test_equal_classes_are_equal_even_under_infinite_contrast():
    np.testing.assert_array_equal(nominal_term([False, True], np.inf), [SAME, np.inf])
