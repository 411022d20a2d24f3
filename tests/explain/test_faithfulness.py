"""On data made from known functions, contributions recover sign, order and size.

What the model is asked is what it expects of the target given some features. For
y = 3a − 2b with a and b of variance 1 and correlation ρ, a alone says (3 − 2ρ)a and b alone
(3ρ − 2)b; the true contributions follow. Stated tolerances: the slope of found on true
contributions is within 15 % of 1, the root mean squared error at most 0.35 (y varies by 3.6), and
features without effect get a tenth of the smallest true effect at most, or 0.2.
"""

from __future__ import annotations

import numpy as np
import pytest

from vicinal import Model

SLOPE, ERROR, NOTHING = 0.15, 0.35, 0.2


def sample(n, seed, correlation=0.0):
    rng = np.random.default_rng(seed)
    a, b, noise = rng.normal(size=(3, n))
    b = correlation * a + np.sqrt(1 - correlation**2) * b
    group = rng.choice(["u", "v", "w"], size=n)
    return {"a": a, "b": b, "noise": noise, "group": group}


def explained(function, correlation=0.0, copy=False, n=600):
    """Contributions to predictions for fresh rows, by feature."""
    table, rows = sample(n, 1, correlation), sample(150, 2, correlation)
    y = function(table) + 0.3 * np.random.default_rng(3).normal(size=n)
    if copy:
        table["copy"], rows["copy"] = table["a"], rows["a"]
    model = Model().fit({**table, "y": y})
    found = model.contributions(rows, "y")
    return rows, dict(zip(found.names, found.values.T, strict=True)), found.overall()


def assert_recovers(found, true):
    assert abs(np.polyfit(true, found, 1)[0] - 1) <= SLOPE
    assert np.sqrt(np.mean((found - true) ** 2)) <= ERROR


def linear(table):
    return 3 * table["a"] - 2 * table["b"]


@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_a_linear_function_is_recovered_also_from_correlated_features(correlation):
    rows, found, overall = explained(linear, correlation)
    a, b, r = rows["a"], rows["b"], correlation
    alone_a, alone_b, both = (3 - 2 * r) * a, (3 * r - 2) * b, 3 * a - 2 * b
    assert_recovers(found["a"], (alone_a + both - alone_b) / 2)
    assert_recovers(found["b"], (alone_b + both - alone_a) / 2)
    assert np.abs(found["noise"]).mean() <= NOTHING
    assert np.abs(found["group"]).mean() <= NOTHING
    assert overall.order[:2].tolist() == [0, 1]
    assert overall.direction[0] > 0.8
    assert overall.direction[1] < -0.6


def test_a_duplicated_feature_shares_its_effect_with_its_copy():
    rows, found, overall = explained(linear, copy=True)
    np.testing.assert_allclose(found["a"], found["copy"], atol=1e-9)
    assert_recovers(found["a"], 1.5 * rows["a"])
    assert_recovers(found["b"], -2 * rows["b"])
    assert overall.names[overall.order[0]] == "b"  # 2 is more than 3 divided by two


def test_an_interaction_is_divided_evenly():
    rows, found, _ = explained(lambda table: 3 * table["a"] * table["b"])
    half = 1.5 * rows["a"] * rows["b"]
    for name in ("a", "b"):
        assert abs(np.polyfit(half, found[name], 1)[0] - 1) <= SLOPE
        assert np.corrcoef(half, found[name])[0, 1] >= 0.9
    assert np.abs(found["noise"]).mean() <= NOTHING


def test_a_nominal_effect_is_recovered_class_by_class():
    effect = {"u": -2.0, "v": 0.0, "w": 3.0}

    def function(table):
        return np.array([effect[one] for one in table["group"]]) + table["a"]

    rows, found, overall = explained(function)
    mean = np.mean([effect[one] for one in sample(600, 1)["group"]])
    for name, size in effect.items():
        of_class = found["group"][rows["group"] == name]
        assert abs(of_class.mean() - (size - mean)) <= 0.15
    assert_recovers(found["a"], rows["a"])
    assert np.abs(found["b"]).mean() <= NOTHING
    assert overall.names[overall.order[0]] == "group"


def test_the_chance_of_a_class_follows_the_feature_that_makes_it():
    table, rows = sample(600, 1), sample(100, 2)
    label = np.where(table["a"] + 0.2 * table["b"] > 0, "up", "down")
    found = Model().fit({**table, "label": label}).contributions(rows, "label")
    up = found.values[:, :, found.classes.index("up")]
    assert (np.sign(up[:, 0]) == np.sign(rows["a"])).mean() >= 0.95
    assert np.abs(up[:, 0]).mean() >= 5 * np.abs(up[:, 2]).mean()
    np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-9)
