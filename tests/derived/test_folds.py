"""Which fold a row is in: by what it says, not by where it stands or in which unit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.derived.folds import Folds

NAN = np.nan


def folds_of(values, nominal=None, *, count=8, seed=0, columns=None):
    columns = np.arange(values.shape[1]) if columns is None else np.array(columns)
    nominal = np.zeros(len(columns), dtype=bool) if nominal is None else np.array(nominal)
    return Folds.of(values, columns, nominal, count=count, seed=seed)


def numbers(n=500, d=3, seed=0):
    return np.random.default_rng(seed).lognormal(size=(n, d))


def test_equal_rows_are_in_the_same_fold_whenever_they_come():
    values = numbers(50)
    folds = folds_of(values)
    found = folds.of_rows(values)
    np.testing.assert_array_equal(folds.of_rows(np.repeat(values, 3, axis=0)), found.repeat(3))
    np.testing.assert_array_equal(folds.of_rows(values[[7]]), found[[7]])


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 9))
def test_the_order_of_rows_does_not_matter(seed, count):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((60, 3)) < 0.1, NAN, rng.normal(size=(60, 3)))
    order = rng.permutation(60)
    found = folds_of(values, count=count).of_rows(values)
    again = folds_of(values[order], count=count).of_rows(values[order])
    np.testing.assert_array_equal(again, found[order])
    assert set(found.tolist()) <= set(range(count))


@pytest.mark.parametrize("scale", [2.0, -1.0, -0.25, 1e-12, -1e12, 1 / 3])
@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_the_unit_the_zero_point_and_the_sign_of_a_column_do_not_matter(scale, shift):
    values = numbers()
    moved = values.copy()
    moved[:, 1] = (values[:, 1] + shift) * scale
    np.testing.assert_array_equal(folds_of(moved).of_rows(moved), folds_of(values).of_rows(values))


def test_folds_are_about_equally_large():
    sizes = np.bincount(folds_of(numbers(4000)).of_rows(numbers(4000)), minlength=8)
    assert 400 < sizes.min() <= sizes.max() < 600
    codes = np.random.default_rng(1).integers(0, 900, size=(4000, 1)).astype(float)
    sizes = np.bincount(folds_of(codes, [True]).of_rows(codes), minlength=8)
    assert 300 < sizes.min() <= sizes.max() < 700


def test_columns_of_two_numbers_tell_rows_apart():
    values = (np.random.default_rng(2).random((2000, 10)) < 0.3).astype(float)
    sizes = np.bincount(folds_of(values).of_rows(values), minlength=8)
    assert 100 < sizes.min() <= sizes.max() < 500


def test_neighboring_numbers_are_in_folds_of_their_own():
    values = np.arange(400.0)[:, None] ** 2
    found = folds_of(values, count=2).of_rows(values)
    assert 140 < (found[1:] == found[:-1]).sum() < 260


def test_columns_that_are_not_hashed_do_not_matter():
    values = numbers()
    folds = folds_of(values, columns=[0, 2])
    other = values.copy()
    other[:, 1] = NAN
    np.testing.assert_array_equal(folds.of_rows(other), folds.of_rows(values))


def test_another_seed_gives_other_folds():
    values = numbers()
    same = folds_of(values, seed=1).of_rows(values) == folds_of(values).of_rows(values)
    assert 0.05 < same.mean() < 0.25
    np.testing.assert_array_equal(
        folds_of(values, seed=2**63 + 1).of_rows(values), folds_of(values, seed=1).of_rows(values)
    )


def test_a_missing_value_is_a_value_of_its_own():
    values = numbers(300, 1)
    folds = folds_of(np.vstack([values, [[NAN]]]), count=5)
    assert set(folds.of_rows(values).tolist()) == set(range(5))
    assert len(set(folds.of_rows(np.full((4, 1), NAN)).tolist())) == 1
    # Which other values have is not decided by there being one.
    np.testing.assert_array_equal(folds.of_rows(values), folds_of(values, count=5).of_rows(values))


@pytest.mark.parametrize("nominal", [True, False])
def test_a_column_of_nothing_and_one_of_a_single_value_are_taken(nominal):
    values = np.column_stack([np.full(20, NAN), np.full(20, 7.0), np.arange(20.0)])
    found = folds_of(values, [nominal, nominal, False]).of_rows(values)
    assert len(set(found.tolist())) > 2
    assert len(folds_of(values[:0]).of_rows(values[:0])) == 0


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 5e299, 1.7e308])
def test_huge_and_tiny_numbers_are_told_apart_like_others(scale):
    values = np.random.default_rng(0).uniform(0, 1, size=(300, 2)) ** 2
    values[0] = 0.0
    values[1] = 1.0
    huge = values * scale
    with np.errstate(all="raise", under="ignore"):
        found = folds_of(huge, count=4).of_rows(huge)
    np.testing.assert_array_equal(found, folds_of(values, count=4).of_rows(values))


def test_numbers_far_out_of_the_range_have_a_fold():
    folds = folds_of(numbers())
    far = np.array([[1e300, -1e300, 1.0], [1e12, 0.0, -5.0]])
    found = folds.of_rows(far)
    assert ((found >= 0) & (found < 8)).all()


def test_unseen_categories_have_a_fold():
    codes = np.arange(5.0)[:, None]
    folds = folds_of(codes, [True])
    found = folds.of_rows(np.arange(5.0, 400.0)[:, None])
    assert set(found.tolist()) == set(range(8))
    np.testing.assert_array_equal(
        folds.of_rows(codes), folds_of(codes[::-1], [True]).of_rows(codes)
    )
