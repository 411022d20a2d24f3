"""The LK closed form against its definition, an integral."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import dblquad, quad

from vicinal.formulas import lk_distance


def laplace(x, mean, b):
    return np.exp(-abs(x - mean) / b) / (2.0 * b)


def lk_by_integration(mu, b):
    """∬ |x − y| f(x) g(y) dx dy, in pieces cut where the integrand has a kink."""
    far = 45.0 * b  # the densities beyond are below 1e-19 of their peak

    def pieces(*kinks):
        cuts = sorted({-far, mu + far, 0.0, mu, *kinks})
        return pairwise(cuts)

    def inner(x):
        return sum(
            quad(lambda y: abs(x - y) * laplace(y, mu, b), low, high, epsabs=0, epsrel=1e-11)[0]
            for low, high in pieces(x)
        )

    return sum(
        quad(lambda x: inner(x) * laplace(x, 0.0, b), low, high, epsabs=0, epsrel=1e-10)[0]
        for low, high in pieces()
    )


@pytest.mark.parametrize("b", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("t", [0.0, 0.1, 1.0, 5.0])
def test_the_closed_form_is_the_integral_of_the_definition(t, b):
    expected = lk_by_integration(t * b, b)
    np.testing.assert_allclose(lk_distance(t * b, b), expected, rtol=1e-8)


def test_the_closed_form_is_the_double_integral_over_the_plane():
    mu, b = 0.7, 0.4
    expected, _ = dblquad(
        lambda y, x: abs(x - y) * laplace(x, 0.0, b) * laplace(y, mu, b), -8, 9, -8, 9,
        epsabs=1e-6, epsrel=1e-6,
    )  # fmt: skip
    np.testing.assert_allclose(lk_distance(mu, b), expected, rtol=1e-4)


def test_equal_means_are_one_and_a_half_scales_apart():
    np.testing.assert_array_equal(lk_distance(0.0, [0.5, 1.0, 8.0]), [0.75, 1.5, 12.0])


def test_without_uncertainty_it_is_the_plain_distance():
    np.testing.assert_array_equal(lk_distance([0.0, 0.3, 1e300], 0.0), [0.0, 0.3, 1e300])


def test_far_apart_it_is_the_plain_distance():
    np.testing.assert_array_equal(lk_distance([1e5, 1e300, np.inf], 1.0), [1e5, 1e300, np.inf])


def test_a_tiny_scale_does_not_overflow():
    np.testing.assert_array_equal(lk_distance([0.0, 1e300], 1e-300), [1.5e-300, 1e300])


def test_it_grows_with_the_distance_and_with_the_scale():
    grid = np.linspace(0.0, 50.0, 2001)
    assert np.all(np.diff(lk_distance(grid, 2.0)) > 0)
    assert np.all(np.diff(lk_distance(2.0, grid)) >= 0)


def test_it_scales_with_its_units():
    np.testing.assert_array_equal(lk_distance(3.0 * 1024, 2.0 * 1024), lk_distance(3, 2) * 1024)


def test_arguments_broadcast():
    assert lk_distance(np.ones((3, 1)), np.ones(4)).shape == (3, 4)
