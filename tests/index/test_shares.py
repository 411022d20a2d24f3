"""Offsets and shares of several rules in one pass, against each rule alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import NUMERIC, make_metric, tables
from vicinal.index import _native
from vicinal.index.exact import ExactIndex
from vicinal.index.shares import balanced_shares
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
