"""Boosted trees and their parts, against twins in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.derived.boosting import NOMINAL, OPTIONS, binned, boost, forest_of, parts_of
from tests.naive import boosting as naive
from vicinal.derived.bins import MISSING
from vicinal.index import _native


def naive_forest(bins, truth, weights, folds, classes, options):
    rows = [tuple(row) for row in bins.tolist()]
    booster = naive.Booster(
        rows, NOMINAL.tolist(), weights.tolist(), truth.tolist(), classes, options
    )
    grown = [
        booster.grow(np.flatnonzero(folds != fold).tolist(), options["rounds"])
        for fold in range(3)
    ]
    return rows, grown, booster.margin


def naive_scores(trees, row, rounds=None):
    return [
        sum(naive.evaluate(each[c], row) for each in trees[:rounds]) for c in range(len(trees[0]))
    ]


shapes = st.sampled_from(
    [
        {},
        {"leaves": 8, "path_columns": 1},
        {"leaves": 6, "path_columns": 15},
        {"leaves": 8, "symmetric": True},
        {"most_columns": 2},
        {"faster": 0.5},
        {"most_columns": 1, "symmetric": True},
    ]
)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.sampled_from([0, 2, 3]),
    shape=shapes,
    last=st.booleans(),
)
def test_trees_are_those_of_the_naive_twin(seed, classes, shape, last):
    options = {**OPTIONS, **shape}
    bins, *others = binned(seed, classes=classes)
    # The last bins come right before that of missing values.
    drawn = (np.where(last & (bins < MISSING), MISSING - 1 - bins, bins), *others)
    rows, expected, margin = naive_forest(*drawn, classes, options)
    assume(margin > 1e-6)  # else rounding decides between splits that are equally good
    nodes, sets, values, losses = boost(*drawn, classes, **shape)
    bins, truth, weights, folds = drawn
    actual = _native.forest_scores(
        forest_of((nodes, sets, values)), bins=bins, folds=folds, threads=1
    )
    for i, row in enumerate(rows):
        np.testing.assert_allclose(actual[i], naive_scores(expected[folds[i]][1], row), atol=1e-9)
    for fold, (start, trees) in enumerate(expected):
        for done in range(options["rounds"] + 1):
            held = sum(
                weights[i]
                * naive.loss(np.add(start, naive_scores(trees, rows[i], done)), truth[i], classes)
                for i in np.flatnonzero(folds == fold)
            )
            np.testing.assert_allclose(losses[fold, done], held, rtol=1e-9)


def test_the_naive_twin_splits_as_one_would_by_hand():
    # Slopes are −1 on the left and 1 on the right: the cut between them gains 9/4 + 9/4.
    rows = [(0,), (0,), (0,), (1,), (1,), (1,)]
    options = {**OPTIONS, "leaves": 2, "rounds": 1}
    booster = naive.Booster(rows, [False], [1.0] * 6, [1.0] * 3 + [-1.0] * 3, 0, options)
    _, [[tree]] = booster.grow(range(6), 1)
    column, left, yes, no = tree
    assert (column, left) == (0, {0})
    np.testing.assert_allclose([yes, no], [0.3 * 3 / 4, -0.3 * 3 / 4])


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.sampled_from([0, 2, 3]),
    deep=st.booleans(),
    owners=st.sampled_from([(0, 1, 2, 3), (0, 1, 2, 0), (0, 1, 1, 1)]),
)
def test_parts_are_shapley_values_by_all_orders(seed, classes, deep, owners):
    drawn = binned(seed, n=60, classes=classes)
    forest = forest_of(boost(*drawn, classes, leaves=8, path_columns=15 if deep else 2))
    bins, reference = drawn[0][:6], drawn[0][7]
    folds = np.array([0, 1, 2, -1, 0, -1])

    def value(row, fold, c):
        asked = np.array([row], dtype=np.uint8)
        return _native.forest_scores(forest, bins=asked, folds=np.array([fold]), threads=1)[0, c]

    actual = parts_of(forest, bins, reference, folds, np.array(owners))
    for i, fold in enumerate(folds.tolist()):
        for c in range(actual.shape[2]):
            # Whether a feature has the row's columns.
            expected = naive.shapley(
                lambda own, i=i, fold=fold, c=c: value(
                    np.where([own[owner] for owner in owners], bins[i], reference), fold, c
                ),
                [True] * (max(owners) + 1),
                [False] * (max(owners) + 1),
            )
            np.testing.assert_allclose(actual[i, :, c], expected, atol=1e-12)
