import numpy as np
from scipy import stats

from vicinal.influence.small_samples import small_sample_factor


def test_two_errors_of_a_small_sample_hold_what_two_of_a_large_one_hold():
    for degrees in (1, 4, 39):
        reached = 2 * small_sample_factor(degrees)
        expected = stats.norm.cdf(2) - stats.norm.cdf(-2)
        actual = stats.t.cdf(reached, degrees) - stats.t.cdf(-reached, degrees)
        np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_nothing_is_known_without_a_degree_of_freedom():
    assert np.isnan(small_sample_factor(0))
