"""The reference itself, on examples small enough to check by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.naive import distance as naive
from vicinal.formulas import SAME, laplace_term

NAN = np.nan


def metric_of(kinds, residuals, *, p=1, weights=None, periods=None, supports=None, distinct=None):
    d = len(kinds)
    return SimpleNamespace(
        kinds=np.array(kinds),
        residuals=np.array(residuals, dtype=float),
        p=p,
        weights=np.ones(d) if weights is None else np.array(weights, dtype=float),
        periods=np.zeros(d) if periods is None else np.array(periods, dtype=float),
        supports=supports or [None] * d,
        distinct=np.array([False] * d if distinct is None else distinct),
    )


def test_terms_of_each_kind():
    metric = metric_of([0, 1, 2, 2], [2.0, 3.0, 4.0, 4.0], periods=[0, 24, 0, 0])
    actual = naive.terms(np.array([1.0, 23, 0, 1]), np.array([5.0, 2, 0, 0]), metric)
    np.testing.assert_array_equal(actual, [laplace_term(2, 1), laplace_term(1, 1), 1.5, 5.5])


def test_a_missing_number_has_the_expected_term():
    metric = metric_of([0], [1.0], supports=[(np.array([0.0, 2.0]), np.array([0.75, 0.25]))])
    one = 0.75 * laplace_term(2, 1) + 0.25 * SAME
    assert naive.terms(np.array([2.0]), np.array([NAN]), metric) == one
    assert naive.terms(np.array([NAN]), np.array([2.0]), metric) == one
    other = 0.75 * SAME + 0.25 * laplace_term(2, 1)
    both = naive.terms(np.array([NAN]), np.array([NAN]), metric)
    np.testing.assert_allclose(both, 0.75 * other + 0.25 * one, rtol=1e-15)


def test_a_missing_category_has_the_expected_term():
    metric = metric_of([2], [2.0], supports=[(np.array([0.0, 1.0]), np.array([0.75, 0.25]))])
    cases = np.array([[NAN], [1.0]])
    np.testing.assert_array_equal(naive.terms([0.0], cases, metric), [[2.0], [3.5]])
    # An unseen category differs from all; two missing ones differ with 2 · 0.75 · 0.25.
    np.testing.assert_array_equal(naive.terms([2.0], cases, metric), [[3.5], [3.5]])
    np.testing.assert_array_equal(naive.terms([NAN], cases, metric), [[2.25], [3.0]])


def test_a_missing_category_of_its_own_is_another_category():
    metric = metric_of([2], [3.0], distinct=[True])
    cases = np.array([[NAN], [7.0]])
    np.testing.assert_array_equal(naive.terms([NAN], cases, metric), [[1.5], [4.5]])
    np.testing.assert_array_equal(naive.terms([7.0], cases, metric), [[4.5], [1.5]])


def test_a_missing_number_of_its_own_is_as_far_as_two_random_values():
    half = np.array([0.5, 0.5])
    metric = metric_of([0], [1.0], distinct=[True], supports=[(np.array([0.0, 2.0]), half)])
    cases = np.array([[NAN], [0.0]])
    far = (SAME + laplace_term(2, 1)) / 2
    np.testing.assert_array_equal(naive.terms([NAN], cases, metric), [[1.5], [far]])
    np.testing.assert_array_equal(naive.terms([0.0], cases, metric), [[far], [1.5]])


@pytest.mark.parametrize("kind", [0, 2])
def test_a_feature_that_was_never_seen_tells_nothing_apart(kind):
    metric = metric_of([kind], [1.0], supports=[naive.support(np.array([NAN]))])
    cases = np.array([[NAN], [5.0]])
    np.testing.assert_array_equal(naive.terms([NAN], cases, metric), [[SAME], [SAME]])
    np.testing.assert_array_equal(naive.terms([5.0], cases, metric), [[SAME], [SAME]])


def test_distance_is_the_weighted_mean_of_the_terms():
    metric = metric_of([2, 2, 0], [0.5, 2.5, 1.0], weights=[1, 3, 0])
    query, case = np.array([0.0, 0, 0]), np.array([1.0, 1, 99])
    assert naive.distance(query, case, metric) == (2.0 + 3 * 4.0) / 4
    metric.p = 0
    np.testing.assert_allclose(naive.distance(query, case, metric), 2 ** (1 / 4) * 4 ** (3 / 4))


def test_ties_go_to_the_lower_case_number():
    cases = np.array([[2.0], [0.0], [1.0], [2.0], [0.0]])
    indices, distances = naive.neighbors(np.array([[1.0]]), cases, metric_of([0], [1.0]), 6)
    np.testing.assert_array_equal(indices, [[2, 0, 1, 3, 4, -1]])
    near = laplace_term(1, 1)
    np.testing.assert_array_equal(distances, [[1.5, near, near, near, near, np.inf]])


def test_an_excluded_case_loses_one_unit_of_weight():
    cases, metric = np.array([[0.0], [1.0], [5.0]]), metric_of([0], [1.0])
    arguments = cases[[0, 0]], cases, metric, 3, [0, -1]
    np.testing.assert_array_equal(naive.neighbors(*arguments)[0], [[1, 2, -1], [0, 1, 2]])
    doubled = naive.neighbors(*arguments, weights=[2, 0, 1])
    np.testing.assert_array_equal(doubled[0], [[0, 2, -1], [0, 2, -1]])


def test_few_distinct_values_are_their_own_support():
    points, shares = naive.support(np.array([3.0, NAN, 1, 3, 3]))
    np.testing.assert_array_equal(points, [1, 3])
    np.testing.assert_array_equal(shares, [0.25, 0.75])


def test_weights_count_in_a_support():
    points, shares = naive.support(np.array([3.0, 1, 9]), [1, 3, 0])
    np.testing.assert_array_equal(points, [1, 3])
    np.testing.assert_array_equal(shares, [0.75, 0.25])


def test_many_distinct_values_have_mid_quantiles():
    points, shares = naive.support(np.arange(64.0)[::-1])
    np.testing.assert_array_equal(points, np.arange(0, 64, 2))  # half-way into each two values
    np.testing.assert_array_equal(shares, 1 / 32)


def test_the_support_of_a_nominal_feature_holds_every_category():
    points, shares = naive.support(np.array([0.0, 40, 40, 40]), nominal=True)
    assert len(points) == 41
    assert (shares[0], shares[1], shares[40]) == (0.25, 0.0, 0.75)


def test_the_support_of_nothing_is_empty():
    assert len(naive.support(np.array([NAN, NAN]))[0]) == 0


def test_leave_one_out_asks_the_nearest_in_the_other_features():
    cases = np.array([[0.0, 10.0], [0.0, 20.0], [9.0, 30.0]])
    predictions = naive.leave_one_out(cases, metric_of([0, 0], [1.0, 1.0]), k=1)
    # The second feature of case 2 is guessed from case 0 and not 1: equally far, lower number.
    np.testing.assert_array_equal(predictions, [[0, 20], [0, 10], [0, 10]])


def test_leave_one_out_weighs_by_inverse_distance():
    cases = np.array([[0.0, 1.0], [0.0, 2.0], [8.0, 4.0]])
    prediction = naive.leave_one_out(cases, metric_of([0, 0], [1.0, 1.0]), 2, queries=[0])[0, 1]
    near, far = 1 / 1.5, 1 / laplace_term(8, 1)
    np.testing.assert_allclose(prediction, (2 * near + 4 * far) / (near + far), rtol=1e-6)


def test_leave_one_out_of_a_category_gives_the_influence_on_it():
    cases = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    metric = metric_of([0, 2], [1.0, 1.0])
    np.testing.assert_allclose(naive.leave_one_out(cases, metric, 2)[:, 1], [0.5, 0.5, 0.0])
    np.testing.assert_allclose(naive.residuals(cases, metric, 2)[1], (0.5 + 0.5 + 1) / 3)


def test_leave_one_out_on_a_circle_takes_the_mean_direction():
    cases = np.array([[0.0, 3.0], [0.0, 23.0], [0.0, 1.0]])
    metric = metric_of([0, 1], [1.0, 1.0], periods=[0, 24])
    prediction = naive.leave_one_out(cases, metric, 2, queries=[0])[0, 1]
    np.testing.assert_allclose(math.cos(2 * math.pi * prediction / 24), 1.0)
    np.testing.assert_allclose(naive.residuals(cases, metric, 2, queries=[0])[1], 3.0)


def test_directions_that_cancel_predict_nothing():
    cases = np.array([[0.0, 3.0], [0.0, 0.0], [0.0, 12.0]])
    metric = metric_of([0, 1], [1.0, 1.0], periods=[0, 24])
    assert np.isnan(naive.leave_one_out(cases, metric, 2, queries=[0])[0, 1])


def test_a_single_feature_is_predicted_from_all_other_cases():
    cases = np.array([[1.0], [2.0], [6.0]])
    np.testing.assert_array_equal(
        naive.leave_one_out(cases, metric_of([0], [1.0]), 1)[:, 0], [4.0, 3.5, 1.5]
    )


def test_what_a_case_lacks_is_not_predicted_and_predicts_nothing():
    cases = np.array([[0.0, NAN], [0.0, 5.0], [9.0, 7.0]])
    supports = [naive.support(column) for column in cases.T]
    metric = metric_of([0, 0], [1.0, 1.0], supports=supports)
    np.testing.assert_array_equal(naive.leave_one_out(cases, metric, 1)[:, 1], [NAN, 7, 5])


@pytest.mark.parametrize("p", [0, 1, 2])
def test_an_integer_weight_is_a_repeated_case(p):
    cases = np.array([[0.0, 1.0], [0.5, 2.0], [3.0, 9.0], [3.5, 4.0]])
    counts = np.array([2, 1, 3, 1])
    metric = metric_of([0, 0], [1.0, 2.0], p=p)
    repeated = np.repeat(cases, counts, axis=0)
    expected = naive.residuals(repeated, metric, 3)
    np.testing.assert_allclose(naive.residuals(cases, metric, 3, counts), expected, rtol=1e-14)
