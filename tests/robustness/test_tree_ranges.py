"""Ranges of the scores of trees: exact where few bins can be reached, and never too narrow."""

from itertools import product

import numpy as np
import pytest

from tests.robustness.attacking import rows_within
from vicinal.derived.bins import Bins
from vicinal.derived.trees import learn_trees
from vicinal.robustness.perturbation import Perturbation
from vicinal.robustness.tree_ranges import MOST_COMBINATIONS, tree_range

RUNS = [0, 2]


@pytest.fixture(scope="module")
def grown():
    """Trees that see the product of two numbers, the numbers, and a row."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3))
    truth = (values[:, 0] * values[:, 1] + 0.3 * values[:, 2] > 0).astype(float)
    weights, numbers = np.ones(300), np.zeros(3, dtype=bool)
    bins = Bins.of(values, np.arange(3), numbers, weights, most=60)
    held = np.arange(300) % 3 == np.arange(3)[:, None]
    trees = learn_trees(values, bins, truth, weights, held, n_classes=2, typical=np.zeros(3))
    assert trees is not None
    return trees, values, np.array([0.2, -0.1, 0.05])


def changes_of(row, norm):
    return Perturbation(row, np.array([1.0, 2.0, 0.5]), np.zeros(3, dtype=bool), np.zeros(3), norm)


def scores_of(trees, rows):
    return np.mean([trees.values(rows, np.full(len(rows), run)) for run in RUNS], axis=0)


@pytest.mark.parametrize("norm", ["max", "sum"])
def test_the_range_is_exact_where_few_bins_can_be_reached(grown, norm):
    trees, _, row = grown
    changes, radius = changes_of(row, norm), 0.06
    box = changes.box(radius)
    low, high = tree_range(trees, box, RUNS, changes, radius if norm == "sum" else None)
    # In every bin, the value that costs least.
    values = []
    for column in range(3):
        edges = trees.bins.edges_of(column)
        edges = edges[(edges > box.lower[column]) & (edges < box.upper[column])]
        above, below = edges[edges >= row[column]], edges[edges < row[column]]
        values.append([row[column], *np.nextafter(above, np.inf), *np.nextafter(below, -np.inf)])
    rows = np.array(list(product(*values)))
    assert 10 < len(rows) <= MOST_COMBINATIONS
    rows = rows[changes.costs(rows) <= radius]
    scores = scores_of(trees, rows)
    np.testing.assert_allclose(low, scores.min(axis=0), atol=1e-12)
    np.testing.assert_allclose(high, scores.max(axis=0), atol=1e-12)


@pytest.mark.parametrize("norm", ["max", "sum"])
@pytest.mark.parametrize("radius", [0.02, 0.2, 1.5])
def test_no_changed_row_leaves_the_range(grown, norm, radius):
    trees, values, row = grown
    changes = changes_of(row, norm)
    low, high = tree_range(
        trees, changes.box(radius), RUNS, changes, radius if norm == "sum" else None
    )
    rng = np.random.default_rng(1)
    scores = scores_of(trees, rows_within(changes, radius, values, rng, 400))
    assert (scores >= low - 1e-12).all()
    assert (scores <= high + 1e-12).all()
    assert (low < high).all()
