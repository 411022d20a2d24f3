import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.explorer.tables import mixed_table
from vicinal.exceptions import ParameterError, TableError
from vicinal.explorer.filters import FLAGS, selected, settled
from vicinal.explorer.requests import Condition

TABLE = mixed_table()


def chosen(served, *conditions):
    read = [Condition.model_validate(one) for one in conditions]
    mask = selected(served.state, read, "kind")
    return np.flatnonzero(mask).tolist()


def rows_where(name, test):
    return [i for i, one in enumerate(TABLE[name]) if test(one)]


@pytest.mark.parametrize(
    ("condition", "name", "test"),
    [
        ({"feature": "count", "at_least": 2, "at_most": 4}, "count", lambda v: 2 <= v <= 4),
        ({"feature": "size", "at_least": 1.0}, "size", lambda v: v is not None and v >= 1),
        ({"feature": "size", "missing": True}, "size", lambda v: v is None),
        ({"feature": "size", "missing": True, "not": True}, "size", lambda v: v is not None),
        ({"feature": "shop", "in": ["shop 1", None]}, "shop", lambda v: v in ("shop 1", None)),
        ({"feature": "shop", "in": ["nowhere"]}, "shop", lambda v: False),
        ({"feature": "shop", "contains": "OP 2"}, "shop", lambda v: v == "shop 2"),
        ({"feature": "open", "in": [True]}, "open", lambda v: v is True),
        (
            {"feature": "day", "at_most": "2024-01-03"},
            "day",
            lambda v: v.isoformat() <= "2024-01-03",
        ),
        ({"feature": "wait", "at_least": 600}, "wait", lambda v: v.total_seconds() >= 600),
    ],
    ids=lambda given: "" if callable(given) else str(given),
)
def test_a_condition_selects_the_rows_that_meet_it(served, condition, name, test):
    assert chosen(served, condition) == rows_where(name, test)


def test_all_conditions_must_hold(served):
    a, b = {"feature": "count", "at_most": 2}, {"feature": "open", "in": [True]}
    assert chosen(served, a, b) == sorted(set(chosen(served, a)) & set(chosen(served, b)))


def test_no_condition_selects_all(served):
    assert selected(served.state, [], None) is None


def test_computed_columns_flags_and_the_map_select(served):
    low = chosen(served, {"by": "conviction", "at_most": 0.7})
    assert set(chosen(served, {"flag": "outlier"})) == {
        case for case in low if served.state.computed("conviction").similarity[case] < 0.7
    }
    assert len(chosen(served, {"by": "prediction", "in": ["small"]})) > 20
    assert chosen(served, {"by": "case", "at_most": 3}) == [0, 1, 2, 3]
    assert chosen(served, {"cases": [5, 999]}) == [5]
    left = chosen(served, {"region": {"x": [0, 0.5], "y": [0, 1]}})
    right = chosen(served, {"region": {"x": [0.5, 1], "y": [0, 1]}})
    assert sorted({*left, *right}) == list(range(60))
    for flag in FLAGS:
        chosen(served, {"flag": flag})


@pytest.mark.parametrize(
    ("condition", "match"),
    [
        ({"feature": "shop", "at_least": "a"}, "no order"),
        ({"feature": "size", "contains": "a"}, "no categories"),
        ({"by": "conviction", "at_least": "a"}, "expected a number"),
        ({"feature": "size", "at_least": "tall"}, "tall"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(served, condition, match):
    with pytest.raises((ParameterError, TableError), match=match):
        chosen(served, condition)


def test_a_condition_is_about_one_thing():
    with pytest.raises(ValidationError, match="expected one of feature"):
        Condition.model_validate({"feature": "a", "flag": "outlier"})
    with pytest.raises(ValidationError, match="none of them"):
        Condition.model_validate({"at_least": 3})


@given(st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, 6]), max_size=4), st.booleans())
def test_a_condition_and_its_negation_select_every_case_once(served, values, missing):
    condition = {"feature": "count", "in": [*values, *([None] if missing else [])]}
    kept, others = chosen(served, condition), chosen(served, {**condition, "not": True})
    assert sorted(kept + others) == list(range(60))


def test_only_conditions_that_cannot_select_more_later_are_kept(monkeypatch, served):
    some = [{"feature": "size", "at_least": 0}], [{"by": "conviction", "at_most": 0.7}]
    feature, computed = ([Condition.model_validate(one) for one in asked] for asked in some)
    assert settled(served.state, feature)
    assert settled(served.state, computed)
    monkeypatch.setattr(type(served.state.tasks), "ready", False)
    assert settled(served.state, feature)
    assert not settled(served.state, computed)
