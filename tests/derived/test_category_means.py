"""Categories by the outcomes of other cases that have them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.derived.category_means import SHRINKAGE, CategoryMeans

NAN = np.nan


def learn(codes, outcomes, folds, weights=None, count=2):
    codes, outcomes = np.asarray(codes, dtype=float), np.asarray(outcomes, dtype=float)
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
    outcomes = outcomes if outcomes.ndim == 2 else outcomes[:, None]
    held = np.asarray(folds) == np.arange(count)[:, None]
    return CategoryMeans.learn(0, codes, outcomes, weights, held)


def asked(means, codes, folds):
    return means.values(np.asarray(codes, dtype=float)[:, None], np.asarray(folds))


def naive(codes, outcomes, folds, weights, code, fold):
    """The mean over cases of other folds, shrunk to that of all categories."""
    others = [i for i in range(len(codes)) if folds[i] != fold and codes[i] == codes[i]]
    mass = sum(weights[i] for i in others)
    overall = sum(weights[i] * outcomes[i] for i in others) / mass if mass else 0.0
    own = [i for i in others if codes[i] == code]
    total = sum(weights[i] * outcomes[i] for i in own) + SHRINKAGE * overall
    return total / (sum(weights[i] for i in own) + SHRINKAGE)


def test_an_example_that_can_be_worked_out_by_hand():
    # Without fold 0: category 0 has 6, category 1 has 3 and 3; the mean of all is 4.
    # Without fold 1: category 0 has 1 and 2, category 1 has 9; the mean of all is 4 again.
    means = learn([0, 0, 1, 0, 1, 1], [1, 2, 9, 6, 3, 3], [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(
        asked(means, [0, 1, 0, 1], [0, 0, 1, 1])[:, 0],
        [(6 + 40) / 11, (6 + 40) / 12, (3 + 40) / 12, (9 + 40) / 11],
        rtol=1e-15,
    )
    # New rows get the mean of both.
    np.testing.assert_allclose(
        asked(means, [0, 1], [-1, -1])[:, 0],
        [(46 / 11 + 43 / 12) / 2, (46 / 12 + 49 / 11) / 2],
        rtol=1e-15,
    )


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), count=st.integers(1, 8))
def test_means_equal_their_definition(seed, n, count):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(n) < 0.1, NAN, rng.integers(0, 5, size=n))
    outcomes, folds = rng.normal(size=n), rng.integers(0, count, size=n)
    weights = rng.choice([0.5, 1.0, 2.0], size=n)
    found = asked(learn(codes, outcomes, folds, weights, count), codes, folds)[:, 0]
    for i in range(n):
        expected = (
            NAN
            if np.isnan(codes[i])
            else naive(codes, outcomes, folds, weights, codes[i], folds[i])
        )
        np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("outcome", [-3.0, 1e6, 1e15])
def test_the_own_outcome_never_enters_the_own_value(outcome):
    rng = np.random.default_rng(0)
    codes, folds = rng.integers(0, 6, size=80), rng.integers(0, 4, size=80)
    outcomes = rng.normal(size=80)
    before = asked(learn(codes, outcomes, folds, count=4), codes, folds)
    for case in (3, 41):
        changed = outcomes.copy()
        changed[case] = outcome
        after = asked(learn(codes, changed, folds, count=4), codes, folds)
        same_fold = folds == folds[case]
        np.testing.assert_array_equal(after[same_fold], before[same_fold])
        assert (
            after[(codes == codes[case]) & ~same_fold]
            != before[(codes == codes[case]) & ~same_fold]
        ).all()


def test_a_category_of_one_fold_alone_has_the_overall_mean_there():
    means = learn([0, 0, 1, 1], [1.0, 2.0, 3.0, 5.0], [0, 0, 1, 1])
    np.testing.assert_array_equal(asked(means, [0, 1], [0, 1])[:, 0], [4.0, 1.5])


def test_integer_weights_equal_repeated_rows():
    rng = np.random.default_rng(1)
    codes, folds = rng.integers(0, 4, size=30), rng.integers(0, 3, size=30)
    outcomes, counts = rng.normal(size=30), rng.integers(1, 4, size=30)
    weighed = learn(codes, outcomes, folds, counts, 3)
    repeated = learn(*(np.repeat(one, counts) for one in (codes, outcomes, folds)), count=3)
    np.testing.assert_allclose(weighed.means, repeated.means, rtol=1e-12)
    np.testing.assert_allclose(weighed.overall, repeated.overall, rtol=1e-12)


def test_a_category_never_seen_has_the_overall_mean_and_a_missing_one_none():
    means = learn([0, 2, 0, 2], [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
    found = asked(means, [7, 7, 7, NAN, NAN], [0, 1, -1, 0, -1])[:, 0]
    np.testing.assert_allclose(found, [3.5, 1.5, 2.5, NAN, NAN])
    # A code between those that were seen is like one that no case of other folds has.
    np.testing.assert_allclose(asked(means, [1, 1], [0, -1])[:, 0], [3.5, 2.5])


def test_several_outcomes_have_a_column_each():
    hits = np.eye(3)[[0, 1, 2, 1]]
    means = learn([0, 0, 1, 1], hits, [0, 1, 0, 1])
    assert means.width == 3
    found = asked(means, [0, 1, 9], [0, 1, -1])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.parametrize("codes", [[NAN, NAN], []])
def test_a_column_of_nothing_is_taken(codes):
    means = learn(codes, [1.0] * len(codes), [0] * len(codes))
    np.testing.assert_array_equal(asked(means, [NAN, 3.0], [0, -1])[:, 0], [NAN, 0.0])
