"""VicinalClassifier: what it promises beyond scikit-learn's checks."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vicinal
from tests.estimators.tables import LIBRARIES, as_pandas, mixed_columns
from vicinal import Model, ParameterError, TableError, VicinalClassifier


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(iris):
    X, y = iris
    return VicinalClassifier().fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def mixed():
    return mixed_columns()


def test_iris_is_learned(fitted, iris):
    X, y = iris
    assert fitted.score(X[1::2], y[1::2]) >= 0.93


def test_probabilities_stand_in_the_order_of_the_classes(iris):
    X, y = iris
    # The rarest class first: the Model numbers classes by frequency.
    keep = np.r_[0:10, 50:80, 100:150]
    names = np.array(["c", "b", "a"])[y[keep]]
    model = VicinalClassifier().fit(X[keep], names)
    assert model.classes_.tolist() == ["a", "b", "c"]
    probabilities = model.predict_proba(X[[0, 60, 120]])
    assert probabilities.argmax(axis=1).tolist() == [2, 1, 0]
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert model.predict(X[[0, 60, 120]]).tolist() == ["c", "b", "a"]


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [7, -3], [True, False], [0.0, 1.0]], ids=lambda one: str(one[0])
)
def test_labels_of_any_type_come_back(labels):
    X = np.r_[np.zeros(10), np.ones(10)][:, None] + np.arange(20)[:, None] / 100
    y = np.repeat(labels, 10)
    model = VicinalClassifier().fit(X, y)
    answers = model.predict([[0.0], [1.15]])
    assert answers.tolist() == labels
    assert answers.dtype == y.dtype


def test_libraries_of_dataframes_and_arrays_give_the_same_answers(mixed):
    features, label, _ = mixed
    answers = {}
    for library, table_of in LIBRARIES.items():
        table = table_of(features)
        answers[library] = VicinalClassifier().fit(table, label).predict_proba(table)
    for answer in answers.values():
        np.testing.assert_array_equal(answer, answers["pandas"])
    assert ((answers["pandas"][:, 1] > 0.5) == (label == "yes")).mean() > 0.9


def test_labels_may_be_a_series_of_any_library(mixed):
    features, label, _ = mixed
    table = as_pandas(features)
    expected = VicinalClassifier().fit(table, label).predict_proba(table)
    for series in (pd.Series(label), pd.Series(label, dtype="category"), pl.Series(label)):
        model = VicinalClassifier().fit(table, series)
        assert model.classes_.tolist() == ["no", "yes"]
        np.testing.assert_array_equal(model.predict_proba(table), expected)


def test_the_names_of_features_change_nothing_but_the_display(iris):
    X, y = iris
    named = pd.DataFrame(X, columns=["z", "target", "y", "a"])
    model = VicinalClassifier().fit(named, y)
    np.testing.assert_array_equal(
        model.predict_proba(named), VicinalClassifier().fit(X, y).predict_proba(X)
    )
    assert model.feature_names_in_.tolist() == ["z", "target", "y", "a"]
    assert list(model.model_.residuals_)[:4] == ["z", "target", "y", "a"]


def test_an_unseen_category_and_a_row_of_gaps_are_answered(mixed):
    features, label, _ = mixed
    model = VicinalClassifier().fit(as_pandas(features), label)
    asked = pd.DataFrame({"size": [0.5, np.nan], "colour": ["violet", None], "count": [1, np.nan]})
    probabilities = model.predict_proba(asked)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_integer_weights_equal_repeated_rows_and_zero_equals_none(mixed):
    features, label, _ = mixed
    table = as_pandas(features)
    weights = np.random.default_rng(3).integers(0, 3, size=len(label))
    rows = np.repeat(np.arange(len(label)), weights)
    weighted = VicinalClassifier().fit(table, label, sample_weight=weights)
    repeated = VicinalClassifier().fit(table.iloc[rows], label[rows])
    np.testing.assert_allclose(
        weighted.predict_proba(table), repeated.predict_proba(table), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_array_equal(
        weighted.predict_set(table, alpha=0.2), repeated.predict_set(table, alpha=0.2)
    )


def test_the_order_of_rows_does_not_matter(mixed):
    features, label, _ = mixed
    table = as_pandas(features)
    order = np.random.default_rng(4).permutation(len(label))
    shuffled = VicinalClassifier().fit(table.iloc[order], label[order])
    np.testing.assert_allclose(
        shuffled.predict_proba(table),
        VicinalClassifier().fit(table, label).predict_proba(table),
        atol=1e-6,  # neighbours equally near are added up in the order of the rows
    )


def test_neighbors_are_rows_of_the_training_table(iris):
    X, y = iris
    weights = np.ones(len(X))
    weights[:3] = 0
    model = VicinalClassifier(weighting="irw").fit(X, y, sample_weight=weights)
    distances, indices = model.kneighbors(X[10:12], n_neighbors=4)
    assert indices[:, 0].tolist() == [10, 11]
    assert (np.diff(distances, axis=1) >= 0).all()
    assert indices.min() >= 3
    assert model.kneighbors(X[:2], return_distance=False).shape == (2, 10)
    own = model.kneighbors(n_neighbors=3, return_distance=False)
    assert not (own == np.arange(3, len(X))[:, None]).any()


def test_more_neighbors_than_rows_are_refused():
    model = VicinalClassifier().fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    assert model.kneighbors([[1.0]], n_neighbors=6)[1].shape == (1, 6)
    with pytest.raises(ParameterError, match="n_samples_fit"):
        model.kneighbors([[1.0]], n_neighbors=7)
    with pytest.raises(ParameterError, match="n_neighbors=0"):
        model.kneighbors([[1.0]], n_neighbors=0)


def test_influences_reproduce_the_probabilities(fitted, iris):
    X, y = iris
    found = fitted.influences(X[1:40:3])
    expected = np.tile(found.background * found.expected, (len(found), 1))
    for query, (outcomes, shares) in enumerate(zip(found.outcomes, found.shares, strict=True)):
        np.add.at(
            expected[query],
            outcomes[found.indices[query] >= 0].astype(int),
            shares[found.indices[query] >= 0],
        )
    np.testing.assert_allclose(fitted.predict_proba(X[1:40:3]), expected, atol=1e-12)
    there = found.indices >= 0
    np.testing.assert_array_equal(found.outcomes[there], y[::2][found.indices[there]])


def test_label_sets_grow_with_confidence(fitted, iris):
    X, _ = iris
    bold = fitted.predict_set(X[1::2], alpha=0.3)
    timid = fitted.predict_set(X[1::2], alpha=0.01)
    assert bold.shape == (75, 3)
    assert (timid | ~bold).all()
    assert timid.sum() > bold.sum()


def test_a_single_class_is_always_the_answer():
    model = VicinalClassifier().fit([[1.0], [2.0], [3.0]], ["only"] * 3)
    assert model.predict([[9.0], [np.nan]]).tolist() == ["only", "only"]
    np.testing.assert_allclose(model.predict_proba([[9.0]]), [[1.0]])


def test_tables_that_tell_nothing_get_the_shares_of_the_classes():
    constant = VicinalClassifier().fit(np.ones((4, 2)), [0, 0, 0, 1])
    np.testing.assert_allclose(constant.predict_proba([[1.0, 1.0]]), [[0.75, 0.25]])


def test_declarations_may_name_or_number_columns(mixed):
    features, label, _ = mixed
    table = as_pandas(features)
    for declared in (["count"], [2], [-1], [False, False, True], np.array([False, False, True])):
        model = VicinalClassifier(categorical_features=declared).fit(table, label)
        assert model.model_.schema_["count"].kind == "nominal"
    model = VicinalClassifier(ordinal_features=[2]).fit(table, label)
    assert model.model_.schema_["count"].kind == "ordinal"
    model = VicinalClassifier(cyclic_features={2: 6}).fit(table, label)
    assert model.model_.schema_["count"].period == 6


def test_missing_values_are_those_of_features_only():
    X = np.array([[0.0, -1.0], [0.1, 2.0], [1.0, 2.1], [1.1, -1.0]] * 3)
    model = VicinalClassifier(missing_values=-1).fit(X, [-1, -1, 1, 1] * 3)
    assert model.classes_.tolist() == [-1, 1]
    assert model.predict([[0.05, -1.0]]).tolist() == [-1]


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("n_neighbors", 0, "at least 1"),
        ("n_neighbors", True, "whole number"),
        ("p", -1, "at least 0"),
        ("weighting", "entropi", "Did you mean 'entropy'"),
        ("influence", "center", "'centered'"),
        ("max_queries", 1, "at least 2"),
        ("max_members", 0, "at least 1"),
        ("random_state", "a", "RandomState"),
        ("n_jobs", 0, "threads"),
        ("categorical_features", [True], "1 bools"),
        ("ordinal_features", [4], "column number 4"),
        ("cyclic_features", {"x9": 3}, "x9"),
    ],
)
def test_a_wrong_parameter_is_refused_by_fit_alone(parameter, value, message):
    model = VicinalClassifier(**{parameter: value})
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        ([[0.0], [np.inf]], [0, 1], None, "infinity"),
        ([[0.0], [1.0]], [0, 1, 1], None, "inconsistent numbers of samples"),
        ([[0.0], [1.0]], [0.5, 1.7], None, "Unknown label type"),
        ([[0.0], [1.0]], [0, 1], [1.0, -1.0], "row 1"),
        ([[0.0], [1.0]], [0, 1], [0.0, 0.0], "zero"),
        ([[0.0], [1.0]], [0, 1], [1.0], "shape"),
    ],
)
def test_what_cannot_be_learned_is_refused(X, y, weights, message):
    with pytest.raises(ValueError, match=message):
        VicinalClassifier().fit(X, y, sample_weight=weights)


def test_infinite_values_of_a_dataframe_are_named():
    with pytest.raises(TableError, match=r"'b'.*row 1"):
        VicinalClassifier().fit(pd.DataFrame({"a": [0, 1], "b": [0.0, np.inf]}), [0, 1])


def test_columns_of_another_order_are_refused(mixed):
    features, label, _ = mixed
    table = as_pandas(features)
    model = VicinalClassifier().fit(table, label)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["colour", "size", "count"]])


def test_nothing_is_asked_before_fit():
    for ask in ("predict", "predict_proba", "predict_set", "influences", "kneighbors"):
        with pytest.raises(NotFittedError):
            getattr(VicinalClassifier(), ask)([[1.0]])


def test_the_defaults_are_those_of_the_model():
    ours = VicinalClassifier().get_params()
    theirs = vars(Model())
    shared = (ours.keys() & theirs.keys()) - {"random_state"}
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


def test_it_works_in_pipelines_searches_and_copies(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), VicinalClassifier(weighting="irw"))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    search = GridSearchCV(VicinalClassifier(), {"weighting": ["irw", "mda"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.9
    copy = clone(search.best_estimator_).set_params(n_neighbors=5)
    assert copy.n_neighbors == 5
    assert "VicinalClassifier" in copy._repr_html_()


def test_pickled_models_answer_alike(fitted, iris):
    X, _ = iris
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_seeds_are_taken_as_scikit_learn_has_them(iris):
    X, y = iris
    answers = [
        VicinalClassifier(random_state=seed, weighting="irw").fit(X, y).predict_proba(X)
        for seed in (None, 0, np.random.RandomState(1))
    ]
    np.testing.assert_array_equal(answers[0], answers[1])


def test_the_old_spelling_of_centered_still_works_and_warns(iris):
    X, y = iris
    with pytest.warns(FutureWarning, match="influence='centred' is now written .*'centered'"):
        old = VicinalClassifier(influence="centred", max_queries=40).fit(X, y)
    assert old.influence == "centred"  # scikit-learn: a constructor only stores
    assert old.model_.influence == "centered"
    new = VicinalClassifier(influence="centered", max_queries=40).fit(X, y)
    np.testing.assert_array_equal(old.predict_proba(X), new.predict_proba(X))


def test_labels_are_told_apart_however_large():
    X = np.r_[np.zeros(10), np.ones(10)][:, None] + np.arange(20)[:, None] / 100
    y = np.repeat([2**53, 2**53 + 1], 10)
    assert VicinalClassifier().fit(X, y).predict([[0.0], [1.15]]).tolist() == [2**53, 2**53 + 1]


def test_cases_are_rows_of_the_training_table_in_every_answer(mixed):
    features, label, _ = mixed
    table = as_pandas(features)
    weights = np.ones(len(label))
    weights[:7] = 0
    model = VicinalClassifier(max_queries=40).fit(table, label, sample_weight=weights)
    why = model.explain(table[10:11], counterfactuals={"immutable": [2]})[0]
    found = model.influences(table[10:11])
    assert why.cases.numbers.tolist() == found.indices[0][found.indices[0] >= 0].tolist()
    assert list(why.cases.outcomes) == label[why.cases.numbers].tolist()
    assert list(why.boundary.outcomes) == label[why.boundary.numbers].tolist()
    change = why.counterfactuals[0]
    assert label[change.case] == change.prediction != why.prediction
    assert "count" not in change.changes


def test_labels_come_back_in_files_of_the_first_release(tmp_path):
    old = vicinal.load(Path(__file__).parents[1] / "data" / "protocol-1-classifier.vicinal")
    feature = old.model_.schema_[old._targets[0]]
    assert list(feature.classes) == old.classes_.tolist()
    assert set(feature.categories) <= set(feature.classes)
    old.save(tmp_path / "again")
    again = vicinal.load(tmp_path / "again")
    assert again.model_.schema_ == old.model_.schema_
