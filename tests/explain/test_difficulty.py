"""How hard a prediction is, where the answer is known; see `test_laws` for the naive twin."""

from __future__ import annotations

import numpy as np

from vicinal import Model


def test_a_number_that_nothing_predicts_is_not_called_certain():
    # Before, the mean as the only prediction had an expected error of 0, and conviction 10⁶.
    rng = np.random.default_rng(0)
    x, c, y = rng.normal(size=60), rng.choice(list("abc"), 60), rng.normal(size=60)
    one = Model().fit({"x": x, "c": c, "y": y}).explain({"x": 0.1, "c": "a"}, "y")[0]
    assert one.cases.background == 1.0
    assert 0.8 < one.residual_conviction.conviction < 1.25
    assert "No, about as usual" in str(one)
