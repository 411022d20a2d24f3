"""The closed form of familiarity's divergence against the sum that defines it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import conviction as naive
from vicinal.formulas import familiarity_divergence


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30))
def test_closed_form_equals_the_sum_over_all_shares(values):
    phi = np.array(values)
    expected = [naive.divergence(phi, j) for j in range(len(phi))]
    actual = familiarity_divergence(phi / phi.sum(), len(phi))
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-14)


def test_an_ordinary_share_changes_nothing():
    assert familiarity_divergence(0.25, 4) == 0.0


def test_a_share_of_nothing_is_finite():
    assert familiarity_divergence(0.0, 4) == np.log(1.25)


def test_tiny_surpluses_keep_their_digits():
    n, surplus = 1000, 1e-6
    actual = familiarity_divergence((1 + surplus) / n, n)
    np.testing.assert_allclose(actual, surplus**2 / 2 / n * (1 - 1 / n), rtol=1e-3)
