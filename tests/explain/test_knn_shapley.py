"""Shapley values of cases against the definition: all subsets, one by one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.explain.knn_shapley import knn_shapley_classes, knn_shapley_numbers

small = st.lists(st.integers(-3, 3), min_size=1, max_size=6)


def by_definition(outcomes, utility):
    """Mean over all orders of what each case adds; cases are given nearest first."""
    total = np.zeros(len(outcomes))
    orders = list(permutations(range(len(outcomes))))
    for order in orders:
        for place, case in enumerate(order):
            before, after = sorted(order[:place]), sorted(order[: place + 1])
            total[case] += utility(outcomes[after]) - utility(outcomes[before])
    return total / len(orders)


@settings(max_examples=40)
@given(outcomes=small, k=st.integers(1, 5))
def test_values_of_classes_are_those_of_the_definition(outcomes, k):
    hits = np.array(outcomes) > 0
    found = knn_shapley_classes(hits, np.arange(len(hits), dtype=float), k)
    expected = by_definition(hits, lambda nearest: nearest[:k].sum() / k)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@settings(max_examples=40)
@given(outcomes=small, k=st.integers(1, 5), truth=st.integers(-3, 3))
def test_values_of_numbers_are_those_of_the_definition(outcomes, k, truth):
    values = np.array(outcomes, dtype=float)
    found = knn_shapley_numbers(values, np.arange(len(values), dtype=float), float(truth), k)
    expected = by_definition(values, lambda nearest: -((nearest[:k].sum() / k - truth) ** 2))
    np.testing.assert_allclose(found, expected, atol=1e-10)


@settings(max_examples=30)
@given(
    outcomes=st.lists(st.integers(0, 3), min_size=1, max_size=40),
    k=st.integers(1, 7),
    seed=st.integers(0, 99),
)
def test_the_order_of_cases_that_tie_does_not_matter(outcomes, k, seed):
    rng = np.random.default_rng(seed)
    distances = np.sort(rng.integers(0, 4, len(outcomes))).astype(float)
    values = np.array(outcomes, dtype=float)
    order = np.lexsort((rng.random(len(values)), distances))
    for value_of in (
        lambda y: knn_shapley_classes(y > 1, distances, k),
        lambda y: knn_shapley_numbers(y, distances, 1.0, k),
    ):
        np.testing.assert_allclose(value_of(values[order]), value_of(values)[order], atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_values_sum_to_what_all_cases_achieve(n):
    rng = np.random.default_rng(n)
    y, away, k = rng.normal(size=n), np.sort(rng.random(n)), 7
    hits = knn_shapley_classes(y > 0, away, k)
    np.testing.assert_allclose(hits.sum(), (y[:k] > 0).sum() / k)
    total = 0.5**2 - (y[:k].sum() / k - 0.5) ** 2
    np.testing.assert_allclose(knn_shapley_numbers(y, away, 0.5, k).sum(), total, atol=1e-9)
