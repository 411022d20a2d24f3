"""Doubtful neighbors that are settled two by two, against all rows on a grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import robustness as twin
from tests.naive.distance import distance
from tests.robustness.test_share_bounds import problem
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.robustness.budget import Budget
from vicinal.robustness.candidates import Candidates
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.perturbation import Box
from vicinal.robustness.places import find_places, most_in_places
from vicinal.robustness.settled import most_apart, settled


def neighborhood(table, metric, row, radius, norm, k, most=1.0):
    index, whole = ExactIndex(table, metric.kinds), np.append(row, np.nan)
    cases = Candidates.near(index, metric, whole, k, target=2)
    ways = np.append(most * radius * metric.residuals[:2], 0.0)
    box = Box(whole - ways, whole + ways, np.zeros(3, dtype=bool), np.zeros(3), ways)
    units = np.append(metric.residuals[:2], 0.0)
    budget = Budget(radius, units, np.zeros(3), np.arange(3), most) if norm == "sum" else None
    return Neighborhood(cases, box, budget), cases.numbers


def changed(metric, row, radius, norm, most=1.0, steps=9):
    """Rows on a grid within a radius."""
    ways = np.append(most * radius * metric.residuals[:2], 0.0)
    rows = twin.changed_rows(np.append(row, np.nan), ways, steps)
    costs = np.abs(rows[:, :2] - row) / metric.residuals[:2]
    return rows[costs.sum(axis=1) <= radius * (1 + 1e-9)] if norm == "sum" else rows


problems = given(
    seed=st.integers(0, 10_000),
    radius=st.sampled_from([0.02, 0.1, 0.4, 1.5]),
    norm=st.sampled_from(["max", "sum"]),
    most=st.sampled_from([1.0, 0.7, 0.5]),
    gaps=st.sampled_from([0.0, 0.2]),
)


@problems
@settings(max_examples=30)
def test_no_change_moves_two_cases_farther_apart_than_the_bound(seed, radius, norm, most, gaps):
    most = most if norm == "sum" else 1.0
    table, metric, row = problem(seed, n=10, gaps=gaps)
    near, order = neighborhood(table, metric, row, radius, norm, 4, most)
    bound = most_apart(near)
    for one in changed(metric, row, radius, norm, most):
        excess = (distance(one, table[order], metric) - SAME) * metric.weights.sum()
        assert (excess[:, None] - excess <= bound + 1e-9).all()


@problems
@settings(max_examples=40)
def test_settled_cases_are_neighbors_of_all_changed_rows_or_of_none(
    seed, radius, norm, most, gaps
):
    most, k = most if norm == "sum" else 1.0, 5
    table, metric, row = problem(seed, n=20, gaps=gaps)
    near, order = neighborhood(table, metric, row, radius, norm, k, most)
    before = find_places(near)
    places = settled(near, before)
    assert (places.certain >= before.certain).all()
    assert (places.possible <= before.possible).all()
    assert places.left == pytest.approx(max(k - places.certain.sum(), 0))
    for one in changed(metric, row, radius, norm, most):
        nearest = np.argsort(distance(one, table[order], metric), kind="stable")[:k]
        there = np.isin(np.arange(len(order)), nearest)
        assert there[places.certain].all()
        assert places.possible[there].all()


def test_cases_on_the_same_side_do_not_change_places():
    """Distances of each group grow alike, so that only its nearest cases are ever neighbors."""
    _, metric, _ = problem(0)
    apart = 40.0 + 0.2 * np.arange(30)
    table = np.column_stack([np.append(apart, -apart), np.zeros(60), np.zeros(60)])
    near, _ = neighborhood(table, metric, np.array([0.01, 0.0]), 3.0, "max", 5)
    before = find_places(near)
    assert before.possible.sum() > 20
    assert 10 <= settled(near, before).possible.sum() <= 12


def test_no_more_cases_count_than_there_are_places():
    weights, masses = np.array([3.0, 1.0, 2.0]), np.ones(3)
    assert most_in_places(weights, masses, 1.0) == pytest.approx(3.0, rel=1e-5)
    assert most_in_places(weights, masses, 2.5) == pytest.approx(5.5, rel=1e-5)
    assert most_in_places(weights, masses, 9.0) == pytest.approx(6.0, rel=1e-5)
