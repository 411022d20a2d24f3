"""Lists of neighbors, compacted, merged and combined."""

from __future__ import annotations

import numpy as np

from vicinal.index.tied_neighbors import TiedNeighbors, combined


def example():
    return TiedNeighbors(
        np.array([[4, 1, 7, 9], [3, 5, -1, -1]]),
        np.array([[1.5, 2.0, 2.0, 2.0], [1.5, 1.5, np.inf, np.inf]]),
        np.array([[0.0, 0.5, 0.5, 0.5], [0.0, 0.0, np.inf, np.inf]]),
    )


def test_places_are_shared_only_where_there_are_too_many():
    places = example().places(2)
    np.testing.assert_allclose(places, [[1, 1 / 3, 1 / 3, 1 / 3], [1, 1, 0, 0]])
    np.testing.assert_allclose(example().shares(2), places / 2)
    assert example().places(4) is None


def test_compact_lists_are_as_short_as_can_be():
    kept = np.array([[True, False, True, True], [False, True, False, False]])
    found = example().compact(kept)
    np.testing.assert_array_equal(found.indices, [[4, 7, 9], [5, -1, -1]])
    np.testing.assert_array_equal(found.keys, [[0.0, 0.5, 0.5], [0.0, np.inf, np.inf]])


def test_the_first_of_a_group_stands_for_all_and_divides_what_it_gets():
    found = example().merged(np.array([[0, 5, 2, 5], [1, 1, -1, -1]]))
    np.testing.assert_array_equal(found.indices, [[4, 1, 7], [3, -1, -1]])
    np.testing.assert_array_equal(found.masses, [[1, 2, 1], [2, 0, 0]])
    np.testing.assert_array_equal(found.cases, found.masses)
    given = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(found.listing.indices, example().indices)
    np.testing.assert_allclose(
        found.listing.divide(given), [[0.5, 0.15, 0.2, 0.15], [0.5, 0.5, 0, 0]]
    )


def test_combined_lists_are_padded_and_later_ones_count():
    rows = np.arange(2)
    longer = example().rows(rows[:1]).merged(np.array([[0, 5, 5, 5]]))
    found = combined([(rows, example().first(1).listed()), (rows[:1], longer)], 2)
    np.testing.assert_array_equal(found.indices, [[4, 1], [3, -1]])
    np.testing.assert_array_equal(found.masses, [[1, 3], [1, 0]])
    np.testing.assert_array_equal(found.listing.indices, [[4, 1, 7, 9], [3, -1, -1, -1]])
