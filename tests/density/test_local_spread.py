"""The distance of cases to those that are not equal."""

import numpy as np

from vicinal import Model
from vicinal.density.local_spread import distance_to_others, spread_around


def test_the_closest_case_that_is_not_equal_counts():
    fitted = Model(n_jobs=1).fit({"x": [1.0, 1.0, 2.0, 9.0, 9.5, 20.0]})._ready()
    found = distance_to_others(fitted.index, fitted.metric, np.arange(6))
    assert found[0] == found[1] > 0
    assert (found > 0).all()
    assert (spread_around(fitted.index, fitted.metric, np.arange(6)) > 0).all()
    alone = Model(n_jobs=1).fit({"x": [1.0] * 30, "y": [1.0, 2.0] * 15})._ready()
    assert (distance_to_others(alone.index, alone.metric, np.arange(30)) == 0).all()
