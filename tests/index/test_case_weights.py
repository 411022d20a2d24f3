"""How many of the nearest places cases take."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import ties as naive
from vicinal.index.case_weights import counted_weights, shared_places
from vicinal.index.exact import ExactIndex

lists = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([0.25, 0.5, 1.0, 2.0, 7.0])), min_size=1
)


@given(found=lists, k=st.integers(1, 30))
def test_shared_places_are_the_naive_ones(found, k):
    found = sorted(found)
    keys, weights = (np.array(part, dtype=float)[None] for part in zip(*found, strict=True))
    actual = shared_places(keys, weights, np.ones(keys.shape), k)[0]
    expected = naive.places([(key, n, weight) for n, (key, weight) in enumerate(found)], k)
    np.testing.assert_allclose(
        actual, [float(expected.get(n, 0)) for n in range(len(found))], rtol=1e-12
    )
    if len(found) <= k:  # then weights alone decide
        np.testing.assert_array_equal(shared_places(keys, weights, None, k)[0], actual)


@given(found=lists, k=st.integers(1, 30))
def test_cases_that_one_stands_for_take_the_same_places(found, k):
    found = sorted(found)
    keys, weights = (np.array(part, dtype=float)[None] for part in zip(*found, strict=True))
    alone = shared_places(keys, weights, np.ones(keys.shape), k)
    total = [alone[keys == key].sum() for key in np.unique(keys)]
    sums = np.array([[weights[keys == key].sum() for key in np.unique(keys)]])
    counts = np.array([[(keys == key).sum() for key in np.unique(keys)]], dtype=float)
    merged = shared_places(np.unique(keys)[None], sums, counts, k)
    np.testing.assert_allclose(merged[0], total, rtol=1e-12)


def test_absent_neighbors_take_no_place():
    keys = np.array([[0.5, np.inf, np.inf]])
    masses = np.array([[1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(shared_places(keys, masses, masses, 2), masses)


def test_counted_places_go_to_the_first_and_the_case_left_out_takes_one_less():
    index = ExactIndex(np.zeros((3, 1)), np.zeros(1, dtype=np.uint8), np.array([3.0, 2.0, 1.0]))
    indices = np.array([[0, 1, 2, -1], [0, 1, 2, -1]])
    counts = counted_weights(index, indices, 4, np.array([-1, 0]))
    np.testing.assert_array_equal(counts, [[3, 1, 0, 0], [2, 2, 0, 0]])
    unweighted = ExactIndex(np.zeros((3, 1)), np.zeros(1, dtype=np.uint8))
    assert counted_weights(unweighted, indices, 4) is None
