"""Categories in groups with similar outcomes: no case sees its own outcome in its group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.derived.boosting import binned, boost
from tests.naive import category_groups as naive
from vicinal.derived.bins import ALL, MISSING, OTHERS, Bins
from vicinal.derived.category_groups import learn_groups
from vicinal.derived.cuts import cuts
from vicinal.derived.folds import LEFT_OUT_TOGETHER
from vicinal.derived.trees import TREE_BINS, learn_trees

NAN = np.nan


def runs_of(count, pairs=False):
    steps = LEFT_OUT_TOGETHER[count] if pairs else (0,)
    return np.any([np.roll(np.eye(count, dtype=bool), step, axis=1) for step in steps], axis=0)


def drawn(n=200, categories=20, count=3, seed=0, missing=0.05):
    """Encoded cases with one category, their outcomes, weights and folds."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, categories, size=n).astype(float)
    outcome = (rng.random(n) < 0.2 + 0.6 * (codes % 2)).astype(float)
    codes[rng.random(n) < missing] = NAN
    return codes[:, None], outcome, rng.choice([0.5, 1.0, 2.0], size=n), rng.integers(0, count, n)


def learned(values, outcome, weights, folds, left_out, most=TREE_BINS):
    return learn_groups(values, [0], outcome[:, None], weights, folds, left_out, most=most)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32 - 1),
    categories=st.sampled_from([1, 5, 40]),
    pairs=st.booleans(),
    most=st.sampled_from([4, TREE_BINS]),
)
def test_bins_are_those_of_the_means_of_the_naive_twin(seed, categories, pairs, most):
    values, outcome, weights, folds = drawn(60, categories, seed=seed)
    left_out = runs_of(3, pairs)
    groups, codes = learned(values, outcome, weights, folds, left_out, most)
    cells, rounded = values[:, 0], lambda some: np.array(some, dtype=np.float32).astype(float)
    known = ~np.isnan(cells)
    for run, without in enumerate(left_out):
        given = cells, outcome, weights, folds, np.flatnonzero(without).tolist()
        inside = known & ~without[folds]
        own = rounded([naive.own_mean(i, *given) for i in range(60)])
        edges = cuts(own[inside], weights[inside], most)
        np.testing.assert_array_equal(codes[run, inside, 0], np.searchsorted(edges, own[inside]))
        assert (codes[run, ~known, 0] == MISSING).all()
        # One more category has never been seen.
        whole = rounded([naive.whole_mean(c, *given) for c in range(groups[0].bins.shape[1])])
        np.testing.assert_array_equal(groups[0].bins[run], np.searchsorted(edges, whole))


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_the_own_bin_tells_nothing_of_the_own_outcome(size):
    n = 4000
    rng = np.random.default_rng(size)
    codes = rng.permutation(np.arange(n) // size).astype(float)[:, None]
    outcome, folds = rng.integers(0, 2, n).astype(float), rng.integers(0, 8, n)
    left_out = runs_of(8)
    groups, own = learned(codes, outcome, np.ones(n), folds, left_out)
    inside = ~left_out[0][folds]
    if size == 1:
        assert len(np.unique(own[0, inside])) == 1
        return
    with_own = groups[0].codes(codes)[inside, 0]
    assert np.corrcoef(with_own, outcome[inside])[0, 1] > 0.25
    assert abs(np.corrcoef(own[0, inside, 0], outcome[inside])[0, 1]) < 4 / np.sqrt(n)


def test_a_left_out_case_is_in_the_bin_that_new_rows_have():
    values, outcome, weights, folds = drawn()
    left_out = runs_of(3)
    groups, codes = learned(values, outcome, weights, folds, left_out)
    held = left_out[:, folds]
    np.testing.assert_array_equal(codes[:, :, 0][held], groups[0].codes(values).T[held])


def test_unseen_and_missing_categories_have_bins_of_their_own():
    values, outcome, weights, folds = drawn(missing=0.0)
    groups, _ = learned(values, outcome, weights, folds, runs_of(3))
    codes = groups[0].codes(np.array([[NAN], [20.0], [1e9], [0.0]]))
    assert (codes[0] == MISSING).all()
    np.testing.assert_array_equal(codes[1], groups[0].bins[:, -1])
    np.testing.assert_array_equal(codes[1], codes[2])
    assert (codes[3] == groups[0].bins[:, 0]).all()


def test_there_is_a_group_for_each_column_and_outcome():
    values, outcome, weights, folds = drawn()
    both = np.column_stack([values, values[::-1]])
    outcomes = np.column_stack([outcome, 1 - outcome, folds])
    groups, codes = learn_groups(both, [0, 1], outcomes, weights, folds, runs_of(3), most=9)
    assert [one.column for one in groups] == [0, 0, 0, 1, 1, 1]
    assert codes.shape == (3, 200, 6)
    assert codes[codes < MISSING].max() < 9
    assert learn_groups(both, [], outcomes, weights, folds, runs_of(3), most=9) is None


# --- trees that split them ----------------------------------------------------------------------


def table(n, categories, seed=0, spread=1.5):
    """A number and a category, each of which matters; folds."""
    rng = np.random.default_rng(seed)
    effects = spread * np.random.default_rng(99).normal(size=categories)
    codes = rng.integers(0, categories, size=n)
    x = rng.normal(size=n)
    truth = (rng.random(n) < 1 / (1 + np.exp(-x - effects[codes]))).astype(float)
    return np.column_stack([x, codes]), truth, rng.integers(0, 4, size=n)


def grown(values, truth, folds, grouped, classes=2):
    weights, named = np.ones(len(values)), np.array([False, True])
    bins = Bins.of(values, np.arange(2), named, weights, most=TREE_BINS)
    left_out = runs_of(4)
    groups = None
    if grouped:
        outcomes = truth[:, None]
        groups = learn_groups(values, [1], outcomes, weights, folds, left_out, most=TREE_BINS)
    typical = np.array([0.0, 1.0])
    options = {"n_classes": classes, "typical": typical, "grouped": groups}
    return learn_trees(values, bins, truth, weights, left_out[:, folds], **options)


def ranked_right(scores, truth):
    """Return the share of pairs of both classes whose scores are in the right order."""
    above = scores[truth == 1][:, None] - scores[truth == 0]
    return float(np.mean((above > 0) + 0.5 * (above == 0)))


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("most_columns", [2, 99])
def test_a_run_sees_columns_of_its_own_as_if_it_were_alone(symmetric, most_columns):
    bins, *others = binned(3, n=300)
    rng = np.random.default_rng(3)
    own = np.stack(
        [np.roll(bins[:, 2:], int(shift), axis=0) for shift in rng.integers(300, size=3)]
    )
    options = {"rounds": 8, "leaves": 8, "symmetric": symmetric, "most_columns": most_columns}
    together = boost(bins[:, :2], *others, own=own, **options)
    for run in range(3):
        alone = boost(np.column_stack([bins[:, :2], own[run]]), *others, **options)
        for actual, expected in zip(together, alone, strict=True):
            np.testing.assert_array_equal(actual[run], expected[run])


def test_columns_of_runs_that_do_not_fit_are_refused():
    bins, *others = binned(1)
    own = np.zeros((3, len(bins), 1), dtype=np.uint8)
    for wrong in (own + np.uint8(64), own[:2], own[:, 1:]):
        with pytest.raises(ValueError, match=r"large|fit"):
            boost(bins[:, :3], *others, own=wrong)


def test_trees_with_groups_predict_categories_without_a_bin():
    values, truth, folds = table(3000, 400)
    asked, expected, _ = table(1500, 400, seed=1)
    found = [
        ranked_right(
            grown(values, truth, folds, one).values(asked, np.full(1500, -1))[:, 0], expected
        )
        for one in (False, True)
    ]
    assert found[1] > found[0] + 0.05


def test_rare_categories_of_no_use_do_little_harm():
    values, truth, folds = table(3000, 1000, spread=0.0)
    asked, expected, _ = table(1500, 1000, seed=1, spread=0.0)
    found = [
        ranked_right(
            grown(values, truth, folds, one).values(asked, np.full(1500, -1))[:, 0], expected
        )
        for one in (False, True)
    ]
    assert found[1] > found[0] - 0.02


@pytest.mark.parametrize("classes", [0, 2])
def test_parts_of_groups_belong_to_the_feature_and_sum_to_the_score(classes):
    values, truth, folds = table(800, 150)
    values[::20, 1] = NAN
    found = grown(values, truth, folds, True, classes)
    assert found.nodes.max() // 64 >= 2
    asked = np.where(np.arange(800) % 2, folds, -1)
    parts, scores = found.parts(values, asked), found.values(values, asked)
    reference = found.values(np.tile([0.0, 1.0], (800, 1)), asked)
    assert parts.shape == (800, 2, 1)
    np.testing.assert_allclose(parts.sum(axis=1), scores - reference, atol=1e-9)
    np.testing.assert_allclose(
        found.values(values, np.full(800, -1)),
        np.mean([found.values(values, np.full(800, run)) for run in range(4)], axis=0),
        atol=1e-12,
    )


def test_the_bins_of_groups_are_more_columns_of_the_same_feature():
    values, truth, folds = table(800, 150)
    bins = grown(values, truth, folds, True).bins
    np.testing.assert_array_equal(bins.columns, [0, 1, 1, 1, 1, 1])
    np.testing.assert_array_equal(bins.owners, [0, 1, 1, 1, 1, 1])
    assert bins.features == 2
    codes = bins.codes(values)
    assert codes.shape == (800, 6)
    assert (codes[:, 1] == OTHERS).any()
    assert codes.max() < ALL
