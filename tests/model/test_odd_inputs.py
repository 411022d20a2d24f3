"""Inputs that nobody expects are read, or refused with an error that says what to do."""

from decimal import Decimal

import numpy as np
import pytest

from vicinal import Model
from vicinal.exceptions import FeatureError, ParameterError, TableError

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


def test_long_doubles_beyond_floats_are_refused():
    rows = np.array([[1, 2], [3, np.longdouble("1e4000")], [1, 1]], dtype=np.longdouble)
    with pytest.raises(TableError, match="infinite"):
        Model().fit(rows)


@pytest.mark.parametrize(
    "weights", [["a"] * 30, "heavy", [10**400] * 30, [1j] * 30, np.zeros(30, dtype="M8[D]")]
)
def test_case_weights_must_be_numbers(weights):
    with pytest.raises(ParameterError, match="sample_weight cannot be read as numbers"):
        Model().fit(TABLE, sample_weight=weights)


def test_case_weights_must_have_a_sum():
    with pytest.raises(ParameterError, match="Divide all weights by the largest"):
        Model().fit(TABLE, sample_weight=np.full(30, 1e308))


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


@pytest.mark.parametrize("target", [None, 1, 2.5])
def test_a_target_that_is_no_name_is_refused(model, target):
    for ask in (model.predict, model.predict_proba, model.predict_interval, model.explain):
        with pytest.raises(FeatureError, match=f"No feature is named {target}"):
            ask({"x": X[:1]}, target)


@pytest.mark.parametrize("p", [10**400, -(10**5000)], ids=["large", "longer than text can be"])
def test_parameters_beyond_floats_are_refused(model, p):
    with pytest.raises(ParameterError, match=r"p=-?10\*\*\d+; expected a finite number"):
        Model(p=p).fit(TABLE)
    with pytest.raises(ParameterError, match=r"threshold=-?10\*\*\d+; expected a number"):
        model.anomalies(threshold=p)


def test_more_neighbors_than_cases_are_all_cases(model):
    expected = Model(n_jobs=1, n_neighbors=29).fit(TABLE)
    actual = Model(n_jobs=1, n_neighbors=10**30).fit(TABLE)
    np.testing.assert_array_equal(actual.residuals_, expected.residuals_)
