"""Columns of few whole numbers are looked up; answers are those worked out value by value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.comparison import assert_same_neighbors
from tests.naive import distance as naive
from tests.strategies import CYCLIC, NOMINAL, NUMERIC, POWERS, Column, make_metric
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex
from vicinal.index.leave_one_out import predict_each_feature


def whole_numbers(first, steps):
    return lambda rng, n: first + np.floor(steps * rng.random(n))


@st.composite
def stepped_columns(draw):
    kind = draw(st.sampled_from([NUMERIC, NUMERIC, CYCLIC, NOMINAL]))
    first = draw(st.sampled_from([0, -3, 1_000_000, -(2**40)])) if kind == NUMERIC else 0
    # 64 is as many as a column may have; one of 65 keeps the whole table from having steps.
    steps = draw(st.sampled_from([1, 2, 7, 17, 64, 65]))
    return Column(
        kind,
        whole_numbers(first, steps),
        draw(st.sampled_from([0.0, 0.0, 0.1, 1.0])),
        period=float(steps) if kind == CYCLIC else 0.0,
        residual=draw(st.sampled_from([0.2, 1.0, 30.0])),
        distinct=draw(st.booleans()),
    )


@st.composite
def stepped_tables(draw):
    """Cases, queries on steps, between them, beyond them and with gaps, and a metric."""
    columns = draw(st.lists(stepped_columns(), min_size=1, max_size=9))
    n = draw(st.sampled_from([5, 70, 300, 1500]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cases, others = (
        np.column_stack([column.values(rng, rows) for column in columns]) for rows in (n, 9)
    )
    kinds = np.array([column.kind for column in columns])
    numbers = kinds == NUMERIC
    others[:3, numbers] += 0.5
    others[3:5, numbers] += [[-70], [70]]
    others[5:7, kinds == NOMINAL] += 100
    metric = make_metric(
        cases,
        kinds,
        [column.residual for column in columns],
        p=draw(st.sampled_from(POWERS)),
        periods=[column.period for column in columns],
        weights=rng.choice([0.3, 1.0, 2.5], size=len(columns)),
        distinct=[column.distinct for column in columns],
    )
    return cases, np.vstack([cases[:25], others]), metric


@settings(max_examples=60)
@given(table=stepped_tables(), k=st.sampled_from([1, 6, 40]))
def test_searches_by_steps_have_the_bits_of_the_plain_scan(table, k):
    cases, queries, metric = table
    index = ExactIndex(cases, metric.kinds)
    index.remove(np.arange(2, len(cases), 9))
    own = np.arange(len(queries))
    exclude = np.where((own < 20) & np.isin(own, index.storage.numbers), own, -1)
    expected = index._searched(queries, metric, k, exclude=exclude, pruned=False)
    for path in paths():
        actual = index._searched(queries, metric, k, exclude=exclude, path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)


@settings(max_examples=30)
@given(table=stepped_tables(), k=st.integers(1, 25))
def test_searches_by_steps_find_what_the_reference_finds(table, k):
    cases, queries, metric = table
    actual = ExactIndex(cases, metric.kinds).search(queries, metric, k)[:2]
    expected = naive.neighbors(queries, cases, metric, max(k, len(cases)))
    assert_same_neighbors(actual, expected, cases=cases)


@pytest.mark.parametrize("p", POWERS)
def test_a_large_table_by_its_steps_is_pruned_and_has_the_bits_of_the_plain_scan(p):
    rng = np.random.default_rng(4)
    cases = rng.binomial(12, rng.random(12), size=(5000, 12)).astype(float)
    metric = make_metric(cases, NUMERIC, 0.5, p=p, weights=np.linspace(1, 2, 12))
    index = ExactIndex(cases, metric.kinds)
    expected = index._searched(cases[:200], metric, 15, exclude=np.arange(200), pruned=False)
    for path in paths():
        actual = index._searched(cases[:200], metric, 15, exclude=np.arange(200), path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)
        assert actual.evaluated < expected.evaluated / 2


@settings(max_examples=60)
@given(table=stepped_tables(), k=st.integers(1, 20), extent=st.sampled_from([0.5, 1e9]))
def test_sweeps_by_steps_have_the_bits_of_terms_worked_out_one_by_one(table, k, extent):
    cases, _, metric = table
    queries = np.arange(min(30, len(cases)))
    # A case without weight is no neighbour, but its values lie on no step that the others have.
    odd = np.where(metric.kinds == CYCLIC, 0.5, extent)
    more, weights = np.vstack([cases, odd]), np.append(np.ones(len(cases)), 0.0)
    for path in paths():
        actual = predict_each_feature(cases.T, metric, queries, k, path=path)
        expected = predict_each_feature(more.T, metric, queries, k, weights=weights, path=path)
        np.testing.assert_array_equal(actual, expected)
