"""Cases come, change and go: every answer is that of a model built from what is there."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.derived.tables import frame
from tests.mixed_table import OPTIONS, mixed_table, take
from tests.model.parts import with_cases
from tests.model.questions import QUESTIONS, ask, assert_same
from vicinal import Model, NotFittedError, ParameterError, TableError

N = 40
#: What asks of a law is cheap or dear: the dear ones are asked in turn.
CHEAP = ("neighbors", "predict", "predict_proba", "predict_set", "influences", "conviction")
DEAR = tuple(sorted(QUESTIONS.keys() - set(CHEAP)))


@pytest.fixture(scope="module")
def rows(queries):
    return take(queries, [0, 3, 5, 7])


@pytest.fixture(scope="module")
def fitted(rows):
    """A model whose targets are learned, and the table it was fitted to."""
    model = Model(max_queries=40, max_members=2, **OPTIONS).fit(mixed_table(N, seed=4))
    ask(model, rows, CHEAP)
    return model


def rebuilt(model):
    """A model with the same parameters, built at once from the cases that are there now."""
    cases = model.index_.storage
    twin = with_cases(model, cases.values, cases.weights)
    for key, predictor in model._ready().learned.items():
        twin._fitted.learned[key] = predictor.renumbered(twin._fitted, cases.numbers)
    return twin


def assert_as_rebuilt(model, rows, names):
    kept = model.index_.storage.numbers
    expected = ask(
        rebuilt(model), rows, names, lambda numbers: np.where(numbers < 0, -1, kept[numbers])
    )
    assert_same(ask(model, rows, names), expected)


@st.composite
def changes(draw, kinds):
    """Some changes: what, and a number that the test makes cases and rows of."""
    return draw(
        st.lists(
            st.tuples(st.sampled_from(kinds), st.integers(0, 2**32 - 1), st.integers(1, 12)),
            min_size=1,
            max_size=4,
        )
    )


def carry_out(model, steps):
    for kind, seed, count in steps:
        rng = np.random.default_rng(seed)
        more = mixed_table(20, seed=seed % 1000)
        more = take(more, rng.integers(0, 20, count))  # with repetitions
        if rng.random() < 0.3:
            words = rng.choice(["red", "violet", "grey"], count).tolist()
            more["colour"] = [old and new for old, new in zip(more["colour"], words, strict=True)]
        weights = rng.choice([0.5, 1.0, 2.0], count) if rng.random() < 0.3 else None
        numbers = model.index_.storage.numbers
        some = rng.permutation(numbers)[: min(count, len(numbers) - 12)]
        if kind == "add":
            model.add(more, sample_weight=weights)
        elif kind == "remove" and len(some):
            model.remove(some)
        elif kind == "update" and len(some):
            part = take(more, range(len(some)))
            if rng.random() < 0.5:
                part = {name: part[name] for name in ("weight", "colour", "hour")}
            weights = None if weights is None else weights[: len(some)]
            model.update(some, part, sample_weight=weights)


def law(fitted, rows, steps, dear):
    model = copy.deepcopy(fitted)
    carry_out(model, steps)
    assert_as_rebuilt(model, rows, [*CHEAP, dear])


LAWS = settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAWS
@given(steps=changes(["add"]), dear=st.sampled_from(DEAR))
def test_law_adding_equals_rebuilding(fitted, rows, steps, dear):
    law(fitted, rows, steps, dear)


@LAWS
@given(steps=changes(["remove"]), dear=st.sampled_from(DEAR))
def test_law_removing_equals_rebuilding(fitted, rows, steps, dear):
    law(fitted, rows, steps, dear)


@LAWS
@given(steps=changes(["add", "remove", "update"]), dear=st.sampled_from(DEAR))
def test_law_any_changes_equal_rebuilding(fitted, rows, steps, dear):
    law(fitted, rows, steps, dear)


@pytest.mark.parametrize("dear", DEAR)
def test_every_question_is_asked_after_changes(fitted, rows, dear):
    model = copy.deepcopy(fitted)
    carry_out(model, [("add", 5, 9), ("update", 6, 8), ("remove", 7, 10), ("update", 8, 3)])
    assert_as_rebuilt(model, rows, [dear])


def test_half_the_cases_may_go_and_twice_as_many_come(fitted, rows):
    model = copy.deepcopy(fitted)
    model.remove(np.arange(0, N, 2))
    model.remove(np.arange(1, N // 2, 2))
    model.add(mixed_table(3 * N, seed=12))
    assert_as_rebuilt(model, rows, CHEAP)


def test_changes_that_cannot_be_leave_the_model_as_it_was(fitted, rows):
    model = copy.deepcopy(fitted)
    before, log = ask(model, rows, CHEAP), len(model.log_)
    row = take(mixed_table(9, seed=3), [0])
    with pytest.raises(ParameterError, match="no case number 999"):
        model.update(999, row)
    with pytest.raises(ParameterError, match="2 cases and 1 rows"):
        model.update([1, 2], row)
    with pytest.raises(ParameterError, match="each case once"):
        model.update([1, 1], take(mixed_table(9), [0, 1]))
    with pytest.raises(ParameterError, match="no case number -1"):
        model.remove([3, -1])
    with pytest.raises(ParameterError, match="whole numbers"):
        model.remove([0.5])
    with pytest.raises(TableError, match="weight"):
        model.add({**row, "weight": [1e305]})
    with pytest.raises(TableError, match="expected numbers"):
        model.update(1, {"weight": ["heavy"]})
    with pytest.raises(ParameterError, match="sample_weight"):
        model.update(1, row, sample_weight=[-1.0])
    assert_same(ask(model, rows, CHEAP), before)
    assert len(model.log_) == log
    assert model.stale_.share == 0


def test_a_model_not_fitted_says_so():
    for asked in (lambda m: m.update(0, {}), lambda m: m.refresh(), lambda m: m.stale_):
        with pytest.raises(NotFittedError):
            asked(Model())


def test_adding_and_removing_gives_the_model_of_the_cases_left(table, queries):
    model = Model(**OPTIONS).fit(table)
    before = model.residuals_
    more = mixed_table(60, seed=3)
    more["colour"][0] = "violet"
    numbers = model.add(more)
    assert numbers.tolist() == list(range(len(table["weight"]), len(table["weight"]) + 60))
    gone = np.random.default_rng(1).permutation(len(table["weight"]) + 60)[:90]
    model.remove(gone)
    assert len(model) == len(table["weight"]) + 60 - 90
    assert model.residuals_ == before
    kept = np.setdiff1d(np.arange(len(table["weight"]) + 60), gone)
    twin = with_cases(model, model.index_.rows(kept))
    for rows in (queries, None):
        found, expected = model.neighbors(rows, k=6), twin.neighbors(rows, k=6)
        np.testing.assert_array_equal(found.indices, kept[expected.indices])
        np.testing.assert_array_equal(found.distances, expected.distances)


def test_added_cases_are_encoded_like_the_others(table):
    model = Model(**OPTIONS).fit(take(table, range(100)))
    model.add(take(table, range(100, len(table["weight"]))))
    twin = with_cases(model, model._ready().rows(table).values)
    found, expected = model.neighbors(table, k=6), twin.neighbors(table, k=6)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_a_new_category_becomes_one_of_the_schema(table):
    model = Model(**OPTIONS).fit(table)
    rows = take(table, [0, 1])
    rows["colour"] = ["violet", "violet"]
    first, second = model.add(rows).tolist()
    assert "violet" in model.schema_["colour"].categories
    asked = {"colour": ["violet"]}
    assert model.neighbors(asked, k=2).indices.tolist() == [[first, second]]


def test_added_cases_may_have_weights(table, queries):
    model = Model(**OPTIONS).fit(table)
    model.add(take(table, [0, 1]), sample_weight=[3.0, 0.0])
    assert len(model) == len(table["weight"]) + 2
    found = model.neighbors(take(table, [0]), k=5)
    places = dict(zip(found.indices[0].tolist(), found.weights[0].tolist(), strict=True))
    assert places[0] == 1
    assert places[len(table["weight"])] == 3
    assert len(table["weight"]) + 1 not in places


def test_all_cases_may_go_and_others_come(table, queries):
    model = Model(**OPTIONS).fit(table)
    model.remove(range(len(table["weight"])))
    assert len(model) == 0
    assert (model.neighbors(queries, k=2).indices == -1).all()
    assert len(model.neighbors(k=2)) == 0
    model.add(take(table, [4]))
    assert model.neighbors(queries, k=1).indices.tolist() == [[len(table["weight"])]] * 12


@pytest.mark.parametrize("cases", [3, [3], (3, 3), np.array([3]), range(3, 4)])
def test_cases_are_removed_by_number(table, cases):
    model = Model(**OPTIONS).fit(table)
    model.remove(cases)
    assert len(model) == len(table["weight"]) - 1
    assert 3 not in model.neighbors(k=5).indices


@pytest.mark.parametrize("classes", [False, True], ids=["number", "classes"])
def test_derived_columns_follow_as_if_rebuilt(classes):
    table = frame(300, classes=classes)
    model = Model(max_queries=300, max_members=6).fit(table)
    rows = {name: values for name, values in frame(5, seed=3).items() if name != "y"}
    model.predict(rows, "y")
    [predictor] = model._ready().learned.values()
    assert predictor.derived is not None
    model.remove(np.arange(0, 300, 7))
    numbers = model.add(frame(40, seed=4, classes=classes), sample_weight=np.resize([1, 2], 40))
    model.update(numbers[:9], {"b": np.arange(9.0), "group": ["violet"] * 9})
    model.update([1, 2], {"y": ["no", "yes"] if classes else [1.0, 99.0]})
    kept = model.index_.storage.numbers
    twin = rebuilt(model)
    for question in ("predict", "influences", "contributions"):
        found, expected = (getattr(one, question)(rows, "y") for one in (model, twin))
        if question == "influences":
            numbers = np.where(expected.indices < 0, -1, kept[expected.indices])
            np.testing.assert_array_equal(found.indices, numbers)
            np.testing.assert_array_equal(found.shares, expected.shares)
        else:
            values = [getattr(one, "values", one) for one in (found, expected)]
            np.testing.assert_array_equal(*values)
    stored, again = (one.influences(None, "y") for one in (model, twin))
    np.testing.assert_array_equal(stored.shares, again.shares)
    # A refresh learns from what is there now, so the new category counts.
    model.refresh()
    model.predict(rows, "y")
    [renewed] = model._ready().learned.values()
    assert renewed is not predictor
