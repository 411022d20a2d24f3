"""Influences of several metrics and rules together."""

from __future__ import annotations

import gc
import pickle
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.influence.parts import RULES, ensemble_of, index_of, target_of, usual_metric
from tests.naive import prediction as naive
from tests.strategies import NUMERIC, few_rows, make_metric, tables
from vicinal.index.exact import ExactIndex
from vicinal.influence.answer import combine
from vicinal.influence.ensemble import Ensemble, find_influences

small = tables(st.integers(1, 14), max_columns=4, powers=st.just(1))

#: Newton's method ends after twelve steps, or where the objective would fall by less than 1e-10.
#: Where offsets are large and the ridge is small, shares are then right to three digits.
SOLVED = 1e-3


def known(table, column=0):
    return ~np.isnan(table.cases[:, column])


@settings(max_examples=60)
@given(table=tables(few_rows, max_columns=5), column=st.integers(0, 4), seed=st.integers(0, 99))
def test_influences_and_the_background_sum_to_one(table, column, seed):
    column %= table.cases.shape[1]
    if not known(table, column).any():
        return
    metric = usual_metric(table, column)
    noise = np.random.default_rng(seed).random(len(metric.weights))
    other = metric.with_weights(metric.weights * noise)
    if not len(other.active):
        return
    index = index_of(table)
    ensemble = ensemble_of([metric, other], column)
    for target in (None, target_of(index, column, table.metric.kinds[column])):
        found = find_influences(index, ensemble, table.queries, target=target)
        total = found.shares.sum(axis=1) + found.background
        np.testing.assert_allclose(total, 1.0, rtol=1e-9)
        assert np.all(found.shares[found.indices < 0] == 0)
        assert not np.isnan(table.cases[found.indices[found.indices >= 0], column]).any()


@settings(max_examples=20)
@given(table=small, k=st.integers(1, 9))
def test_a_space_may_search_for_more_neighbors_than_others(table, k):
    if table.cases.shape[1] < 2 or not known(table).any():
        return
    index, metric = index_of(table), usual_metric(table, 0)
    both = ensemble_of([metric, metric], 0, rules=("probability",), k=2)
    first, second = both.spaces
    mixed = replace(both, spaces=(first, replace(second, k=k)))
    found = find_influences(index, mixed, table.queries)
    actual = dense(found, len(table.cases))
    expected = np.zeros_like(actual)
    for member, most in zip(both.members, (2, k), strict=True):
        alone = replace(both, spaces=(first,), members=(replace(member, space=0),), k=most)
        expected += dense(find_influences(index, alone, table.queries), len(table.cases))
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def dense(found, n):
    """The influence of every case on every query."""
    shares = np.zeros((len(found.indices), n))
    for query, indices, row in zip(range(len(shares)), found.indices, found.shares, strict=True):
        np.add.at(shares[query], indices[indices >= 0], row[indices >= 0])
    return shares


@settings(max_examples=40)
@given(table=small)
def test_influences_are_the_shared_sum_of_the_naive_ones(table):
    if table.cases.shape[1] < 2 or not known(table).any():
        return
    metric = usual_metric(table, 0)
    ensemble = ensemble_of([metric], 0)
    rows = np.flatnonzero(known(table))
    found = find_influences(index_of(table), ensemble, table.queries)
    # The last query is far from everything, where solvers differ by more than rounding.
    for query, indices, shares in zip(
        table.queries[:-1], found.indices[:-1], found.shares[:-1], strict=True
    ):
        expected = sum(
            member.share
            * naive.influences(
                member.rule,
                query,
                table.cases[rows],
                metric,
                bandwidth=member.bandwidth,
                ridge=member.ridge,
            )
            for member in ensemble.members
        )
        actual = np.zeros(len(table.cases))
        actual[indices[indices >= 0]] = shares[indices >= 0]
        np.testing.assert_allclose(actual[rows], expected, atol=SOLVED)
        np.testing.assert_array_equal(actual[~known(table)], 0.0)


@settings(max_examples=40)
@given(table=small, seed=st.integers(0, 99))
def test_integer_weights_equal_repeated_rows(table, seed):
    if table.cases.shape[1] < 2 or not known(table).any():
        return
    weights = np.random.default_rng(seed).integers(1, 4, size=len(table.cases))
    metric = usual_metric(table, 0)
    repeated = np.repeat(np.arange(len(table.cases)), weights)
    for k in (3, 60):
        ensemble = ensemble_of([metric], 0, k=k)
        weighed = index_of(table, weights.astype(float))
        many = ExactIndex(table.cases[repeated], metric.kinds)
        first = np.searchsorted(repeated, np.maximum(table.exclude, 0))
        exclude = np.where(table.exclude >= 0, first, -1)
        # A case may be left out only if others that have the target remain.
        left = weights[known(table)].sum() > 1
        a = find_influences(
            weighed, ensemble, table.queries, exclude=table.exclude if left else None
        )
        b = find_influences(many, ensemble, table.queries, exclude=exclude if left else None)
        n = len(table.cases)
        actual, expected = np.zeros((len(table.queries), n)), np.zeros((len(table.queries), n))
        for q in range(len(table.queries)):
            np.add.at(actual[q], a.indices[q][a.indices[q] >= 0], a.shares[q][a.indices[q] >= 0])
            twins = repeated[b.indices[q][b.indices[q] >= 0]]
            np.add.at(expected[q], twins, b.shares[q][b.indices[q] >= 0])
        np.testing.assert_allclose(actual, expected, atol=SOLVED)  # the solver stops at some point
        np.testing.assert_allclose(actual.sum(axis=1), expected.sum(axis=1), atol=1e-9)


@settings(max_examples=30)
@given(table=tables(few_rows, max_columns=5))
def test_batches_and_threads_change_no_bit(table):
    if table.cases.shape[1] < 2 or not known(table).any():
        return
    index, ensemble = index_of(table), ensemble_of([usual_metric(table, 0)], 0)
    target = target_of(index, 0, table.metric.kinds[0])
    whole = find_influences(index, ensemble, table.queries, target=target, threads=1)
    threaded = find_influences(index, ensemble, table.queries, target=target, threads=3)
    np.testing.assert_array_equal(threaded.shares, whole.shares)
    for at, query in enumerate(table.queries):
        alone = find_influences(index, ensemble, query[None], target=target)
        width = alone.indices.shape[1]
        np.testing.assert_array_equal(alone.indices[0], whole.indices[at, :width])
        np.testing.assert_array_equal(alone.shares[0], whole.shares[at, :width])
        assert (whole.indices[at, width:] == -1).all(), "other queries have more ties"


def line(n=40):
    """One feature and two classes, between which a steep linear rule overshoots."""
    x = np.linspace(0, 1, n)
    return np.column_stack([(x > 0.9).astype(float), x])


def test_negative_influences_are_held_back_as_little_as_needed():
    cases = line()
    metric = make_metric(cases, [2, 0], [1.0, 0.05], weights=[0.0, 1.0])
    index = ExactIndex(cases, metric.kinds)
    target = target_of(index, 0, 2)
    ensemble = ensemble_of([metric], 0, rules=("linear",), background=1e-3)
    ensemble = replace(ensemble, members=(replace(ensemble.members[0], bandwidth=0.01),))
    queries = np.column_stack([np.zeros(3), [-0.5, 0.2, 1.6]])
    free = find_influences(index, ensemble, queries)
    bold = combine(free, replace(target, shares=target.shares))
    held = find_influences(index, ensemble, queries, target=target)
    assert (bold.probabilities.sum(axis=1) > 1 + 1e-6).any(), "nothing overshot"
    answered = combine(held, target)
    np.testing.assert_allclose(answered.probabilities.sum(axis=1), 1.0, rtol=1e-9)
    assert answered.probabilities.min() >= 0
    np.testing.assert_allclose(held.shares.sum(axis=1) + held.background, 1.0, rtol=1e-9)
    fine = bold.probabilities.sum(axis=1) < 1 + 1e-9
    np.testing.assert_array_equal(held.shares[fine], free.shares[fine])


def test_without_members_all_cases_answer_alike():
    cases = line()
    index = ExactIndex(cases, np.array([2, 0], dtype=np.uint8))
    found = find_influences(index, Ensemble(1, (), (), 1, 1.0), cases[:3])
    assert found.indices.shape == (3, 0)
    answered = combine(found, target_of(index, 1, NUMERIC))
    np.testing.assert_allclose(answered.values, cases[:, 1].mean())


@pytest.mark.parametrize("n", [0, 1])
def test_no_rows_give_no_influences(n):
    cases = line()
    metric = make_metric(cases, [2, 0], 1.0, weights=[0.0, 1.0])
    index = ExactIndex(cases, metric.kinds)
    found = find_influences(index, ensemble_of([metric], 0, k=5), cases[:n])
    assert found.indices.shape == found.shares.shape == (n, 5)


@pytest.mark.parametrize("step", [1.0, 40.0])  # the second lets many cases tie
def test_neighbors_do_not_keep_the_index_in_memory(step):
    rng = np.random.default_rng(0)
    values = np.floor(rng.normal(size=(300, 3)) * 40 / step)
    metric = make_metric(values, np.full(3, NUMERIC, dtype=np.uint8), 1.0)
    index = ExactIndex(values, metric.kinds)
    ensemble, kept = ensemble_of([metric.restricted(np.array([1, 2]))], 0), weakref.ref(index)
    gc.disable()
    try:
        find_influences(index, ensemble, values[:9])
        del index
        assert kept() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("rules", [RULES, ("linear",), ("centered", "linear"), ("inverse",)])
@pytest.mark.parametrize("classes", [False, True])
def test_few_queries_get_the_influences_of_many(rules, classes):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(500, 4))
    values[:, 3] = np.round(values[:, 3] ** 2) if classes else values[:, 3]
    values[400:450] = values[:50]  # some queries have ties
    kinds = np.array([0, 0, 0, 2 if classes else 0], dtype=np.uint8)
    index = ExactIndex(values, kinds)
    metrics = [
        make_metric(values, kinds, 0.5, weights=weights)
        for weights in ([1.0, 2.0, 0.5, 0.0], [0.0, 1.0, 3.0, 0.0])
    ]
    ensemble = ensemble_of(metrics, 3, rules=rules, k=12)
    target = target_of(index, 3, kinds[3])
    queries = np.concatenate([rng.normal(size=(20, 4)), values[:10] + 0.001])
    together = combine(
        find_influences(index, ensemble, queries, target=target, listed=False), target
    )
    for at in range(len(queries)):
        one = find_influences(index, ensemble, queries[[at]], target=target, listed=False)
        alone = combine(one, target)
        np.testing.assert_array_equal(alone.values, together.values[[at]])
        if classes:
            np.testing.assert_array_equal(alone.probabilities, together.probabilities[[at]])


def test_an_ensemble_that_has_predicted_is_pickled():
    values = np.random.default_rng(4).normal(size=(100, 2))
    index = ExactIndex(values, np.zeros(2, dtype=np.uint8))
    metric = make_metric(values, np.zeros(2, dtype=np.uint8), 0.5, weights=[1.0, 0.0])
    ensemble = ensemble_of([metric], 1, k=9)
    first = find_influences(index, ensemble, values[:1] + 0.1, listed=False)
    again = find_influences(
        index, pickle.loads(pickle.dumps(ensemble)), values[:1] + 0.1, listed=False
    )
    np.testing.assert_array_equal(first.shares, again.shares)
