"""Influence rules against their naive twins, and the native solver at its limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import prediction as naive
from tests.strategies import (
    CYCLIC,
    NOMINAL,
    NUMERIC,
    few_rows,
    kernels_and_offsets,
    make_metric,
    tables,
)
from vicinal.formulas import SAME
from vicinal.index import _native
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import MOST_DIRECTIONS
from vicinal.index.shares import centered_shares
from vicinal.index.terms import case_offsets
from vicinal.influence.influences import influence_shares, kernel_shares, total_excess

RULES = ["inverse", "probability", "centered", "linear"]
paths = pytest.mark.parametrize("path", _native.paths())
rules = pytest.mark.parametrize("linear", [False, True], ids=["centered", "linear"])


def kernel_of(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


# --- the centered rule -----------------------------------------------------------------------


@settings(max_examples=60)
@given(drawn=kernels_and_offsets(shifts=(0.0, 0.5)), ridge=st.sampled_from([100.0, 3.0, 0.3]))
def test_centered_shares_solve_the_convex_problem(drawn, ridge):
    logits, z = drawn
    actual = centered_shares(logits, z, ridge)
    for a, row, offsets in zip(actual, logits, z, strict=True):
        kernel = kernel_of(row)
        np.testing.assert_allclose(a, naive.centered_shares(kernel, offsets, ridge), atol=1e-5)
        # A gradient of g moves the tilt by g / ridge, and shares by no more than that.
        assert naive.off_balance(a, kernel, offsets, ridge) < max(1e-4 / ridge, 1e-5)


@pytest.mark.parametrize("columns", [2, 24])
def test_the_minimum_is_reached_outside_the_neighbors_too(columns):
    # Certificates rely on it: see `must_arrive` in native/center.hpp.
    rng = np.random.default_rng(columns)
    z = rng.normal(size=(30, 40, columns)) + rng.uniform(0, 6 / columns, (30, 1, 1))
    logits = -5 * rng.random((30, 40))
    actual = centered_shares(logits, z, 0.003)
    for a, row, offsets in zip(actual, logits, z, strict=True):
        expected = naive.centered_shares(kernel_of(row), offsets, 0.003)
        np.testing.assert_allclose(a, expected, atol=2e-3)


@settings(max_examples=60)
@given(drawn=kernels_and_offsets(), ridge=st.sampled_from([1e6, 3.0, 0.03, 1e-6, 1e-12]))
def test_centered_shares_are_positive_and_sum_to_one(drawn, ridge):
    logits, z = drawn
    shares = centered_shares(logits, z, ridge)
    assert np.all(shares >= 0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert np.all(shares[np.isinf(logits)] == 0)


@settings(max_examples=40)
@given(drawn=kernels_and_offsets(shifts=(0.0, 0.5)), ridge=st.sampled_from([3.0, 0.3]))
def test_centring_brings_the_mean_nearer_to_the_query(drawn, ridge):
    logits, z = drawn
    before = np.einsum("mk,mkd->md", kernel_shares(logits), z)
    after = np.einsum("mk,mkd->md", centered_shares(logits, z, ridge), z)
    assert np.all(np.linalg.norm(after, axis=1) <= np.linalg.norm(before, axis=1) + 1e-9)


def test_a_query_inside_its_neighbors_is_balanced_exactly_when_the_ridge_vanishes():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(20, 40, 3))
    shares = centered_shares(np.zeros((20, 40)), z, 1e-9)
    np.testing.assert_allclose(np.einsum("mk,mkd->md", shares, z), 0.0, atol=1e-4)


def test_balance_can_be_checked_by_hand():
    shares = centered_shares(np.zeros((1, 3)), np.array([[[2.0], [2.0], [-1.0]]]), 1e-9)
    np.testing.assert_allclose(shares, [[1 / 6, 1 / 6, 2 / 3]], atol=1e-6)


# --- the linear rule ------------------------------------------------------------------------


@settings(max_examples=60)
@given(drawn=kernels_and_offsets(), ridge=st.sampled_from([100.0, 3.0, 0.3, 0.03, 0.003]))
def test_linear_shares_are_those_of_ridge_local_linear_regression(drawn, ridge):
    logits, z = drawn
    actual = centered_shares(logits, z, ridge, linear=True)
    for a, row, offsets in zip(actual, logits, z, strict=True):
        expected = naive.linear_shares(kernel_of(row), offsets, ridge)
        np.testing.assert_allclose(a, expected, atol=1e-5)
    np.testing.assert_allclose(actual.sum(axis=1), 1.0, rtol=1e-10)


def test_linear_shares_reproduce_a_plane():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(5, 30, 3)) + 1.0
    outcomes = 7.0 + z @ np.array([1.0, -2.0, 0.5])
    shares = centered_shares(np.zeros((5, 30)), z, 1e-9, linear=True)
    np.testing.assert_allclose((shares * outcomes).sum(axis=1), 7.0, atol=1e-5)


# --- both, at their limits ------------------------------------------------------------------


@given(size=st.sampled_from([1e2, 1e6, 1e12]), seed=st.integers(0, 99))
def test_far_outside_its_neighbors_a_query_gets_linear_shares_of_bounded_size(size, seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(3, 20, 4)) + size
    shares = centered_shares(np.zeros((3, 20)), z, 0.003, linear=True)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
    assert np.abs(shares).sum(axis=1).max() < 1 + naive.MOST_TILT + 1e-9


@rules
def test_a_huge_ridge_leaves_the_kernel(linear):
    rng = np.random.default_rng(2)
    logits, z = -rng.exponential(size=(9, 17)), rng.normal(size=(9, 17, 4))
    shares = centered_shares(logits, z, 1e12, linear=linear)
    np.testing.assert_allclose(shares, kernel_shares(logits), rtol=1e-9)


@rules
@paths
def test_a_single_neighbor_has_all_the_influence(linear, path):
    z = np.array([[[3.0, -4.0]]])
    for ridge in (1e-9, 1.0, 1e9):
        shares = centered_shares(np.array([[-5.0]]), z, ridge, linear=linear, path=path)
        np.testing.assert_allclose(shares, 1.0, rtol=1e-12)


@rules
@paths
def test_without_directions_or_offsets_the_kernel_stays(linear, path):
    logits = np.log([[0.5, 0.3, 0.2]])
    for z in (np.empty((1, 3, 0)), np.zeros((1, 3, 2)), np.zeros((1, 3, 4))):
        shares = centered_shares(logits, z, 0.1, linear=linear, path=path)
        np.testing.assert_allclose(shares, [[0.5, 0.3, 0.2]], rtol=1e-13)


@rules
@paths
@pytest.mark.parametrize("size", [1e3, 1e8, 1e150])
@pytest.mark.parametrize("ridge", [1e-9, 1.0, 1e9])
def test_huge_offsets_keep_shares_finite(linear, path, size, ridge):
    rng = np.random.default_rng(3)
    z = rng.normal(size=(4, 12, 3)) * size
    z[:, 5:, 1] += 3 * size
    shares = centered_shares(np.zeros((4, 12)), z, ridge, linear=linear, path=path)
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)


@rules
@paths
def test_absent_neighbors_take_no_part(linear, path):
    rng = np.random.default_rng(4)
    logits, z = -rng.exponential(size=(6, 10)), rng.normal(size=(6, 10, 3))
    absent = np.full((6, 7), -np.inf)
    nonsense = rng.normal(size=(6, 7, 3)) * 1e6
    padded = centered_shares(
        np.hstack([logits, absent]), np.hstack([z, nonsense]), 0.3, linear=linear, path=path
    )
    np.testing.assert_array_equal(padded[:, 10:], 0.0)
    alone = centered_shares(logits, z, 0.3, linear=linear, path=path)
    np.testing.assert_allclose(padded[:, :10], alone, rtol=1e-12)


@pytest.mark.skipif(len(_native.paths()) < 2, reason="one instruction path only")
@settings(max_examples=60)
@given(
    drawn=kernels_and_offsets(max_neighbors=70, max_directions=20),
    ridge=st.sampled_from([1e-12, 0.003, 0.3, 3.0, 1e9]),
    linear=st.booleans(),
)
def test_every_instruction_path_gives_the_same_bits(drawn, ridge, linear):
    answers = [
        centered_shares(*drawn, ridge, linear=linear, path=path) for path in _native.paths()
    ]
    for other in answers[1:]:
        np.testing.assert_array_equal(other, answers[0])


@rules
def test_threads_and_batches_change_no_bit(linear):
    rng = np.random.default_rng(5)
    logits, z = -rng.exponential(size=(150, 60)), rng.normal(size=(150, 60, 7))
    whole = centered_shares(logits, z, 0.03, linear=linear, threads=1)
    threaded = centered_shares(logits, z, 0.03, linear=linear, threads=3)
    np.testing.assert_array_equal(threaded, whole)
    for cut in (1, 31, 149):
        parts = [
            centered_shares(logits[rows], z[rows], 0.03, linear=linear)
            for rows in (slice(cut), slice(cut, None))
        ]
        np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize(
    ("logits", "offsets", "ridge", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 4, 1)), 1.0, "offsets"),
        (np.zeros((2, 3)), np.zeros((1, 3, 1)), 1.0, "offsets"),
        (np.zeros((2, 3)), np.zeros((2, 3, 1)), 0.0, "ridge"),
        (np.zeros((2, 3)), np.zeros((2, 3, 1)), np.nan, "ridge"),
    ],
)
def test_the_kernel_refuses_what_does_not_fit(logits, offsets, ridge, message):
    with pytest.raises(ValueError, match=message):
        centered_shares(logits, offsets, ridge)


# --- from distances and metrics -------------------------------------------------------------


@settings(max_examples=50)
@given(table=tables(few_rows, powers=st.just(1)))
def test_total_excess_is_the_weighted_sum_of_excess_terms(table):
    index = ExactIndex(table.cases, table.metric.kinds)
    found = index.search(table.queries, table.metric, len(table.cases))
    for query, indices, distances in zip(
        table.queries, found.indices, found.distances, strict=True
    ):
        expected = naive.total_excess(query, table.cases[indices], table.metric)
        actual = total_excess(distances, table.metric)
        size = table.metric.weights.sum() * distances.max()
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-13 * size)


@settings(max_examples=50)
@given(table=tables(few_rows))
def test_offsets_equal_the_naive_ones(table):
    index = ExactIndex(table.cases, table.metric.kinds)
    everyone = np.tile(np.arange(len(table.cases)), (len(table.queries), 1))
    actual = case_offsets(index, table.queries, everyone, table.metric)
    for offsets, query in zip(actual, table.queries, strict=True):
        expected = naive.offsets(query, table.cases, table.metric)
        np.testing.assert_allclose(offsets, expected, rtol=1e-9, atol=1e-9)


def test_offsets_by_hand():
    cases = np.array([[5.0, 23.0, 1.0], [np.nan, 1.0, 0.0]])
    metric = make_metric(
        cases, [NUMERIC, CYCLIC, NOMINAL], [2.0, 0.5, 4.0], periods=[0, 24, 0], weights=[1, 4, 9]
    )
    query = np.array([[1.0, 0.0, 0.0]])
    index = ExactIndex(cases, metric.kinds)
    np.testing.assert_allclose(
        case_offsets(index, query, np.array([[0, 1, -1]]), metric)[0],
        [[2.0, -4.0, 6.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]],
    )


def test_only_the_heaviest_directions_are_balanced():
    rng = np.random.default_rng(6)
    cases = rng.normal(size=(5, MOST_DIRECTIONS + 6))
    weights = rng.permutation(np.arange(1.0, cases.shape[1] + 1))
    metric = make_metric(cases, NUMERIC, 1.0, weights=weights)
    heavy = metric.restricted(np.flatnonzero(weights > 6))
    index, everyone = ExactIndex(cases, metric.kinds), np.arange(len(cases))[None]
    np.testing.assert_array_equal(
        case_offsets(index, cases[:1], everyone, metric),
        case_offsets(index, cases[:1], everyone, heavy),
    )


@settings(max_examples=60)
@given(
    table=tables(st.integers(1, 12), powers=st.just(1), max_columns=4, weights=st.just(1.0)),
    rule=st.sampled_from(RULES),
    bandwidth=st.sampled_from([1.0, 0.1]),
    ridge=st.sampled_from([3.0, 0.3, np.inf]),
    weighed=st.booleans(),
)
def test_every_rule_equals_its_naive_twin(table, rule, bandwidth, ridge, weighed):
    # Residuals of usual size: what is measured is the rule, not the range of exp.
    spread = np.nanmax(np.abs(np.vstack([table.cases, np.zeros(table.cases.shape[1])])), axis=0)
    residuals = np.where(table.metric.kinds == NOMINAL, 1.0, np.where(spread > 0, spread, 1.0))
    metric = replace(table.metric, residuals=residuals)
    counts = np.arange(1.0, len(table.cases) + 1) if weighed else None
    for query in table.queries[:3]:
        index = ExactIndex(table.cases, metric.kinds)
        found = index.search(query[None], metric, len(table.cases))
        nearest = table.cases[found.indices[0]]
        reach = found.distances
        actual = influence_shares(
            rule,
            reach if rule == "inverse" else total_excess(reach, metric),
            case_offsets(index, query[None], found.indices, metric),
            bandwidth=bandwidth,
            ridge=ridge,
            counts=None if counts is None else counts[None],
        )[0]
        expected = naive.influences(
            rule, query, nearest, metric, bandwidth=bandwidth, ridge=ridge, counts=counts
        )
        np.testing.assert_allclose(actual, expected, atol=1e-5)
        np.testing.assert_allclose(actual.sum(), 1.0, rtol=1e-9)


def test_equal_cases_share_alike_whatever_the_rule():
    reach = np.full((1, 4), SAME)
    for rule in RULES:
        shares = influence_shares(rule, reach, np.zeros((1, 4, 2)), bandwidth=1.0, ridge=0.3)
        np.testing.assert_allclose(shares, 0.25)
