"""Exact sums equal those of Python's fractions, in any order and from any parts."""

from __future__ import annotations

from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.index.exact_sums import combined, exact_sums, rounded

numbers = st.lists(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300),
    max_size=30,
)


@settings(max_examples=200)
@given(values=numbers, data=st.data())
def test_a_sum_of_parts_is_the_sum_of_all_rounded_once(values, data):
    shuffled = data.draw(st.permutations(values))
    cut = data.draw(st.integers(0, len(values)))
    parts = [exact_sums(np.array(some)) for some in (shuffled[:cut], shuffled[cut:])]
    assert rounded(combined(parts)).tolist() == [fsum(values)]


@settings(max_examples=100)
@given(pairs=st.lists(st.tuples(*[st.floats(-(2.0**99), 2.0**99, width=32)] * 2), max_size=20))
def test_a_sum_of_products_is_rounded_once(pairs):
    one, other = np.array(pairs).reshape(-1, 2).T
    exact = sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))
    assert rounded(exact_sums(one, other)).tolist() == [float(exact)]


def test_what_rounding_takes_away_from_a_product_is_added_too():
    values = np.array([1 + 2.0**-52, 1.0])
    factors = np.array([1 + 2.0**-52, -(1 + 2.0**-51)])
    assert rounded(exact_sums(values, factors)).tolist() == [2.0**-104]


def test_every_group_has_its_own_sum():
    values, groups = np.array([0.1, 0.2, 0.3, 0.4]), np.array([2, 0, 2, 0])
    expected = [fsum([0.2, 0.4]), 0.0, fsum([0.1, 0.3])]
    assert rounded(exact_sums(values, groups=groups, count=3)).tolist() == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5e-324] * 3, 1.5e-323),
        ([1.7e308, 1.7e308], np.inf),
        ([-1.7e308, -1.7e308], -np.inf),
        ([1.7e308, 1.7e308, -1.7e308], 1.7e308),
        ([np.inf, 1.0], np.inf),
        ([-np.inf, 1.0], -np.inf),
        ([2.0**53, 1.0], 2.0**53),
        ([2.0**53, 1.0, 2.0**-1000], 2.0**53 + 2),
        ([2.0**53 + 2, 1.0], 2.0**53 + 4),
    ],
)
def test_sums_at_the_limits_of_floats_are_rounded_to_the_nearest(values, expected):
    assert rounded(exact_sums(np.array(values))).tolist() == [expected]


def test_infinities_of_both_signs_have_no_sum():
    assert np.isnan(rounded(exact_sums(np.array([np.inf, -np.inf])))).all()
