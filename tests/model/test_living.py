"""Cases come, change and go: every answer is that of a model built from what is there."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

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


# --- the index ---------------------------------------------------------------------------------


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([1, 63, 64, 65, 130, 2500]))
@example(seed=0, n=2500)
def test_updated_cases_are_found_where_they_are_now(seed, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(n, 3)).astype(float)
    kinds = np.array([0, 0, 2], dtype=np.uint8)
    index = ExactIndex(values, kinds)
    for _ in range(3):
        some = rng.permutation(n)[: rng.integers(1, n + 1)]
        fresh = rng.integers(0, 5, (len(some), 3)).astype(float)
        fresh[rng.random(fresh.shape) < 0.1] = np.nan
        index.update(some, fresh)
        values[some] = fresh
    np.testing.assert_array_equal(index.storage.values, values)
    np.testing.assert_array_equal(index.storage.numbers, np.arange(n))
    table = {"a": [0.0, 1, 2], "b": [0.0, 1, 4], "c": ["x", "y", "x"]}
    metric = Model(max_rounds=1).fit(table).metric_
    found = index.search(values[:20], metric, k=5)
    expected = ExactIndex(values, kinds).search(values[:20], metric, k=5)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


# --- refresh -----------------------------------------------------------------------------------


def test_law_refreshing_equals_fitting(rows):
    table, more = mixed_table(50, seed=1), mixed_table(30, seed=2)
    more["colour"] = [one and {"red": "violet"}.get(one, one) for one in more["colour"]]
    model = Model(max_queries=60, **OPTIONS).fit(table)
    model.predict(rows, "weight")
    model.add(more)
    model.remove(np.arange(0, 50, 3))
    model.update([70], take(table, [0]))
    log = len(model.log_)
    model.refresh()
    kept = [i for i in range(80) if i >= 50 or i % 3]
    whole = {name: [*table[name], *more[name]] for name in table}
    whole = {name: [*values[:70], table[name][0], *values[71:]] for name, values in whole.items()}
    fresh = Model(max_queries=60, **OPTIONS).fit(take(whole, kept))
    assert model.residuals_ == fresh.residuals_
    assert model.schema_ == fresh.schema_
    numbers = np.array(kept)
    asked = ("neighbors", "predict", "predict_proba", "predict_interval", "conviction", "density")
    expected = ask(fresh, rows, asked, lambda one: np.where(one < 0, -1, numbers[one]))
    assert_same(ask(model, rows, asked), expected)
    assert [change.action for change in model.log_][log:] == ["refresh"]
    assert model.stale_.share == 0


def test_ordinal_numbers_are_ranked_anew():
    model = Model(ordinal_features=["a"]).fit({"a": [1, 5, 9, 5], "b": [0.0, 1.0, 2.0, 3.0]})
    model.add({"a": [7], "b": [4.0]})
    model.remove([0])
    model.refresh()
    fresh = Model(ordinal_features=["a"]).fit({"a": [5, 9, 5, 7], "b": [1.0, 2.0, 3.0, 4.0]})
    assert model.schema_ == fresh.schema_
    assert model.residuals_ == fresh.residuals_


def test_nothing_is_learned_from_no_cases():
    model = Model().fit({"a": [1.0, 2.0]})
    model.remove([0, 1])
    with pytest.raises(ParameterError, match="no cases left"):
        model.refresh()


# --- log and staleness -------------------------------------------------------------------------


def test_the_log_tells_what_was_done_when_and_to_which(fitted):
    model = copy.deepcopy(fitted)
    model.add(mixed_table(3, seed=9))
    model.update([7, 2], take(mixed_table(9, seed=3), [0, 1]))
    model.remove([5, 41, 4])
    model.add({name: [] for name in model.schema_.names})
    told = [(change.action, change.cases.tolist()) for change in model.log_]
    assert told == [
        ("fit", list(range(N))),
        ("add", [40, 41, 42]),
        ("update", [7, 2]),
        ("remove", [4, 5, 41]),
    ]
    times = [change.when for change in model.log_]
    assert times == sorted(times)
    assert {time.utcoffset().total_seconds() for time in times} == {0}
    assert "remove 3 cases: #4, #5, #41" in repr(model.log_)
    frame = model.log_.to_frame("pandas")
    assert frame["count"].tolist() == [40, 3, 2, 3]
    assert frame["first"].tolist() == [0, 40, 7, 4]
    assert len(fitted.log_) == 1


def test_staleness_counts_cases_and_measures_shift_by_hand():
    model = Model().fit({"a": [0.0, 0.0, 1.0, 1.0], "b": ["x", "x", "x", "y"]})
    assert (model.stale_.share, model.stale_.shift) == (0.0, {"a": 0.0, "b": 0.0})
    model.add({"a": [0.0, 0.0, 0.0, 0.0], "b": ["z", "z", None, "x"]})
    stale = model.stale_
    assert (stale.added, stale.updated, stale.removed, stale.share) == (4, 0, 0, 0.5)
    # a: (1/2, 1/2) became (6/8, 2/8); b: (3, 1, 0, none)/4 became (4, 1, 2, 1)/8.
    assert stale.shift == pytest.approx({"a": 0.25, "b": 0.375})
    model.remove([4, 5, 6, 7])
    assert model.stale_.share == 0.0
    assert model.stale_.shift == pytest.approx({"a": 0.0, "b": 0.0})
    model.update([0, 0 + 1], {"a": [9.0, -9.0]})
    assert (model.stale_.updated, model.stale_.share) == (2, 0.5)
    assert model.stale_.shift == pytest.approx({"a": 0.5, "b": 0.0})
    model.update(0, {"a": [0.0]})
    model.remove(0)
    # Of the four cases at the fit two are as they were, whatever happened to the others since.
    assert model.stale_.share == 0.5


def test_staleness_counts_weights():
    model = Model().fit({"a": [0.0, 1.0]}, sample_weight=[1.0, 3.0])
    model.add({"a": [0.0]}, sample_weight=[2.0])
    assert model.stale_.shift["a"] == pytest.approx(0.25)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_removing_what_was_added_undoes_every_shift(seed):
    rng = np.random.default_rng(seed)
    model = Model(max_rounds=1).fit({"a": rng.normal(size=30), "b": rng.integers(0, 3, 30)})
    for _ in range(2):
        rows = {"a": rng.normal(size=7) * 1e3, "b": rng.integers(-5, 9, 7)}
        numbers = model.add(rows)
        assert max(model.stale_.shift.values()) > 0
        model.remove(numbers)
    assert model.stale_.shift == {"a": 0.0, "b": 0.0}
    assert model.stale_.share == 0.0


# --- errors ------------------------------------------------------------------------------------


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
