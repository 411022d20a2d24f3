"""The estimators with scores of a user's own: laws, and what users do with them."""

from __future__ import annotations

import io

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from tests.derived.tables import frame
from vicinal import Model, VicinalClassifier, VicinalRegressor
from vicinal.exceptions import FileError, ParameterError
from vicinal.learning import targets
from vicinal.learning.representations import WITH_ESTIMATORS

N = 240
PIPELINE = make_pipeline(
    ColumnTransformer(
        [
            ("categories", OneHotEncoder(handle_unknown="ignore"), ["group"]),
            ("numbers", SimpleImputer(), ["a", "b", "noise"]),
        ]
    ),
    LogisticRegression(max_iter=500),
)
GIVEN = {
    "pipeline": (True, PIPELINE),
    "boosted classes": (True, HistGradientBoostingClassifier(max_iter=15)),
    "boosted numbers": (False, HistGradientBoostingRegressor(max_iter=15)),
    "several": (
        True,
        [PIPELINE, ("boosted", HistGradientBoostingClassifier(max_iter=5))],
    ),
}
every = pytest.mark.parametrize("name", GIVEN)


def table(classes, n=N, seed=0):
    """A DataFrame with categories and missing values, and a target with an interaction."""
    made = frame(n, seed=seed, classes=classes)
    X = pd.DataFrame({key: one for key, one in made.items() if key != "y"})
    X.loc[X.index[::17], "a"] = np.nan
    X["group"] = X["group"].astype("category")
    return X, made["y"]


def made(classes, scores, **options):
    kind = VicinalClassifier if classes else VicinalRegressor
    return kind(scores=scores, **{"max_queries": 150, "max_members": 5, "n_jobs": 1, **options})


@pytest.fixture
def only_estimators(monkeypatch):
    """Let the representations with scores of estimators be all there are."""
    every_one = targets.derived_representations

    def some(*args, **options):
        found = every_one(*args, **options)
        return {name: one for name, one in found.items() if name in WITH_ESTIMATORS}

    monkeypatch.setattr(targets, "derived_representations", some)


def predictor_of(estimator):
    [predictor] = estimator.model_._ready().learned.values()
    return predictor


def answers(estimator, X):
    return estimator.predict_proba(X) if hasattr(estimator, "classes_") else estimator.predict(X)


@every
def test_influences_times_outcomes_are_the_prediction(only_estimators, name):
    classes, scores = GIVEN[name]
    estimator = made(classes, scores).fit(*table(classes))
    assert predictor_of(estimator).derived.estimators
    X, _ = table(classes, 6, seed=3)
    found = estimator.influences(X)
    np.testing.assert_allclose(found.shares.sum(axis=1) + found.background, 1.0)
    if not classes:
        expected = (found.shares * found.outcomes).sum(axis=1) + found.background * found.expected
        np.testing.assert_allclose(estimator.predict(X), expected)
        return
    expected = np.tile(found.background * found.expected, (len(found), 1))
    for place in range(len(estimator.classes_)):
        expected[:, place] += (found.shares * (found.outcomes == place)).sum(axis=1)
    np.testing.assert_allclose(estimator.predict_proba(X), expected)


@every
def test_contributions_of_the_features_sum_to_the_prediction(only_estimators, name):
    classes, scores = GIVEN[name]
    estimator = made(classes, scores).fit(*table(classes))
    assert predictor_of(estimator).derived.estimators
    X, _ = table(classes, 6, seed=3)
    found = estimator.contributions(X)
    assert found.names == tuple(X.columns)
    sums = found.values.sum(axis=1) + found.baseline
    np.testing.assert_allclose(sums, found.predictions, atol=1e-9)
    np.testing.assert_allclose(answers(estimator, X), found.predictions, atol=1e-9)
    assert np.abs(found.values[:, 0]).sum() > np.abs(found.values[:, 3]).sum()  # a, not noise


def test_parts_of_features_make_up_the_differences_of_scores(only_estimators):
    estimator = made(True, PIPELINE).fit(*table(True))
    predictor = predictor_of(estimator)
    rows = predictor.fitted.rows(table(True, 4, seed=3)[0], estimator._targets[0])
    space = predictor.ensemble.spaces[0]
    players = predictor.cases.players(predictor.players(), space.metric, rows)
    extended = predictor.cases.rows(rows.values)[:, players.scores]
    stored = predictor.cases.index.rows(np.arange(3))[:, players.scores]
    gaps = extended[:, None] - stored
    parts = players.query_parts.sum(axis=1)[:, None] - players.case_parts[:3].sum(axis=1)
    assert len(players.scores)
    # Folds have typical scores of their own, which parts leave out.
    assert np.corrcoef(gaps.ravel(), parts.ravel())[0, 1] > 0.99


@pytest.mark.parametrize(
    "memorizing", [KNeighborsClassifier(1), DecisionTreeClassifier()], ids=["neighbor", "tree"]
)
def test_an_estimator_that_memorizes_noise_gives_no_optimistic_quality(memorizing):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 6)), rng.integers(0, 2, size=300)
    assert memorizing.fit(X, y).score(X, y) == 1.0
    losses = []
    for scores in (memorizing, True):
        predictor = predictor_of(made(True, scores, max_queries=600).fit(X, y))
        cases, given = predictor.left_out_probabilities()
        truth = predictor.index.cells(cases, predictor.column).astype(int)
        losses.append(-np.log(given[np.arange(len(cases)), truth]).mean())
    # Scores that had seen the outcome of the case, or of its neighbors, would lower the first.
    assert losses[0] > losses[1] - 0.005
    assert losses[0] > 0.65


def test_a_useful_estimator_is_used_and_helps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8))
    y = np.prod(X[:, :3], axis=1) + X[:, 3] * X[:, 4] + 0.1 * rng.normal(size=500)
    products = make_pipeline(PolynomialFeatures(3, interaction_only=True), Ridge())
    estimator = made(False, products, max_queries=300).fit(X[:400], y[:400])
    assert predictor_of(estimator).derived.estimators
    without = made(False, True, max_queries=300).fit(X[:400], y[:400])
    assert estimator.score(X[400:], y[400:]) > without.score(X[400:], y[400:]) + 0.1


def test_answers_do_not_depend_on_threads_and_can_be_repeated():
    scores = [RandomForestClassifier(5), HistGradientBoostingClassifier(max_iter=3)]
    numbers = table(True)[0].drop(columns="group").fillna(0.0)
    y = table(True)[1]
    expected = made(True, scores, n_jobs=1).fit(numbers, y).predict_proba(numbers[:20])
    actual = made(True, scores, n_jobs=2).fit(numbers, y).predict_proba(numbers[:20])
    np.testing.assert_array_equal(actual, expected)


def test_the_order_of_rows_does_not_matter(only_estimators):
    X, y = table(True)
    other = np.random.default_rng(1).permutation(N)
    expected = made(True, PIPELINE).fit(X, y).predict_proba(X[:20])
    actual = made(True, PIPELINE).fit(X.iloc[other], y[other]).predict_proba(X[:20])
    np.testing.assert_allclose(actual, expected, atol=1e-9)


def test_cases_can_be_added_and_removed(only_estimators):
    X, y = table(True)
    whole = pd.concat([X, pd.DataFrame({"y": y})], axis=1)
    model = Model(scores=PIPELINE, max_queries=150, max_members=5, n_jobs=1).fit(whole)
    expected = model.predict_proba(X[:9], "y")
    before = model._ready().learned
    added = model.add(whole.iloc[:5])
    assert model._ready().learned is before
    changed = model.predict_proba(X[:9], "y")
    assert not np.allclose(changed, expected)
    model.remove(added)
    np.testing.assert_allclose(model.predict_proba(X[:9], "y"), expected)


def test_parameters_are_those_of_scikit_learn():
    estimator = made(True, HistGradientBoostingClassifier(max_iter=15))
    assert clone(estimator).scores.max_iter == 15
    assert estimator.get_params()["scores__max_iter"] == 15
    estimator.set_params(scores__max_iter=3)
    assert estimator.scores.max_iter == 3
    listed = made(True, [("a", PIPELINE), HistGradientBoostingClassifier()])
    assert clone(listed).scores[0][0] == "a"
    assert clone(listed).scores[0][1] is not PIPELINE


def test_parameters_can_be_searched():
    X, y = table(True)
    grid = {"scores": [True, HistGradientBoostingClassifier(max_iter=5)]}
    found = GridSearchCV(made(True, True), grid, cv=2).fit(X, y)
    assert found.best_score_ > 0.7


def test_pickled_estimators_answer_as_before(only_estimators):
    X, y = table(True)
    estimator = made(True, PIPELINE).fit(X, y)
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    again = joblib.load(file)
    np.testing.assert_array_equal(again.predict_proba(X[:9]), estimator.predict_proba(X[:9]))


def test_model_files_refuse_estimators_and_say_what_to_do(tmp_path):
    X, y = table(True)
    numbers = X[["b", "noise"]]
    estimator = made(True, [RandomForestClassifier(3)], max_queries=50).fit(numbers, y)
    for saved in (estimator, estimator.model_):
        with pytest.raises(FileError, match=r"RandomForestClassifier, .* joblib.dump or skops"):
            saved.save(tmp_path / "model.vicinal")
    assert not (tmp_path / "model.vicinal").exists()


@pytest.mark.parametrize("wrong", [[], [3], "trees", HistGradientBoostingClassifier, [("a", 1)]])
def test_anything_else_is_refused(wrong):
    with pytest.raises(ParameterError, match="scores="):
        made(True, wrong).fit(*table(True))


def test_estimators_of_the_other_kind_are_refused():
    with pytest.raises(ParameterError, match="which is a regressor; expected a classifier"):
        made(True, HistGradientBoostingRegressor()).fit(*table(True))
    with pytest.raises(ParameterError, match="which is a classifier; expected a regressor"):
        made(False, HistGradientBoostingClassifier()).fit(*table(False))


def test_estimators_that_cannot_read_the_table_are_named():
    with pytest.raises(ParameterError, match=r"mine failed when fitting.*\n.*categories 'group'"):
        made(True, [("mine", LogisticRegression())]).fit(*table(True))
