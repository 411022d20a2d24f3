"""The comparator of neighbours must reject what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.comparison import assert_same_neighbors

INF = np.inf
CLEAR = ([[3, 1, 0, 2]], [[1.0, 2.0, 3.0, 4.0]])
TIED = ([[3, 0, 1, 2]], [[1.0, 2.0, 2.0, 4.0]])
SHORT = ([[1, 0, -1, -1]], [[1.0, 2.0, INF, INF]])


@pytest.mark.parametrize("result", [CLEAR, TIED, SHORT])
def test_a_result_is_the_same_as_itself(result):
    assert_same_neighbors(result, result)


def test_rounding_is_forgiven():
    assert_same_neighbors(([[3, 1]], [[1.0 + 1e-13, 2.0 - 1e-13]]), CLEAR)


def test_the_order_within_a_tie_is_forgiven():
    assert_same_neighbors(([[3, 1, 0, 2]], TIED[1]), TIED)


def test_either_case_of_a_tie_may_end_the_list():
    assert_same_neighbors(([[3, 1]], [[1.0, 2.0]]), TIED)
    assert_same_neighbors(([[3, 0]], [[1.0, 2.0]]), TIED)


def test_a_wrong_neighbour_is_rejected():
    with pytest.raises(AssertionError, match=r"lists cases \[7\]"):
        assert_same_neighbors(([[3, 7, 0, 2]], CLEAR[1]), CLEAR)


def test_a_wrong_neighbour_at_the_end_of_the_list_is_rejected():
    with pytest.raises(AssertionError, match=r"lists cases \[2\]"):
        assert_same_neighbors(([[3, 2]], [[1.0, 2.0]]), TIED)


def test_a_wrong_neighbour_of_the_second_query_is_rejected():
    both = (CLEAR[0] * 2, CLEAR[1] * 2)
    with pytest.raises(AssertionError, match="query 1"):
        assert_same_neighbors(([[3, 1, 0, 2], [3, 0, 1, 2]], both[1]), both)


@pytest.mark.parametrize("wrong", [2.0 + 1e-9, 0.0, np.nan, INF])
def test_a_wrong_distance_is_rejected(wrong):
    with pytest.raises(AssertionError, match="distances"):
        assert_same_neighbors((CLEAR[0], [[1.0, wrong, 3.0, 4.0]]), CLEAR)


def test_swapped_neighbours_are_rejected():
    with pytest.raises(AssertionError, match="belong"):
        assert_same_neighbors(([[1, 3, 0, 2]], CLEAR[1]), CLEAR)


def test_a_missing_neighbour_is_rejected():
    with pytest.raises(AssertionError, match="distances"):
        assert_same_neighbors(([[3, 1, 0, -1]], [[1.0, 2.0, 3.0, INF]]), CLEAR)


def test_a_missing_neighbour_under_a_right_distance_is_rejected():
    with pytest.raises(AssertionError, match="belong"):
        assert_same_neighbors(([[3, 1, 0, -1]], CLEAR[1]), CLEAR)


def test_a_neighbour_too_many_is_rejected():
    with pytest.raises(AssertionError, match="belong"):
        assert_same_neighbors(([[1, 0, 2, -1]], SHORT[1]), SHORT)


def test_a_case_listed_twice_is_rejected():
    with pytest.raises(AssertionError, match="twice"):
        assert_same_neighbors(([[3, 0, 0, 2]], TIED[1]), TIED)


def test_a_row_too_few_and_a_column_too_many_are_rejected():
    with pytest.raises(AssertionError, match="rows"):
        assert_same_neighbors((np.empty((0, 4)), np.empty((0, 4))), CLEAR)
    with pytest.raises(AssertionError, match="columns"):
        assert_same_neighbors(CLEAR, ([[3, 1]], [[1.0, 2.0]]))


def test_equal_cases_in_the_wrong_order_are_rejected():
    cases = np.array([[5.0], [5.0], [9.0], [4.0]])
    assert_same_neighbors(TIED, TIED, cases=cases)
    with pytest.raises(AssertionError, match="not in their order"):
        assert_same_neighbors(([[3, 1, 0, 2]], TIED[1]), TIED, cases=cases)


def test_the_later_of_two_equal_cases_must_not_stand_in_for_the_earlier():
    cases = np.array([[5.0], [5.0], [9.0], [4.0]])
    with pytest.raises(AssertionError, match="not in their order"):
        assert_same_neighbors(([[3, 1]], [[1.0, 2.0]]), TIED, cases=cases)


def test_cases_are_equal_when_they_lack_the_same_values():
    cases = np.array([[np.nan, 0.0], [np.nan, -0.0], [9.0, 1.0], [4.0, 1.0]])
    with pytest.raises(AssertionError, match="not in their order"):
        assert_same_neighbors(([[3, 1, 0, 2]], TIED[1]), TIED, cases=cases)


def test_tied_cases_that_are_not_equal_may_swap():
    cases = np.array([[5.0], [3.0], [9.0], [4.0]])
    assert_same_neighbors(([[3, 1, 0, 2]], TIED[1]), TIED, cases=cases)
