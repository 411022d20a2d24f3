"""Of many features, those with the greatest weights."""

import numpy as np

from vicinal.prediction.heaviest import ONE_BY_ONE, heaviest


def test_the_greatest_weights_come_first_and_of_equal_ones_the_first_column():
    weights = np.zeros(3 * ONE_BY_ONE)
    weights[[5, 9, 100]] = 1.0, 3.0, 1.0
    found = heaviest(range(len(weights)), weights)
    assert found[:4] == [9, 5, 100, 0]
    assert len(found) == ONE_BY_ONE


def test_only_the_columns_asked_about_are_ranked():
    assert heaviest([4, 2], np.array([9.0, 9.0, 1.0, 9.0, 2.0])) == [4, 2]
