"""Inputs that nobody expects are read, or refused with an error that says what to do."""

from decimal import Decimal

import numpy as np
import pytest

from vicinal import Model
from vicinal.exceptions import ParameterError, TableError

X = np.random.default_rng(0).normal(size=30)
TABLE = {"x": X, "y": 2 * X, "c": np.where(X > 0, "a", "b")}


@pytest.fixture(scope="module")
def model():
    return Model(n_jobs=1, max_queries=30).fit(TABLE)


def test_integers_beyond_floats_are_refused(model):
    with pytest.raises(TableError, match="'x' has a number that is too large"):
        Model().fit({"x": [10**400, 2, 3], "y": [1, 2, 3]})
    with pytest.raises(TableError, match="too large"):
        model.predict({"x": [10**400]}, "y")


def test_signaling_nans_are_missing_values():
    table = {"x": [Decimal("sNaN"), Decimal(2), Decimal(3)], "y": [1, 2, 3]}
    fitted = Model(n_jobs=1).fit(table)
    assert fitted.predict({"y": [1]}, "x")[0] is not None
    assert list(fitted.impute().table["x"])[1:] == [Decimal(2), Decimal(3)]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_is_an_array():
    rows = np.column_stack([X, 2 * X])
    one = Model(n_jobs=1).fit(np.matrix(rows)).predict(np.matrix(rows[:2]), "x1")
    np.testing.assert_array_equal(one, Model(n_jobs=1).fit(rows).predict(rows[:2], "x1"))


@pytest.mark.parametrize("weights", [["a"] * 30, "heavy", [10**400] * 30])
def test_case_weights_must_be_numbers(weights):
    with pytest.raises(ParameterError, match="sample_weight cannot be read as numbers"):
        Model().fit(TABLE, sample_weight=weights)


@pytest.mark.parametrize("weight", ["2", None, float("nan"), -1])
def test_feature_weights_must_be_numbers(weight):
    with pytest.raises(ParameterError, match="feature_weights must be finite"):
        Model(feature_weights={"x": weight}).fit(TABLE)


@pytest.mark.parametrize("threshold", [float("nan"), "high", 0, -1])
def test_the_threshold_of_anomalies_must_be_a_positive_number(model, threshold):
    with pytest.raises(ParameterError, match="threshold"):
        model.anomalies(threshold=threshold)


@pytest.mark.parametrize("wanted", [(np.inf, None), (None, -np.inf), (np.inf, np.inf)])
def test_a_goal_beyond_all_numbers_is_refused(model, wanted):
    with pytest.raises(ParameterError, match=r"no value is (above|below) this"):
        model.counterfactual({"x": X[:1], "c": ["a"]}, "y", wanted)


def test_an_infinite_end_is_an_open_end(model):
    row = {"x": X[:1], "c": ["a"]}
    assert model.counterfactual(row, "y", (-np.inf, np.inf)) is not None
