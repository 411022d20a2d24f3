"""Even shares: spaces divide half of what they have, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learning.tables import kinds, table
from tests.learning.test_greedy_average import averaged, candidates
from vicinal.learning.even_shares import EVEN_PART, even_shares

SPACES = [(0,), (1, 2), (0,), (3,), (1, 2), (4,)]


def naive_shares(shares, spaces):
    """One row, one candidate at a time."""
    prior, shares = shares[-1], shares[:-1]
    total = sum(shares)
    chosen = {space for space, share in zip(spaces, shares, strict=True) if share > 0}
    found = []
    for space, share in zip(spaces, shares, strict=True):
        of_space = sum(s for s, other in zip(shares, spaces, strict=True) if other == space)
        even = total / len(chosen) * share / of_space if share > 0 else 0.0
        found.append((1 - EVEN_PART) * share + EVEN_PART * even)
    return [*found, prior]


rows_of_counts = st.lists(
    st.lists(st.integers(0, 9), min_size=7, max_size=7), min_size=1, max_size=4
)


@settings(max_examples=50, deadline=None)
@given(rows_of_counts)
def test_each_row_is_that_of_the_naive_twin(counts):
    shares = np.array(counts, dtype=float)
    before = shares.copy()
    expected = [naive_shares(row, SPACES) for row in shares.tolist()]
    np.testing.assert_allclose(even_shares(shares, SPACES), expected, rtol=1e-12)
    np.testing.assert_array_equal(shares, before)


@settings(max_examples=50, deadline=None)
@given(rows_of_counts)
def test_sums_stay_and_nobody_gets_a_share_who_had_none(counts):
    shares = np.array(counts, dtype=float)
    found = even_shares(shares, SPACES)
    np.testing.assert_allclose(found.sum(axis=1), shares.sum(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(found > 0, shares > 0)
    np.testing.assert_array_equal(found[:, -1], shares[:, -1])


@settings(max_examples=50, deadline=None)
@given(rows_of_counts, st.permutations(range(6)))
def test_the_order_of_candidates_does_not_matter(counts, order):
    shares = np.array(counts, dtype=float)
    expected = even_shares(shares, SPACES)[:, [*order, 6]]
    found = even_shares(shares[:, [*order, 6]], [SPACES[at] for at in order])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_members_of_one_space_alone_and_the_prior_alone_keep_their_shares():
    for row in ([0.2, 0, 0.7, 0, 0, 0, 0.1], [0, 0, 0, 0, 0, 1.0, 0], [0, 0, 0, 0, 0, 0, 1.0]):
        shares = np.array([row])
        np.testing.assert_array_equal(even_shares(shares, SPACES), shares)
    np.testing.assert_array_equal(even_shares(np.ones((2, 1)), []), np.ones((2, 1)))


def test_shares_that_are_even_stay():
    shares = np.array([[0.1, 0.15, 0.2, 0.3, 0.15, 0, 0.1]])
    np.testing.assert_allclose(even_shares(shares, SPACES), shares, rtol=1e-12)


@kinds
def test_spaces_of_a_class_prediction_have_more_even_shares_and_those_of_numbers_stay(
    classes, monkeypatch
):
    *_, target = table(classes)
    found = [
        replace(one, spaces=(at,)) for at, one in enumerate(list(candidates(target, 4, seed=5)))
    ]
    evened = averaged(target, found)
    monkeypatch.setattr("vicinal.learning.even_shares.EVEN_PART", 0.0)
    greedy = averaged(target, found)
    shares, before = (
        np.array([one.share for one in tuning.ensemble.members]) for tuning in (evened, greedy)
    )
    assert len(before) > 1
    assert np.ptp(before) > 0
    assert evened.ensemble.background == pytest.approx(greedy.ensemble.background)
    expected = (before + before.mean()) / 2 if target.n_classes else before
    np.testing.assert_allclose(shares, expected, rtol=1e-12)
    same = np.array_equal(evened.predictions, greedy.predictions)
    assert same == (not target.n_classes)
