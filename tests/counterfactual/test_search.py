"""The search in wide tables: changes are undone in blocks, and few rows are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.counterfactual.candidates import Candidates, find_candidates
from vicinal.counterfactual.search import Search
from vicinal.prediction.heaviest import ONE_BY_ONE


class LinearOracle:
    """Predicts the sum of some columns by their effects, and counts the rows that it is asked."""

    def __init__(self, effects, goal):
        self.effects, self.goal, self.n_asked = effects, goal, 0

    def ask(self, rows):
        self.n_asked += len(rows)
        scores = rows @ self.effects - self.goal
        return scores >= 0, scores

    def guess(self, rows):
        return self.ask(rows)[1]

    def effort(self, row, values):
        return np.abs(values - row)

    def observed(self, column):
        return np.array([0.0, 1.0])


class Free:
    """No constraints: the row may adopt any value."""

    def between(self, column, value, observed):
        return np.empty(0)


def searched(oracle, values, tried):
    d = values.shape[1]
    candidates = Candidates(
        own=np.zeros(d),
        cases=np.arange(len(values)),
        values=values,
        forced=np.empty(0, dtype=np.intp),
        spread=((),) * d,
        tried=frozenset(tried),
    )
    return Search(oracle, Free(), candidates).run(1)


@pytest.mark.parametrize("d", [100, 400, 1500])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_many_changes_cannot_be_undone(d, seed):
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=d) * (rng.random(d) < 0.2)
    values = rng.random((5, d)) + 0.5
    goal = 0.7 * np.maximum(values * effects, 0).sum(axis=1).min()
    values[:, effects < 0] = np.nan  # so that every case meets the goal
    oracle = LinearOracle(effects, goal)
    [change] = searched(oracle, values, range(ONE_BY_ONE))
    assert change.row @ effects >= goal
    assert set(np.flatnonzero(change.row)) == set(change.columns)
    for column in change.columns:
        assert change.row @ effects - change.row[column] * effects[column] < goal
    # One by one, each of four candidates would take d² / 2 of them.
    assert d < 400 or oracle.n_asked < 12_000


def test_only_the_heaviest_of_many_columns_are_changed_one_by_one():
    d, rng = 300, np.random.default_rng(0)
    weights = rng.random(d)

    class Index:
        def rows(self, numbers):
            return rng.random((len(numbers), d))

    class Constraints:
        own, forced, columns = np.zeros(d), np.empty(0, dtype=np.intp), np.arange(d)

        def towards(self, values, observed):
            return values.copy()

    class Oracle:
        index, observed = Index(), None

        def depends_on(self, column):
            return False

    oracle = Oracle()
    for counting, n_tried in [(d, ONE_BY_ONE), (200, d)]:
        oracle.weights = np.where(np.arange(d) < counting, weights, 0.0)
        found = find_candidates(oracle, Constraints(), np.arange(3))
        assert len(found.tried) == n_tried
    oracle.weights = weights
    found = find_candidates(oracle, Constraints(), np.arange(3))
    assert weights[list(found.tried)].min() > np.sort(weights)[-ONE_BY_ONE - 1]
