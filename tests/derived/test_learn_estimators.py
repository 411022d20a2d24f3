"""Fitting a user's own estimators without each fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

from tests.derived.own_estimators import FOLDS, Labels, Recorder, Sample, Unweighted, sample
from vicinal.derived.learn_estimators import (
    EstimatorTask,
    check_estimators,
    named_estimators,
    predicts_classes,
    wants_scores,
)
from vicinal.exceptions import ParameterError


def models_of(given, estimator):
    [scores] = given.learn(estimator)
    return [model for model, _ in scores.models]


def test_no_clone_sees_its_own_fold():
    given = sample()
    for fold, model in enumerate(models_of(given, Recorder())):
        expected = given.values[given.folds != fold]
        assert len(model.y_) == len(expected)
        assert sorted(model.y_) == sorted(expected[:, given.column])
        np.testing.assert_array_equal(
            np.sort(model.X_["a"]), np.sort(expected[:, given.schema.column("a")])
        )


def test_rows_and_outcomes_stay_together():
    given = sample()
    outcome_of = dict(zip(given.values[:, given.schema.column("a")], given.truth, strict=True))
    [first, *_] = models_of(given, Recorder())
    assert [outcome_of[a] for a in first.X_["a"]] == first.y_.tolist()


def test_rows_come_in_a_mixed_order():
    given = sample()
    given.values[:] = given.values[np.argsort(given.truth)]
    [first, *_] = models_of(given, Recorder())
    assert (np.diff(first.y_) < 0).any()


def test_the_users_estimator_is_not_changed():
    mine = Recorder()
    sample().learn(mine)
    assert not hasattr(mine, "X_")
    assert mine.random_state is None


def test_random_estimators_have_a_seed_unless_the_user_gave_one():
    assert {one.random_state for one in models_of(sample(), Recorder())} == {0}
    assert {one.random_state for one in models_of(sample(), Recorder(7))} == {7}


@pytest.mark.parametrize("labels", [("b", "c"), (3, 7), (False, True)])
def test_classes_come_as_the_table_has_them(labels):
    a = sample().values[:, 0]
    table = {"a": a, "y": np.array(labels)[(a > 0).astype(int)]}
    for model in models_of(Sample(table, kinds={"y": "nominal"}), LogisticRegression()):
        assert model.classes_.tolist() == list(labels)


@pytest.mark.parametrize("estimator", [Recorder(), Unweighted()])
def test_whole_weights_are_repeated_rows(estimator):
    weights = np.ones(160)
    weights[:5] = 3
    given = sample(weights=weights)
    for fold, model in enumerate(models_of(given, estimator)):
        others = given.folds != fold
        expected = np.repeat(given.truth[others], weights[others].astype(int))
        np.testing.assert_array_equal(np.sort(model.y_), np.sort(expected))


def test_other_weights_are_passed_on():
    weights = np.linspace(0.5, 2, 160)
    given = sample(weights=weights)
    for fold, model in enumerate(models_of(given, Recorder())):
        expected = np.sort(weights[given.folds != fold])
        np.testing.assert_array_equal(np.sort(model.weight_), expected)


def test_the_last_step_of_a_pipeline_gets_the_weights():
    table = {"a": np.arange(160.0), "y": np.arange(160.0) ** 2}
    given = Sample(table, weights=np.linspace(0.5, 2, 160))
    [scores] = given.learn(make_pipeline(StandardScaler(), Ridge()))
    assert scores.width == 1


def test_weights_that_an_estimator_cannot_take_are_an_error():
    given = sample(weights=np.linspace(0.5, 2, 160))
    with pytest.raises(ParameterError, match="Unweighted has no parameter sample_weight"):
        given.learn(Unweighted())


def test_estimators_that_predict_nothing_are_left_out():
    rng = np.random.default_rng(0)
    a, b, y = rng.normal(size=(3, 300))
    given = Sample({"a": a, "b": b, "y": y})
    assert given.learn([DecisionTreeRegressor(), RandomForestRegressor(5)]) == ()
    told = Sample({"a": a, "b": b, "y": a + y})
    assert len(told.learn([DecisionTreeRegressor(), RandomForestRegressor(5)])) == 2


def test_constant_columns_are_there_all_the_same():
    table = {"a": np.arange(160.0), "same": np.full(160, 5.0), "y": np.arange(160.0)}
    given = Sample(table, fixed=["same"])
    for model in models_of(given, Recorder()):
        assert model.X_.columns.tolist() == ["a", "same"]
        assert (model.X_["same"] == 5.0).all()


def test_classifiers_are_told_from_regressors():
    assert predicts_classes(LogisticRegression())
    assert predicts_classes(make_pipeline(StandardScaler(), SVC()))
    assert not predicts_classes(make_pipeline(StandardScaler(), Ridge()))


def test_estimators_of_the_other_kind_are_refused_where_the_target_is_known():
    check_estimators(True, classes=True)
    check_estimators([Ridge(), ("b", Ridge())], classes=False)
    with pytest.raises(ParameterError, match="scores has Ridge, which is a regressor; expected"):
        check_estimators(Ridge(), classes=True)
    with pytest.raises(ParameterError, match="scores has b, which is a classifier; expected"):
        check_estimators([Ridge(), ("b", KNeighborsClassifier())], classes=False)


def test_only_estimators_of_its_kind_are_fitted_to_a_target():
    given = sample()
    task = EstimatorTask.of([Ridge(), LogisticRegression()], given.schema, given.context, 0)
    assert [name for name, _ in task.estimators] == ["Ridge"]
    assert EstimatorTask.of(LogisticRegression(), given.schema, given.context, 0) is None
    assert EstimatorTask.of(True, given.schema, given.context, 0) is None


def test_a_classifier_needs_more_than_labels():
    with pytest.raises(ParameterError, match="neither predict_proba nor decision_function"):
        sample(classes=True).learn(Labels())


@pytest.mark.parametrize(
    ("scores", "wanted"), [(True, True), (np.False_, False), (RandomForestClassifier(), True)]
)
def test_estimators_ask_for_scores(scores, wanted):
    assert wants_scores(scores) == wanted


def test_estimators_have_names():
    assert [name for name, _ in named_estimators([Ridge(), ("x", Ridge())])] == ["Ridge", "x"]
    assert named_estimators(False) == []
    assert len(models_of(sample(), Recorder())) == FOLDS
