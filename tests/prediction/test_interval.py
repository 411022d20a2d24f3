"""Prediction intervals and sets: wider for a smaller alpha, in the terms of the target."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from tests.frames import frames
from tests.prediction.ways import (
    ROWS,
    clock,
    mixture,
    named_ways,
    way_round,
    ways,
)
from vicinal import Model
from vicinal.exceptions import ParameterError


@pytest.fixture(scope="module")
def model():
    return Model().fit(mixture(40))


@settings(max_examples=15)
@given(frame=frames(), way=ways)
def test_sets_and_intervals_widen_as_alpha_falls(frame, way):
    model = Model(**way).fit(frame.table)
    alphas = (0.9, 0.5, 0.2, 0.1, 0.01)
    if frame.words:
        sets = [model.predict_set(frame.rows, "y", alpha=alpha) for alpha in alphas]
        assert all(np.all(more >= less) for less, more in itertools.pairwise(sets))
        return
    ends = [model.predict_interval(frame.rows, "y", alpha=alpha) for alpha in alphas]
    fitted = model._ready()
    # A prediction may pass a natural bound, an interval does not.
    values = fitted.domain(fitted.schema.column("y")).bounded(model.predict(frame.rows, "y"))
    for lower, upper in ends:
        assert np.all((lower <= values) & (values <= upper))
    for (low, high), (lower, upper) in itertools.pairwise(ends):
        assert np.all((lower <= low) & (high <= upper))


def test_ordinal_answers_and_intervals_are_categories():
    sizes = ["S", "M", "L", "XL"]
    x = np.repeat(np.arange(4.0), 10) + np.linspace(0, 0.5, 40)
    table = {"x": x, "size": [sizes[int(v)] for v in x]}
    model = Model(ordinal_features={"size": sizes}).fit(table)
    assert model.predict({"x": [0.2, 2.2]}, "size").tolist() == ["S", "L"]
    lower, upper = model.predict_interval({"x": [0.2, 3.2]}, "size", alpha=0.1)
    ranks = [[sizes.index(end) for end in ends] for ends in (lower, upper)]
    assert np.all(np.array(ranks[0]) <= [0, 3])
    assert np.all(np.array(ranks[1]) >= [0, 3])
    lower, upper = model.predict_interval({"x": [0.2]}, "size", alpha=0.001)
    assert (lower[0], upper[0]) == ("S", "XL")


@named_ways
def test_cyclic_answers_go_the_shorter_way_round(way):
    model = Model(cyclic_features={"hour": 24}, **way).fit(clock(200, 0))
    test = clock(200, 1)
    gap = way_round(model.predict({"x": test["x"]}, "hour"), test["hour"])
    assert np.minimum(gap, 24 - gap).mean() < 1.0
    lower, upper = model.predict_interval({"x": test["x"]}, "hour", alpha=0.2)
    inside = way_round(lower, test["hour"]) <= way_round(lower, upper)
    assert 0.7 < inside.mean() < 0.92
    nothing = model.predict_interval({"x": [0.0]}, "hour", alpha=1e-9)
    assert [end.tolist() for end in nothing] == [[None], [None]]


def test_times_are_predicted_as_times():
    days = np.arange(40).astype("datetime64[D]") + np.datetime64("2024-03-01").astype(int)
    table = {"x": np.arange(40.0), "day": days.astype("datetime64[D]")}
    model = Model().fit(table)
    guess = model.predict({"x": [20.2]}, "day")[0]
    lower, upper = model.predict_interval({"x": [20.2]}, "day", alpha=0.2)
    assert lower[0] <= guess <= upper[0]
    assert abs((np.datetime64(guess) - days[20]).astype(int)) <= 3


def test_a_class_has_no_interval(model):
    with pytest.raises(ParameterError, match=r"'group' is nominal.*predict_set"):
        model.predict_interval(ROWS, "group")


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan])
def test_alpha_lies_between_0_and_1(model, alpha):
    with pytest.raises(ParameterError, match=r"alpha=.*; expected a number between 0 and 1"):
        model.predict_interval(ROWS, "y", alpha=alpha)
    with pytest.raises(ParameterError, match=r"alpha=.*; expected a number between 0 and 1"):
        model.predict_set(ROWS, "group", alpha=alpha)


def test_intervals_stay_within_natural_bounds():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=120)
    share = 1 / (1 + np.exp(-2 * x + rng.normal(size=120)))
    share = np.clip(share, 0.001, 0.999)
    model = Model().fit({"x": x, "share": share, "price": np.exp(2 * x), "loss": -share * 9})
    rows = {"x": rng.uniform(-5, 5, size=50)}
    for alpha in (0.5, 0.05, 0.001):
        lower, upper = model.predict_interval(rows, "share", alpha=alpha)
        assert np.all((lower >= 0) & (lower <= upper) & (upper <= 1))
        lower, upper = model.predict_interval(rows, "price", alpha=alpha)
        assert np.all((lower >= 0) & (lower <= upper))
        lower, upper = model.predict_interval(rows, "loss", alpha=alpha)
        assert np.all((upper <= 0) & (lower <= upper))


def test_the_greatest_value_observed_is_no_bound():
    x = np.linspace(0, 1, 60)
    model = Model().fit({"x": x, "y": 3 + 5 * x + np.tile([0.0, 1.0, 2.0], 20)})
    _, upper = model.predict_interval({"x": [1.0]}, "y", alpha=0.1)
    assert upper[0] > model.predict({"x": [1.0]}, "y")[0]
    _, upper = model.predict_interval({"x": [1.0]}, "y", alpha=0.001)
    assert upper[0] == np.inf
