"""The engine's terms are those of the reference, and make up its distances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import distance as naive
from tests.strategies import (
    NOMINAL,
    NUMERIC,
    few_rows,
    make_metric,
    many_gaps,
    many_rows,
    nominal_columns,
    numeric_columns,
    tables,
)
from vicinal.formulas import power_mean
from vicinal.index import _native
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex
from vicinal.index.support import Support, observed_support
from vicinal.index.terms import case_terms


@settings(max_examples=60)
@given(table=tables(few_rows | many_rows))
def test_the_terms_of_every_pair_are_those_of_the_reference(table):
    cases, queries, metric, _ = table
    everyone = np.tile(np.arange(len(cases)), (len(queries), 1))
    actual = case_terms(ExactIndex(cases, metric.kinds), queries, everyone, metric)
    expected = [naive.terms(query, cases, metric) for query in queries]
    np.testing.assert_allclose(actual, expected, rtol=1e-13)


@settings(max_examples=40)
@given(table=tables(few_rows | many_rows))
def test_the_distance_is_the_mean_of_the_terms(table):
    cases, queries, metric, exclude = table
    index = ExactIndex(cases, metric.kinds)
    found = index.search(queries, metric, 5, exclude=exclude)
    terms = case_terms(index, queries, found.indices, metric)
    expected = power_mean(terms, metric.weights, metric.p)
    there = found.indices >= 0
    np.testing.assert_allclose(found.distances[there], expected[there], rtol=1e-12)
    assert np.isnan(terms[~there]).all()


@settings(max_examples=20)
@given(table=tables(few_rows))
def test_terms_are_the_same_bits_on_every_path_and_for_any_threads(table):
    cases, queries, metric, _ = table
    index = ExactIndex(cases, metric.kinds)
    everyone = np.tile(np.arange(len(cases)), (len(queries), 1))
    expected = case_terms(index, queries, everyone, metric, threads=1)
    for path in paths():
        actual = case_terms(index, queries, everyone, metric, threads=3, path=path)
        np.testing.assert_array_equal(actual, expected)


@settings(max_examples=40)
@given(table=tables(few_rows))
def test_terms_do_not_depend_on_who_asks(table):
    cases, _, metric, _ = table
    index = ExactIndex(cases, metric.kinds)
    n = len(cases)
    terms = case_terms(index, cases, np.tile(np.arange(n), (n, 1)), metric)
    np.testing.assert_allclose(terms, terms.transpose(1, 0, 2), rtol=1e-13)


@pytest.mark.parametrize("n", [1, 5, 32, 33, 64, 192, 320, 1000])
@pytest.mark.parametrize("style", ["numbers", "ties", "classes"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_support_of_a_column_is_that_of_the_reference(n, style, weighted):
    rng = np.random.default_rng(n)
    column = rng.permutation(n) * 0.1
    if style != "numbers":
        column = np.floor(n * rng.random(n) ** 2)
    column[rng.random(n) < 0.2 * (n % 2)] = np.nan
    weights = rng.integers(0, 4, size=n).astype(float) if weighted else None
    actual = observed_support(column, weights, nominal=style == "classes")
    expected = naive.support(column, weights, nominal=style == "classes")
    np.testing.assert_array_equal(actual.points, expected[0])
    np.testing.assert_allclose(actual.shares, expected[1], rtol=1e-13)


@pytest.mark.parametrize("path", paths())
@settings(max_examples=60)
@given(table=tables(few_rows | many_rows))
def test_the_floor_of_a_key_is_never_above_the_key_and_seldom_far_below(path, table):
    cases, queries, metric, _ = table
    index = ExactIndex(cases, metric.kinds)
    floors = floors_of(index, queries, metric, path)
    keys = np.array([naive_keys(query, cases, metric) for query in queries])
    some = metric.p in (0, 1, 2) and len(metric.active) > 0
    known = ~np.isnan(queries[:, metric.active]).any(axis=1)
    assert np.isfinite(floors[known]).all() == (some or not known.any())
    assert (floors <= keys * (1 + 1e-12)).all()
    near = floors[known] if some else keys[known]
    np.testing.assert_allclose(near, keys[known], rtol=0.02)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("path", paths())
def test_the_floor_holds_at_any_distance(p, path):
    far = np.concatenate([[0.0], np.logspace(-12, 150, 4000), np.linspace(0, 40, 4000)])
    cases, query = far[:, None], np.zeros((1, 1))
    metric = make_metric(cases, NUMERIC, 1.0, p=p)
    floors = floors_of(ExactIndex(cases, metric.kinds), query, metric, path)[0]
    keys = naive_keys(query[0], cases, metric)
    assert (floors <= keys).all()
    # For p = 0 terms are multiplied, and cut off before that would overflow.
    close = far < (1e70 if p == 0 else np.inf)
    np.testing.assert_allclose(floors[close], keys[close], rtol=0.005)


@pytest.mark.parametrize("path", paths())
@settings(max_examples=60)
@given(
    table=tables(few_rows | many_rows, columns=numeric_columns() | nominal_columns())
    | tables(
        few_rows | many_rows,
        columns=numeric_columns(many_gaps) | nominal_columns(many_gaps, (3, 17, 600)),
        max_columns=30,
    ),
    p=st.sampled_from([0.0, 1.0, 2.0]),
    far=st.sampled_from([0.0, 3.0, 1e9, 1e150]),
    as_categories=st.booleans(),
    whole=st.booleans(),
)
def test_the_floor_by_finer_codes_is_never_above_the_key(
    path, table, p, far, as_categories, whole
):
    cases, queries, metric, _ = table
    stored = metric.kinds.copy()
    if as_categories:  # numbers may be read so, whatever their values
        supports = tuple(distinct_values(column) for column in cases.T)
        metric = replace(metric, kinds=np.full_like(stored, NOMINAL), supports=supports)
    beyond = np.where(stored == NUMERIC, far * metric.residuals, 0.0)
    if len(cases):
        cases[0] += beyond
    if len(queries):
        queries[-1] -= beyond
    metric = replace(metric, p=p)
    index = ExactIndex(cases, stored)
    floors = floors_of(index, queries, metric, path, finer=True, whole=whole)
    keys = np.array([naive_keys(query, cases, metric) for query in queries])
    assert np.isfinite(floors).all() == (len(metric.active) > 0)
    assert (floors <= keys * (1 + 1e-12)).all()


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e280])
@pytest.mark.parametrize("whole", [False, True])
def test_the_floor_by_finer_codes_is_seldom_far_below_the_key(p, path, scale, whole):
    rng = np.random.default_rng(3)
    cases = scale * rng.normal(size=(3000, 11))
    cases[:5] *= 1e6
    metric = make_metric(cases, [NUMERIC] * 11, [0.5 * scale] * 11, p=p)
    index = ExactIndex(cases, metric.kinds)
    floors = floors_of(index, cases[:50], metric, path, finer=True, whole=whole)
    keys = np.array([naive_keys(query, cases, metric) for query in cases[:50]])
    assert (floors <= keys * (1 + 1e-12)).all()
    close = keys < np.median(keys)
    rtol = (0.06 if whole else 0.05) * max(p, 1)
    np.testing.assert_allclose(floors[close], keys[close], rtol=rtol)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize("whole", [False, True])
def test_the_floor_by_finer_codes_is_seldom_far_below_the_key_where_values_are_missing(
    p, path, whole
):
    rng = np.random.default_rng(4)
    cases = np.column_stack([rng.normal(size=(3000, 21)), rng.integers(0, 30, size=(3000, 4))])
    cases[rng.random(cases.shape) < 0.1] = np.nan
    metric = make_metric(cases, [*[NUMERIC] * 21, *[NOMINAL] * 4], 0.5, p=p)
    index = ExactIndex(cases, metric.kinds)
    floors = floors_of(index, cases[:50], metric, path, finer=True, whole=whole)
    keys = np.array([naive_keys(query, cases, metric) for query in cases[:50]])
    assert (floors <= keys * (1 + 1e-12)).all()
    assert np.quantile(floors / keys, 0.01) > 1 - 0.12 * max(p, 1)
    assert np.median(floors / keys) > 1 - 0.05 * max(p, 1)


@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize("whole", [False, True])
def test_the_floor_by_finer_codes_holds_at_any_gap(path, whole):
    # One column tells, at gaps of all sizes, and two others, equal in all cases, weigh as much.
    gaps = np.concatenate([np.linspace(0, 30, 20_001), np.logspace(-9, 0, 999)])
    cases = np.stack([gaps, np.zeros(len(gaps)), np.zeros(len(gaps))], axis=1)
    metric = make_metric(cases, [NUMERIC] * 3, [1.0] * 3, p=1.0)
    index = ExactIndex(cases, metric.kinds)
    floors = floors_of(index, cases[:1], metric, path, finer=True, whole=whole)[0]
    keys = naive_keys(cases[0], cases, metric)
    assert (floors <= keys).all()
    near = gaps < (8 if whole else np.inf)
    np.testing.assert_allclose(floors[near], keys[near], rtol=0.06)


@pytest.mark.parametrize("path", paths())
def test_the_floor_by_finer_codes_tells_near_cases_apart(path):
    # Many cases in few columns lie so near that keys differ in their last digits only.
    rng = np.random.default_rng(11)
    cases = 1e-3 * rng.normal(size=(2000, 3))
    metric = make_metric(cases, [NUMERIC] * 3, [1.0] * 3, p=1.0)
    floors = floors_of(ExactIndex(cases, metric.kinds), cases[:20], metric, path, finer=True)
    keys = np.array([naive_keys(query, cases, metric) for query in cases[:20]])
    assert (floors <= keys).all()
    assert np.median((floors - 1.5) - 0.9 * (keys - 1.5)) > 0


@pytest.mark.parametrize("path", paths())
def test_the_floor_by_finer_codes_tells_most_categories_apart(path):
    rng = np.random.default_rng(5)
    cases = rng.integers(0, 40, size=(400, 9)).astype(float)
    metric = make_metric(cases, [NUMERIC, *[NOMINAL] * 8], 1.3, weights=np.arange(1.0, 10.0))
    floors = floors_of(ExactIndex(cases, metric.kinds), cases[:50], metric, path, finer=True)
    keys = np.array([naive_keys(query, cases, metric) for query in cases[:50]])
    assert (floors <= keys).all()
    assert np.median(floors / keys) > 0.99


def distinct_values(column):
    """All values of a column and their shares, as categories have them."""
    points, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return Support(points, counts / max(counts.sum(), 1))


def floors_of(index, queries, metric, path, *, finer=False, whole=False):
    """Floors of the keys of all cases, in the order of their numbers."""
    table = index.storage.table
    floors = _native.floors(table, metric.native, queries, finer, whole, path)
    return floors[:, index.storage.rows_of(index.storage.numbers)]


def naive_keys(query, cases, metric):
    """What orders the cases: the weighted mean of h(term)."""
    terms = naive.terms(query, cases, metric)[:, metric.active]
    keys = np.log(terms) if metric.p == 0 else terms**metric.p
    return keys @ metric.weights[metric.active] / metric.weights[metric.active].sum()


@settings(max_examples=30)
@given(table=tables())
def test_other_weights_leave_the_terms_as_they_are(table):
    # What a metric has worked out it passes on, also where it is asked for less at first.
    cases, queries, metric, _ = table
    index = ExactIndex(cases, metric.kinds)
    indices = np.tile(np.arange(len(cases)), (len(queries), 1))
    some = np.where(np.arange(len(metric.weights)) == metric.active[0], 1.0, 0.0)
    case_terms(index, queries, indices, narrow := metric.with_weights(some))
    expected = case_terms(index, queries, indices, metric)
    widened = narrow.with_weights(metric.weights)
    np.testing.assert_array_equal(case_terms(index, queries, indices, widened), expected)
