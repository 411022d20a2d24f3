"""Declared bounds of the estimators: passed on by name or number, checked, kept in files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import vicinal
from vicinal import (
    VicinalClassifier,
    VicinalDensity,
    VicinalImputer,
    VicinalOutlierDetector,
    VicinalRegressor,
)
from vicinal.exceptions import FeatureError, ParameterError, TableError

ESTIMATORS = [
    VicinalClassifier(max_queries=50, max_members=2),
    VicinalRegressor(max_queries=50, max_members=2),
    VicinalDensity(),
    VicinalImputer(effort="low"),
    VicinalOutlierDetector(),
]


def table(n=40):
    rng = np.random.default_rng(3)
    return pd.DataFrame({"age": rng.integers(18, 60, n), "dose": rng.exponential(size=n)})


def classes_of(X):
    return (X["age"] > 40).to_numpy().astype(int)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_every_estimator_takes_bounds_by_name_and_by_number(estimator, tmp_path):
    X, bounds = table(), {"age": (0, 120), 1: (0, None)}
    bounded = clone(estimator).set_params(bounds=bounds)
    assert clone(bounded).get_params()["bounds"] == bounds
    bounded.fit(X, classes_of(X))
    assert bounded.bounds is bounds
    assert bounded.model_.bounds == {"age": (0, 120), "dose": (0, None)}
    bounded.save(tmp_path / "bounded.vicinal")
    loaded = vicinal.load(tmp_path / "bounded.vicinal")
    assert loaded.get_params()["bounds"] == bounds
    assert loaded.model_._ready().domain(0).upper == 120


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ({"age": (20, 30)}, TableError, "in 'age', outside its bounds"),
        ({"aeg": (0, 120)}, FeatureError, "age"),
        ({2: (0, 120)}, FeatureError, "bounds has the column number 2"),
        ({"age": (9, 2)}, ParameterError, "bounds"),
        ([(0, 120)], ParameterError, "expected a dict of names and their bounds"),
    ],
)
def test_bounds_that_cannot_hold_are_refused(estimator, bounds, error, message):
    X = table()
    with pytest.raises(error, match=message):
        clone(estimator).set_params(bounds=bounds).fit(X, classes_of(X))


def test_rows_that_are_added_obey_the_bounds_too():
    X = table()
    detector = VicinalOutlierDetector(bounds={"age": (0, 120)}).fit(X)
    with pytest.raises(TableError, match="Row 0 has 130 in 'age'"):
        detector.partial_fit(X.assign(age=130))


def test_intervals_of_the_regressor_stay_within_the_bounds_of_its_target():
    X = table()
    y = np.maximum(X["dose"] - 1, -0.5)
    free = VicinalRegressor(max_queries=50, max_members=2).fit(X, y.rename("gain"))
    bounded = clone(free).set_params(bounds={"gain": (-0.5, 4)}).fit(X, y.rename("gain"))
    unnamed = clone(free).set_params(bounds={"target": (-0.5, 4)}).fit(X, y.to_numpy())
    lower, upper = bounded.predict_interval(X, alpha=0.1)
    assert free.predict_interval(X, alpha=0.1)[0].min() < -0.5
    assert -0.5 <= lower.min() <= upper.max() <= 4
    np.testing.assert_array_equal(unnamed.predict_interval(X, alpha=0.1)[0], lower)


def test_bounds_of_a_class_are_refused_with_advice():
    X = table()
    with pytest.raises(FeatureError, match="'target', which is nominal; expected a number"):
        VicinalClassifier(bounds={"target": (0, 1)}).fit(X, classes_of(X))


def test_samples_and_imputed_values_stay_within_the_bounds():
    X = table().to_numpy(float)
    bounds = {0: (10.5, 70), 1: (0, 9)}
    drawn = VicinalDensity(bounds=bounds).fit(X).sample(400, random_state=1)
    assert (drawn >= [10.5, 0]).all()
    assert (drawn <= [70, 9]).all()
    assert drawn[:, 0].max() > X[:, 0].max()
    X[:4, 0] = np.nan
    filled = VicinalImputer(effort="low", bounds=bounds).fit_transform(X)
    assert ((filled >= [10.5, 0]) & (filled <= [70, 9])).all()
