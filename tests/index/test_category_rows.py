"""Where few cases have the query's category they are found without a scan: the same answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex

CASES = 6000
KINDS = [NUMERIC, NUMERIC, NUMERIC, NOMINAL, NOMINAL]


def make_rows(rng, count, *, gaps=0.0):
    """Numbers, a column of about three cases to a category, and one of many more to some."""
    rows = np.column_stack(
        [
            rng.normal(size=(count, 3)).round(1),
            rng.integers(0, CASES // 3, size=count),
            (rng.random(size=count) ** 3 * 900).astype(int),
        ]
    )
    rows[rng.random(rows.shape) < gaps] = np.nan
    return rows


def check(index, queries, metric, k, path, **how):
    """Compare with a plain scan all queries at once, and some of them one by one."""
    exclude, ceilings = how.pop("exclude", None), how.pop("ceilings", None)
    evaluated = 0
    for at in [np.arange(len(queries)), *np.arange(min(12, len(queries)))[:, None]]:
        own = {
            "exclude": None if exclude is None else exclude[at],
            "ceilings": None if ceilings is None else ceilings[at],
            **how,
        }
        actual = index._searched(queries[at], metric, k, path=path, with_keys=True, **own)
        expected = index._searched(queries[at], metric, k, pruned=False, with_keys=True, **own)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.keys, expected.keys)
        evaluated = evaluated or actual.evaluated / len(queries)
    return evaluated


def queries_of(rng, cases, gaps):
    """Stored rows, new ones, and some of categories that no case has."""
    named = rng.choice(CASES, size=40, replace=False)
    new = make_rows(rng, 40, gaps=gaps)
    new[:5, 3] = CASES + 7
    return np.concatenate([cases[named], new]), np.append(named, np.full(40, -1))


@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize(("p", "gaps"), list(product([0, 0.5, 1, 2], [0.0, 0.1])))
def test_the_same_cases_are_found(p, gaps, path):
    rng = np.random.default_rng(3)
    cases = make_rows(rng, CASES, gaps=gaps)
    index = ExactIndex(cases, np.array(KINDS, dtype=np.uint8))
    queries, exclude = queries_of(rng, cases, gaps)
    for residual, weights, k in product(
        [0.1, 4.0], [(1, 1, 1, 1, 1), (1, 1, 1, 9, 0.2)], [1, 3, 40]
    ):
        metric = make_metric(cases, KINDS, residual, p=p, weights=weights)
        check(index, queries, metric, k, path, exclude=exclude, required=0)


@pytest.mark.parametrize("path", paths())
def test_many_queries_find_the_same_by_finer_codes_and_cells(path):
    rng = np.random.default_rng(4)
    cases = make_rows(rng, CASES)
    index = ExactIndex(cases, np.array(KINDS, dtype=np.uint8))
    many = make_rows(rng, 1100)
    for residual, weights in product([0.05, 4.0], [(1, 1, 1, 1, 1), (1, 1, 1, 30, 1)]):
        metric = make_metric(cases, KINDS, residual, weights=weights)
        for k in (2, 15):
            check(index, many, metric, k, path)


@pytest.mark.parametrize("path", paths())
def test_ceilings_hold_for_cases_of_the_same_category(path):
    rng = np.random.default_rng(5)
    cases = make_rows(rng, CASES)
    metric = make_metric(cases, KINDS, 0.5)
    index = ExactIndex(cases, metric.kinds)
    queries, exclude = queries_of(rng, cases, 0.0)
    keys = index._searched(queries, metric, 8, pruned=False, with_keys=True).keys
    for place in (0, 1, 7):
        check(index, queries, metric, 12, path, exclude=exclude, ceilings=keys[:, place])


@pytest.mark.parametrize("path", paths())
def test_cases_that_change_are_found_as_they_are(path):
    rng = np.random.default_rng(6)
    cases = make_rows(rng, CASES)
    metric = make_metric(cases, KINDS, 0.5)
    index = ExactIndex(cases, metric.kinds, weights=(rng.random(CASES) > 0.1).astype(float))
    queries, _ = queries_of(rng, cases, 0.0)
    check(index, queries, metric, 5, path)
    index.remove(np.arange(0, CASES, 5))
    check(index, queries, metric, 5, path)
    index.add(queries[:30])
    index.update([1, 2], queries[50:52])
    check(index, queries, metric, 5, path)


def test_far_fewer_cases_are_evaluated_than_share_a_bin_of_categories():
    rng = np.random.default_rng(7)
    cases = make_rows(rng, 40_000)
    metric = make_metric(cases, [*KINDS[:3], NOMINAL, NUMERIC], 0.3, weights=(1, 1, 1, 1, 0))
    index = ExactIndex(cases, metric.kinds)
    evaluated = check(index, make_rows(rng, 30), metric, 5, None)
    assert evaluated < 40_000 / 15 / 4
