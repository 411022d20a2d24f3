"""Estimators call the target by its name, and leave rows without one out of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from vicinal import VicinalClassifier, VicinalRegressor
from vicinal.estimators.targets import missing_targets, target_names

OPTIONS = {"max_queries": 40, "max_members": 3}


@pytest.fixture(name="X")
def features():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(50, 2)), columns=["age", "debt"])


def test_names_come_from_series_and_dataframes_only():
    assert target_names(pd.Series([1.0], name="income")) == ("income",)
    assert target_names(pl.Series("income", [1.0])) == ("income",)
    assert target_names(pd.DataFrame({"a": [1.0], "b": [2.0]}), 2) == ("a", "b")
    for unnamed in (
        pd.Series([1.0]),
        pd.Series([1.0], name=3),
        pl.Series([1.0]),
        np.ones(1),
        [1.0],
    ):
        assert target_names(unnamed) == ("target",)


@pytest.mark.parametrize("series", [pd.Series, pl.Series])
def test_the_target_has_its_own_name_in_results(X, series):
    income = 2 * X["age"].to_numpy() + X["debt"].to_numpy()
    named = {"name": "income"} if series is pd.Series else {}
    y = series(income, **named) if series is pd.Series else series("income", income)
    model = VicinalRegressor(**OPTIONS).fit(X, y)
    why = model.explain(X[:1], features=False)[0]
    assert why.target == "income"
    assert why.headline.startswith("income = ")
    plain = VicinalRegressor(**OPTIONS).fit(X, income)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_a_target_named_like_a_feature_gets_another_name(X):
    model = VicinalRegressor(**OPTIONS).fit(X, X["age"])
    assert model.explain(X[:1], features=False)[0].target == "age_"


def test_rows_without_a_number_have_no_say_in_it(X):
    y = pd.Series(2 * X["age"] + X["debt"], name="income")
    y[:7] = np.nan
    model = VicinalRegressor(**OPTIONS).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert not np.isin(np.arange(7), model.influences(X).indices).any()


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_rows_without_a_label_have_no_say_in_it(X, dtype):
    y = pd.Series(np.where(X["age"] > 0, "old", "young"), dtype=object)
    y[:7] = None
    model = VicinalClassifier(**OPTIONS).fit(X, y.astype(dtype))
    assert model.classes_.tolist() == ["old", "young"]
    assert set(model.predict(X)) <= {"old", "young"}
    assert not np.isin(np.arange(7), model.influences(X).indices).any()


@pytest.mark.parametrize("dtype", [object, "Int64", "float"])
def test_numbers_are_labels_where_others_are_missing(X, dtype):
    y = pd.Series((X["age"] > 0).astype(int).tolist(), dtype=object)
    y[:7] = None
    model = VicinalClassifier(**OPTIONS).fit(X, y.astype(dtype))
    assert model.classes_.tolist() == [0, 1]
    assert set(model.predict(X)) <= {0, 1}


def test_missing_labels_may_be_added_later(X):
    y = pd.Series(np.where(X["age"] > 0, "old", "young"), dtype=object)
    model = VicinalClassifier(**OPTIONS).partial_fit(X, y, classes=["old", "young"])
    model.partial_fit(X[:3], pd.Series(["old", None, None], dtype=object))
    assert len(model.model_) == 53


def test_labels_that_are_all_missing_are_an_error(X):
    with pytest.raises(ValueError, match="All labels in y are missing"):
        VicinalClassifier().fit(X, pd.Series([None] * 50, dtype=object))


def test_an_array_with_a_missing_target_stays_an_error_as_scikit_learn_requires(X):
    assert missing_targets(np.array([np.nan])) is None
    for estimator in (VicinalRegressor(), VicinalClassifier()):
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(X, np.full(50, np.nan))


def test_training_rows_are_new_rows_to_predict_and_named_by_their_label(X):
    X = X.set_axis([f"P-{i}" for i in range(50)])
    y = pd.Series(2 * X["age"] + X["debt"], name="income")
    labeled, plain = VicinalRegressor(**OPTIONS).fit(X, y), VicinalRegressor(**OPTIONS)
    plain.fit(X.reset_index(drop=True), y)
    np.testing.assert_array_equal(labeled.predict(X), plain.predict(X.reset_index(drop=True)))
    frame = labeled.explain(X[:1], features=False)[0].to_frame(backend="pandas")
    assert frame["case"].str.startswith("P-").all()
    # Bootstrap samples repeat the labels; that is nothing to warn about.
    twice = VicinalRegressor(**OPTIONS).fit(pd.concat([X, X]), pd.concat([y, y]))
    assert twice.influences(X[:1]).to_frame("pandas")["case"].dtype == np.int64
