"""Searches that find all ties for the last places, beside a naive count of places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import ties as naive
from tests.strategies import NOMINAL, NUMERIC, few_rows, make_metric, tables
from vicinal.index.brute_force import BruteForce
from vicinal.index.exact import ExactIndex
from vicinal.index.ties import MOST_LISTED, search_ties


def expected_places(index, query, metric, k, own, required=None):
    """Places by case number, from a search for all cases."""
    exclude = np.array([own])
    found = index.search(
        query[None], metric, len(index), exclude=exclude, required=required, with_keys=True
    )
    numbers = found.indices[0][found.indices[0] >= 0]
    known = index.weights_of(numbers)
    weights = np.ones(len(numbers)) if known is None else known
    weights = weights - (numbers == own) * np.minimum(weights, 1.0)
    return naive.places(list(zip(found.keys[0], numbers.tolist(), weights, strict=False)), k)


def listed_places(found, k, row):
    """Places by case number, as a listing divides them."""
    counts = found.places(k)
    taken = (found.indices >= 0).astype(float) if counts is None else counts
    places = found.listing.divide(taken)[row]
    return {
        int(number): place
        for number, place in zip(found.listing.indices[row], places, strict=True)
        if number >= 0 and place > 0
    }


@settings(max_examples=150)
@given(
    table=tables(few_rows, max_columns=3),
    k=st.integers(1, 25),
    most=st.sampled_from([1, 4, 512]),
    heavy=st.booleans(),
    seed=st.integers(0, 99),
)
def test_all_ties_share_the_last_places(table, k, most, heavy, seed):
    cases, queries, metric, exclude = table
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.5, 1.0, 2.0, 40.0], size=len(cases)) if heavy else None
    index = ExactIndex(cases, metric.kinds, weights)
    required = 0 if seed % 2 else None
    if seed % 3:  # repeated queries are answered by one search
        queries, exclude = np.tile(queries, (8, 1)), np.tile(exclude, 8)
    found = search_ties(
        index, queries, metric, k, exclude=exclude, required=required, listed=True, most=most
    )
    nearest = index.search(queries, metric, k, exclude=exclude, required=required)
    np.testing.assert_array_equal(found.nearest.indices, nearest.indices)
    np.testing.assert_array_equal(found.nearest.distances, nearest.distances)
    for row in range(len(queries)):
        expected = expected_places(index, queries[row], metric, k, exclude[row], required=required)
        actual = listed_places(found, k, row)
        np.testing.assert_allclose(sum(actual.values()), float(sum(expected.values())), rtol=1e-9)
        if most == 512:
            assert set(actual) == set(expected)
            for number, places in expected.items():
                np.testing.assert_allclose(actual[number], float(places), rtol=1e-9)


@settings(max_examples=30)
@given(table=tables(few_rows, max_columns=3), k=st.integers(1, 9))
def test_brute_force_finds_the_same_ties(table, k):
    cases, queries, metric, exclude = table
    # Terms of the same pair are equal in both, but their sums may differ by rounding.
    metric = make_metric(cases[:, :1], metric.kinds[:1], 1.0, periods=metric.periods[:1])
    found = [
        search_ties(index, queries[:, :1], metric, k, exclude=exclude, listed=True)
        for index in (
            ExactIndex(cases[:, :1], metric.kinds),
            BruteForce(cases[:, :1], metric.kinds),
        )
    ]
    for row in range(len(queries)):
        assert listed_places(found[0], k, row) == listed_places(found[1], k, row)


def table_of_twins(n, target):
    """As many equal rows, with one nearer row and one farther one."""
    x = np.concatenate([[0.5], np.ones(n), [3.0]])
    return np.column_stack([x, np.concatenate([[9.0], target, [9.0]])])


@pytest.mark.parametrize("n", [20, 700, 12_000])
def test_a_group_of_any_size_keeps_its_class_share(n):
    target = (np.arange(n) < 0.45 * n).astype(float)  # sorted by class
    cases = table_of_twins(n, target)
    metric = make_metric(cases, [NUMERIC, NOMINAL], 1.0, weights=[1.0, 0.0])
    index = ExactIndex(cases, metric.kinds)
    found = search_ties(index, np.array([[0.0, np.nan]]), metric, 10, required=1)
    there = found.indices[0] >= 0
    assert there.sum() == 3
    taken, outcomes = found.shares(10)[0, there], index.cells(found.indices[0, there], 1)
    np.testing.assert_array_equal(outcomes, [9.0, 1.0, 0.0])
    np.testing.assert_allclose(taken, [0.1, 0.9 * 0.45, 0.9 * 0.55])


def test_of_too_many_distinct_ties_a_sample_keeps_the_distribution_of_the_outcomes():
    rng = np.random.default_rng(5)
    n = 3000
    target = rng.normal(size=n)
    cases = table_of_twins(n, target)
    metric = make_metric(cases, [NUMERIC, NUMERIC], 1.0, weights=[1.0, 0.0])
    query = np.array([[1.0, np.nan]])

    def answer(cases, exclude=None):
        index = ExactIndex(cases, metric.kinds)
        found = search_ties(
            index, query, metric, 10, exclude=exclude, required=1, most=100, listed=True
        )
        assert found.width <= 110
        return found.shares(10)[0] @ index.cells(found.indices[0], 1), found

    value, _ = answer(cases)
    np.testing.assert_allclose(value, target.mean(), atol=0.01)
    order = rng.permutation(len(cases))
    np.testing.assert_allclose(answer(cases[order])[0], value, rtol=1e-12)
    for own in rng.integers(1, n + 1, size=20):  # what is left out is never named
        _, found = answer(cases, np.array([own]))
        assert own not in found.indices
        np.testing.assert_allclose(found.places(10).sum(), 10)


def test_a_listing_has_all_equal_cases_unless_there_are_very_many():
    for n, listed in ((2000, 2000), (MOST_LISTED + 2, 2)):
        cases = table_of_twins(n, np.arange(n) % 2.0)
        metric = make_metric(cases, [NUMERIC, NOMINAL], 1.0, weights=[1.0, 0.0])
        index = ExactIndex(cases, metric.kinds)
        found = search_ties(index, np.array([[1.0, 0.0]]), metric, 5, required=1, listed=True)
        assert (found.listing.indices >= 0).sum() == listed
        places = listed_places(found, 5, 0)
        np.testing.assert_allclose(sum(places.values()), 5.0)
        np.testing.assert_allclose(list(places.values()), 5.0 / listed)


def test_outcomes_can_be_kept_apart_without_being_required():
    cases = np.column_stack([np.zeros(1000), np.where(np.arange(1000) % 4, np.nan, 1.0)])
    metric = make_metric(cases, NUMERIC, 1.0, weights=[1.0, 0.0])
    index = ExactIndex(cases, metric.kinds)
    found = search_ties(index, np.zeros((1, 2)), metric, 8, outcome=1)
    np.testing.assert_array_equal(index.cells(found.indices[0, :2], 1), [1.0, np.nan])
    np.testing.assert_allclose(found.places(8)[0], [2, 6, 0, 0, 0, 0, 0, 0])
