"""Estimators ignore identifiers and free text, and take the numbers of arrays as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vicinal
from vicinal import (
    VicinalClassifier,
    VicinalDensity,
    VicinalImputer,
    VicinalOutlierDetector,
    VicinalRegressor,
)
from vicinal.exceptions import IgnoredColumnWarning

N = 60
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "patient_id": np.arange(N),
        "dose": RNG.normal(size=N),
        "name": [f"Ada {n}" for n in range(N)],
        "ward": np.where(RNG.random(N) < 0.5, "east", "west"),
    }
)
BARE = X[["dose", "ward"]]
LABELS = np.where(X["dose"] > 0, "high", "low")
ESTIMATORS = [
    (VicinalClassifier(max_queries=60), LABELS, "predict_proba"),
    (VicinalRegressor(max_queries=60), X["dose"] * 2, "predict"),
    (VicinalOutlierDetector(), None, "score_samples"),
    (VicinalDensity(), None, "score_samples"),
]


@pytest.mark.filterwarnings("ignore::vicinal.exceptions.IgnoredColumnWarning")
@pytest.mark.parametrize(("estimator", "y", "question"), ESTIMATORS)
def test_law_ignored_columns_change_no_answer(estimator, y, question, tmp_path):
    fitted, bare = (
        type(estimator)(**estimator.get_params()),
        type(estimator)(**estimator.get_params()),
    )
    answer = getattr(fitted.fit(X, y), question)(X.head(9))
    expected = getattr(bare.fit(BARE, y), question)(BARE.head(9))
    np.testing.assert_array_equal(answer, expected)
    assert fitted.n_features_in_ == 4
    fitted.save(tmp_path / "e")
    np.testing.assert_array_equal(
        getattr(vicinal.load(tmp_path / "e"), question)(X.head(9)), answer
    )


def test_one_line_says_so_and_a_declaration_overrules_it():
    with pytest.warns(IgnoredColumnWarning, match="'patient_id' .identifier., 'name'"):
        ignoring = VicinalClassifier(max_queries=60).fit(X, LABELS)
    assert ignoring.model_.schema_.identifiers == ("patient_id", "name")
    with pytest.warns(IgnoredColumnWarning):
        using = VicinalClassifier(max_queries=60, categorical_features=["name"]).fit(X, LABELS)
    assert using.model_.schema_.identifiers == ("patient_id",)


def test_the_advice_names_parameters_that_estimators_have():
    with pytest.warns(IgnoredColumnWarning) as caught:
        VicinalClassifier(max_queries=60).fit(X, LABELS)
    advice = str(caught[0].message)
    assert advice.endswith("To use a column as categories, name it in categorical_features.")
    assert "kinds=" not in advice
    assert "id=" not in advice


def test_the_model_of_an_estimator_gives_its_own_advice_when_it_is_fitted():
    with pytest.warns(IgnoredColumnWarning, match="name it in categorical_features"):
        model = VicinalDensity().fit(X).model_
    with pytest.warns(IgnoredColumnWarning, match="fit.table, id='name'"):
        model.fit(X)


@pytest.mark.filterwarnings("ignore::vicinal.exceptions.IgnoredColumnWarning")
def test_contributions_and_samples_have_no_ignored_columns():
    classifier = VicinalClassifier(max_queries=60).fit(X, LABELS)
    assert classifier.contributions(X.head(2)).names == ("dose", "ward")
    assert "Ada" not in str(classifier.explain(X.head(1)))
    drawn = VicinalDensity().fit(X).sample(5)
    assert drawn.shape == (5, 4)
    assert pd.isna(drawn[:, [0, 2]]).all()


@pytest.mark.filterwarnings("ignore::vicinal.exceptions.IgnoredColumnWarning")
def test_the_imputer_keeps_them():
    gaps = X.assign(dose=X["dose"].where(X.index != 3))
    filled = VicinalImputer(effort="low").fit_transform(gaps)
    assert filled["name"].equals(X["name"])
    assert not filled["dose"].isna().any()


def test_a_single_column_is_used_whatever_it_is():
    names = X[["name"]]
    assert len(VicinalClassifier(max_queries=60).fit(names, LABELS).predict(names)) == N


def test_the_numbers_of_an_array_are_taken_as_they_are():
    array = np.column_stack([np.arange(N), np.arange(N) % 2, np.full(N, 3)])
    array[:4, 2] = -999
    schema = VicinalRegressor(max_queries=60).fit(array, X["dose"]).model_.schema_
    assert [str(one.kind) for one in schema] == ["continuous"] * 4
    assert all(not one.missing_values for one in schema)


def test_integers_that_are_features_of_an_estimator_are_numbers():
    table = BARE.assign(married=np.arange(N) % 2, region=np.arange(N) % 3)
    schema = VicinalRegressor(max_queries=60).fit(table, X["dose"]).model_.schema_
    assert str(schema["married"].kind) == str(schema["region"].kind) == "continuous"
    schema = vicinal.Model().fit(table).schema_
    assert str(schema["married"].kind) == str(schema["region"].kind) == "nominal"


def test_sentinels_in_dataframes_are_missing():
    age = np.where(np.arange(N) % 7 == 0, -999, 30 + np.arange(N) % 11)
    schema = VicinalRegressor(max_queries=60).fit(BARE.assign(age=age), X["dose"]).model_.schema_
    assert schema["age"].missing_values == (-999,)
