"""Columns cut into bins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.derived.bins import ALL, MISSING, OTHERS, Bins

NAN = np.nan


def bins_of(cells, *, nominal=False, weights=None, most=12):
    cells = np.asarray(cells, dtype=float)
    weights = np.ones(len(cells)) if weights is None else np.asarray(weights, dtype=float)
    return Bins.of(cells[:, None], np.array([0]), np.array([nominal]), weights, most=most)


def codes_of(bins, cells):
    return bins.codes(np.asarray(cells, dtype=float)[:, None]).ravel()


def test_the_bins_that_mean_something_are_the_last_two():
    assert (ALL, MISSING, OTHERS) == (64, 63, 62)


any_number = st.floats(-1e308, 1e308) | st.integers(-3, 3).map(float) | st.just(NAN)


@given(
    cells=st.lists(any_number, max_size=60),
    asked=st.lists(any_number, max_size=20),
    most=st.sampled_from([2, 12, 60]),
)
def test_codes_are_in_range_and_rise_with_the_numbers(cells, asked, most):
    with np.errstate(over="raise"):
        bins = bins_of(cells, most=most)
        found = codes_of(bins, [*cells, *asked])
    assert np.isfinite(bins.edges).all()
    assert (np.diff(bins.edges) >= 0).all()
    missing = np.isnan([*cells, *asked])
    assert (found[missing] == MISSING).all()
    assert found[~missing].max(initial=0) < most
    order = np.argsort(np.array([*cells, *asked])[~missing])
    assert (np.diff(found[~missing][order].astype(int)) >= 0).all()


def test_few_values_have_a_bin_each_whatever_their_masses():
    cells = [1.0] * 90 + [2.0, 5.0]
    np.testing.assert_array_equal(bins_of(cells).edges, [1.5, 3.5])


def test_many_values_are_cut_at_quantiles():
    rng = np.random.default_rng(0)
    cells = rng.lognormal(sigma=3, size=1200)
    sizes = np.bincount(codes_of(bins_of(cells), cells))
    np.testing.assert_array_equal(sizes, [100] * 12)


def test_a_value_with_most_of_the_mass_is_in_one_bin():
    cells = np.concatenate([np.zeros(900), np.arange(1.0, 101.0)])
    bins = bins_of(cells, most=4)
    assert codes_of(bins, [0.0])[0] == 0
    assert len(bins.edges) >= 1
    assert codes_of(bins, [1.0])[0] == 1


def test_what_is_common_has_one_bin_and_the_others_share_the_rest():
    rng = np.random.default_rng(0)
    others = rng.lognormal(sigma=3, size=1000)
    cells = np.concatenate([np.zeros(9000), others, np.full(500, 1e9)])
    bins = bins_of(cells, most=12)
    assert codes_of(bins, [0.0, 1e9]).tolist() == [0, 11]
    np.testing.assert_array_equal(np.bincount(codes_of(bins, others))[1:], [100] * 10)


@given(masses=st.lists(st.integers(1, 50), min_size=5, max_size=40), most=st.integers(2, 12))
def test_no_bin_has_more_than_its_share_but_one_value(masses, most):
    bins = bins_of(np.arange(float(len(masses))), weights=masses, most=most)
    found = codes_of(bins, np.arange(float(len(masses))))
    if len(masses) <= most:
        return
    # A share, found by trying: that at which values cut down to it fill all bins.
    shares = np.linspace(0, sum(masses), 20001)
    filled = np.minimum(np.array(masses, dtype=float)[:, None], shares).sum(axis=0)
    share = shares[filled >= most * shares].max()
    for code in np.unique(found):
        inside = np.minimum(np.array(masses, dtype=float)[found == code], share)
        assert inside[:-1].sum() < share * 1.01 + 0.1


@given(
    cells=st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=60), seed=st.integers(0, 99)
)
@pytest.mark.parametrize("nominal", [True, False])
def test_integer_weights_equal_repeated_rows(cells, seed, nominal):
    counts = np.random.default_rng(seed).integers(1, 4, size=len(cells))
    weighed = bins_of(cells, weights=counts, most=4, nominal=nominal)
    repeated = bins_of(np.repeat(cells, counts), most=4, nominal=nominal)
    np.testing.assert_array_equal(weighed.edges, repeated.edges)


def test_constants_and_columns_of_nothing_have_one_bin():
    for cells in ([7.0] * 5, [NAN] * 5, []):
        bins = bins_of(cells)
        assert len(bins.edges) == 0
        np.testing.assert_array_equal(codes_of(bins, [-1, 7, 1e300, NAN]), [0, 0, 0, MISSING])


def test_cuts_between_huge_numbers_are_finite():
    cells = [-1.7e308, 1.6e308, 1.7e308]
    with np.errstate(over="raise"):
        bins = bins_of(cells)
    np.testing.assert_array_equal(codes_of(bins, cells), [0, 1, 2])


def test_neighboring_floats_do_not_make_codes_fall():
    tiny = np.array([5e-324, 1e-323, 1.5e-323, 1.0, np.nextafter(1.0, 2)])
    found = codes_of(bins_of(tiny), tiny).astype(int)
    assert (np.diff(found) >= 0).all()


def test_the_commonest_categories_have_bins_and_the_others_share_one():
    codes = np.repeat(np.arange(100.0), np.r_[np.full(50, 2), np.full(50, 3)])
    found = codes_of(bins_of(codes, nominal=True), np.arange(100.0))
    assert (found[50:] < OTHERS).all()  # all of those that come three times
    assert (found == OTHERS).sum() == 100 - 62
    assert len(set(found[found < OTHERS].tolist())) == 62


def test_weights_decide_which_categories_are_common():
    codes = np.arange(70.0)
    weights = np.where(codes < 8, 0.5, 1.0)
    found = codes_of(bins_of(codes, nominal=True, weights=weights), codes)
    np.testing.assert_array_equal(found == OTHERS, codes < 8)


def test_unseen_and_missing_categories_are_told_apart():
    bins = bins_of([0.0, 2.0, 2.0, NAN], nominal=True)
    np.testing.assert_array_equal(
        codes_of(bins, [0, 2, 1, 99, NAN]), [0, 1, OTHERS, OTHERS, MISSING]
    )
    nothing = bins_of([NAN], nominal=True)
    np.testing.assert_array_equal(codes_of(nothing, [3, NAN]), [OTHERS, MISSING])


def test_each_column_has_its_own_edges():
    values = np.array([[1.0, 0.0, 5.0], [2.0, 1.0, 5.0], [4.0, 1.0, 9.0]])
    bins = Bins.of(values, np.array([2, 1]), np.array([False, True]), np.ones(3), most=12)
    np.testing.assert_array_equal(bins.edges_of(0), [7.0])
    np.testing.assert_array_equal(bins.edges_of(1), [0.0, 1.0])
    np.testing.assert_array_equal(bins.codes(values), [[0, 0], [0, 1], [1, 1]])
