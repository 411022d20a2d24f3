"""Stored cases of a table that may contain anomalies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import within_table as naive
from tests.strategies import make_metric, tables
from vicinal.conviction import within_table
from vicinal.conviction.baseline import measure_baseline
from vicinal.conviction.column_tails import tail_surprisals
from vicinal.conviction.correlations import correlation_parts
from vicinal.conviction.measure import Measure
from vicinal.conviction.quantiles import lower_quantile, with_ranks_of
from vicinal.conviction.within_table import surprise_within, wide_contributions
from vicinal.index.exact import ExactIndex

KINDS = np.array([0, 0, 2, 1, 0], dtype=np.uint8)


def numeric(cases):
    return make_metric(cases, np.zeros(cases.shape[1], dtype=np.uint8), np.ones(cases.shape[1]))


def mixed(n=60, seed=0, gaps=0.05):
    """A table with correlated numbers, categories, angles and gaps, and its metric."""
    rng = np.random.default_rng(seed)
    cases = rng.normal(size=(n, 5))
    cases[:, 1] += 2 * cases[:, 0]
    cases[:, 2] = rng.integers(0, 4, n)
    cases[:, 3] %= 1.0
    cases[rng.random(cases.shape) < gaps] = np.nan
    return cases, make_metric(cases, KINDS, [0.5, 0.5, 1.0, 0.1, 0.5], periods=[0, 0, 0, 1, 0])


def surprise(cases, metric, weights=None):
    index = ExactIndex(cases, metric.kinds, weights)
    return surprise_within(measure_baseline(index, metric, Measure()))


def test_three_surprisals_and_their_mean_agree_with_the_twin():
    cases, metric = mixed()
    stored = measure_baseline(ExactIndex(cases, metric.kinds), metric, Measure())
    np.testing.assert_allclose(wide_contributions(stored), naive.wide(cases, metric))
    tails = tail_surprisals(cases, metric, np.ones(len(cases)))
    np.testing.assert_allclose(np.nanmean(tails, axis=1), naive.tails(cases, metric))
    parts = correlation_parts(cases, metric, np.ones(len(cases)))
    np.testing.assert_allclose(parts.sum(axis=1), naive.correlations(cases, metric))
    np.testing.assert_allclose(surprise_within(stored), naive.surprise(cases, metric), atol=1e-8)


@settings(max_examples=30)
@given(tables(), st.randoms(use_true_random=False))
def test_it_is_finite_and_follows_the_rows_in_any_order(table, random):
    found = surprise(table.cases, table.metric)
    assert np.isfinite(found).all()
    order = list(range(len(table.cases)))
    random.shuffle(order)
    np.testing.assert_array_equal(surprise(table.cases[order], table.metric), found[order])


def test_weights_are_repeated_rows():
    cases, metric = mixed(40, gaps=0.0)
    weights = np.arange(40) % 3 + 1
    repeated = surprise(np.repeat(cases, weights, axis=0), metric)
    first = np.cumsum(weights) - weights
    np.testing.assert_allclose(surprise(cases, metric, weights * 1.0), repeated[first], atol=1e-8)


def test_groups_far_values_and_broken_correlations_are_found():
    rng = np.random.default_rng(1)
    ordinary = rng.normal(size=(300, 3))
    ordinary[:, 2] = ordinary[:, 0] + 0.1 * ordinary[:, 2]
    group = 0.05 * rng.normal(size=(20, 3)) + [4.0, -4.0, 4.0]
    far, broken = [[0.0, 30.0, 0.0]], [[2.0, 0.0, -2.0]]
    cases = np.vstack([ordinary, group, far, broken])
    found = surprise(cases, numeric(cases))
    assert found[300:].min() > np.quantile(found[:300], 0.97)


def test_a_large_table_is_compared_with_a_sample(monkeypatch):
    cases, metric = mixed(300, gaps=0.02)
    stored = measure_baseline(ExactIndex(cases, metric.kinds), metric, Measure())
    exact = wide_contributions(stored)
    monkeypatch.setattr(within_table, "MOST_WITNESSES", 150)
    sampled = wide_contributions(stored)
    assert np.corrcoef(np.log(exact), np.log(sampled))[0, 1] > 0.9
    monkeypatch.setattr(within_table, "BLOCK", 7)
    np.testing.assert_array_equal(wide_contributions(stored), sampled)


@pytest.mark.parametrize("cases", [np.zeros((4, 2)), np.array([[1.0], [2.0]]), np.ones((1, 3))])
def test_tables_without_correlations_have_none(cases):
    metric = numeric(cases)
    assert correlation_parts(cases, metric, np.ones(len(cases))) is None
    assert np.isfinite(surprise(cases, metric)).all()


def test_huge_and_tiny_numbers_are_finite():
    cases = np.random.default_rng(0).normal(size=(30, 2)) * [1e300, 1e-300]
    parts = correlation_parts(cases, numeric(cases), np.ones(30))
    assert np.isfinite(parts).all()
    assert parts.any()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=9), st.data())
def test_quantiles_and_ranks_of_weights_are_those_of_repeated_values(ranked, data):
    n = len(ranked)
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    values = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)), dtype=float)
    many, order = np.repeat(values, counts), np.repeat(ranked, counts)
    assert lower_quantile(values, counts * 1.0, 0.5) == np.sort(many)[(len(many) + 1) // 2 - 1]
    by_weight = with_ranks_of(values, np.array(ranked), counts * 1.0)
    repeated = with_ranks_of(many, order, np.ones(len(many)))
    np.testing.assert_allclose(np.repeat(by_weight, counts), repeated, atol=1e-12)
    ends = np.sort(many)[[0, -1]]
    assert repeated.sum() == pytest.approx(many.sum())
    assert ends[0] - 1e-12 <= repeated.min() <= repeated.max() <= ends[1] + 1e-12
