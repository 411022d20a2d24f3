"""Values with cases that are not ranked, against the mean over all of their orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.test_knn_shapley import by_definition
from vicinal.explain.knn_shapley import knn_shapley_classes, knn_shapley_numbers
from vicinal.explain.knn_shapley_tail import Unranked, unranked_classes, unranked_numbers

few = st.lists(st.integers(-3, 3), max_size=3)


def over_all_orders(outcomes, ranked, utility):
    """Mean of the values by the definition over all orders of the cases beyond the ranked."""
    total, count = np.zeros(len(outcomes)), 0
    for order in permutations(range(ranked, len(outcomes))):
        places = np.array([*range(ranked), *order], dtype=int)
        total[places] += by_definition(outcomes[places], utility)
        count += 1
    return total / count


@settings(max_examples=60)
@given(ranked=few, others=few, k=st.integers(1, 5))
def test_values_of_classes_are_the_mean_over_all_orders_of_the_others(ranked, others, k):
    hits = np.array(ranked + others) > 0
    expected = over_all_orders(hits, len(ranked), lambda nearest: nearest[:k].sum() / k)
    n, far = len(ranked), hits[len(ranked) :]
    rest = Unranked(len(far), float(far.sum()), float(far.sum()))
    near = knn_shapley_classes(hits[:n], np.arange(n, dtype=float), k, rest)
    constant, of_hit = unranked_classes(n, rest, k)
    actual = np.concatenate([near, constant + of_hit * far])
    np.testing.assert_allclose(actual, expected, atol=1e-12)


@settings(max_examples=60)
@given(ranked=few, others=few, k=st.integers(1, 5), truth=st.integers(-3, 3))
def test_values_of_numbers_are_the_mean_over_all_orders_of_the_others(ranked, others, k, truth):
    values = np.array(ranked + others, dtype=float)
    expected = over_all_orders(
        values, len(ranked), lambda nearest: -((nearest[:k].sum() / k - truth) ** 2)
    )
    n, far = len(ranked), values[len(ranked) :]
    rest = Unranked(len(far), float(far.sum()), float((far**2).sum()))
    near = knn_shapley_numbers(values[:n], np.arange(n, dtype=float), float(truth), k, rest)
    factors = unranked_numbers(n, rest, float(values[:n].sum()), float(truth), k)
    actual = np.concatenate([near, factors @ [far**0, far, far**2]])
    np.testing.assert_allclose(actual, expected, atol=1e-10)


@pytest.mark.parametrize("ranked", [10, 40, 150])
def test_no_value_of_a_class_is_off_by_more_than_one_by_the_ranks(ranked):
    rng = np.random.default_rng(ranked)
    # The worst case: all hits are beyond the cases that are ranked, the nearest of the others.
    for hits in (rng.random(200) < 0.4, np.arange(200) >= ranked, np.arange(200) < 170):
        away = np.arange(200.0)
        exact, far = knn_shapley_classes(hits, away, 7), hits[ranked:]
        rest = Unranked(len(far), float(far.sum()), float(far.sum()))
        near = knn_shapley_classes(hits[:ranked], away[:ranked], 7, rest)
        constant, of_hit = unranked_classes(ranked, rest, 7)
        found = np.concatenate([near, constant + of_hit * far])
        assert np.abs(found - exact).max() <= 1 / ranked
        np.testing.assert_allclose(found.sum(), exact.sum(), atol=1e-12)
