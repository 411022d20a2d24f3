"""A target is learned once; left-out cases say how far off its predictions are."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from tests.prediction.ways import (
    mixture,
    without,
)
from vicinal import Model
from vicinal.exceptions import TableError
from vicinal.prediction.calibration_cases import fresh_cases, predict_parts
from vicinal.prediction.cross_fitting import PARTS_OF_NUMBERS, without_parts
from vicinal.prediction.predict import predict, predict_proba
from vicinal.prediction.predictor import learn


def test_a_target_is_learned_once():
    model = Model().fit(mixture(40))
    first = model.tuning("y")
    model.predict({"x": [0.1], "z": [0.1], "noise": [0.0], "group": ["up"]}, "y")
    assert model.tuning("y") is first
    assert model.tuning("y", context=["x"]) is not first
    model.fit(mixture(41))
    assert model.tuning("y") is not first


def test_intervals_outlive_the_cases_they_were_calibrated_on():
    table = mixture(60)
    model = Model().fit(table)
    rows = without(mixture(5, seed=2), "y", "group")
    expected = model.predict_interval(rows, "y", alpha=0.2)
    width = expected[1] - expected[0]
    model.remove(np.arange(20, 60))
    lower, upper = model.predict_interval(rows, "y", alpha=0.2)
    assert np.isfinite(lower).all()
    fresh = Model().fit(table)
    fresh.predict(rows, "y")
    fresh.remove(np.arange(20, 60))
    np.testing.assert_array_equal(fresh.predict_interval(rows, "y", alpha=0.2), (lower, upper))
    assert np.all(upper - lower > 0.2 * width)
    assert model.predict_set(rows, "group", alpha=0.2).shape == (5, 2)


def learned_of(model, target):
    context = [name for name in model.schema_.names if name != target]
    return learn(model._ready(), target, model.schema_.columns(context))


@pytest.mark.parametrize("target", ["group", "y"])
def test_cases_that_nothing_was_learned_from_say_how_far_off_predictions_are(target):
    table = mixture(420)
    # A score of a left-out case is learned without it, but stays when the case is removed.
    model = Model(max_queries=100, scores=False).fit(table)
    learned = learned_of(model, target)
    scores = learned.calibration.scores
    fresh = fresh_cases(learned)
    assert len(scores) == len(fresh) == 100
    assert not np.isin(fresh, learned.tuning.queries).any()
    if target == "group":
        found = [1 - left_out_probability(table, model, case, target) for case in fresh[:5]]
        # The share of its class among all cases, of which each answer has a trace, changes a bit.
        assert all(np.isclose(scores, score, rtol=0, atol=1e-4).any() for score in found)


def left_out_probability(table, model, case, target):
    """Probability of the case's own class, by a model that has lost the case."""
    without_it = deepcopy(model)
    without_it.remove([case])
    row = {name: [column[case]] for name, column in table.items() if name != target}
    place = list(model.schema_[target].categories).index(table[target][case])
    return without_it.predict_proba(row, target)[0, place]


def test_where_few_are_fresh_numbers_take_the_left_out_cases_of_tuning():
    model = Model(max_queries=100).fit(mixture(320))
    learned = learned_of(model, "y")
    assert fresh_cases(learned) is None
    assert len(learned.calibration.scores) == len(learned.tuning.queries)


def test_where_few_are_fresh_classes_are_learned_again_without_parts_of_the_cases():
    table = mixture(90)
    model = Model().fit(table)
    learned = learned_of(model, "group")
    assert fresh_cases(learned) is None
    cases, answered = predict_parts(learned)
    given = answered.probabilities
    np.testing.assert_array_equal(np.sort(cases), np.arange(90))
    [(part, fitted), *_] = without_parts(model._ready(), learned.column)
    rows = {name: np.asarray(column)[part] for name, column in without(table, "group").items()}
    expected = predict_proba(fitted, rows, "group")
    np.testing.assert_allclose(given[np.isin(cases, part)], expected, rtol=1e-12)
    assert len(learned.calibration.scores) == 90


def test_numbers_of_small_tables_are_learned_again_without_parts_of_the_cases():
    table = mixture(70)
    model = Model().fit(table)
    learned = learned_of(model, "y")
    scores = learned.calibration.scores
    errors = []
    for part, fitted in without_parts(model._ready(), learned.column, PARTS_OF_NUMBERS):
        rows = {name: np.asarray(column)[part] for name, column in without(table, "y").items()}
        found = np.asarray(predict(fitted, rows, "y"), dtype=float)
        errors += np.abs(found - np.asarray(table["y"])[part]).tolist()
    assert len(scores) == len(errors) == 70
    np.testing.assert_allclose(learned.calibration.error, np.mean(errors), rtol=1e-9)


def test_intervals_of_equal_cases_have_a_calibration():
    model = Model().fit({"x": np.ones(6), "y": np.full(6, 2.0)})
    lower, upper = model.predict_interval({"x": [1.0]}, "y", alpha=0.2)
    assert lower <= 2.0 <= upper < np.inf


def skewed(n, seed):
    """One case of ten is of a rare class, which overlaps the common one."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < 0.1
    x = rng.normal(size=(n, 3)) + 1.2 * rare[:, None]
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "group": np.where(rare, "rare", "usual")}


def test_sets_cover_each_class_as_often_as_they_say_and_are_never_empty():
    held = {"class": [], "overall": []}
    for seed in range(4):
        model, rows = Model().fit(skewed(250, seed)), skewed(1500, 100 + seed)
        place = list(model.schema_["group"].class_order).index("rare")
        for coverage, found in held.items():
            sets = model.predict_set(without(rows, "group"), "group", alpha=0.2, coverage=coverage)
            assert sets.any(axis=1).all()
            found.append(sets[rows["group"] == "rare", place].mean())
    # About 100 rare cases calibrate, and 600 are predicted: the standard error is 0.043.
    assert np.mean(held["class"]) > 0.8 - 2 * 0.043
    assert np.mean(held["overall"]) < 0.65


def test_the_most_probable_class_is_in_every_set_and_a_class_of_few_cases_too():
    table = skewed(200, 0)
    table["group"][:3] = "new"
    model, rows = Model().fit(table), without(skewed(50, 1), "group")
    likely = model.predict_proba(rows, "group").argmax(axis=1)
    for alpha in (0.5, 0.2, 0.01):
        sets = model.predict_set(rows, "group", alpha=alpha)
        assert sets[np.arange(50), likely].all()
        place = list(model.schema_["group"].class_order).index("new")
        if alpha < 0.25:  # three cases cannot rule out their class
            assert sets[:, place].all()


def test_a_class_that_has_lost_its_cases_is_in_no_set():
    table = skewed(60, 0)
    table["group"][:3] = "new"
    model = Model().fit(table)
    rows = without(skewed(20, 1), "group")
    place = list(model.schema_["group"].class_order).index("new")
    assert model.predict_set(rows, "group", alpha=0.1)[:, place].all()
    model.remove([0, 1, 2])
    assert not model.predict_set(rows, "group", alpha=0.1)[:, place].any()


def test_fresh_cases_tell_the_same_of_weights_and_repeated_rows():
    table, counts = mixture(400), np.arange(400) % 3 + 1
    repeated = {name: np.repeat(np.asarray(column), counts) for name, column in table.items()}
    weighed = Model(max_queries=100).fit(table, sample_weight=counts)
    plain = Model(max_queries=100).fit(repeated)
    for target in ("group", "y"):
        ours, theirs = (learned_of(one, target).calibration for one in (weighed, plain))
        for alpha in (0.05, 0.1, 0.3, 0.5):
            np.testing.assert_allclose(
                ours.quantile(alpha), theirs.quantile(alpha), rtol=1e-9, atol=1e-12
            )


def test_a_class_that_comes_later_can_be_predicted():
    model = Model().fit({"x": np.arange(20.0), "y": ["a", "b"] * 10})
    assert model.predict_proba({"x": [3.0]}, "y").shape == (1, 2)
    model.add({"x": np.full(30, 500.0), "y": ["c"] * 30})
    assert model.predict({"x": [500.0]}, "y").tolist() == ["c"]
    assert model.predict_proba({"x": [500.0]}, "y").shape == (1, 3)
    assert model.predict_set({"x": [500.0]}, "y").shape == (1, 3)


def test_sets_are_calibrated_on_plain_cases_too():
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        plain = rng.random(n) < 0.8
        x = np.where(plain, rng.choice([-9.0, 9.0], size=n), rng.normal(size=n))
        group = np.where(x + 0.5 * rng.normal(size=n) > 0, "a", "b")
        return {"x": x + 0.1 * rng.normal(size=n), "group": group}

    model = Model().fit(draw(500, 0))
    # Were those left out of the calibration, sets at 15 % would hold nearly every class.
    rows = draw(2000, 1)
    sets = model.predict_set({"x": rows["x"]}, "group", alpha=0.15)
    places = [model.schema_["group"].categories.index(group) for group in rows["group"]]
    held = sets[np.arange(2000), places].mean()
    # The most probable class is always in the set, and is the true one more often than 85 %.
    right = model.predict({"x": rows["x"]}, "group") == rows["group"]
    assert right.mean() <= held <= right.mean() + 0.02
    assert 1 <= sets.sum(axis=1).mean() < 1.1


def test_a_target_without_any_value_is_an_error():
    table = {"x": np.arange(5.0), "y": [None] * 5}
    with pytest.raises(TableError, match="No case has a value of 'y'"):
        Model().fit(table).predict({"x": [1.0]}, "y")
    weighed = Model().fit(table | {"y": [1.0, *[None] * 4]}, sample_weight=[0, 1, 1, 1, 1])
    with pytest.raises(TableError, match="No case has a value of 'y'"):
        weighed.predict({"x": [1.0]}, "y")


def test_so_is_one_that_has_lost_its_values():
    model = Model().fit({"x": np.arange(5.0), "y": [1.0, 2.0, None, None, None]})
    model.predict({"x": [1.0]}, "y")
    model.remove([0, 1])
    with pytest.raises(TableError, match="No case has a value of 'y'"):
        model.predict({"x": [1.0]}, "y")
