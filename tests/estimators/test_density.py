"""Samples of the density estimator: arrays of possible values."""

import numpy as np

from vicinal import VicinalDensity


def test_samples_are_possible_and_missing_where_rows_are():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 50, size=120), np.round(rng.exponential(size=120), 2)])
    X[::4, 1] = np.nan
    sampled = VicinalDensity().fit(X).sample(200)
    assert sampled.dtype == np.float64
    known = sampled[~np.isnan(sampled[:, 1]), 1]
    assert 0.6 < len(known) / 200 < 0.9
    assert np.nanmin(X[:, 1]) <= known.min() <= known.max() <= np.nanmax(X[:, 1])
    np.testing.assert_array_equal(known, np.round(known, 2))
    np.testing.assert_array_equal(sampled[:, 0], np.rint(sampled[:, 0]))


def test_samples_of_mixed_columns_are_objects_with_none_for_missing():
    X = [[1.0, "a"], [2.0, "b"], [3.0, None], [4.0, "a"]] * 5
    sampled = VicinalDensity().fit(X).sample(40)
    assert sampled.dtype == object
    assert set(sampled[:, 1]) == {"a", "b", None}
