"""Two samples compared: statistics against loops, p-values against all labelings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import quality as naive_quality
from vicinal.quality.permutation import (
    adjusted,
    distribution_gaps,
    neighbor_agreement,
    neighbor_graph,
    p_values_of_all,
    shuffled,
)

VALUES = st.lists(
    st.one_of(st.sampled_from([0.0, 1.0, 2.0, np.nan]), st.floats(-1e6, 1e6)),
    min_size=2,
    max_size=12,
)


@given(VALUES, st.data(), st.sampled_from(["number", "nominal", "cyclic"]))
def test_gaps_are_those_of_the_loops(values, data, kind):
    n = len(values)
    count = data.draw(st.integers(1, n - 1))
    is_new = np.isin(np.arange(n), data.draw(st.permutations(range(n)))[:count])
    kinds = {"nominal": kind == "nominal", "cyclic": kind == "cyclic"}
    actual = distribution_gaps(np.array(values), is_new[None], **kinds)
    expected = naive_quality.distribution_gap(values, is_new, **kinds)
    np.testing.assert_allclose(actual, [expected], atol=1e-12)


def test_shuffling_keeps_the_first_labels_and_the_number_of_new_rows():
    is_new = np.array([True, False, False, True, False])
    labels = shuffled(is_new, 200, 3)
    np.testing.assert_array_equal(labels[0], is_new)
    assert (labels.sum(axis=1) == 2).all()
    np.testing.assert_array_equal(labels, shuffled(is_new, 200, 3))
    assert len(np.unique(labels, axis=0)) == 10


def test_neighbor_agreement_without_repeated_rows_is_that_of_the_loops():
    rng = np.random.default_rng(0)
    neighbors = np.array([rng.permutation(np.delete(np.arange(9), i))[:3] for i in range(9)])
    labels = shuffled(np.arange(9) < 4, 5, 0)
    which = np.arange(9)
    graph, mass = neighbor_graph(neighbors, np.ones((9, 3)), which)
    kept, told = neighbor_agreement(graph, mass, which, labels)
    expected = [naive_quality.neighbor_agreement(neighbors, one) for one in labels]
    np.testing.assert_allclose(kept, expected)
    assert (np.abs(told) <= 1).all()


def test_repeated_rows_count_like_neighbors_without_the_one_that_looks():
    # Rows 0 and 1 are equal: the place beside each is the other's.
    which = np.array([0, 0, 1, 2])
    indices, counts = np.array([[0, 1], [0, -1], [1, -1]]), np.array([[1, 1], [2, 0], [2, 0]])
    graph, mass = neighbor_graph(indices, counts.astype(float), which)
    beside = [[1, 2], [0, 2], [0, 1], [2, 2]]
    for is_new in ([True, False, False, True], [True, True, False, False]):
        kept, _ = neighbor_agreement(graph, mass, which, np.array([is_new]))
        assert kept[0] == pytest.approx(naive_quality.neighbor_agreement(beside, is_new))


def test_p_values_approach_those_of_all_labelings():
    values = np.array([0.1, 0.4, 0.5, 1.5, 2.5, 2.6, 3.0])
    is_new = np.array([False, False, False, False, True, True, True])
    labels = shuffled(is_new, 19999, 0)
    gaps = distribution_gaps(values, labels, nominal=False, cyclic=False)
    exact = naive_quality.p_value(lambda new: naive_quality.distribution_gap(values, new), 3, 7)
    assert p_values_of_all(gaps[:, None])[0, 0] == pytest.approx(exact(gaps[0]), abs=0.01)


def test_one_test_is_not_adjusted_and_two_alike_neither():
    statistics = np.random.default_rng(0).normal(size=(200, 1))
    p = p_values_of_all(statistics)[0, 0]
    for tests in (statistics, np.hstack([statistics, 3 * statistics + 1])):
        together, each = adjusted(tests)
        assert together == pytest.approx(p)
        np.testing.assert_allclose(each, p)


def test_of_independent_tests_the_adjusted_p_value_is_that_of_the_largest():
    statistics = np.random.default_rng(0).normal(size=(2000, 10))
    statistics[0, 3] = 2.5
    together, each = adjusted(statistics)
    assert together == each.min() == each[3]
    expected = 1 - (1 - p_values_of_all(statistics)[0, 3]) ** 10
    assert together == pytest.approx(expected, abs=0.03)


def test_however_many_tests_there_are_a_clear_change_has_the_least_p_value():
    statistics = np.random.default_rng(0).normal(size=(100, 500))
    statistics[0, 0] = 9.0
    assert adjusted(statistics)[0] == 1 / 100


def test_no_test_says_nothing():
    assert adjusted(np.empty((5, 0)))[0] == 1.0
