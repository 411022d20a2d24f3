"""The values that a single change tries."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from vicinal import Model
from vicinal.counterfactual.candidates import MOST_VALUES, _spread_over_cases
from vicinal.counterfactual.constraints import Constraints
from vicinal.index import statistics
from vicinal.schema.kinds import Kind


def spread(values, counts, kind=Kind.CONTINUOUS, permitted=(-np.inf, np.inf)):
    found = {"values": np.array(values, dtype=float), "counts": counts}
    fitted = SimpleNamespace(distribution=lambda column: found, cached=lambda key, make: make())
    oracle = SimpleNamespace(predictor=SimpleNamespace(fitted=fitted))
    constraints = SimpleNamespace(
        own=np.array([3.0]),
        kind=lambda column: kind,
        of=lambda column: (),
        permits=lambda column, some: (some >= permitted[0]) & (some <= permitted[1]),
    )
    return _spread_over_cases(oracle, constraints, 0)


@pytest.mark.parametrize("often", [1, 3])
@pytest.mark.parametrize("permitted", [(-np.inf, np.inf), (2.0, 40.0)])
def test_values_that_occur_as_often_are_spread_like_others(often, permitted):
    values = np.arange(50.0)
    counts = np.broadcast_to(np.int64(often), 50)  # in memory once
    each = [value for value in values if value != 3.0 and permitted[0] <= value <= permitted[1]]
    cases = np.repeat(each, often)
    places = np.linspace(0, len(cases) - 1, MOST_VALUES // 2).round().astype(int)
    for some in (counts, counts.copy()):
        assert spread(values, some, permitted=permitted) == tuple(cases[places])


def test_values_are_spread_by_how_often_they_occur():
    assert spread([1.0, 2.0, 3.0, 4.0], np.array([1, 9, 50, 1])) == (1.0, 2.0, 2.0, 4.0)


def test_of_categories_the_most_frequent_are_tried():
    assert spread([0.0, 1.0, 3.0, 4.0], np.array([2, 9, 50, 2]), Kind.NOMINAL) == (1.0, 0.0, 4.0)


def test_without_a_permitted_value_nothing_is_tried():
    assert spread([1.0, 3.0], np.array([2, 2]), permitted=(5.0, 6.0)) == ()


@pytest.mark.parametrize("seed", range(20))
def test_values_that_are_too_many_to_be_kept_are_spread_alike(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 60))
    table = {"x": rng.integers(0, 40, size=size) / 4, "y": rng.normal(size=size)}
    table["x"][:2] = 0.25, 0.5
    table["y"][rng.random(size) < 0.2] = np.nan
    table["y"][:2] = -0.5, 0.5
    state = Model(n_jobs=1).fit(table)._ready()
    oracle = SimpleNamespace(predictor=SimpleNamespace(fitted=state))
    for column in range(2):
        seen = state.distribution(column)["values"].tolist()
        for own in (*seen[:9], seen[-1], 0.1, -99.0, np.nan):
            constraints = Constraints(np.full(2, own), np.arange(2), (), state.schema)
            found = []
            for most in (1 << 17, 1):
                monkeypatch.setattr(statistics, "MOST_KEPT_VALUES", most)
                state.index.update([0], state.index.rows([0]))  # forgets what was kept
                found.append(_spread_over_cases(oracle, constraints, column))
            assert found[0] == found[1]
