"""Many queries at once scan cells of the values: they find what a plain scan finds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.comparison import assert_same_neighbors
from tests.naive import distance as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex

CASES = 7000  # in so many blocks that not all are visited first
ASKED = 1100  # so many that cells are made
K = 9
KINDS = [*[NUMERIC] * 9, NOMINAL, NOMINAL]


def make_cases(rng, count):
    values = rng.normal(size=(count, 9)) @ rng.normal(size=(9, 9))
    values[:, 3] = 1e9 + values[:, 3] * 1e-3
    values[:, 4] = np.exp(4 * values[:, 4] / np.abs(values[:, 4]).max())
    values[:, 5] = np.round(values[:, 5])
    values[:, 6] = -7.5
    categories = np.column_stack([rng.integers(0, 3, count), rng.integers(0, 400, count)])
    return np.column_stack([values, categories])


def make_table(p):
    cases = make_cases(np.random.default_rng(4), CASES)
    cases[500:900] = cases[:400]
    spread = np.mean(np.abs(cases - np.median(cases, axis=0)), axis=0)
    return cases, make_metric(cases, KINDS, np.where(spread > 0, 0.4 * spread, 1.0), p=p)


def check(index, queries, metric, **options):
    """Compare all paths with a plain scan, twice: cells are made, and there already."""
    expected = index._searched(queries, metric, K, **options, pruned=False)
    for path in paths():
        for threads in (1, 3):
            actual = index._searched(queries, metric, K, **options, path=path, threads=threads)
            np.testing.assert_array_equal(actual.indices, expected.indices, err_msg=path)
            np.testing.assert_array_equal(actual.distances, expected.distances, err_msg=path)
            assert actual.evaluated < expected.evaluated / 4
    return expected


@pytest.mark.parametrize("p", [0, 1, 2])
def test_stored_and_new_rows_find_what_a_plain_scan_finds_by_metrics_in_turn(p):
    cases, metric = make_table(p)
    index = ExactIndex(cases, metric.kinds)
    weights = np.where(np.arange(CASES) % 9 == 5, 0.0, 1.0)
    index.remove(np.flatnonzero(weights == 0))
    rng = np.random.default_rng(6)
    numbers = index.storage.numbers[:600]
    queries = np.concatenate([cases[numbers], make_cases(rng, ASKED - 600)])
    exclude = np.concatenate([numbers, np.full(ASKED - 600, -1)])
    metrics = [
        metric,
        metric.with_weights(rng.uniform(0.1, 3.0, size=len(KINDS))),
        metric.restricted(np.array([0, 2, 4, 5, 10])),
    ]
    for one in metrics:
        found = check(index, queries, one, exclude=exclude)
        few = rng.choice(ASKED, size=4, replace=False)
        slow = naive.neighbors(queries[few], cases, one, CASES, exclude[few], weights)
        actual = found.indices[few], found.distances[few]
        assert_same_neighbors(actual, slow, cases=cases)


def test_outliers_and_rows_with_gaps_may_ask_together_with_others():
    cases, metric = make_table(1)
    rng = np.random.default_rng(7)
    queries = make_cases(rng, ASKED)
    queries[::7, :9] *= 1e4
    queries[3::11, 1] = np.nan
    queries[5::300] = np.nan
    index = ExactIndex(cases, metric.kinds)
    expected = index._searched(queries, metric, K, pruned=False)
    for path in paths():
        actual = index._searched(queries, metric, K, path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)


@pytest.mark.parametrize("p", [0, 1, 2])
@pytest.mark.parametrize("share", [0.03, 0.2])
def test_tables_with_gaps_are_scanned_by_cells_too(share, p):
    cases, metric = make_table(p)
    rng = np.random.default_rng(11)
    cases[rng.random(cases.shape) < share] = np.nan
    cases[:70, 9] = np.nan
    metric = make_metric(cases, KINDS, metric.residuals, p=p, distinct=np.arange(11) % 5 == 0)
    queries = make_cases(rng, ASKED)
    queries[rng.random(queries.shape) < share] = np.nan
    queries[0], queries[1::50] = np.nan, cases[:22]
    index = ExactIndex(cases, metric.kinds)
    expected = check(index, queries, metric)
    slow = naive.neighbors(queries[:4], cases, metric, CASES)
    assert_same_neighbors((expected.indices[:4], expected.distances[:4]), slow, cases=cases)
    # What follows lies beyond the values that there were.
    index.add(queries[:50] * np.where(np.array(KINDS) == NOMINAL, 1.0, 10.0))
    check(index, queries, metric)


def test_tables_that_keep_nothing_find_the_same():
    cases, metric = make_table(1)
    queries = make_cases(np.random.default_rng(8), ASKED)
    arrays = ExactIndex(cases, metric.kinds).to_arrays()
    check(ExactIndex.from_arrays(arrays, lasting=False), queries, metric)


def test_ceilings_and_required_columns_hold_for_many_queries():
    cases, metric = make_table(1)
    index = ExactIndex(cases, metric.kinds)
    queries = make_cases(np.random.default_rng(9), ASKED)
    keys = index.search(queries, metric, K, with_keys=True).keys
    assert keys is not None
    ceilings = np.where(np.arange(ASKED) % 3 == 0, np.inf, keys[:, K // 2])
    expected = index._searched(queries, metric, K, ceilings=ceilings, pruned=False)
    for path in paths():
        actual = index._searched(queries, metric, K, ceilings=ceilings, required=2, path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)
