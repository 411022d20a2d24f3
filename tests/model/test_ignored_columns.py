"""Columns that are ignored are in no answer, and rows may have them or not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import vicinal
from vicinal import FeatureError, Model
from vicinal.exceptions import IgnoredColumnWarning

N = 60


def passengers(seed=0):
    """A table like the Titanic's: a name and a number for everyone, and who survived."""
    rng = np.random.default_rng(seed)
    woman = rng.random(N) < 0.4
    age = np.round(rng.normal(30, 12, N).clip(1, 80))
    survived = (rng.random(N) < np.where(woman, 0.9, 0.15)).astype(int)
    return pd.DataFrame(
        {
            "PassengerId": np.arange(1, N + 1),
            "Name": [f"Family {n}, {'Mrs' if one else 'Mr'}" for n, one in enumerate(woman)],
            "Survived": survived,
            "Sex": np.where(woman, "female", "male"),
            "Age": age,
        }
    )


@pytest.fixture(scope="module")
def table():
    return passengers()


@pytest.fixture(scope="module")
def model(table):
    with pytest.warns(IgnoredColumnWarning, match="'PassengerId' .identifier., 'Name' "):
        return Model(max_queries=60).fit(table)


@pytest.fixture(scope="module")
def without(table):
    return Model(max_queries=60).fit(table.drop(columns=["PassengerId", "Name"]))


def test_the_model_says_what_it_ignores(model):
    assert repr(model) == "Model(p=1.0) of 60 cases, 3 features; ignored: PassengerId, Name"
    assert model.schema_.identifiers == ("PassengerId", "Name")


def test_law_ignored_columns_change_no_answer(model, without, table):
    rows = table.head(7)
    bare = rows.drop(columns=["PassengerId", "Name"])
    for question in ("neighbors", "conviction", "density"):
        given = [getattr(model, question)(one) for one in (rows, bare)]
        given.append(getattr(without, question)(bare))
        first, *others = [
            getattr(one, "distances", getattr(one, "similarity", one)) for one in given
        ]
        for one in others:
            np.testing.assert_array_equal(one, first)
    expected = without.predict_proba(bare, "Survived")
    np.testing.assert_array_equal(model.predict_proba(rows, "Survived"), expected)
    np.testing.assert_array_equal(model.predict_proba(bare, "Survived"), expected)
    np.testing.assert_array_equal(model.anomalies().cases, without.anomalies().cases)


def test_codes_are_predicted_as_codes(model, table):
    assert set(model.predict(table, "Survived").tolist()) <= {0, 1}


def test_answers_do_not_mention_ignored_columns(model, table, tmp_path):
    one = table.head(1)
    assert model.contributions(one, "Survived").names == ("Sex", "Age")
    assert "Name" not in str(model.explain(one, "Survived"))
    assert set(model.synthesize(3).columns) == {"Survived", "Sex", "Age"}
    wanted = 1 - int(model.predict(one, "Survived")[0])
    assert "Family" not in str(model.counterfactual(one, "Survived", wanted))
    assert "Name" not in model.audit(target="Survived").to_frame()["feature"].tolist()
    with pytest.raises(FeatureError, match="'Name' is ignored"):
        model.predict(one, "Name")
    model.report(tmp_path / "r.html", target="Survived")
    assert "Family 0" not in (tmp_path / "r.html").read_text()


def test_imputed_tables_keep_the_ignored_columns(model, table):
    gaps = table.assign(Age=table["Age"].where(table.index != 3))
    filled = model.impute(gaps, effort="low")
    assert filled.features == ("Age",)
    assert filled.table["Name"].equals(table["Name"])
    assert not filled.table["Age"].isna().any()


def test_cases_are_added_and_changed_with_and_without_them(table):
    with pytest.warns(IgnoredColumnWarning):
        model = Model().fit(table)
    more = passengers(seed=1).head(2)
    model.add(more)
    model.add(more.drop(columns=["Name"]))
    model.update([0], more.head(1))
    model.update([1], {"Name": ["Another"], "Age": [44]})
    model.refresh()
    assert len(model) == N + 4
    assert model.schema_.identifiers == ("PassengerId", "Name")
    model.add(more.to_numpy())  # an array with all columns of the table


def test_law_files_keep_what_is_ignored(model, table, tmp_path):
    model.save(tmp_path / "m")
    again = vicinal.load(tmp_path / "m")
    assert again.schema_ == model.schema_
    assert repr(again) == repr(model)
    expected = model.predict_proba(table, "Survived")
    np.testing.assert_array_equal(again.predict_proba(table, "Survived"), expected)


def test_what_the_user_says_is_not_a_warning(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Model(ignore=["Name"]).fit(table).schema_) == 4
        assert len(Model(ignore=[]).fit(table).schema_) == 5


def test_names_hide_no_anomalies(table):
    odd = pd.concat([table, table.head(1).assign(Name="Odd", Age=5000.0)], ignore_index=True)
    odd["PassengerId"] = np.arange(len(odd))
    with pytest.warns(IgnoredColumnWarning):
        model = Model().fit(odd)
    assert N in model.anomalies().cases
