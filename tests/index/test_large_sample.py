"""A sample of cases on disk has the cases that a sample in memory has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal.index import large_sample
from vicinal.index.large_sample import sample_large
from vicinal.index.sampling import sample_cases


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(large_sample, "_BLOCK", 999)
    monkeypatch.setattr(large_sample, "_TOGETHER", 700)


@settings(max_examples=25)
@given(
    n=st.sampled_from([1, 50, 4096, 4097, 6000]),
    count=st.sampled_from([1, 40, 4200, 7000]),
    levels=st.sampled_from([1, 3, 40, 10**6]),
    seed=st.integers(0, 99),
    weighted=st.booleans(),
)
def test_it_is_the_sample_of_all_cases(tmp_path_factory, n, count, levels, seed, weighted):
    """Also with many equal cases, missing values, and other values in cases of weight 0."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(0, levels, n), rng.integers(0, 2, n), np.ones(n)]) / 4
    values[rng.random((n, 3)) < 0.1] = np.nan
    weights = rng.choice([0.0, 0.5, 2.0], n) if weighted else None
    counted = np.ones(n, dtype=bool) if weights is None else weights > 0
    values[~counted, 0] -= 1000.0
    folder = tmp_path_factory.mktemp("sample")
    counts = [count, 5, 5000]
    found = sample_large(values, counts, folder=folder, weights=weights, random_state=seed)
    for actual, size in zip(found, counts, strict=True):
        chosen = sample_cases(values[counted], size, random_state=seed)
        np.testing.assert_array_equal(actual, np.flatnonzero(counted)[chosen])
    assert not list(folder.iterdir())
