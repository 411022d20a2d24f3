"""Answers: Σ influence × outcome, exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.influence.parts import (
    ensemble_of,
    index_of,
    target_of,
    target_of_outcomes,
    usual_metric,
)
from tests.naive import prediction as naive
from tests.strategies import NOMINAL, Table, few_rows, make_metric, tables
from vicinal.index.divide import divide_cases
from vicinal.influence.answer import answer, combine
from vicinal.influence.ensemble import Influences, find_influences
from vicinal.influence.outcomes import class_probabilities, expected_values


@settings(max_examples=60)
@given(table=tables(few_rows, max_columns=4), column=st.integers(0, 3))
def test_answers_are_the_sum_of_influence_times_outcome(table, column):
    column %= table.cases.shape[1]
    values = table.cases[:, column]
    if table.cases.shape[1] < 2 or np.isnan(values).all():
        return
    index, kind = index_of(table), table.metric.kinds[column]
    target = target_of(index, column, kind)
    ensemble = ensemble_of([usual_metric(table, column)], column)
    answered = answer(index, ensemble, target, table.queries)
    found = find_influences(index, ensemble, table.queries, target=target)
    known = values[~np.isnan(values)]
    for q, (indices, shares) in enumerate(zip(found.indices, found.shares, strict=True)):
        outcomes, shares = values[indices[indices >= 0]], shares[indices >= 0]
        if kind == NOMINAL:
            prior = naive.class_probabilities(
                np.full(len(known), 1 / len(known)), known, target.n_classes
            )
            expected = naive.class_probabilities(shares, outcomes, target.n_classes)
            expected = expected + found.background * prior
            np.testing.assert_allclose(answered.probabilities[q], expected, atol=1e-9)
            assert answered.probabilities[q].min() >= 0
            np.testing.assert_allclose(answered.probabilities[q].sum(), 1.0, rtol=1e-9)
            assert answered.values[q] == answered.probabilities[q].argmax()
            assert answered.spread is None
        else:
            expected = naive.expected_value(shares, outcomes) + found.background * known.mean()
            size = np.abs(known).max()
            np.testing.assert_allclose(answered.values[q], expected, rtol=1e-9, atol=1e-9 * size)
            assert np.isfinite(answered.spread[q])
            assert answered.probabilities is None


def test_the_spread_is_the_deviation_of_the_outcome_under_positive_influences():
    rng = np.random.default_rng(0)
    shares, outcomes = rng.dirichlet(np.ones(9), size=4), rng.normal(size=(4, 9))
    mean = expected_values(shares, outcomes)
    square = expected_values(shares, outcomes**2)
    indices = np.arange(36).reshape(4, 9)
    target = replace(target_of_outcomes(outcomes.ravel()), mean=5.0, scale=1.0)
    actual = combine(Influences(indices, shares * 0.8, 0.2), target)
    whole = 0.8 * mean + 0.2 * 5
    variance = 0.8 * square + 0.2 * 25 - whole**2
    np.testing.assert_allclose(actual.values, whole)
    np.testing.assert_allclose(actual.spread, np.sqrt(variance))


@settings(max_examples=40)
@given(
    shares=st.lists(st.floats(-1, 1), min_size=1, max_size=20),
    seed=st.integers(0, 99),
    n_classes=st.integers(1, 5),
)
def test_class_probabilities_equal_the_naive_ones(shares, seed, n_classes):
    codes = np.random.default_rng(seed).integers(0, n_classes, size=len(shares)).astype(float)
    shares = np.array(shares)
    actual = class_probabilities(shares[None], codes[None], n_classes)[0]
    expected = naive.class_probabilities(shares, codes, n_classes)
    np.testing.assert_allclose(actual, expected, atol=1e-12)


@pytest.mark.parametrize("batch", [1, 3, 7])
def test_the_size_of_a_batch_changes_no_bit(batch, monkeypatch):
    rng = np.random.default_rng(1)
    cases = rng.normal(size=(80, 3))
    metric = make_metric(cases, 0, 1.0)
    table = Table(cases, rng.normal(size=(20, 3)), metric, np.full(20, -1))
    index = index_of(table)
    target, ensemble = target_of(index, 0, 0), ensemble_of([usual_metric(table, 0)], 0)
    whole = answer(index, ensemble, target, table.queries)
    # The function has the name of its module, so the module is found by other means.
    monkeypatch.setitem(answer.__globals__, "BATCH", batch)
    parts = answer(index, ensemble, target, table.queries)
    np.testing.assert_array_equal(parts.values, whole.values)
    np.testing.assert_array_equal(parts.spread, whole.spread)


@pytest.mark.parametrize("leave_out", [False, True])
def test_rows_that_ask_the_same_shards_are_predicted_together(leave_out, monkeypatch):
    rng = np.random.default_rng(1)
    cases = rng.normal(size=(80, 3)) + 1000.0 * (np.arange(80) % 4)[:, None]
    table = Table(cases, cases[:20], make_metric(cases, 0, 1.0), np.arange(20))
    index = divide_cases(cases, table.metric.kinds, parts=np.arange(80) % 4)
    target, ensemble = target_of(index_of(table), 0, 0), ensemble_of([table.metric], 0, k=5)
    exclude = np.arange(20) if leave_out else None
    expected = answer(index_of(table), ensemble, target, cases[:20], exclude=exclude)
    monkeypatch.setitem(answer.__globals__, "BATCH", 5)
    asked, run = [], index.shards.run

    def noting(job, tasks):
        asked.append((job, len(tasks)))
        return run(job, tasks)

    index.shards.run = noting
    actual = answer(index, ensemble, target, cases[:20], exclude=exclude)
    np.testing.assert_array_equal(actual.values, expected.values)
    np.testing.assert_array_equal(actual.spread, expected.spread)
    assert [count for job, count in asked if job == "search" and count] == [1] * 4
