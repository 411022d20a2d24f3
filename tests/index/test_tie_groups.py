"""A few of many ties stand for all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.index.tie_groups import represent


def group_of(seed, n, most, *, heavy=False):
    rng = np.random.default_rng(seed)
    cases = np.column_stack([rng.integers(0, 3, size=n), rng.integers(0, 4, size=n)]).astype(float)
    weights = rng.choice([0.5, 1.0, 3.0], size=n) if heavy else None
    metric = make_metric(cases, [NUMERIC, NOMINAL], 1.0, weights=[1.0, 0.0])
    index = ExactIndex(cases, metric.kinds, weights)
    units = np.ones(n) if weights is None else weights
    return cases, units, represent(index, rng.permutation(n), metric, 1, most)


@settings(max_examples=60)
@given(seed=st.integers(0, 99), n=st.integers(1, 80), most=st.integers(1, 60), heavy=st.booleans())
def test_representatives_carry_all_weight_and_keep_the_outcomes(seed, n, most, heavy):
    cases, units, group = group_of(seed, n, most, heavy=heavy)
    assert len(group.indices) <= most
    assert len(np.unique(group.indices)) == len(group.indices)
    np.testing.assert_allclose(group.masses.sum(), units.sum())
    np.testing.assert_allclose(group.cases.sum(), n)
    for outcome in range(4):
        actual = group.masses[cases[group.indices, 1] == outcome].sum()
        expected = units[cases[:, 1] == outcome].sum()
        # Each part of the weight is that of one outcome, but for those at the borders.
        slack = units.sum() / most if group.sampled else 1e-9
        assert abs(actual - expected) <= slack + 1e-9
    if not group.sampled:
        np.testing.assert_array_equal(cases[group.indices[group.which]], cases[group.members])


@settings(max_examples=60)
@given(seed=st.integers(0, 99), n=st.integers(1, 60), most=st.integers(1, 60), heavy=st.booleans())
def test_a_case_left_out_loses_one_unit_and_is_not_named(seed, n, most, heavy):
    _, units, group = group_of(seed, n, most, heavy=heavy)
    own = np.array([-1, 0, n - 1, n + 7])
    indices, masses, cases = group.without(own)
    for row, number in enumerate(own):
        there = 0 <= number < n
        left = units.sum() - (min(units[number], 1.0) if there else 0.0)
        if not group.sampled:
            np.testing.assert_allclose(masses[row].sum(), left, atol=1e-9)
            np.testing.assert_allclose(
                cases[row].sum(), n - (there and units[number] <= 1), atol=1e-9
            )
        if there and units[number] <= 1 and n > 1 and not group.sampled:
            assert number not in indices[row]
        members, parts = group.members_without(own, masses)
        if not group.sampled:
            of_each = np.bincount(group.which, parts[row], len(group.indices))
            np.testing.assert_allclose(of_each, masses[row] > 0)
            assert ((members[row] >= 0) == (parts[row] > 0)).all()


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(1)
    cases = rng.normal(size=(500, 2))
    metric = make_metric(cases, NUMERIC, 1.0, weights=[1.0, 0.0])
    order = rng.permutation(500)
    one = represent(ExactIndex(cases, metric.kinds), np.arange(500), metric, 1, 50)
    other = represent(ExactIndex(cases[order], metric.kinds), np.arange(500), metric, 1, 50)
    np.testing.assert_array_equal(cases[one.indices], cases[order][other.indices])
    np.testing.assert_array_equal(one.masses, other.masses)
