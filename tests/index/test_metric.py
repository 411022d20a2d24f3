"""Metrics of some of the columns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.strategies import NUMERIC, make_metric


@pytest.mark.parametrize(
    ("most", "expected"),
    [(1, [3]), (2, [0, 1, 3]), (3, [0, 1, 3]), (4, [0, 1, 3, 4]), (9, [0, 1, 3, 4])],
)
def test_the_heaviest_columns_are_those_of_most_weight_and_ties(most, expected):
    metric = make_metric(np.zeros((2, 5)), [NUMERIC] * 5, 1.0, weights=[2.0, 2.0, 0.0, 9.0, 0.5])
    heaviest = metric.heaviest(most)
    assert heaviest.active.tolist() == expected
    np.testing.assert_array_equal(heaviest.weights[expected], metric.weights[expected])


def test_the_heaviest_columns_do_not_depend_on_their_order():
    rng = np.random.default_rng(0)
    weights, order = rng.integers(1, 6, size=40).astype(float), rng.permutation(40)
    kept = [
        make_metric(np.zeros((2, 40)), [NUMERIC] * 40, 1.0, weights=one).heaviest(10).weights
        for one in (weights, weights[order])
    ]
    np.testing.assert_array_equal(kept[0][order], kept[1])
