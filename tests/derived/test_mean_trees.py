"""The mean of boosted trees of several shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.derived.boosting import binned, boost
from vicinal.derived.mean_trees import Trees, mean_trees
from vicinal.index.trees import Forest

SHAPES = ({"leaves": 4}, {"leaves": 8, "symmetric": True}, {"leaves": 8, "path_columns": 4})


def grown(classes, rounds=(3, 5, 2)):
    drawn = binned(4, n=80, classes=classes)
    trees = [
        Trees(*boost(*drawn, classes, rounds=count, **shape)[:3])
        for count, shape in zip(rounds, SHAPES, strict=True)
    ]
    return drawn, trees


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("weights", [None, [1.0, 3.0, 0.5]])
def test_the_sum_of_mean_trees_is_the_mean_of_the_sums(classes, weights):
    (bins, _, _, folds), trees = grown(classes)
    asked = np.where(np.arange(80) % 3, folds, -1)
    sums = [Forest(*one).scores(bins, asked) for one in trees]
    expected = np.average(sums, axis=0, weights=weights)
    actual = Forest(*mean_trees(trees, weights)).scores(bins, asked)
    np.testing.assert_allclose(actual, expected, atol=1e-12)
