"""Any feature is predicted from any others: examples by hand, errors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.prediction.ways import (
    ROWS,
    clock,
    mixture,
    named_ways,
    way_round,
    without,
)
from vicinal import Model
from vicinal.exceptions import FeatureError, NotFittedError, ParameterError, TableError


@named_ways
def test_what_can_be_told_is_told(way):
    table, test = mixture(), mixture(60, seed=1)
    model = Model(**way).fit(without(table, "group"))
    error = model.predict(without(test, "y", "group"), "y") - test["y"]
    assert np.mean(error**2) < 0.15 * np.var(test["y"])
    model = Model(**way).fit(without(table, "y"))
    hits = model.predict(without(test, "y", "group"), "group") == test["group"]
    assert hits.mean() > 0.85


def test_any_feature_is_predicted_from_any_others():
    table, test = mixture(), mixture(60, seed=1)
    model = Model().fit(table)
    for target, context in [("x", ["y"]), ("y", ["x", "noise"]), ("z", ["group", "x"])]:
        guess = model.predict(test, target, context=context)
        named = {name: test[name] for name in context}
        np.testing.assert_array_equal(model.predict(named, target), guess)
        assert np.corrcoef(guess, test[target])[0, 1] > 0.5


def test_several_targets_are_predicted_at_once_and_not_from_each_other():
    table, test = mixture(), mixture(20, seed=1)
    model = Model().fit(table)
    both = model.predict(test, ["y", "group"])
    assert list(both) == ["y", "group"]
    context = ["x", "z", "noise"]
    np.testing.assert_array_equal(both["y"], model.predict(test, "y", context=context))
    np.testing.assert_array_equal(both["group"], model.predict(test, "group", context=context))
    named = model.predict(test, ["y", "group"], context=context)
    np.testing.assert_array_equal(named["y"], both["y"])


@named_ways
def test_a_constant_target_is_predicted_exactly(way):
    table = {"x": np.arange(9.0), "y": np.full(9, 0.1)}
    model = Model(**way).fit(table)
    np.testing.assert_allclose(model.predict({"x": [1.0, 99.0]}, "y"), 0.1, rtol=1e-12)
    lower, upper = model.predict_interval({"x": [1.0]}, "y", alpha=0.2)
    np.testing.assert_allclose([lower, upper], 0.1, rtol=1e-9)


@named_ways
def test_one_class_is_certain(way):
    model = Model(**way).fit({"x": np.arange(9.0), "y": ["only"] * 9})
    np.testing.assert_allclose(model.predict_proba({"x": [1.0]}, "y"), 1.0)
    assert model.predict({"x": [None]}, "y").tolist() == ["only"]


@named_ways
@pytest.mark.parametrize("y", [[2.5], ["a"]])
def test_one_case_answers_everything(way, y):
    model = Model(**way).fit({"x": [1.0], "y": y})
    assert model.predict({"x": [7.0]}, "y").tolist() == y
    assert model.predict({"x": [None]}, "y").tolist() == y


@named_ways
def test_one_case_with_the_target_answers_for_all(way):
    model = Model(**way).fit({"x": [1.0, 2.0, 5.0], "y": [None, 2.5, None]})
    np.testing.assert_allclose(model.predict({"x": [7.0, 1.0]}, "y"), 2.5)
    lower, upper = model.predict_interval({"x": [7.0]}, "y")
    assert (lower[0], upper[0]) == (-np.inf, np.inf)


@named_ways
def test_where_no_feature_tells_cases_apart_all_answer_alike(way):
    table = {"x": [4.0] * 5, "y": [1.0, 2.0, 3.0, 4.0, 10.0], "c": list("aabab")}
    model = Model(**way).fit(table)
    np.testing.assert_allclose(model.predict({"x": [4.0, 9.0]}, "y"), 4.0)
    np.testing.assert_allclose(model.predict_proba({"x": [4.0]}, "c"), [[0.6, 0.4]])
    assert model.influences({"x": [4.0]}, "y").background == 1.0


def weights_of(model):
    """The weights of the encoded columns and of what is derived from them, by space."""
    model.tuning("y")
    [predictor] = model._ready().learned.values()
    return np.array(
        [predictor.cases.metric(space.metric).weights for space in predictor.ensemble.spaces]
    )


def test_a_weight_of_zero_takes_a_feature_out():
    table = mixture(60)
    model = Model(feature_weights={"noise": 0, "z": 0}).fit(without(table, "group"))
    other = Model().fit(without(table, "group"))
    rows = {"x": [0.3], "z": [9.0], "noise": [9.0]}
    assert np.isfinite(model.predict(rows, "y")).all()
    assert not weights_of(model)[:, [0, 2]].any()
    assert weights_of(other)[:, 0].any()


def test_rows_that_miss_everything_are_answered():
    model = Model().fit(mixture())
    rows = {"x": [None], "z": [None], "noise": [None]}
    assert np.isfinite(model.predict(rows, "y")).all()
    np.testing.assert_allclose(model.predict_proba(rows, "group").sum(), 1.0)


def test_no_rows_give_no_answers():
    model = Model().fit(mixture(30))
    none = {"x": np.empty(0)}
    assert model.predict(none, "y").shape == (0,)
    assert model.predict_proba(none, "group").shape == (0, 2)
    assert model.predict_set(none, "group").shape == (0, 2)
    assert [end.shape for end in model.predict_interval(none, "y")] == [(0,), (0,)]
    assert len(model.influences(none, "y")) == 0


def test_cyclic_answers_are_the_mean_direction_of_the_influences():
    model = Model(cyclic_features={"hour": 24}).fit(clock(60, 0))
    rows = {"x": [-1.0, 0.0, 2.5]}
    found = model.influences(rows, "hour")
    turns = np.exp(2j * np.pi * found.outcomes / 24)
    known = np.exp(2j * np.pi * clock(60, 0)["hour"] / 24).mean()
    expected = np.angle((found.shares * turns).sum(axis=1) + found.background * known)
    gap = way_round(model.predict(rows, "hour"), expected / (2 * np.pi) * 24)
    np.testing.assert_allclose(np.minimum(gap, 24 - gap), 0.0, atol=1e-9)


def test_midnight_lies_between_23_and_1():
    table = {"x": [1.0, 1.1, 1.2, 5.0, 5.1, 5.2], "hour": [23.0, 0.0, 1.0, 11.0, 12.0, 13.0]}
    model = Model(cyclic_features={"hour": 24}, influence="probability").fit(table)
    gap = way_round(model.predict({"x": [1.1, 5.1]}, "hour"), [0.0, 12.0])
    assert np.all(np.minimum(gap, 24 - gap) < 4)


@pytest.fixture(scope="module")
def model():
    return Model().fit(mixture(40))


def test_an_unknown_target_is_named_with_a_suggestion(model):
    with pytest.raises(FeatureError, match=r"No feature is named 'grup'.*'group'"):
        model.predict(ROWS, "grup")
    with pytest.raises(FeatureError, match=r"'grup'.*Did you mean 'group'"):
        model.predict(ROWS, ["x", "grup"])


@pytest.mark.parametrize(
    ("rows", "target", "context"),
    [
        ({"y": [1.0]}, "y", None),
        (ROWS, "x", ["x"]),
        (ROWS, ["x", "z"], None),
    ],
)
def test_nothing_to_predict_from_is_an_error(model, rows, target, context):
    with pytest.raises(TableError, match="There is no feature to predict"):
        model.predict(rows, target, context=context)


def test_a_context_that_the_rows_lack_is_an_error(model):
    with pytest.raises(TableError, match="The rows lack 'noise'"):
        model.predict(ROWS, "y", context=["x", "noise"])
    with pytest.raises(FeatureError, match="Did you mean 'noise'"):
        model.predict(ROWS, "y", context=["nois"])
    with pytest.raises(ParameterError, match="names no feature"):
        model.predict(ROWS, "y", context=[])


def test_a_number_has_no_class_probabilities(model):
    with pytest.raises(ParameterError, match=r"'y' is continuous.*predict_interval"):
        model.predict_proba(ROWS, "y")
    with pytest.raises(ParameterError, match=r"'y' is a number.*predict_interval"):
        model.predict_set(ROWS, "y")


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        (
            {"weighting": "entropi"},
            "weighting='entropi'; expected 'entropy', .* Did you mean 'entropy'",
        ),
        ({"influence": "linaer"}, "influence='linaer'; expected 'auto', .* Did you mean 'linear'"),
        ({"max_members": 0}, "max_members=0; expected a whole number, at least 1"),
        ({"max_queries": 1}, "max_queries=1; expected a whole number, at least 2"),
    ],
)
def test_settings_are_checked_when_fitting(settings_, message):
    with pytest.raises(ParameterError, match=message):
        Model(**settings_).fit(ROWS)


def test_a_model_without_cases_answers_nothing():
    for ask in (Model().predict, Model().predict_proba, Model().influences):
        with pytest.raises(NotFittedError):
            ask(ROWS, "y")
