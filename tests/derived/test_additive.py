"""Scores that are sums over the features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from vicinal.derived.additive import SCORECARD_BINS, learn_additive
from vicinal.derived.bins import Bins

NAN = np.nan
both = pytest.mark.parametrize("linear", [True, False], ids=["linear", "by bins"])


def table(n=240, seed=0, missing=0.0):
    """Two numbers, a category of four; and a fold of three for each row."""
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [rng.normal(size=n), 5 * rng.random(n) + 90, rng.integers(0, 4, size=n)]
    )
    values = np.where(rng.random(values.shape) < missing, NAN, values)
    return values, rng.integers(0, 3, size=n)


NOMINAL = np.array([False, False, True])


def learn(values, truth, folds, *, linear, n_classes=0, weights=None, n_folds=3):
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    bins = Bins.of(values, np.arange(3), NOMINAL, weights, most=SCORECARD_BINS)
    held = folds == np.arange(n_folds)[:, None]
    return learn_additive(values, bins, truth, weights, held, n_classes=n_classes, linear=linear)


def classes_of(values, count):
    """Classes that follow from all columns."""
    seen = np.nan_to_num(values)
    told = seen[:, 0] + (seen[:, 1] - 92.5) / 2 + (seen[:, 2] == 1)
    return np.digitize(told, np.linspace(-1.5, 1.5, count - 1) if count > 2 else [0]).astype(float)


def arrays(found):
    return [found.tables, found.slopes, found.centers, found.scales]


def same_bits(one, other):
    for actual, expected in zip(arrays(one), arrays(other), strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_a_linear_model_is_recovered():
    values, folds = table(2000)
    step = np.array([0.0, 3.0, -1.0, 0.5])[values[:, 2].astype(int)]
    truth = 2 * values[:, 0] - 0.7 * values[:, 1] + step
    found = learn(values, truth, folds, linear=True)
    slopes = found.slopes[:, :2, 0] / found.scales[:2]
    np.testing.assert_allclose(slopes, [[2, -0.7]] * 3, rtol=0.05)
    scores = found.values(values, folds)[:, 0]
    inside = np.abs(values[:, 0]) < 3  # beyond five mean deviations a number counts as that far
    np.testing.assert_allclose(
        (scores - scores[inside].mean())[inside], (truth - truth[inside].mean())[inside], atol=0.1
    )


def test_a_score_by_bins_follows_a_curve_that_no_line_follows():
    values, folds = table(2000)
    truth = values[:, 0] ** 2
    errors = {}
    for linear in (True, False):
        scores = learn(values, truth, folds, linear=linear).values(values, folds)[:, 0]
        errors[linear] = np.abs(scores - scores.mean() - truth + truth.mean()).mean()
    assert errors[False] < 0.4 * errors[True]


def test_coefficients_of_numbers_are_those_of_ridge_regression():
    values, folds = table()
    truth = np.random.default_rng(9).normal(size=240) + values[:, 0]
    weights = np.random.default_rng(8).choice([0.5, 1.0, 3.0], size=240)
    found = learn(values, truth, folds, linear=True, weights=weights)
    z = np.clip((values[:, :2] - found.centers[:2]) / found.scales[:2], -5, 5)
    design = np.column_stack([z, values[:, 2:] == np.arange(4)])
    for fold in range(3):
        given = folds != fold
        ridge = Ridge(alpha=1.0).fit(design[given], truth[given], weights[given])
        np.testing.assert_allclose(found.slopes[fold, :2, 0], ridge.coef_[:2], rtol=1e-8)
        np.testing.assert_allclose(found.tables[fold, 2, :4, 0], ridge.coef_[2:], rtol=1e-8)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_scores_of_classes_are_those_of_logistic_regression(count):
    values, folds = table(400)
    truth = classes_of(values, count)
    found = learn(values, truth, folds, linear=True, n_classes=count)
    assert found.width == (1 if count == 2 else count)
    z = np.clip((values[:, :2] - found.centers[:2]) / found.scales[:2], -5, 5)
    design = np.column_stack([z, values[:, 2:] == np.arange(4)])
    for fold in range(3):
        given, held = folds != fold, folds == fold
        model = LogisticRegression(C=1.0, max_iter=2000, tol=1e-9).fit(design[given], truth[given])
        expected = design[held] @ model.coef_.T
        # It ends early, by its tolerance.
        allowed = 0.02 * np.ptp(expected)
        np.testing.assert_allclose(found.values(values, folds)[held], expected, atol=allowed)


@both
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_parts_sum_to_the_scores(linear, n_classes):
    values, folds = table(missing=0.1)
    truth = classes_of(values, n_classes) if n_classes else values[:, 2].copy()
    truth = np.nan_to_num(truth)
    found = learn(values, truth, folds, linear=linear, n_classes=n_classes)
    asked = np.where(np.arange(240) % 2, folds, -1)
    parts = found.parts(values, asked)
    assert parts.shape == (240, 3, found.width)
    np.testing.assert_array_equal(parts.sum(axis=1), found.values(values, asked))


@both
def test_a_part_depends_on_its_own_feature_alone(linear):
    values, folds = table()
    found = learn(values, values[:, 0], folds, linear=linear)
    changed = values.copy()
    changed[:, 1] = NAN
    before, after = found.parts(values, folds), found.parts(changed, folds)
    np.testing.assert_array_equal(after[:, [0, 2]], before[:, [0, 2]])


@both
def test_new_rows_get_the_mean_of_the_folds(linear):
    values, folds = table()
    found = learn(values, values[:, 0] + values[:, 2], folds, linear=linear)
    of_each = [found.values(values, np.full(240, fold)) for fold in range(3)]
    np.testing.assert_allclose(
        found.values(values, np.full(240, -1)), np.mean(of_each, axis=0), atol=1e-12
    )


@both
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_own_outcome_never_enters_the_own_score(linear, n_classes):
    values, folds = table()
    truth = classes_of(values, n_classes) if n_classes else values[:, 0].copy()
    before = learn(values, truth, folds, linear=linear, n_classes=n_classes)
    changed = truth.copy()
    changed[17] = (truth[17] + 1) % n_classes if n_classes else 1e9
    after = learn(values, changed, folds, linear=linear, n_classes=n_classes)
    own = folds == folds[17]
    np.testing.assert_array_equal(
        after.values(values, folds)[own], before.values(values, folds)[own]
    )
    assert (after.values(values, folds)[~own] != before.values(values, folds)[~own]).any()


@both
def test_a_class_absent_from_all_other_folds_has_no_score_there(linear):
    values, folds = table()
    truth = np.where(folds == 1, 2.0, classes_of(values, 2))  # class 2 is in fold 1 alone
    found = learn(values, truth, folds, linear=linear, n_classes=3)
    assert not found.slopes[1, :, 2].any()
    assert not found.tables[1, :, :, 2].any()
    # Of the two that remain, one's score is the other's with the sign changed.
    scores = found.values(values, np.ones(240, dtype=np.int64))
    np.testing.assert_allclose(scores[:, 0], -scores[:, 1], atol=1e-6)
    assert scores[:, 0].any()


@both
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_single_class_has_scores_of_zero(linear, n_classes):
    values, folds = table()
    found = learn(values, np.ones(240), folds, linear=linear, n_classes=n_classes)
    assert not found.values(values, folds).any()


@both
def test_a_constant_number_has_scores_of_zero(linear):
    values, folds = table()
    found = learn(values, np.full(240, 7.0), folds, linear=linear)
    np.testing.assert_allclose(found.values(values, folds), 0.0, atol=1e-9)


@both
def test_a_fold_with_all_rows_leaves_nothing_to_learn_from(linear):
    values, _ = table()
    folds = np.ones(240, dtype=np.int64)
    for n_classes in (0, 2, 3):
        truth = classes_of(values, n_classes) if n_classes else values[:, 0]
        found = learn(values, truth, folds, linear=linear, n_classes=n_classes)
        assert not found.values(values, folds).any()


@both
@pytest.mark.parametrize("n_classes", [0, 3])
def test_integer_weights_equal_repeated_rows(linear, n_classes):
    values, folds = table(120)
    truth = classes_of(values, n_classes) if n_classes else values[:, 0] * values[:, 1]
    counts = np.random.default_rng(4).integers(1, 4, size=120)
    weighed = learn(values, truth, folds, linear=linear, n_classes=n_classes, weights=counts)
    repeated = learn(
        *(np.repeat(one, counts, axis=0) for one in (values, truth, folds)),
        linear=linear,
        n_classes=n_classes,
    )
    # Logistic regression ends by a tolerance, and on the way rounding is not the same.
    np.testing.assert_allclose(
        weighed.values(values, folds), repeated.values(values, folds), rtol=1e-6, atol=1e-6
    )


@both
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_number_of_threads_of_linear_algebra_changes_no_bit(linear, n_classes):
    values, folds = table(1000)
    truth = classes_of(values, n_classes) if n_classes else values[:, 0] * values[:, 1]
    found = []
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads):
            found.append(learn(values, truth, folds, linear=linear, n_classes=n_classes))
    same_bits(found[1], found[0])
    same_bits(found[2], found[0])


@settings(max_examples=15)
@given(scale=st.sampled_from([1e-290, 1e-9, 1e9, 1e290]), shift=st.sampled_from([0.0, 100.0]))
def test_the_units_of_numbers_do_not_matter(scale, shift):
    values, folds = table()
    moved = values.copy()
    moved[:, :2] = (values[:, :2] + shift) * scale
    with np.errstate(over="raise", invalid="raise"):
        found = learn(moved, values[:, 0], folds, linear=True).values(moved, folds)
    expected = learn(values, values[:, 0], folds, linear=True).values(values, folds)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


@both
def test_missing_unseen_and_far_values_have_finite_scores(linear):
    values, folds = table(missing=0.2)
    found = learn(values, np.nan_to_num(values[:, 0]), folds, linear=linear)
    odd = np.array([[NAN, NAN, NAN], [1e300, -1e300, 99.0]])
    assert np.isfinite(found.values(odd, np.array([-1, 2]))).all()
