"""Finer codes stay with a table once many queries have come: the same answers, less work."""

from __future__ import annotations

import numpy as np
import pytest

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex

ENOUGH = 64  # queries, one by one, of a table of so many cases
CASES = 6000


def make_cases(rng, count):
    return np.column_stack([rng.normal(size=(count, 7)), rng.integers(0, 300, size=count)])


def check(index, queries, metric, path):
    """Compare queries, one by one, with a plain scan; return how many cases were evaluated."""
    evaluated = 0
    for query in queries:
        actual = index._searched(query[None], metric, 12, path=path)
        expected = index._searched(query[None], metric, 12, pruned=False)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)
        evaluated += actual.evaluated
    return evaluated


@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize("p", [0, 1, 2])
def test_single_queries_find_the_same_before_and_after_any_change(p, path):
    rng = np.random.default_rng(5)
    cases = make_cases(rng, CASES)
    kinds = [*[NUMERIC] * 7, NOMINAL]
    metric = make_metric(cases, kinds, 0.5, p=p)
    index = ExactIndex(cases, metric.kinds)
    queries = make_cases(rng, 2 * ENOUGH)
    check(index, queries, metric, path)
    index.remove(np.arange(0, CASES, 7))
    check(index, queries, metric, path)
    # What follows lies far beyond the cells of the codes that were kept.
    index.add(queries[:50] * 10)
    check(index, queries * 10, metric, path)
    index.update([1, 2], queries[50:52] * 10)
    check(index, queries * 10, metric, path)
    some = metric.restricted(np.array([0, 2, 7]))
    check(index, queries, some, path)
    check(index, queries, metric, path)


@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize("p", [0, 1, 2])
def test_metrics_in_turn_share_codes_and_find_the_same(p, path):
    rng = np.random.default_rng(8)
    cases = make_cases(rng, CASES)
    cases[:, 3] *= 1e9
    cases[:, 4] = 2.0
    cases[100:300] = cases[:200]
    metric = make_metric(cases, [*[NUMERIC] * 7, NOMINAL], 0.5, p=p)
    weights = rng.uniform(0.1, 3.0, size=8)
    # The last one reads numbers as categories, which takes codes of its own.
    as_categories = make_metric(cases, [*[NUMERIC] * 6, NOMINAL, NOMINAL], 0.5, p=p)
    metrics = [
        metric.restricted(np.array([0, 1, 4])),
        metric.with_weights(weights),
        metric.restricted(np.array([2, 3, 7])),
        metric.restricted(np.array([7])),
        as_categories,
    ]
    index = ExactIndex(cases, metric.kinds)
    queries = np.concatenate([make_cases(rng, ENOUGH), cases[90:110]])
    for query in queries:
        for one in metrics:
            check(index, query[None], one, path)


def test_more_metrics_than_are_kept_still_have_codes():
    rng = np.random.default_rng(9)
    cases = make_cases(rng, CASES)
    metric = make_metric(cases, [*[NUMERIC] * 7, NOMINAL], 0.5, p=1)
    metrics = [metric.restricted(np.array(some)) for some in ([0, 1, 2], [1, 3, 5, 6], [2, 4, 7])]
    queries = make_cases(rng, ENOUGH)
    fresh, asked = ExactIndex(cases, metric.kinds), ExactIndex(cases, metric.kinds)
    for query in queries:
        for one in metrics:
            asked.search(query[None], one, k=12)
    some = queries[:6]
    again, first = (
        sum(index.search(query[None], one, k=12).evaluated for one in metrics for query in some)
        for index in (asked, fresh)
    )
    assert again < first


def test_after_many_queries_fewer_cases_are_evaluated():
    rng = np.random.default_rng(6)
    cases = make_cases(rng, CASES)
    metric = make_metric(cases, [*[NUMERIC] * 7, NOMINAL], 0.5, p=1)
    queries = make_cases(rng, ENOUGH)
    fresh, asked = ExactIndex(cases, metric.kinds), ExactIndex(cases, metric.kinds)
    asked.search(queries, metric, k=12)
    again = sum(asked.search(query[None], metric, k=12).evaluated for query in queries[:20])
    first = sum(fresh.search(query[None], metric, k=12).evaluated for query in queries[:20])
    assert again < first
    # A mapped shard of a store has no memory to spare for them.
    spare = ExactIndex.from_arrays(fresh.to_arrays(), lasting=False)
    spare.search(queries[-1:], metric, k=12)
    before = [spare.search(query[None], metric, k=12).evaluated for query in queries]
    spare.search(queries, metric, k=12)
    spare.search(queries[-1:], metric, k=12)
    assert [spare.search(query[None], metric, k=12).evaluated for query in queries] == before
