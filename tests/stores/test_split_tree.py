"""A tree divides cases into parts of about the same size, and tells where any case belongs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import tables
from vicinal.stores.split_tree import SplitTree


@pytest.mark.parametrize("leaves", [1, 2, 3, 8, 13])
def test_parts_have_about_the_same_size(leaves):
    values = np.random.default_rng(leaves).normal(size=(20_000, 3))
    tree = SplitTree.learn(values, np.ones(3), leaves)
    sizes = np.bincount(tree.route(values), minlength=leaves)
    assert tree.leaves == len(sizes) == leaves
    assert len(tree.splits()[0]) == leaves - 1
    assert sizes.min() > 0.7 * len(values) / leaves


@settings(max_examples=40)
@given(table=tables(), leaves=st.sampled_from([1, 3, 8]))
def test_cases_of_different_parts_lie_on_different_sides_of_a_split(table, leaves):
    tree = SplitTree.learn(table.cases, np.ones(table.cases.shape[1]), leaves)
    found = tree.route(table.cases)
    assert ((found >= 0) & (found < tree.leaves)).all()
    assert tree.leaves <= leaves
    columns, values = tree.splits()
    sides = table.cases[:, columns] > values
    for one, row in zip(found, sides, strict=True):
        others = (sides == row).all(axis=1)
        assert (found[others] == one).all()


def test_columns_that_do_not_count_are_not_split():
    values = np.random.default_rng(0).normal(size=(1000, 2)) * [100.0, 1.0]
    tree = SplitTree.learn(values, np.array([0.0, 1.0]), 4)
    assert set(tree.splits()[0].tolist()) == {1}


def test_a_split_is_where_few_cases_are():
    values = np.concatenate([np.linspace(0, 1, 505), np.linspace(2, 3, 495)])[:, None]
    assert SplitTree.learn(values, np.ones(1), 2).splits()[1] == pytest.approx([1.5])


def test_equal_cases_are_not_divided():
    tree = SplitTree.learn(np.ones((50, 2)), np.ones(2), 4)
    assert tree.leaves == 1
    assert tree.route(np.array([[np.nan, 7.0]])).tolist() == [0]
