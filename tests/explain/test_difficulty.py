"""How hard a prediction is, where the answer is known; see `test_laws` for the naive twin."""

from __future__ import annotations

import numpy as np

from vicinal import Model


def test_law_expected_errors_are_in_the_mean_those_of_left_out_cases():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(200, 2)), rng.normal(size=200)
    outcomes = {
        "noise": noise,
        "noise that grows": np.exp(x[:, 0]) * noise,
        "skewed": np.exp(2 * x[:, 0] + 0.5 * noise),
        "counts": rng.poisson(np.exp(x[:, 0])),
    }
    for name, y in outcomes.items():
        found = Model(max_members=4).fit({"a": x[:, 0], "b": x[:, 1], "y": y}).explain(None, "y")
        errors = [one.residual_conviction for one in found]
        expected, actual = (
            np.mean([getattr(e, of) for e in errors]) for of in ("expected", "error")
        )
        assert 0.8 < expected / actual < 1.25, name


def test_of_a_number_that_is_predicted_well_the_expected_error_is_that_of_left_out_cases():
    # Before, it was the distance of the outcomes from the prediction: 100 times as much, so that
    # every prediction was said to be harder than usual.
    x = np.random.default_rng(0).normal(size=(300, 4))
    table = {**{name: x[:, at] for at, name in enumerate("abcd")}, "y": x @ [3.0, 2.0, 1.0, 0.0]}
    found = [one.residual_conviction for one in Model().fit(table).explain(None, "y")]
    expected = np.mean([one.expected for one in found])
    actual = np.mean([one.error for one in found])
    assert 0.8 < expected / actual < 1.25
    assert 0.5 < np.median([one.conviction for one in found]) < 2


def test_a_number_that_nothing_predicts_is_not_called_certain():
    # Before, the mean as the only prediction had an expected error of 0, and conviction 10⁶.
    rng = np.random.default_rng(0)
    x, c, y = rng.normal(size=60), rng.choice(list("abc"), 60), rng.normal(size=60)
    one = Model().fit({"x": x, "c": c, "y": y}).explain({"x": 0.1, "c": "a"}, "y")[0]
    assert one.cases.background == 1.0
    assert 0.8 < one.residual_conviction.conviction < 1.25
    assert "No, about as usual" in str(one)
