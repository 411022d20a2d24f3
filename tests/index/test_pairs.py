"""Terms of pairs, worked out when needed, tell the same neighbours as a search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import distance as naive
from tests.strategies import few_rows, make_metric, tables
from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex
from vicinal.index.pairs import Pairs
from vicinal.index.terms import case_excess
from vicinal.index.ties import search_ties


@settings(max_examples=50)
@given(table=tables(few_rows), data=st.data())
def test_excess_is_the_naive_term_above_that_of_equal_values(table, data):
    cases, queries, metric, _ = table
    index = ExactIndex(cases, metric.kinds)
    places = st.lists(st.integers(-1, len(cases) - 1), min_size=1, max_size=20)
    rows = np.array(data.draw(places))
    indices = np.tile(rows, (len(queries), 1))
    found = case_excess(index, queries, indices, metric)
    for path in paths():
        np.testing.assert_array_equal(
            case_excess(index, queries, indices, metric, path=path), found
        )
    active = metric.active
    for query, excess in zip(queries, found, strict=True):
        expected = naive.terms(query, cases[np.maximum(rows, 0)], metric)[:, active] - SAME
        expected = np.where(rows[:, None] < 0, 0.0, np.minimum(expected, 1e30))
        np.testing.assert_allclose(excess.T, expected, rtol=2e-6, atol=2e-6)


def terms_of(pairs, path=None):
    """All excess terms, (cases, columns, pool): each column by itself, with a weight of 1."""
    rows, size = np.arange(len(pairs.cases)), len(pairs.pool)
    own = np.full(len(rows), -1)
    columns = []
    for one in np.eye(len(pairs.metric.active), dtype=np.float32):
        found = {"weights": one, "rows": rows, "own": own, "k": size, "threads": 1, "path": path}
        places, totals = _native.nearest(pairs.native, **found)
        column = np.empty(totals.shape, dtype=np.float32)
        np.put_along_axis(column, places, totals.astype(np.float32), axis=1)
        columns.append(column)
    return np.stack(columns, axis=1)


@settings(max_examples=50)
@given(table=tables(few_rows, powers=st.just(1)), data=st.data())
def test_terms_of_pairs_are_those_of_cases_found(table, data):
    cases, _, metric, _ = table
    index = ExactIndex(cases, metric.kinds)
    some = st.lists(st.integers(0, len(cases) - 1), min_size=1, max_size=20, unique=True)
    asked, pool = (np.sort(data.draw(some)) for _ in range(2))
    pairs = Pairs(index, metric, asked, pool)
    expected = case_excess(index, cases[asked], np.tile(pool, (len(asked), 1)), metric)
    for path in paths():
        np.testing.assert_array_equal(terms_of(pairs, path), expected)


def test_cases_see_the_pool_in_their_own_views():
    rng = np.random.default_rng(5)
    cases = rng.normal(size=(40, 3))
    cases[::7, 1] = np.nan
    other = cases.copy()
    other[:, 2] = rng.normal(size=40)
    metric = make_metric(cases, naive.NUMERIC, 1.0)
    one, two = (ExactIndex(values, metric.kinds) for values in (cases, other))
    asked, pool = np.arange(0, 40, 2), np.arange(40)
    parts = [(one, np.arange(0, 20, 3)), (two, np.setdiff1d(np.arange(20), np.arange(0, 20, 3)))]
    for differing in (None, np.array([2])):
        found = terms_of(Pairs(one, metric, asked, pool, parts=parts, differing=differing))
        for index, at in parts:
            queries, indices = index.rows(asked[at]), np.tile(pool, (len(at), 1))
            np.testing.assert_array_equal(found[at], case_excess(index, queries, indices, metric))


@settings(max_examples=40)
@given(table=tables(few_rows, powers=st.just(1)), k=st.integers(1, 30), seed=st.integers(0, 99))
def test_neighbours_in_pairs_are_those_of_a_search(table, k, seed):
    cases, _, metric, _ = table
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.5, 1.0, 2.0], size=len(cases))
    index = ExactIndex(cases, metric.kinds, weights=weights)
    asked = rng.permutation(len(cases))[: max(1, len(cases) // 2)]
    pairs = Pairs(index, metric, np.arange(len(cases)), index.storage.numbers)
    scaled = rng.uniform(0.5, 2.0, size=len(metric.weights))
    weighed = replace(metric, weights=metric.weights * scaled)
    exclude = np.where(rng.random(len(asked)) < 0.8, asked, -1)
    found = pairs.search(asked, weighed, k, exclude=exclude)
    for path in paths():
        same = pairs.search(asked, weighed, k, exclude=exclude, path=path)
        np.testing.assert_array_equal(same.indices, found.indices)
        np.testing.assert_array_equal(same.distances, found.distances)
    expected = index.search(cases[asked], weighed, k, exclude=exclude)
    np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-5)
    np.testing.assert_array_equal(found.indices >= 0, expected.indices >= 0)
    for row, numbers, distances in zip(asked, found.indices, found.distances, strict=True):
        there = numbers[numbers >= 0]
        assert len(np.unique(there)) == len(there)
        wanted = [naive.distance(cases[row], cases[i], weighed) for i in there]
        np.testing.assert_allclose(distances[: len(there)], wanted, rtol=1e-5)


@settings(max_examples=60)
@given(
    pool=st.integers(1, 1300),
    columns=st.integers(1, 4),
    levels=st.sampled_from([1, 3, 40, 10**6]),
    k=st.integers(1, 700),
    seed=st.integers(0, 99),
)
def test_the_nearest_of_a_pool_are_those_of_a_stable_sort(pool, columns, levels, k, seed):
    rng = np.random.default_rng(seed)
    cases = rng.integers(0, levels, size=(pool, columns)).astype(float)
    cases[rng.random(cases.shape) < 0.1] = 1e300  # sums of these are infinite
    index = ExactIndex(cases, np.zeros(columns, dtype=np.uint8))
    metric = make_metric(cases, naive.NUMERIC, 1.0)
    rows = np.unique([0, pool - 1, pool // 2])
    pairs = Pairs(index, metric, rows, np.arange(pool))
    excess = case_excess(index, cases[rows], np.tile(np.arange(pool), (len(rows), 1)), metric)
    weights = rng.choice([0.0, 0.3, 1.0, 1e10], size=columns).astype(np.float32)
    at, own = np.arange(len(rows))[::-1].copy(), np.array([-1, 0, pool - 1])[: len(rows)]
    given_to = {"weights": weights, "rows": at, "own": own, "k": k, "threads": 1}
    for path in paths():
        places, totals = _native.nearest(pairs.native, **given_to, path=path)
        for row, left_out, found, sums in zip(at, own, places, totals, strict=True):
            expected = np.zeros(pool, dtype=np.float32)
            with np.errstate(over="ignore"):
                for weight, terms in zip(weights, excess[row], strict=True):
                    expected += weight * terms
            order = np.argsort(expected, kind="stable")
            order = order[order != left_out][:k]
            np.testing.assert_array_equal(found[: len(order)], order)
            np.testing.assert_array_equal(sums[: len(order)], expected[order])
            assert (found[len(order) :] == -1).all()
            assert np.isinf(sums[len(order) :]).all()


def test_a_case_beyond_the_pool_cannot_be_left_out():
    cases = np.arange(5.0)[:, None]
    index, metric = ExactIndex(cases, np.zeros(1, dtype=np.uint8)), make_metric(cases, 0, 1.0)
    pairs = Pairs(index, metric, np.array([0]), np.arange(5))
    one = np.ones(1, dtype=np.float32)
    with pytest.raises(ValueError, match="out of range"):
        _native.nearest(
            pairs.native,
            weights=one,
            rows=np.array([0]),
            own=np.array([5]),
            k=1,
            threads=1,
            path=None,
        )


def test_ties_in_pairs_go_to_the_lower_case_number_and_a_heavy_case_stays():
    cases = np.array([[0.0], [1.0], [1.0], [0.0], [1.0]])
    index = ExactIndex(cases, np.zeros(1, dtype=np.uint8), weights=np.array([2.0, 1, 1, 1, 1]))
    metric = make_metric(cases, naive.NUMERIC, 1.0)
    pairs = Pairs(index, metric, np.array([3, 0, 1]), index.storage.numbers)
    own = np.array([0, 1, 3])
    found = pairs.search(own, metric, 3, exclude=own)
    np.testing.assert_array_equal(found.indices, [[0, 3, 1], [2, 4, 0], [0, 1, 2]])


@settings(max_examples=40)
@given(
    kinds=st.lists(st.sampled_from([naive.NUMERIC, naive.NOMINAL]), min_size=1, max_size=3),
    k=st.integers(1, 30),
    seed=st.integers(0, 99),
)
def test_ties_in_pairs_are_those_of_a_search(kinds, k, seed):
    rng = np.random.default_rng(seed)
    cases = rng.integers(0, 3, size=(60, len(kinds))).astype(float)
    index = ExactIndex(cases, np.array(kinds, dtype=np.uint8), rng.choice([1.0, 5.0], size=60))
    metric = make_metric(cases, kinds, 1.0)
    pairs = Pairs(index, metric, np.arange(60), index.storage.numbers)
    own = rng.permutation(60)[:20]
    found = pairs.search_ties(own, metric, k, exclude=own)
    expected = search_ties(index, cases[own], metric, k, exclude=own)
    for row in range(len(own)):
        taken = [np.zeros(60), np.zeros(60)]
        for total, lists in zip(taken, (found, expected), strict=True):
            there = lists.indices[row] >= 0
            np.add.at(total, lists.indices[row, there], lists.places(k)[row, there])
        # Sums in singles may tie where those in doubles do not, even with cases beyond the list.
        keys = index.search(cases[own[[row]]], metric, 60, exclude=own[[row]], with_keys=True).keys
        gaps = np.diff(np.unique(keys[np.isfinite(keys)]))
        if (gaps > 1e-5).all():
            np.testing.assert_allclose(*taken, atol=1e-9)
        np.testing.assert_allclose(*(total.sum() for total in taken))


def test_the_answer_does_not_depend_on_threads():
    rng = np.random.default_rng(3)
    cases = rng.normal(size=(300, 4))
    index = ExactIndex(cases, np.zeros(4, dtype=np.uint8))
    metric = make_metric(cases, naive.NUMERIC, 1.0)
    one, three = (
        Pairs(index, metric, index.storage.numbers, index.storage.numbers).search(
            index.storage.numbers, metric, 9, threads=threads
        )
        for threads in (1, 3)
    )
    np.testing.assert_array_equal(one.indices, three.indices)
    np.testing.assert_array_equal(one.distances, three.distances)


def test_terms_are_the_same_whether_or_not_there_is_room_to_keep_them():
    rng = np.random.default_rng(8)
    cases = np.repeat(rng.normal(size=(1500, 1)), 2, axis=0)  # more values in pairs than are kept
    cases[:7] = np.nan
    index = ExactIndex(cases, np.zeros(1, dtype=np.uint8))
    metric = make_metric(cases, naive.NUMERIC, 1.0)
    numbers, asked = index.storage.numbers, np.arange(0, 3000, 100)
    few = Pairs(index, metric, asked, numbers)  # of these no value is there twice
    for path in paths():
        many = Pairs(index, metric, numbers, numbers).search(asked, metric, 40, path=path)
        expected = few.search(asked, metric, 40, path=path)
        np.testing.assert_array_equal(many.indices, expected.indices)
        np.testing.assert_array_equal(many.distances, expected.distances)
