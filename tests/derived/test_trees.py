"""Scores of small boosted trees."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.derived.boosting import binned, boost, forest_of, parts_of
from vicinal.derived import trees
from vicinal.derived.bins import Bins
from vicinal.derived.trees import SHAPES, TREE_BINS, learn_trees
from vicinal.index import _native
from vicinal.index._native import paths


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_number_of_threads_changes_no_bit(classes):
    drawn = binned(5, n=600, classes=classes)
    one = boost(*drawn, classes, rounds=20, leaves=8)
    forest, bins, folds = forest_of(one), drawn[0], drawn[3]
    scores = _native.forest_scores(forest, bins=bins, folds=folds, threads=1)
    parts = parts_of(forest, bins, bins[0], folds)
    for threads in (2, 4):
        for actual, expected in zip(
            boost(*drawn, classes, threads, rounds=20, leaves=8), one, strict=True
        ):
            np.testing.assert_array_equal(actual, expected)
        again = _native.forest_scores(forest, bins=bins, folds=folds, threads=threads)
        np.testing.assert_array_equal(again, scores)
        again = parts_of(forest, bins, bins[0], folds, threads=threads)
        np.testing.assert_array_equal(again, parts)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_instruction_set_changes_no_bit(classes, symmetric):
    options = {"rounds": 10, "leaves": 8, "symmetric": symmetric}
    first, *others = (
        boost(*binned(5, n=300, classes=classes), classes, path=path, **options)
        for path in paths()
    )
    for other in others:
        for actual, expected in zip(other, first, strict=True):
            np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_own_outcome_never_enters_the_trees_of_the_own_fold(classes):
    bins, truth, weights, folds = binned(6, n=200, classes=classes)
    before = boost(bins, truth, weights, folds, classes, rounds=10)
    changed = truth.copy()
    changed[11] = (truth[11] + 1) % classes if classes else 50.0
    after = boost(bins, changed, weights, folds, classes, rounds=10)
    for actual, expected in zip(after[:3], before[:3], strict=True):
        np.testing.assert_array_equal(actual[folds[11]], expected[folds[11]])
    assert (after[2] != before[2]).any()


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_integer_weights_equal_repeated_rows(classes):
    bins, truth, _, folds = binned(7, n=90, classes=classes)
    counts = np.random.default_rng(1).integers(1, 4, size=90)
    weighed = boost(bins, truth, counts.astype(float), folds, classes)
    bare = np.repeat(np.arange(90), counts)
    repeated = boost(bins[bare], truth[bare], np.ones(len(bare)), folds[bare], classes)
    np.testing.assert_array_equal(weighed[0], repeated[0])
    np.testing.assert_array_equal(weighed[1], repeated[1])
    np.testing.assert_allclose(weighed[2], repeated[2], rtol=1e-9, atol=1e-12)


def test_integer_weights_equal_repeated_rows_exactly_where_sums_are_exact():
    # Whole outcomes whose mean is 0 start at 0, so all sums of the first round are whole.
    rng = np.random.default_rng(3)
    bins, folds = binned(7, n=90)[0], np.zeros(90, dtype=np.int64)
    counts = np.tile(rng.integers(1, 4, size=45), 2)
    truth = np.repeat([1.0, -1.0], 45) * np.tile(rng.integers(1, 9, size=45), 2)
    folds = np.tile(np.arange(45) % 3, 2)
    bare = np.repeat(np.arange(90), counts)
    weighed = boost(bins, truth, counts.astype(float), folds, rounds=1)
    repeated = boost(bins[bare], truth[bare], np.ones(len(bare)), folds[bare], rounds=1)
    for actual, expected in zip(weighed[:3], repeated[:3], strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("path_columns", [1, 2])
def test_a_path_splits_no_more_columns_than_allowed(path_columns):
    nodes = boost(*binned(8, n=300), rounds=20, leaves=8, path_columns=path_columns)[0]

    def check(tree, at, path):
        if tree[at] >= 0:
            path = path | {tree[at] // 64}
            assert len(path) <= path_columns
            check(tree, tree[at] % 64, path)
            check(tree, tree[at] % 64 + 1, path)

    for tree in nodes.reshape(-1, nodes.shape[-1]).tolist():
        check(tree, 0, frozenset())


@pytest.mark.parametrize(("leaves", "deepest"), [(8, 3), (32, 5)])
def test_a_symmetric_tree_makes_one_split_on_each_level(leaves, deepest):
    nodes, sets, _, _ = boost(*binned(8, n=300), rounds=20, leaves=leaves, symmetric=True)
    size, depths = nodes.shape[-1], []
    for tree, left in zip(nodes.reshape(-1, size), sets.reshape(-1, size), strict=True):
        level, depth = [0], 0
        while tree[level[0]] >= 0:
            assert len({(tree[at] // 64, left[at]) for at in level}) == 1
            level = [at for own in level for at in (tree[own] % 64, tree[own] % 64 + 1)]
            depth += 1
        assert (tree[level] < 0).all()
        depths.append(depth)
    assert max(depths) == deepest


def test_of_many_columns_those_that_promise_most_are_chosen_again_every_ten_rounds():
    # The first column tells most of the outcome, so the second promises more once it is known.
    rng = np.random.default_rng(0)
    bins = rng.integers(0, 2, size=(400, 4)).astype(np.uint8)
    truth = 1.5 * bins[:, 0] + bins[:, 1] - 1.25
    drawn = (bins, truth, np.ones(400), rng.integers(0, 3, size=400))
    nodes = boost(*drawn, rounds=20, most_columns=1)[0]
    columns = [set((part[part >= 0] // 64).tolist()) for part in (nodes[:, :10], nodes[:, 10:])]
    assert columns == [{0}, {1}]
    all_columns, enough = (boost(*drawn, most_columns=most) for most in (99, 4))
    for actual, expected in zip(enough, all_columns, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_boosting_refuses_what_does_not_fit():
    bins, truth, weights, folds = binned(1)
    good = [bins, truth, weights, folds]
    for place, wrong in [
        (0, bins + np.uint8(60)),
        (1, truth[:-1]),
        (2, weights[:-1]),
        (3, folds[:-1]),
    ]:
        with pytest.raises(ValueError, match=r"range|large|number"):
            boost(*[wrong if i == place else one for i, one in enumerate(good)])
    with pytest.raises(ValueError, match="class"):
        boost(bins, truth, weights, folds, 2)
    for name, size in [
        *(("leaves", 33), ("leaves", 1), ("rounds", 0), ("path_columns", 0), ("most_columns", 0)),
        ("most_columns", 961),
    ]:
        with pytest.raises(ValueError, match="size"):
            boost(bins, truth, weights, folds, **{name: size})
    for name in ("rate", "ridge", "nominal_ridge", "least_mass"):
        with pytest.raises(ValueError, match="positive"):
            boost(bins, truth, weights, folds, **{name: 0.0})
    with pytest.raises(ValueError, match="fall"):
        boost(bins, truth, weights, folds, faster=-0.1)


# --- damaged trees ------------------------------------------------------------------------------


def small_tree():
    """One tree of five nodes: the root, its two children, and two below the first of them."""
    nodes = np.array([1, 64 + 3, -1, -1, -1]).reshape(1, 1, 1, 5)
    sets = np.array([1, 3, 0, 0, 0], dtype=np.uint64).reshape(1, 1, 1, 5)
    return nodes, sets, np.array([0.0, 0.0, 1.0, 2.0, 3.0]).reshape(1, 1, 1, 5)


def test_a_sound_tree_is_taken():
    forest = forest_of(small_tree())
    bins = np.array([[0, 0], [0, 2], [1, 0]], dtype=np.uint8)
    found = _native.forest_scores(forest, bins=bins, folds=np.array([0, -1, 0]), threads=1)
    np.testing.assert_array_equal(found, [[2.0], [3.0], [1.0]])


@pytest.mark.parametrize(
    ("at", "node"),
    [(1, 1), (0, 0), (1, 64), (1, 1 + 64), (1, 5), (0, 2), (2, 3), (1, 63), (0, (1 << 40) + 1)],
)
def test_damaged_nodes_are_refused(at, node):
    # A child before its parent, a second parent, children beyond the end, an absurd column.
    nodes, sets, values = small_tree()
    nodes[0, 0, 0, at] = node
    with pytest.raises(ValueError, match="damaged"):
        forest_of((nodes, sets, values))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(wrong):
    nodes, sets, values = small_tree()
    values[0, 0, 0, 2] = wrong
    with pytest.raises(ValueError, match="not finite"):
        forest_of((nodes, sets, values))


def test_arrays_of_wrong_shapes_and_types_are_refused():
    nodes, sets, values = small_tree()
    for wrong in [
        (nodes, sets[..., :4], values),
        (nodes, sets, values[..., :4]),
        (nodes[..., :0], sets[..., :0], values[..., :0]),
        (nodes[:0], sets[:0], values[:0]),
        tuple(np.repeat(one, 13, axis=3) for one in (nodes, sets, values)),
    ]:
        with pytest.raises(ValueError, match="shape"):
            forest_of(tuple(np.ascontiguousarray(one) for one in wrong))
    with pytest.raises(TypeError):
        forest_of((nodes[0], sets[0], values[0]))


def test_rows_that_do_not_fit_the_trees_are_refused():
    forest, fold = forest_of(small_tree()), np.array([0])
    row = np.array([[0, 1]], dtype=np.uint8)
    for bins, folds, match in [
        (row[:, :1], fold, "lack columns"),
        (row + np.uint8(63), fold, "too large"),
        (row, np.array([1]), "fold is out"),
        (row, np.array([-2]), "fold is out"),
        (row, np.array([0, 0]), "number"),
    ]:
        with pytest.raises(ValueError, match=match):
            _native.forest_scores(forest, bins=np.ascontiguousarray(bins), folds=folds, threads=1)
    for reference in (row[0, :1], row[0] + np.uint8(63)):
        with pytest.raises(ValueError, match=r"columns|large"):
            parts_of(forest, row, reference, fold)
    for owners, match in [(np.array([0]), "columns"), (np.array([-1, 0]), "no feature")]:
        with pytest.raises(ValueError, match=match):
            parts_of(forest, row, row[0], fold, owners)


# --- scores of encoded rows ---------------------------------------------------------------------


def encoded(n=300, seed=0):
    """Two numbers that matter together, a category, gaps; the outcome; folds."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 3, size=n)])
    truth = values[:, 0] * values[:, 1] + (values[:, 2] == 1) + 0.1 * rng.normal(size=n)
    return np.where(rng.random((n, 3)) < 0.05, np.nan, values), truth, rng.integers(0, 4, size=n)


def learn(values, truth, folds, weights=None, **options):
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    named = np.array([False, False, True])
    bins = Bins.of(values, np.arange(3), named, weights, most=TREE_BINS)
    options = {"n_classes": 0, "typical": np.array([0.0, 0.0, 1.0]), **options}
    return learn_trees(values, bins, truth, weights, folds == np.arange(4)[:, None], **options)


@pytest.mark.parametrize("shape", SHAPES)
def test_pairs_of_features_are_seen_together(shape):
    values, truth, folds = encoded(800)
    found = learn(values, truth, folds, shapes=(shape,))
    scores = found.values(values, folds)[:, 0]
    assert np.corrcoef(scores, truth)[0, 1] > 0.75


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_parts_sum_to_the_score_less_that_of_the_reference(n_classes):
    values, truth, folds = encoded()
    if n_classes:
        truth = np.digitize(truth, [0, 1][: n_classes - 1]).astype(float)
    found = learn(values, truth, folds, n_classes=n_classes)
    asked = np.where(np.arange(300) % 2, folds, -1)
    codes = found.bins.codes(values)
    typical = (codes == found.reference).all(axis=1)
    parts, scores = found.parts(values, asked), found.values(values, asked)
    assert not parts[typical].any()
    reference = found._forest.scores(np.tile(found.reference, (300, 1)), asked)
    np.testing.assert_allclose(parts.sum(axis=1), scores - reference, atol=1e-9)


def test_new_rows_get_the_mean_of_the_folds():
    values, truth, folds = encoded()
    found = learn(values, truth, folds)
    of_each = [found.values(values, np.full(300, fold)) for fold in range(4)]
    np.testing.assert_allclose(
        found.values(values, np.full(300, -1)), np.mean(of_each, axis=0), atol=1e-12
    )


def test_scores_are_in_the_unit_of_the_target():
    values, truth, folds = encoded()
    expected = learn(values, truth, folds).values(values, folds)
    for scale in (1e-9, 1e9, 1e290):
        with np.errstate(over="raise"):
            found = learn(values, truth * scale, folds).values(values, folds)
        np.testing.assert_allclose(found / scale, expected, atol=1e-6)


def test_of_two_classes_shapes_that_predict_worse_are_left_out(monkeypatch):
    values, truth, folds = encoded()
    classes = (truth > 0.3).astype(float)
    alone = {
        shape: learn(values, classes, folds, n_classes=2, shapes=(shape,)) for shape in SHAPES
    }
    found = learn(values, classes, folds, n_classes=2)
    monkeypatch.setattr(trees, "HOPELESS", 1.0)
    best = learn(values, classes, folds, n_classes=2)
    assert any(np.array_equal(best.leaves, one.leaves) for one in alone.values())
    monkeypatch.setattr(trees, "HOPELESS", np.inf)
    every = learn(values, classes, folds, n_classes=2)
    assert every.nodes.shape[1] == sum(one.nodes.shape[1] for one in alone.values())
    assert best.nodes.shape[1] <= found.nodes.shape[1] <= every.nodes.shape[1]


def test_noise_and_constants_have_no_trees():
    values, _, folds = encoded()
    assert learn(values, np.full(300, 3.0), folds) is None
    noise = np.random.default_rng(7).normal(size=300)
    found = learn(values, noise, folds)
    assert found is None or found.nodes.shape[1] < 10 * len(SHAPES)


def test_trees_are_copied_and_pickled_without_their_native_twin():
    values, truth, folds = encoded()
    found = learn(values, truth, folds)
    expected = found.values(values, folds)
    for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert "_forest" not in again.__dict__
        np.testing.assert_array_equal(again.values(values, folds), expected)
    found.check()


def walked(grown, bins, fold, c):
    """What the trees of a fold, or of all, add up to for one row, a node at a time."""
    nodes, sets, values = (np.asarray(one) for one in grown[:3])
    folds = range(len(nodes)) if fold < 0 else [fold]
    total = 0.0
    for run in folds:
        for tree in range(nodes.shape[1]):
            at = 0
            while (packed := int(nodes[run, tree, c, at])) >= 0:
                left = int(sets[run, tree, c, at]) >> int(bins[packed // 64]) & 1
                at = packed % 64 + (not left)
            total += values[run, tree, c, at] / len(folds)
    return total


@pytest.mark.parametrize(("leaves", "rounds"), [(2, 40), (8, 3), (32, 3)])
def test_scores_are_the_sum_of_the_leaves_whether_trees_share_splits_or_not(leaves, rounds):
    drawn = binned(5, n=60, classes=3)
    grown = boost(*drawn, 3, leaves=leaves, rounds=rounds)
    bins, folds = drawn[0], np.r_[drawn[3][:-20], np.full(20, -1)]
    found = _native.forest_scores(forest_of(grown), bins=bins, folds=folds, threads=1)
    expected = [
        [walked(grown, row, fold, c) for c in range(3)]
        for row, fold in zip(bins, folds, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
