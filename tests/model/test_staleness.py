"""How far the cases have moved since all was learned from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal import Model


def test_staleness_counts_cases_and_measures_shift_by_hand():
    model = Model().fit({"a": [0.0, 0.0, 1.0, 1.0], "b": ["x", "x", "x", "y"]})
    assert (model.stale_.share, model.stale_.shift) == (0.0, {"a": 0.0, "b": 0.0})
    model.add({"a": [0.0, 0.0, 0.0, 0.0], "b": ["z", "z", None, "x"]})
    stale = model.stale_
    assert (stale.added, stale.updated, stale.removed, stale.share) == (4, 0, 0, 0.5)
    # a: (1/2, 1/2) became (6/8, 2/8); b: (3, 1, 0, none)/4 became (4, 1, 2, 1)/8.
    assert stale.shift == pytest.approx({"a": 0.25, "b": 0.375})
    model.remove([4, 5, 6, 7])
    assert model.stale_.share == 0.0
    assert model.stale_.shift == pytest.approx({"a": 0.0, "b": 0.0})
    model.update([0, 0 + 1], {"a": [9.0, -9.0]})
    assert (model.stale_.updated, model.stale_.share) == (2, 0.5)
    assert model.stale_.shift == pytest.approx({"a": 0.5, "b": 0.0})
    model.update(0, {"a": [0.0]})
    model.remove(0)
    # Of the four cases at the fit two are as they were, whatever happened to the others since.
    assert model.stale_.share == 0.5


def test_staleness_counts_weights():
    model = Model().fit({"a": [0.0, 1.0]}, sample_weight=[1.0, 3.0])
    model.add({"a": [0.0]}, sample_weight=[2.0])
    assert model.stale_.shift["a"] == pytest.approx(0.25)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_removing_what_was_added_undoes_every_shift(seed):
    rng = np.random.default_rng(seed)
    model = Model(max_rounds=1).fit({"a": rng.normal(size=30), "b": rng.integers(0, 3, 30)})
    for _ in range(2):
        rows = {"a": rng.normal(size=7) * 1e3, "b": rng.integers(-5, 9, 7)}
        numbers = model.add(rows)
        assert max(model.stale_.shift.values()) > 0
        model.remove(numbers)
    assert model.stale_.shift == {"a": 0.0, "b": 0.0}
    assert model.stale_.share == 0.0
