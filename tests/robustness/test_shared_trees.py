"""Ranges of the scores of trees that share one radius, against all combinations of bins."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.derived.bins import ALL, Bins
from vicinal.derived.trees import TreeScores, learn_trees
from vicinal.robustness.perturbation import Perturbation
from vicinal.robustness.shared_trees import shared_range
from vicinal.robustness.tree_paths import TreePaths
from vicinal.robustness.tree_ranges import bin_costs, reachable, sum_of_ends


def grown(seed, n_classes=2):
    """Trees of three numbers with nine bins each and a category, in three runs."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=(240, 3)), rng.integers(0, 3, 240)])
    score = values[:, 0] * values[:, 1] + 0.5 * values[:, 2] + (values[:, 3] == 1)
    truth = np.digitize(score, np.linspace(-0.5, 0.8, n_classes - 1)).astype(float)
    nominal, weights = np.array([False, False, False, True]), np.ones(240)
    bins = Bins.of(values, np.arange(4), nominal, weights, most=9)
    held = np.arange(240) % 3 == np.arange(3)[:, None]
    typical = np.zeros(4)
    trees = learn_trees(values, bins, truth, weights, held, n_classes=n_classes, typical=typical)
    assert trees is not None
    return trees, values


def changes_of(row):
    nominal = np.array([False, False, False, True])
    return Perturbation(row, np.array([1.0, 2.0, 0.5, 0.0]), nominal, np.zeros(4), "sum")


def every_bin(trees, within, costs, radius):
    """All combinations of bins that can be reached."""
    codes = np.array(list(product(*(np.flatnonzero(one) for one in within))))
    paid = costs[np.arange(len(costs)), codes].sum(axis=1)
    return codes[paid <= radius].astype(np.uint8)


@given(seed=st.integers(0, 3), case=st.integers(0, 239), radius=st.sampled_from([0.1, 0.5, 2.0]))
@settings(max_examples=20)
def test_no_combination_of_bins_leaves_the_range(seed, case, radius):
    trees, values = grown(seed, n_classes=2 + seed % 2)
    changes = changes_of(values[case])
    within = reachable(trees.bins, changes.box(radius))
    costs = bin_costs(trees.bins, changes)
    codes = every_bin(trees, within, costs, radius)
    for runs in ([0, 1, 2], [1]):
        found = np.mean([trees.scores_of(codes, np.full(len(codes), run)) for run in runs], axis=0)
        low, high = shared_range(trees, within, costs, runs, radius)
        widest = sum_of_ends(trees, within, runs)
        assert (low <= found.min(axis=0) + 1e-9).all()
        assert (high >= found.max(axis=0) - 1e-9).all()
        assert (low >= widest[0] - 1e-6).all()
        assert (high <= widest[1] + 1e-6).all()


def test_every_row_meets_the_conditions_of_one_leaf_of_each_tree():
    trees, values = grown(0)
    paths, codes = TreePaths.of(trees), trees.bins.codes(values)
    meets = np.ones((len(codes), len(paths.trees)), dtype=bool)
    for place, kind in zip(paths.places.tolist(), paths.kinds.tolist(), strict=True):
        meets[:, place] &= paths.bins[kind][codes[:, paths.columns[kind]]]
    of_tree = paths.trees[:, None] == np.arange(paths.trees[-1] + 1)
    np.testing.assert_array_equal(meets @ of_tree.astype(int), 1)
    each = (meets * paths.leaves) @ of_tree
    runs = len(trees.nodes)
    for run in range(runs):
        scores = trees.scores_of(codes, np.full(len(codes), run))[:, 0]
        own = each.reshape(len(codes), runs, -1)[:, run].sum(axis=1)
        np.testing.assert_allclose(own, scores, atol=1e-9)


@pytest.fixture
def stumps():
    """Eight trees in each of two columns: the score rises by 1 for every bin."""
    count, columns = 8, 2
    edges = np.arange(1.0, count + 1)
    bins = Bins(
        np.arange(columns),
        np.zeros(columns, dtype=bool),
        np.array([0, count, 2 * count]),
        np.tile(edges, columns),
    )
    nodes = np.full((1, count * columns, 1, 3), -1, dtype=np.int64)
    sets = np.zeros(nodes.shape, dtype=np.uint64)
    leaves = np.zeros(nodes.shape)
    for tree in range(count * columns):
        nodes[0, tree, 0, 0] = 64 * (tree // count) + 1
        sets[0, tree, 0, 0] = (1 << (tree % count + 1)) - 1
        leaves[0, tree, 0, 2] = 1.0
    return TreeScores(bins, nodes, sets, leaves, np.zeros(columns, dtype=np.uint8))


def test_steady_gains_are_bounded_as_if_one_column_had_all_of_the_radius(stumps):
    changes = Perturbation(np.zeros(2), np.ones(2), np.zeros(2, dtype=bool), np.zeros(2), "sum")
    within = reachable(stumps.bins, changes.box(8.0))
    costs = bin_costs(stumps.bins, changes)
    assert within[:, :9].all()
    assert not within[:, 9:ALL].any()
    low, high = shared_range(stumps, within, costs, [0], 8.0)
    assert low[0] == 0.0
    assert 8.0 <= high[0] <= 8.6  # apart, both columns would add 8
