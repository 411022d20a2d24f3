"""Columns that are associated, whatever part of them is compared at a time."""

import numpy as np

from vicinal.index.kinds import NOMINAL
from vicinal.quality import screening
from vicinal.quality.screening import associations


def test_parts_of_the_columns_give_the_same_as_all_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 9))
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:, 0], values[:, 4] = 3.0, rng.integers(0, 4, 60)
    values[:, 7] = values[:, 2] ** 3
    kinds = np.zeros(9, dtype=np.uint8)
    kinds[4] = NOMINAL
    expected = associations(values, kinds)
    monkeypatch.setattr(screening, "_VIEWS_AT_ONCE", 4)
    np.testing.assert_allclose(associations(values, kinds), expected, atol=1e-12)
    assert (expected[0] == 0).all()  # a constant tells nothing
    assert np.isclose(expected[2, 7], 1.0)
    np.testing.assert_allclose(expected, expected.T, atol=1e-12)
