"""Neighbours at the same place, taken as one."""

import numpy as np

from vicinal.influence.equal_neighbors import find_ties

NONE = np.inf


def test_neighbors_at_different_places_are_no_twins():
    distances = np.array([[1.5, 2.0, 2.0, NONE, NONE]])
    offsets = np.array([[[0.0], [1.0], [-1.0], [0.0], [0.0]]])
    assert find_ties(distances, offsets.__getitem__, None) is None


def test_twins_share_the_weight_and_the_influence_of_their_group():
    distances = np.array([[1.5, 1.5, 2.0, 2.0], [1.5, 1.6, 1.7, NONE]])
    offsets = np.zeros((2, 4, 1))
    offsets[0, 3] = 1.0
    counts = np.array([[1.0, 3.0, 2.0, 1.0], [1.0, 1.0, 1.0, 0.0]])
    twins = find_ties(distances, offsets.__getitem__, counts)
    np.testing.assert_array_equal(twins.counts, [[4.0, 0.0, 2.0, 1.0], [1.0, 1.0, 1.0, 0.0]])
    shares = np.array([[0.8, 0.0, 0.1, 0.1], [0.5, 0.3, 0.2, 0.0]])
    expected = [[0.2, 0.6, 0.1, 0.1], [0.5, 0.3, 0.2, 0.0]]
    np.testing.assert_allclose(twins.apart(shares), expected)
    np.testing.assert_allclose(twins.apart(shares).sum(axis=1), 1.0)
