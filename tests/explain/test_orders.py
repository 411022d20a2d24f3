"""Orders of features: pairs, and places that are evenly divided."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.explain.orders import orders


@pytest.mark.parametrize("count", [4, 7, 8, 32, 60])
def test_every_order_has_all_columns_and_is_followed_by_its_reverse(count):
    columns = [2, 3, 5, 7, 11, 13, 17]
    drawn = orders(columns, count, random_state=3)
    assert len(drawn) == count + count % 2
    assert all(sorted(one) == columns for one in drawn)
    assert drawn[1::2] == [one[::-1] for one in drawn[::2]]
    assert drawn == orders(columns, count, random_state=3)
    assert drawn != orders(columns, count, random_state=4)


def test_places_are_divided_more_evenly_than_by_chance():
    d = 20
    columns = list(range(d))

    def unevenness(drawn):
        """Variance over columns of the mean distance from the middle."""
        places = np.argsort(np.array(drawn[::2]), axis=1)
        return np.abs(places - (d - 1) / 2).mean(axis=0).var()

    rng = np.random.default_rng(0)
    for count in (8, 32):
        drawn = [orders(columns, count, random_state=seed) for seed in range(20)]
        chance = [[tuple(rng.permutation(d)) for _ in range(count)] for _ in range(20)]
        even, by_chance = (np.mean([unevenness(one) for one in some]) for some in (drawn, chance))
        assert even < 0.5 * by_chance
        # So are those of every four pairs.
        first = np.mean([unevenness(one[:8]) for one in drawn])
        assert first < 0.5 * np.mean([unevenness(one[:8]) for one in chance])


def test_every_place_is_as_likely_for_every_column():
    drawn = np.array([orders([0, 1, 2, 3], 8, random_state=seed)[::2] for seed in range(500)])
    places = np.argsort(drawn.reshape(-1, 4), axis=1)
    for column in range(4):
        share = np.bincount(places[:, column], minlength=4) / len(places)
        np.testing.assert_allclose(share, 0.25, atol=0.03)
