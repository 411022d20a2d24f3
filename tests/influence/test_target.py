"""A column summed up as a target."""

from __future__ import annotations

import numpy as np

from tests.influence.parts import index_of_column
from tests.strategies import NOMINAL
from vicinal.influence.target import Target


def test_a_number_is_summed_up_by_mean_and_deviation():
    target = Target.of(index_of_column([1.0, np.nan, 3.0, 8.0]), 0, n_classes=0)
    assert (target.mean, target.n_classes) == (4.0, 0)
    np.testing.assert_allclose(target.scale, 8 / 3)
    np.testing.assert_array_equal(target.outcomes_of(np.arange(4)), [1.0, np.nan, 3.0, 8.0])


def test_classes_are_summed_up_by_their_shares():
    target = Target.of(index_of_column([0.0, 2.0, 0.0, np.nan], kind=NOMINAL), 0, n_classes=4)
    np.testing.assert_allclose(target.shares, [2 / 3, 0, 1 / 3, 0])


def test_weights_count_as_repetition():
    weights = np.array([3.0, 0.0, 1.0])
    one = Target.of(index_of_column([1.0, 50.0, 5.0], weights), 0, n_classes=0)
    many = Target.of(index_of_column([1.0, 1.0, 1.0, 5.0]), 0, n_classes=0)
    np.testing.assert_allclose([one.mean, one.scale], [many.mean, many.scale])
    np.testing.assert_allclose(one.weights_of(np.array([0, 2])), [0.75, 0.25])


def test_removed_cases_leave_a_gap_in_the_outcomes():
    index = index_of_column([1.0, 2.0, 3.0, 4.0])
    index.remove([1])
    target = Target.of(index, 0, n_classes=0)
    np.testing.assert_array_equal(target.outcomes_of(np.arange(4)), [1.0, np.nan, 3.0, 4.0])
    np.testing.assert_array_equal(target.outcomes_of(np.array([3, -1, 0])), [4.0, 0.0, 1.0])
