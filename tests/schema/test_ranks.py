"""Ranks of ordinal numbers, and of numbers in between."""

from __future__ import annotations

import datetime as dt

import numpy as np

from tests.schema.examples import one


def test_ranks_of_numbers_never_seen_lie_between():
    ranks = one([10, 20, 40], [10, 15, 20, 30, 40, 45, 90, 5, -50, None], ordinal_features=["x"])
    expected = [0, 0.5, 1, 1.5, 2, 2.25, 3, -0.5, -1, np.nan]
    np.testing.assert_array_equal(ranks, expected)


def test_ranks_beside_a_single_or_no_value():
    assert one([7], [7, 8, 6], ordinal_features=["x"]) == [0, 1, -1]
    assert one([None], [7], ordinal_features=["x"]) == [0]


def test_ranks_of_dates():
    days = [dt.date(2024, 1, day) for day in (3, 1, 2)]
    assert one(days, days, ordinal_features=["x"]) == [2, 0, 1]
    assert one(days, [dt.datetime(2024, 1, 1, 12)], ordinal_features=["x"]) == [0.5]


def test_ranks_far_beyond_a_tiny_step_are_one_rank_away():
    tiny = np.finfo(float).tiny
    assert one([0.0, tiny, 4.0], [-4.0, 0.0, tiny, 4.0], ordinal_features=["x"]) == [-1, 0, 1, 2]
