"""What rivals gain together, against all rows on a grid."""

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
from vicinal.robustness.joint import most_together
from vicinal.robustness.neighborhood import Neighborhood
from vicinal.robustness.perturbation import Box


def bounded(table, metric, row, radius, norm, logs, shares):
    index, whole = ExactIndex(table, metric.kinds), np.append(row, np.nan)
    cases = Candidates.near(index, metric, whole, len(table), target=2)
    ways = np.append(radius * metric.residuals[:2], 0.0)
    box = Box(whole - ways, whole + ways, np.zeros(3, dtype=bool), np.zeros(3), ways)
    units = np.append(metric.residuals[:2], 0.0)
    budget = Budget(radius, units, np.zeros(3), np.arange(3)) if norm == "sum" else None
    near, order = Neighborhood(cases, box, budget), cases.numbers
    return most_together(near, logs[order], shares[order], 0.7)


def largest(table, metric, row, radius, norm, logs, shares):
    rows = twin.changed_rows(np.append(row, np.nan), radius * np.array([0.5, 4.0, 0.0]), 9)
    parts = np.abs(rows[:, :2] - row) / [0.5, 4.0]
    rows = rows[parts.sum(axis=1) <= radius * (1 + 1e-9)] if norm == "sum" else rows
    found = []
    for one in rows:
        excess = (distance(one, table, metric) - SAME) * metric.weights.sum()
        found.append(np.log(np.exp(logs + 0.7 * (shares @ excess - excess)).sum()))
    return max(found)


@given(
    seed=st.integers(0, 10_000),
    radius=st.sampled_from([0.05, 0.4, 2.0]),
    norm=st.sampled_from(["max", "sum"]),
)
@settings(max_examples=25)
def test_no_change_gives_rivals_more_than_the_bound(seed, radius, norm):
    table, metric, row = problem(seed)
    rng = np.random.default_rng(seed)
    logs = np.where(rng.random(len(table)) < 0.5, rng.normal(size=len(table)), -np.inf)
    logs[0], shares = 0.0, rng.dirichlet(np.ones(len(table)))
    bound = bounded(table, metric, row, radius, norm, logs, shares)
    assert bound >= largest(table, metric, row, radius, norm, logs, shares) - 1e-9


@pytest.mark.parametrize("norm", ["max", "sum"])
def test_small_changes_are_bounded_to_first_order(norm):
    table, metric, row = problem(1)
    logs, shares = np.zeros(len(table)), np.full(len(table), 1 / len(table))
    given = table, metric, row
    own = bounded(*given, 0.0, norm, logs, shares)
    assert own == pytest.approx(largest(*given, 0.0, norm, logs, shares))
    for radius in (0.02, 0.04):
        loose = bounded(*given, radius, norm, logs, shares) - own
        true = largest(*given, radius, norm, logs, shares) - own
        assert true <= loose <= true + 6 * radius**2
