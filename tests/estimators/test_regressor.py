"""VicinalRegressor: what it promises beyond scikit-learn's checks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.estimators.tables import LIBRARIES, as_pandas, mixed_columns
from vicinal import ParameterError, TableError, VicinalRegressor


@pytest.fixture(scope="module")
def mixed():
    return mixed_columns()


@pytest.fixture(scope="module")
def plane():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(120, 3))
    return X, X @ [3.0, -2.0, 0.0]


def test_a_plane_is_learned(plane):
    X, y = plane
    assert VicinalRegressor().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95


def test_libraries_of_dataframes_and_arrays_give_the_same_answers(mixed):
    features, _, value = mixed
    answers = {}
    for library, table_of in LIBRARIES.items():
        table = table_of(features)
        answers[library] = VicinalRegressor().fit(table, value).predict(table)
    for answer in answers.values():
        np.testing.assert_array_equal(answer, answers["pandas"])


def test_outputs_are_learned_one_by_one(plane):
    X, y = plane
    both = VicinalRegressor().fit(X, np.column_stack([y, -5 * y]))
    first = VicinalRegressor().fit(X, y)
    answers = both.predict(X[:9])
    assert answers.shape == (9, 2)
    lower, upper = both.predict_interval(X[:9])
    assert lower.shape == upper.shape == (9, 2)
    assert (lower <= answers).all()
    assert (answers <= upper).all()
    np.testing.assert_allclose(answers[:, 0], first.predict(X[:9]), atol=0.3)
    assert both.score(X, np.column_stack([y, -5 * y])) > 0.95


def test_one_output_in_two_dimensions_stays_so(plane):
    X, y = plane
    column = VicinalRegressor().fit(X, y[:, None]).predict(X)
    np.testing.assert_array_equal(column, VicinalRegressor().fit(X, y).predict(X)[:, None])


def test_integer_weights_equal_repeated_rows_and_zero_equals_none(mixed):
    features, _, value = mixed
    table = as_pandas(features)
    weights = np.random.default_rng(3).integers(0, 3, size=len(value))
    rows = np.repeat(np.arange(len(value)), weights)
    weighted = VicinalRegressor().fit(table, value, sample_weight=weights)
    repeated = VicinalRegressor().fit(table.iloc[rows], value[rows])
    np.testing.assert_allclose(weighted.predict(table), repeated.predict(table), rtol=1e-9)
    for one, other in zip(
        weighted.predict_interval(table), repeated.predict_interval(table), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_influences_reproduce_each_output(plane):
    X, y = plane
    model = VicinalRegressor().fit(X, np.column_stack([y, y**2]))
    for output in (0, 1):
        found = model.influences(X[:7] + 0.01, output=output)
        actual = (found.shares * found.outcomes).sum(axis=1) + found.background * found.expected
        np.testing.assert_allclose(model.predict(X[:7] + 0.01)[:, output], actual, atol=1e-12)
    with pytest.raises(ParameterError, match="there are 2"):
        model.influences(X[:7], output=2)


def test_intervals_hold_most_outcomes(plane):
    X, y = plane
    noisy = y + np.random.default_rng(1).normal(scale=0.3, size=len(y))
    model = VicinalRegressor().fit(X[::2], noisy[::2])
    lower, upper = model.predict_interval(X[1::2], alpha=0.2)
    assert 0.65 <= ((lower <= noisy[1::2]) & (noisy[1::2] <= upper)).mean() <= 0.95
    with pytest.raises(ParameterError, match="alpha"):
        model.predict_interval(X, alpha=1.0)


def test_one_row_is_its_own_answer():
    model = VicinalRegressor().fit([[1.0, 2.0]], [5.0])
    assert model.predict([[9.0, 9.0], [1.0, np.nan]]).tolist() == [5.0, 5.0]


def test_a_constant_outcome_is_always_the_answer(plane):
    X, _ = plane
    np.testing.assert_allclose(VicinalRegressor().fit(X, np.full(len(X), 4.0)).predict(X), 4.0)


def test_columns_called_like_targets_are_features_all_the_same(plane):
    X, y = plane
    table = pd.DataFrame(X, columns=["target", "target0", "target_"])
    model = VicinalRegressor().fit(table, y)
    np.testing.assert_array_equal(model.predict(table), VicinalRegressor().fit(X, y).predict(X))


def test_outcomes_that_are_no_numbers_are_refused(plane):
    X, y = plane
    with pytest.raises(ValueError, match="y has the text 'a'"):
        VicinalRegressor().fit(X, ["a"] * len(X))
    with pytest.raises(ValueError, match="y has the text 'b'"):
        VicinalRegressor().fit(X, np.array(["b"] * len(X)))
    with pytest.raises(ValueError, match="NaN"):
        VicinalRegressor().fit(X, np.r_[np.nan, y[1:]])
    with pytest.raises(ValueError, match="inconsistent"):
        VicinalRegressor().fit(X, y[1:])


@pytest.mark.parametrize("library", ["pandas", "polars", "numpy", "frame"])
@pytest.mark.parametrize("unit", ["datetime64[us]", "timedelta64[us]"])
def test_dates_and_durations_are_refused(plane, library, unit):
    # Before, a missing one became −9.2e18, and moved all predictions.
    X, _ = plane
    values = np.arange(len(X)).astype(unit)
    values[3] = "NaT"
    made = {"pandas": pd.Series, "polars": pl.Series, "numpy": np.asarray, "frame": pd.DataFrame}
    with pytest.raises(TableError, match="y holds dates or durations; expected numbers"):
        VicinalRegressor().fit(X, made[library](values))


def test_nothing_is_asked_before_fit():
    for ask in ("predict", "predict_interval", "influences", "kneighbors"):
        with pytest.raises(NotFittedError):
            getattr(VicinalRegressor(), ask)([[1.0]])


def test_weights_are_routed_through_pipelines(plane):
    X, y = plane
    weights = np.arange(len(y)) % 2 + 0.0
    with sklearn.config_context(enable_metadata_routing=True):
        model = VicinalRegressor(weighting="irw").set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        scores = cross_validate(pipeline, X, y, cv=3, params={"sample_weight": weights})
        pipeline.fit(X, y, sample_weight=weights)
    assert np.isfinite(scores["test_score"]).all()
    assert (pipeline[-1].kneighbors(n_neighbors=2)[1] % 2 == 1).all()
    assert len(pipeline[-1].model_) == len(y) // 2


def test_outcomes_beyond_floats_and_weights_of_text_are_refused():
    with pytest.raises(TableError, match="y has a number that is too large"):
        VicinalRegressor().fit([[1], [2], [3]], [0, 10**400, 0])
    with pytest.raises(ParameterError, match="sample_weight cannot be read as numbers"):
        VicinalRegressor().fit([[1], [2], [3]], [0, 1, 0], sample_weight=["a", "b", "c"])


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_outcomes_that_are_text_are_refused_with_what_to_do(dtype):
    y = pd.Series(["12", "13.5", "n/a", "14"] * 5).astype(dtype)
    with pytest.raises(TableError, match="y has the text 'n/a'; expected numbers"):
        VicinalRegressor().fit(np.arange(20.0)[:, None], y)
