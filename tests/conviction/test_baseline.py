"""The stored cases that everything is compared with."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal import Model
from vicinal.conviction import baseline
from vicinal.conviction.measure import Measure


@pytest.mark.parametrize("style", ["plain", "ties", "weights"])
def test_lists_that_are_not_kept_are_searched_again_to_the_last_bit(style, monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    x = np.round(x) if style == "ties" else x
    weights = rng.integers(1, 4, 80).astype(float) if style == "weights" else None
    table, rows = {"a": x[:, 0], "b": x[:, 1]}, {"a": [0.0, 9.0, 0.1], "b": [0.0, 9.0, 0.2]}
    first = Model(n_jobs=1).fit(table, sample_weight=weights)
    expected = first.conviction(), first.conviction(rows)
    monkeypatch.setattr(baseline, "MOST_KEPT", 10)
    second = Model(n_jobs=1).fit(table, sample_weight=weights)
    actual = second.conviction(), second.conviction(rows)
    for one, other in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(one.to_frame(), other.to_frame())
    fitted = second._ready()
    measured = baseline.measure_baseline(fitted.index, fitted.metric, Measure())
    assert measured.distances is None
