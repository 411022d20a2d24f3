"""Offsets and shares of several rules in one pass, against each rule alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import NUMERIC, kernels_and_offsets, make_metric, tables
from vicinal.index import _native
from vicinal.index.exact import ExactIndex
from vicinal.index.shares import balanced_shares, centered_shares, path_means
from vicinal.index.terms import case_offsets
from vicinal.influence.influences import influence_shares, total_excess


@settings(max_examples=40)
@given(
    table=tables(),
    k=st.integers(1, 12),
    asked=st.lists(
        st.tuples(
            st.sampled_from(["centered", "linear"]),
            st.sampled_from([0.1, 1.0]),
            st.sampled_from([3.0, 0.5, 0.3, 0.03]),
        ),
        min_size=1,
        max_size=6,
    ),
    weighted=st.booleans(),
)
def test_shares_of_several_rules_at_once_have_the_bits_of_each_alone(table, k, asked, weighted):
    index = ExactIndex(table.cases, table.metric.kinds)
    found = index.search(table.queries, table.metric, k)
    there = found.indices >= 0
    excess = np.where(there, total_excess(found.distances, table.metric), np.inf)
    counts = np.where(there, 1.0 + np.arange(k), 0.0) if weighted else None
    offsets = case_offsets(index, table.queries, found.indices, table.metric)
    arguments = (index, table.queries, found.indices, table.metric, excess, counts, asked)
    for path in _native.paths():
        actual = balanced_shares(*arguments, path=path)
        for one, (rule, bandwidth, ridge) in zip(actual, asked, strict=True):
            expected = influence_shares(
                rule, excess, offsets, bandwidth=bandwidth, ridge=ridge, counts=counts
            )
            np.testing.assert_array_equal(one, expected)


def test_rules_without_balance_are_refused():
    cases, kinds = np.array([[0.0], [1.0]]), np.array([NUMERIC], dtype=np.uint8)
    index, metric = ExactIndex(cases, kinds), make_metric(cases, kinds, 1.0)
    near = np.zeros((1, 1), dtype=np.int64)
    with pytest.raises(ValueError, match="only two rules balance"):
        balanced_shares(
            *(index, np.zeros((1, 1)), near, metric, np.zeros((1, 1)), None),
            [("probability", 1.0, 1.0)],
        )


@settings(max_examples=60)
@given(drawn=kernels_and_offsets(max_neighbors=70, max_directions=30), linear=st.booleans())
def test_a_path_of_ridges_gives_the_shares_of_each(drawn, linear):
    logits, z = drawn
    ridges = (3.0, 0.3, 0.03, 0.003)
    for path in _native.paths():
        found = _path_shares(logits, z, ridges, scale=0.5, linear=linear, path=path)
        one_by_one = [
            centered_shares(logits, z * 0.5, r, linear=linear, path=path) for r in ridges
        ]
        np.testing.assert_array_equal(found, np.stack(one_by_one))


def _path_shares(logits, z, ridges, **given):
    """Return the shares of each neighbor: if all outcomes differ, these are the class shares."""
    k = logits.shape[1]
    own = np.broadcast_to(np.arange(k, dtype=np.float64), logits.shape)
    return path_means(logits, z, ridges, own, k, **given)


@pytest.mark.parametrize("directions", [1, 5, 30])
def test_rough_shares_are_near_the_exact_ones(directions):
    # What the tuning sees must be about what a prediction gives.
    rng = np.random.default_rng(directions)
    logits = -rng.exponential(size=(40, 60))
    z = rng.normal(rng.normal(scale=0.5, size=(40, 1, directions)), size=(40, 60, directions))
    ridges = (3.0, 0.3, 0.1)
    exact = _path_shares(logits, z, ridges)
    answers = [_path_shares(logits, z, ridges, rough=True, path=p) for p in _native.paths()]
    for rough in answers:
        np.testing.assert_array_equal(rough, answers[0])
        np.testing.assert_allclose(rough.sum(axis=2), 1.0)
        off = np.abs(rough - exact).sum(axis=2) / 2
        assert off.max() < 0.02
        assert off.mean() < 0.002


@given(drawn=kernels_and_offsets(max_neighbors=12, max_directions=3), linear=st.booleans())
def test_means_along_a_path_are_those_of_its_shares(drawn, linear):
    logits, z = drawn
    ridges, numbers = (3.0, 0.3), np.cos(np.arange(logits.size).reshape(logits.shape))
    shares = _path_shares(logits, z, ridges, linear=linear)
    means = path_means(logits, z, ridges, numbers, 0, linear=linear)
    np.testing.assert_allclose(means[:, :, 0], (shares * numbers).sum(axis=2), rtol=0, atol=1e-12)
    codes = (numbers > 0).astype(np.float64)
    classes = path_means(logits, z, ridges, codes, 2, linear=linear)
    np.testing.assert_allclose(classes[:, :, 1], (shares * codes).sum(axis=2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ridges", [(), (0.3, 3.0), (0.3, 0.3), (0.3, 0.0), (np.nan,)])
def test_ridges_of_a_path_must_be_positive_and_fall(ridges):
    with pytest.raises(ValueError, match="ridge"):
        path_means(np.zeros((1, 2)), np.zeros((1, 2, 1)), ridges, np.zeros((1, 2)), 0)
