"""The cases behind a prediction, merged and ranked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.influence.parts import target_of_outcomes
from vicinal.influence.ensemble import Influences
from vicinal.prediction.cases import CaseInfluences


def numbers(outcomes):
    return replace(target_of_outcomes(outcomes), scale=1.0)


@settings(max_examples=60)
@given(
    m=st.integers(0, 4), k=st.integers(1, 8), spaces=st.integers(1, 3), seed=st.integers(0, 999)
)
def test_merging_keeps_every_share_and_names_a_case_once(m, k, spaces, seed):
    rng = np.random.default_rng(seed)
    n = 10
    outcomes = rng.normal(size=n)
    indices = (
        np.stack([[rng.permutation(n)[:k] for _ in range(spaces)] for _ in range(m)]).reshape(
            m, spaces * k
        )
        if m
        else np.empty((0, spaces * k), dtype=np.int64)
    )
    shares = rng.normal(size=indices.shape)
    absent = rng.random(indices.shape) < 0.2
    indices, shares = np.where(absent, -1, indices), np.where(absent, 0.0, shares)
    merged = CaseInfluences.merged(Influences(indices, shares, 0.25), numbers(outcomes))
    assert len(merged) == m
    assert merged.background == 0.25
    for q in range(m):
        expected = np.zeros(n)
        np.add.at(expected, indices[q][indices[q] >= 0], shares[q][indices[q] >= 0])
        there = merged.indices[q] >= 0
        named = merged.indices[q][there]
        assert len(np.unique(named)) == len(named)
        assert set(named) == set(indices[q][indices[q] >= 0])
        np.testing.assert_allclose(merged.shares[q][there], expected[named], atol=1e-12)
        np.testing.assert_array_equal(merged.outcomes[q][there], outcomes[named])
        np.testing.assert_array_equal(merged.shares[q][~there], 0.0)
        sizes = np.abs(merged.shares[q][there])
        assert np.all(sizes[1:] <= sizes[:-1])
        assert np.all(there[:-1] >= there[1:])


def test_a_table_of_influences_by_hand():
    indices = np.array([[3, 1, -1, 1, 2, -1]])
    shares = np.array([[0.3, 0.2, 0.0, 0.2, 0.1, 0.0]])
    merged = CaseInfluences.merged(
        Influences(indices, shares, 0.2), numbers(np.array([0.0, 10.0, 20.0, 30.0]))
    )
    np.testing.assert_array_equal(merged.indices, [[1, 3, 2]])
    np.testing.assert_allclose(merged.shares, [[0.4, 0.3, 0.1]])
    np.testing.assert_array_equal(merged.expected, [15.0])
    frame = merged.to_frame("pandas")
    assert list(frame.columns) == ["query", "case", "influence", "outcome"]
    assert frame["case"].tolist() == [1, 3, 2]
    assert frame["outcome"].tolist() == [10.0, 30.0, 20.0]
