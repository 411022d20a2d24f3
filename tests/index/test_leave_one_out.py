"""The leave-one-out sweep predicts what the reference predicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import distance as naive
from tests.strategies import POWERS, any_column, even, few_rows, make_metric, tables
from vicinal.index._native import paths
from vicinal.index.leave_one_out import predict_each_feature

#: Case weights are drawn from one of these lists.
whole = st.sampled_from([None, [1.0], [0.0, 1, 2], [3.0, 1]])
fractional = st.sampled_from([[0.25, 0.5], [0.5, 2.5], [0.0, 0.1, 1, 7.5]])


def sweep(cases, metric, queries, k, **options):
    return predict_each_feature(cases.T, metric, np.asarray(queries), k, **options)


#: Terms are worked out in single precision. Where the k-th place hangs by a smaller share of its
#: key than this, either case may take it.
SLACK = 1e-5


def assert_same_predictions(actual, expected, cases, metric):
    """Compare in units of each column; a circle's values are compared round the circle."""
    predictions, close = expected
    spread = np.nanmax(np.abs(cases), axis=0, initial=1e-300)
    for i, kind in enumerate(metric.kinds):
        got, wanted = actual[~close[:, i], i], predictions[~close[:, i], i]
        if kind == naive.CYCLIC:
            # Where directions cancel there is no mean, and rounding decides what comes out.
            certain = ~np.isnan(wanted)
            gap = naive.cyclic_gap(got[certain], wanted[certain], metric.periods[i])
            assert np.all(gap <= 1e-2 * metric.periods[i])
        else:
            unit = 1.0 if kind == naive.NOMINAL else spread[i]
            np.testing.assert_allclose(got / unit, wanted / unit, rtol=1e-5, atol=1e-5)


def check_sweep(table, k, choices, seed):
    cases, _, metric, _ = table
    rng = np.random.default_rng(seed)
    weights = None if choices is None else rng.choice(choices, size=len(cases))
    queries = rng.permutation(len(cases))[:12]
    actual = sweep(cases, metric, queries, k, weights=weights)
    expected = naive.leave_one_out(cases, metric, k, weights, queries, SLACK)
    assert_same_predictions(actual, expected, cases, metric)


@pytest.mark.parametrize("p", POWERS)
@settings(max_examples=25)
@given(data=st.data(), k=st.integers(1, 12), choices=whole, seed=st.integers(0, 99))
def test_the_sweep_predicts_what_the_reference_predicts(p, data, k, choices, seed):
    table = data.draw(tables(few_rows, st.just(p), max_columns=5, weights=even))
    check_sweep(table, k, choices, seed)


@settings(max_examples=40)
@given(
    table=tables(few_rows, max_columns=5, weights=even),
    k=st.integers(1, 12),
    choices=fractional,
    seed=st.integers(0, 99),
)
def test_light_cases_share_the_k_places_in_parts(table, k, choices, seed):
    check_sweep(table, k, choices, seed)


@settings(max_examples=25)
@given(
    table=tables(few_rows | st.just(1300), weights=even),
    k=st.integers(1, 20),
    choices=whole | fractional,
)
def test_predictions_are_the_same_bits_for_any_threads_path_and_batches(table, k, choices):
    cases, _, metric, _ = table
    weights = None if choices is None else np.resize(choices, len(cases))
    queries = np.arange(min(len(cases), 20))
    expected = sweep(cases, metric, queries, k, weights=weights, threads=1)
    for threads in (1, 2, 3, 5):
        for path in paths():
            way = {"threads": threads, "path": path}
            actual = sweep(cases, metric, queries, k, weights=weights, **way)
            np.testing.assert_array_equal(actual, expected, err_msg=str(way))
    singly = [sweep(cases, metric, [q], k, weights=weights) for q in queries]
    np.testing.assert_array_equal(np.vstack(singly), expected)


@pytest.mark.parametrize("p", [0, 1, 2])
def test_the_sweep_of_a_larger_table_is_that_of_the_reference(p):
    rng = np.random.default_rng(8)
    n, kinds = 1700, np.array([0, 0, 0, 1, 2, 2])
    hidden = rng.normal(size=n)
    cases = np.column_stack(
        [
            hidden + rng.normal(size=n) * 0.3,
            np.exp(hidden + rng.normal(size=n) * 0.3),
            np.round(3 * hidden + rng.normal(size=n)),
            (12 + 4 * hidden + rng.normal(size=n)) % 24,
            np.digitize(hidden + rng.normal(size=n) * 0.4, [-1, 0, 1]),
            rng.integers(0, 3, size=n),
        ]
    )
    cases[rng.random(cases.shape) < 0.03] = np.nan
    metric = make_metric(
        cases,
        kinds,
        [0.3, 0.5, 1.0, 1.5, 1.2, 0.4],
        p=p,
        periods=np.where(kinds == naive.CYCLIC, 24.0, 0.0),
        weights=[1, 2, 1, 0.5, 1, 1],
    )
    queries = np.arange(0, n, 60)
    expected = naive.leave_one_out(cases, metric, 13, None, queries, SLACK)
    assert_same_predictions(sweep(cases, metric, queries, 13), expected, cases, metric)


@settings(max_examples=30)
@given(table=tables(st.integers(2, 12), weights=even), k=st.integers(1, 15), data=st.data())
def test_an_integer_case_weight_is_a_repeated_case(table, k, data):
    cases, _, metric, _ = table
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(cases), max_size=12)))
    counts = np.resize(counts, len(cases))
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    repeated = np.repeat(cases, counts, axis=0)
    expected = sweep(repeated, metric, first, k)
    actual = sweep(cases, metric, np.arange(len(cases)), k, weights=counts.astype(float))
    numeric = np.flatnonzero(metric.kinds != naive.CYCLIC)
    scale = np.nanmax(np.abs(cases), axis=0, initial=1e-300)[numeric]
    np.testing.assert_allclose(
        actual[:, numeric] / scale, expected[:, numeric] / scale, rtol=1e-9, atol=1e-10
    )


@settings(max_examples=20)
@given(table=tables(st.integers(1, 12), columns=any_column, max_columns=1), k=st.integers(1, 3))
def test_a_feature_alone_is_predicted_from_all_other_cases(table, k):
    cases, _, metric, _ = table
    actual = sweep(cases, metric, np.arange(len(cases)), k)
    expected = naive.leave_one_out(cases, metric, len(cases), slack=SLACK)
    assert_same_predictions(actual, expected, cases, metric)


def alike(d):
    """Columns that say almost the same, so that each can be told from the others."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(200, 1)) + 0.1 * rng.normal(size=(200, d))


@pytest.mark.parametrize("p", [0, 1, 4, 8, 30])
def test_any_power_tells_near_from_far(p):
    cases = alike(10)
    metric = make_metric(cases, naive.NUMERIC, 0.1, p=p)
    actual = sweep(cases, metric, np.arange(len(cases)), 5)
    assert np.abs(actual - cases).mean() < 0.2


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3.7])
def test_uneven_weights_tell_near_from_far(p):
    cases = alike(3)
    metric = make_metric(cases, naive.NUMERIC, 0.1, p=p, weights=[1.0, 1e-6, 1e-6])
    actual = sweep(cases, metric, np.arange(len(cases)), 5)
    assert np.abs(actual - cases).mean() < 0.2


@pytest.mark.parametrize("p", POWERS)
def test_a_prediction_is_not_lost_to_very_uneven_weights(p):
    cases = alike(3)
    metric = make_metric(cases, naive.NUMERIC, 0.1, p=p, weights=[1.0, 1e-9, 1e-9])
    assert np.isfinite(sweep(cases, metric, np.arange(len(cases)), 5)).all()


def naive_by_distance(cases, metric, k, queries, weights):
    """The twin without integers: nearest cases by distance, with the largest term factored out."""
    found = np.full((len(queries), cases.shape[1]), np.nan)
    for at, q in enumerate(queries):
        left = weights.copy()
        left[q] -= 1
        for i in np.flatnonzero(~np.isnan(cases[q])):
            others = [j for j in range(cases.shape[1]) if j != i]
            asked = np.flatnonzero((left > 0) & ~np.isnan(cases[:, i]))
            parts = naive.terms(cases[q], cases[asked], metric)[:, others]
            largest = parts.max(axis=1)
            shares = metric.weights[others] / metric.weights[others].sum()
            means = ((parts / largest[:, None]) ** metric.p * shares).sum(axis=1)
            far = largest * means ** (1 / metric.p)
            influence = naive.influences(far, left[asked], k, 1)
            found[at, i] = naive.predict(cases[asked, i], influence, cases[q, i], i, metric)
    return found


@pytest.mark.parametrize("p", [5.0, 25.0, 60.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_large_powers_predict_by_the_nearest_cases(p, weighted):
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=60)
    cases = np.column_stack(
        [
            hidden,
            np.exp(3 * hidden) + rng.normal(size=60),
            (12 + 4 * hidden + rng.normal(size=60)) % 24,
            np.digitize(hidden, [-1, 0, 1]),
        ]
    )
    cases[rng.random(cases.shape) < 0.05] = np.nan
    kinds = np.array([0, 0, 1, 2])
    periods = np.where(kinds == naive.CYCLIC, 24.0, 0.0)
    metric = make_metric(cases, kinds, [0.3, 0.5, 1.5, 1.2], p=p, periods=periods)
    weights = rng.integers(1, 3, 60).astype(float) if weighted else np.ones(60)
    queries = np.arange(0, 60, 7)
    actual = sweep(cases, metric, queries, 5, weights=weights if weighted else None)
    expected = naive_by_distance(cases, metric, 5, queries, weights)
    np.testing.assert_allclose(actual, expected, rtol=1e-7)


def test_a_feature_alone_has_all_other_cases_for_large_powers():
    cases = np.arange(8.0)[:, None] ** 2
    metric = make_metric(cases, [0], [1.0], p=50.0)
    expected = (cases.sum() - cases[:, 0]) / 7
    np.testing.assert_allclose(sweep(cases, metric, np.arange(8), 3)[:, 0], expected)
