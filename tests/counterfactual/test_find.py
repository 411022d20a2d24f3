"""Counterfactuals: examples that can be checked by hand, results, estimators, errors."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest
import sklearn.exceptions

from vicinal import Counterfactuals, Model, VicinalClassifier, VicinalRegressor
from vicinal.exceptions import FeatureError, NotFittedError, ParameterError, TableError

N = 60


def loans():
    """Loans are granted from an income of 50 on, to people of either sex and any age."""
    rng = np.random.default_rng(5)
    income = np.linspace(20, 80, N).round(1)
    return {
        "income": income.tolist(),
        "age": rng.integers(20, 70, size=N).tolist(),
        "sex": [["f", "m"][i] for i in rng.integers(0, 2, size=N)],
        "grade": [["low", "mid", "high"][i] for i in np.digitize(income, [40, 60])],
        "hour": rng.integers(0, 24, size=N).tolist(),
        "granted": np.where(income >= 50, "yes", "no").tolist(),
    }


ROW = {"income": 35.0, "age": 40, "sex": "f", "grade": "low", "hour": 23}


@pytest.fixture(scope="module")
def model():
    options = {"ordinal_features": {"grade": ["low", "mid", "high"]}, "max_members": 4}
    return Model(**options, cyclic_features={"hour": 24}).fit(loans())


# --- examples ---------------------------------------------------------------------------------


def test_what_decides_is_what_changes(model):
    found = model.counterfactual(ROW, "granted", "yes")
    assert set(found[0].changes) <= {"income", "grade"}
    assert found[0].prediction == "yes"
    assert found[0].probabilities["yes"] > 0.5
    assert loans()["granted"][found[0].case] == "yes"


def test_a_number_moves_no_farther_than_it_takes_and_to_a_value_that_occurs(model):
    [one] = model.counterfactual(ROW, "granted", "yes", immutable=["grade", "age", "sex", "hour"])
    before, after = one.changes["income"]
    assert before == 35.0
    assert after in loans()["income"]
    lower = max(value for value in loans()["income"] if value < after)
    assert model.predict(ROW | {"income": lower}, "granted")[0] == "no"


def test_whole_numbers_stay_whole(model):
    rules = {"age": (50.5, 60.5), "hour": (3, 9.5)}
    [one] = model.counterfactual(ROW, "granted", "yes", ranges=rules)
    assert {"age", "hour"} <= set(one.changes)
    assert all(isinstance(one.row[name], int) for name in ("age", "hour"))


def test_a_row_outside_a_range_is_moved_into_it(model):
    found = model.counterfactual(ROW, "granted", "yes", ranges={"age": (50, 60)})
    assert 50 <= found[0].row["age"] <= 60
    assert "age" in found[0].changes


def test_a_range_of_a_cyclic_feature_goes_round_the_circle(model):
    found = model.counterfactual(ROW | {"hour": 12}, "granted", "yes", ranges={"hour": (22, 3)})
    assert found[0].row["hour"] >= 22 or found[0].row["hour"] <= 3
    stays = model.counterfactual(ROW, "granted", "yes", ranges={"hour": (22, 3)})
    assert stays[0].row["hour"] == 23


def test_allowed_numbers_need_not_occur(model):
    found = model.counterfactual(
        ROW, "granted", "yes", allowed={"income": [35.0, 77.77]}, immutable=["grade"]
    )
    assert found[0].changes == {"income": (35.0, 77.77)}


def test_a_missing_value_may_stay_or_be_filled_in_but_none_appears(model):
    row = ROW | {"income": None, "age": None}
    [one] = model.counterfactual(row, "granted", "no", immutable=["grade"], n=1)
    assert one.row["age"] is None or "age" in one.changes
    [one] = model.counterfactual(ROW, "granted", "yes", directions={"income": "increase"})
    assert None not in one.row.values()


def test_a_direction_from_an_unknown_value_is_no_way_to_go(model):
    row = ROW | {"income": None}
    found = model.counterfactual(row, "granted", "yes", directions={"income": "increase"}, n=3)
    assert all("income" not in one.changes for one in found)


def test_an_unseen_category_and_other_columns_stay_as_they_are(model):
    row = ROW | {"sex": "unsaid"}
    [one] = model.counterfactual(row, "granted", "yes", context=["income", "sex"])
    assert one.row["sex"] == "unsaid"
    assert one.row["age"] == 40
    assert set(one.changes) == {"income"}


def test_what_is_already_so_needs_no_change(model):
    found = model.counterfactual(ROW, "granted", "no")
    assert found[0].changes == {}
    assert "already" in found.message


def test_several_counterfactuals_change_different_features_or_lean_on_different_cases(model):
    found = model.counterfactual(ROW, "granted", "yes", n=3)
    assert len({(tuple(one.changes), one.case) for one in found}) == len(found) > 1
    assert [len(one.changes) for one in found] == sorted(len(one.changes) for one in found)


def test_where_nothing_is_possible_the_constraint_in_the_way_is_named(model):
    found = model.counterfactual(
        ROW, "granted", "yes", ranges={"income": (None, 36.0)}, immutable=["grade", "sex"]
    )
    assert len(found) == 0
    assert "none exists in the data under these constraints" in found.message
    assert "the closest relaxation is" in found.message
    [(rule, name)] = found.relaxation.constraints
    assert (rule, name) in {("ranges", "income"), ("immutable", "grade")}
    assert found.relaxation.counterfactual.prediction == "yes"


def test_several_constraints_are_dropped_where_one_is_not_enough(model):
    found = model.counterfactual(
        ROW,
        "granted",
        "yes",
        immutable=["income", "grade"],
        ranges={"income": (None, 36.0)},
        allowed={"grade": ["low"]},
    )
    assert len(found) == 0
    assert len(found.relaxation.constraints) >= 2


def test_where_the_model_never_answers_so_it_says_that(model):
    found = model.counterfactual(ROW, "income", (1e6, 2e6), immutable=["sex"])
    assert len(found) == 0
    assert found.relaxation is None
    assert "none exists in the data" in found.message


def test_dates_and_arrays_are_taken_as_they_are():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(30)]
    model = Model(max_members=3).fit({"day": days, "y": ["a"] * 15 + ["b"] * 15})
    [one] = model.counterfactual({"day": days[3]}, "y", "b")
    assert one.changes["day"] == (days[3], one.row["day"])
    assert one.row["day"] in days
    found = model.counterfactual({"day": days[3]}, "y", "b", ranges={"day": (days[18], days[20])})
    assert days[18] <= found[0].row["day"] <= days[20]
    array = Model(max_members=3).fit(np.column_stack([np.arange(20.0), np.arange(20.0) > 9]))
    found = array.counterfactual(np.array([[2.0, np.nan]]), "x1", (0.8, None))
    assert found[0].row["x0"] > 9


# --- results ----------------------------------------------------------------------------------


def test_results_read_well_and_fit_into_json_and_frames(model):
    found = model.counterfactual(ROW, "granted", "yes", n=2)
    assert isinstance(found, Counterfactuals)
    assert "50.5*" in repr(found)
    assert "→" in str(found[0])
    told = json.loads(json.dumps(found.to_dict()))
    assert len(told["counterfactuals"]) == len(found)
    assert told["counterfactuals"][0]["row"]["sex"] == found[0].row["sex"]
    for backend in ("pandas", "polars", "pyarrow"):
        frame = found.to_frame(backend)
        assert list(frame["granted"]) == ["yes"] * len(found) or backend == "pyarrow"
    frame = found.to_frame("pandas")
    again = model.predict(frame[list(ROW)], "granted")
    assert (again == "yes").all()
    none = model.counterfactual(ROW, "granted", "yes", ranges={"income": (None, 36.0)}, n=1)
    json.dumps(none.to_dict())
    repr(none)
    none.to_frame("pandas")
    assert found[:1] == (found[0],)


def test_features_may_be_called_like_columns_of_the_result():
    table = {"case": [1.0, 2.0, 3.0, 4.0], "changed": ["a", "a", "b", "b"]}
    found = Model().fit(table).counterfactual({"case": 1.0}, "changed", "b")
    assert {"case", "case_", "changed", "changed_"} <= set(found.to_frame("pandas").columns)


# --- estimators -------------------------------------------------------------------------------


def test_the_classifier_finds_labels_and_training_rows():
    table = loans()
    X, y = pd.DataFrame({name: table[name] for name in ROW}), np.array(table["granted"])
    weights = np.ones(N)
    weights[:3] = 0
    model = VicinalClassifier(max_members=3).fit(X, y, sample_weight=weights)
    found = model.counterfactual(X[5:6], "yes", immutable=["age"], directions={0: "increase"})
    assert found[0].prediction == "yes"
    assert y[found[0].case] == "yes"
    assert model.predict(pd.DataFrame([found[0].row]))[0] == "yes"
    assert found[0].row["age"] == X["age"][5]
    assert set(found[0].probabilities) == {"yes", "no"}
    either = model.counterfactual(X[5:6], ["yes", "no"])
    assert either[0].changes == {}
    with pytest.raises(ParameterError, match="Did you mean 'yes'"):
        model.counterfactual(X[5:6], "yess")
    with pytest.raises(TableError, match="2 rows; expected one"):
        model.counterfactual(X[5:7], "yes")
    with pytest.raises(sklearn.exceptions.NotFittedError):
        VicinalClassifier().counterfactual(X[5:6], "yes")


def test_the_regressor_finds_rows_in_the_range():
    X = np.column_stack([np.arange(40.0), np.arange(40.0)[::-1] ** 2])
    model = VicinalRegressor(max_members=3).fit(X, np.column_stack([3 * X[:, 0], X[:, 1]]))
    found = model.counterfactual(X[4:5], (60, 90), immutable=[1])
    changed = np.array([list(found[0].row.values())])
    assert 60 <= model.predict(changed)[0, 0] <= 90
    assert changed[0, 1] == X[4, 1]
    found = model.counterfactual(X[4:5], (None, 100), output=1)
    changed = np.array([list(found[0].row.values())])
    assert model.predict(changed)[0, 1] <= 100
    with pytest.raises(ParameterError, match="output=2"):
        model.counterfactual(X[4:5], (60, 90), output=2)


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"immutable": ["agee"]}, "Did you mean 'age'"),
        ({"ranges": {"incme": (1, 2)}}, "Did you mean 'income'"),
        ({"directions": {"ag": "increase"}}, "Did you mean 'age'"),
        ({"allowed": {"sexx": ["f"]}}, "Did you mean 'sex'"),
    ],
)
def test_an_unknown_feature_gets_a_suggestion(given, message, model):
    with pytest.raises(FeatureError, match=message):
        model.counterfactual(ROW, "granted", "yes", **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranges": {"income": (60, 50)}}, r"low end is above its high end.*\(50, 60\)"),
        ({"ranges": {"income": 60}}, r"expected \(low, high\)"),
        ({"ranges": {"income": ("a", "b")}}, "ranges: Column 'income' has 'a'"),
        ({"ranges": {"income": (float("nan"), 3)}}, "missing value"),
        ({"ranges": {"sex": ("f", "m")}}, "nominal and has no order.*allowed"),
        ({"ranges": {"hour": (3, None)}}, "both ends"),
        ({"ranges": [("income", (1, 2))]}, "ranges is a list; expected a dict"),
        ({"ranges": {"grade": ("high", "low")}}, "low end is above"),
        ({"ranges": {"grade": ("hihg", None)}}, "Did you mean 'high'"),
        ({"directions": {"age": "increse"}}, "Did you mean 'increase'"),
        ({"directions": {"sex": "increase"}}, "no direction; use allowed"),
        ({"directions": {"hour": "increase"}}, "no direction; use ranges"),
        ({"allowed": {"sex": ["x"]}}, "'sex' has no category 'x'. It has"),
        ({"allowed": {"sex": "f"}}, "expected a list"),
        ({"allowed": {"sex": []}}, "at least one"),
        ({"allowed": {"sex": [None]}}, "missing value"),
        ({"immutable": list(ROW)}, "leave at least one feature"),
        ({"immutable": ["granted"]}, "which is the target"),
        ({"ranges": {"granted": (1, 2)}}, "which is the target"),
        ({"n": 0}, "n=0; expected a whole number, at least 1"),
        ({"n": 1.5}, "n=1.5; expected a whole number"),
    ],
)
def test_constraints_that_make_no_sense_are_refused(given, message, model):
    with pytest.raises(ParameterError, match=message):
        model.counterfactual(ROW, "granted", "yes", **given)


@pytest.mark.parametrize(
    ("target", "wanted", "message"),
    [
        ("granted", "yess", "'granted' has no category 'yess'. Did you mean 'yes'"),
        ("granted", ["yes", "maybe"], "no category 'maybe'"),
        ("granted", [], "names no value"),
        ("granted", None, "missing value"),
        ("income", 60, r"expected a range \(low, high\)"),
        ("income", (80, 60), "low end is above"),
        ("income", ("a", None), "wanted: Column 'income'"),
        ("grade", "hihg", "Did you mean 'high'"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(target, wanted, message, model):
    with pytest.raises(ParameterError, match=message):
        model.counterfactual(ROW, target, wanted)


def test_one_row_at_a_time(model):
    with pytest.raises(TableError, match="2 rows; expected one"):
        model.counterfactual({"income": [1.0, 2.0]}, "granted", "yes")
    with pytest.raises(TableError, match="None; expected one row"):
        model.counterfactual(None, "granted", "yes")
    with pytest.raises(FeatureError, match="Did you mean 'granted'"):
        model.counterfactual(ROW, "grantd", "yes")
    with pytest.raises(NotFittedError):
        Model().counterfactual(ROW, "granted", "yes")


def test_a_table_of_several_rows_is_refused_with_what_to_do(model):
    rows = {name: values[:3] for name, values in loans().items() if name != "granted"}
    with pytest.raises(TableError, match="The table has 3 rows; expected one"):
        model.counterfactual(rows, "granted", "yes")
