"""Cases with derived columns follow every change of the table, to the last bit."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.derived.tables import frame
from vicinal import Model
from vicinal.index.exact import ExactIndex
from vicinal.prediction.extended_cases import ExtendedCases

N = 300
QUICK = {"max_members": 6, "max_queries": 300}
LAWS = settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
both = pytest.mark.parametrize("classes", [False, True], ids=["number", "classes"])


@pytest.fixture(scope="module")
def fitted():
    """Models that have learned a target and search in derived columns, by kind of target."""
    found = {}
    for classes in (False, True):
        model = Model(**QUICK).fit(frame(N, classes=classes))
        model.predict(rows_of(frame(3)), "y")
        found[classes] = model
    return found


def rows_of(table):
    return {name: values for name, values in table.items() if name != "y"}


def predictor_of(model):
    [predictor] = model._ready().learned.values()
    assert predictor.derived is not None
    return predictor


def fresh(predictor):
    """The same predictor, whose cases are derived anew."""
    return replace(predictor)


def arrays(answer):
    return [one for one in (answer.values, answer.probabilities, answer.spread) if one is not None]


def asked(model, predictor):
    """Predictions of new rows and of stored cases, whose influences they are, and their parts."""
    ready = model._ready()
    rows, stored = ready.rows(rows_of(frame(5, seed=9)), "y"), ready.rows(None, "y")
    influences = predictor.influences(stored.take(slice(0, 20)))
    players = predictor.cases.players(
        predictor.players(), predictor.ensemble.spaces[0].metric, stored
    )
    cases = predictor.cases.index.gathered().storage
    assert players.by_row
    derived, values = predictor.derived, ready.index.rows(cases.numbers)
    parts = derived.parts(values, derived.folds.of_rows(values))
    parts = parts[:, np.searchsorted(derived.columns, predictor.players())]
    np.testing.assert_array_equal(
        players.case_parts[cases.rows_of(cases.numbers)],
        parts[:, :, np.isin(derived.scores, players.scores)],
    )
    return [
        *arrays(predictor.answer(rows)),
        *arrays(predictor.answer(stored)),
        influences.indices,
        influences.shares,
        players.case_parts[cases.rows_of(cases.numbers)],
        players.query_parts,
    ]


def assert_as_derived_anew(model):
    predictor = predictor_of(model)
    for actual, expected in zip(
        asked(model, predictor), asked(model, fresh(predictor)), strict=True
    ):
        np.testing.assert_array_equal(actual, expected)


def carry_out(model, steps, classes):
    for kind, seed, count in steps:
        rng = np.random.default_rng(seed)
        more = {name: v[:count] for name, v in frame(20, seed % 1000, classes=classes).items()}
        more["group"][0] = rng.choice(["red", "violet", None])
        more["a"][-1] = np.nan
        numbers = model.index_.storage.numbers
        some = rng.permutation(numbers)[: min(count, len(numbers) - 30)]
        weights = rng.choice([0.5, 1.0, 2.0], count) if rng.random() < 0.3 else None
        if kind == "add":
            model.add(more, sample_weight=weights)
        elif kind == "remove":
            model.remove(some)
        elif len(some):
            part = {name: v[: len(some)] for name, v in more.items() if rng.random() < 0.7}
            part = part or {"b": more["b"][: len(some)]}
            model.update(some, part, sample_weight=None)


changes = st.lists(
    st.tuples(
        st.sampled_from(["add", "update", "remove"]), st.integers(0, 2**32 - 1), st.integers(1, 20)
    ),
    min_size=1,
    max_size=5,
)


@both
@LAWS
@given(steps=changes, ask_between=st.booleans())
def test_changes_equal_deriving_anew(fitted, classes, steps, ask_between):
    model = copy.deepcopy(fitted[classes])
    for step in steps:
        carry_out(model, [step], classes)
        if ask_between:
            assert_as_derived_anew(model)
    assert_as_derived_anew(model)


@both
def test_changes_are_followed_and_not_derived_again(fitted, classes, monkeypatch):
    model = copy.deepcopy(fitted[classes])
    predictor = predictor_of(model)
    before = predictor.cases.index
    assert len(predictor.calibration.scores)  # learned before the first change
    monkeypatch.setattr(
        type(before), "rebuilt_by", lambda *_: pytest.fail("all cases are derived again")
    )
    carry_out(model, [("add", 1, 9), ("remove", 2, 5), ("update", 3, 4)], classes)
    assert predictor.cases.current
    assert predictor.cases.index is before


def test_cases_that_changed_unseen_are_derived_anew(fitted):
    model = copy.deepcopy(fitted[False])
    predictor = predictor_of(model)
    first = predictor.cases.index
    model._ready().index.remove([3])
    assert not predictor.cases.current
    assert predictor.cases.index is not first
    assert len(predictor.cases.index) == N - 1


def test_an_update_that_fails_changes_nothing(fitted):
    model = copy.deepcopy(fitted[False])
    expected = asked(model, predictor_of(model))
    with pytest.raises(ValueError, match="no case number 999"):
        model.update([999], {"a": [1.0]})
    with pytest.raises(ValueError, match="no case number 999"):
        model.remove([5, 999])
    for actual, one in zip(asked(model, predictor_of(model)), expected, strict=True):
        np.testing.assert_array_equal(actual, one)


@both
def test_a_stored_case_uses_what_was_learned_without_its_fold(fitted, classes):
    model = fitted[classes]
    predictor = predictor_of(model)
    index, derived = model._ready().index, predictor.derived
    numbers = np.array([4, 17, 50])
    values = index.rows(numbers)
    folds = derived.folds.of_rows(values)
    np.testing.assert_array_equal(
        predictor.cases.rows(values, numbers), derived.extended(values, folds)
    )
    np.testing.assert_array_equal(
        predictor.cases.rows(values, numbers), predictor.cases.index.rows(numbers)
    )
    # So does a row that equals a stored case; others are in no fold.
    np.testing.assert_array_equal(predictor.cases.rows(values), derived.extended(values, folds))
    values = values + 0.01
    new = np.full(3, -1)
    np.testing.assert_array_equal(predictor.cases.rows(values), derived.extended(values, new))
    np.testing.assert_array_equal(predictor.cases.rows(values, new), derived.extended(values, new))
    np.testing.assert_array_equal(
        predictor.cases.rows(values, np.array([17, -1, 4])),
        derived.extended(values, np.array([folds[1], -1, folds[0]])),
    )


def test_another_index_gets_the_same_columns(fitted):
    model = fitted[False]
    predictor = predictor_of(model)
    values = model._ready().index.rows(np.arange(10))
    other = ExactIndex(values, model._ready().index.kinds)
    np.testing.assert_array_equal(
        predictor.cases.like(other).rows(np.arange(10)), predictor.derived.cases(values)
    )


@both
def test_players_bring_their_columns_and_their_parts_of_scores(fitted, classes):
    model = fitted[classes]
    predictor = predictor_of(model)
    derived, ready = predictor.derived, model._ready()
    rows = ready.rows(rows_of(frame(4, seed=3)), "y")
    features = predictor.players()
    for space in predictor.ensemble.spaces:
        found = predictor.cases.players(features, space.metric, rows)
        assert found.columns == tuple(derived.columns_of(feature) for feature in features)
        used = space.metric.weights[derived.scores] > 0
        np.testing.assert_array_equal(found.scores, derived.scores[used])
        assert found.case_parts.shape == (N, len(features), used.sum())
        parts = derived.parts(rows.values, np.full(4, -1))
        at = np.searchsorted(derived.columns, features)
        np.testing.assert_array_equal(found.query_parts, parts[:, at][:, :, used])


def test_without_derived_columns_the_cases_are_those_of_the_table(fitted):
    ready = fitted[False]._ready()
    cases = ExtendedCases(ready, None)
    values = ready.index.rows([0, 1])
    assert cases.index is ready.index
    assert cases.like(ready.index) is ready.index
    assert cases.rows(values) is values
    assert cases.metric(ready.metric) is ready.metric
    assert cases.columns_of(2) == (2,)
    assert cases.players([0], ready.metric, ready.rows(None, "y")) is None
    assert not cases.current
