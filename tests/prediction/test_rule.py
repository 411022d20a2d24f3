"""The decision rule of a Model and of the classifier: what the parameters ask for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.class_weight import compute_class_weight

import vicinal
from vicinal import Model, ParameterError, VicinalClassifier
from vicinal.prediction.decision import Decision
from vicinal.prediction.predictor import learn

RULES = [
    {"class_weight": "balanced"},
    {"class_weight": {"rare": 6}},
    {"decision": "balanced_accuracy"},
    {"decision": "f1"},
    {"decision": [[0, 1], [9, 0]]},
    {"decision": "mcc", "class_weight": {"rare": 2.0, "common": 0.5}},
]


def some_rows(n, seed, share=0.12):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < share, "rare", "common")
    X = rng.normal(size=(n, 3)) + 1.2 * (y == "rare")[:, None] * [1, 0.5, 0]
    return pd.DataFrame(X, columns=["a", "b", "c"]), y


@pytest.fixture(scope="module")
def rows():
    return some_rows(260, 0), some_rows(200, 1)


@pytest.fixture(scope="module")
def model(rows):
    (X, y), _ = rows
    return Model(max_queries=260).fit(X.assign(y=y))


@pytest.fixture(scope="module")
def classifier(rows):
    (X, y), _ = rows
    return VicinalClassifier().fit(X, y)


def predictor_of(model, target):
    """What the model learned to predict a target; other tests may have asked for other targets."""
    fitted = model._ready()
    column = fitted.schema.column(target)
    [predictor] = [one for key, one in fitted.learned.items() if key[0] == column]
    return predictor


def decided_by(classifier, **rule):
    """The same fitted classifier with another rule, which fit need not know."""
    return classifier.set_params(**{"class_weight": None, "decision": None, **rule})


def test_weights_times_probabilities_decide_and_probabilities_stay(classifier, rows):
    (_, y), (X_test, _) = rows
    before = decided_by(classifier).predict_proba(X_test)
    weights = compute_class_weight("balanced", classes=classifier.classes_, y=y)
    for given, counted in (("balanced", weights), ({"rare": 6}, np.array([1, 6]))):
        found = decided_by(classifier, class_weight=given)
        expected = classifier.classes_[(before * counted).argmax(axis=1)]
        np.testing.assert_array_equal(found.predict(X_test), expected)
        np.testing.assert_array_equal(found.predict_proba(X_test), before)
        np.testing.assert_array_equal(
            found.predict_set(X_test), decided_by(classifier).predict_set(X_test)
        )


def test_balanced_weights_count_sample_weights(rows):
    (X, y), (X_test, _) = rows
    weights = np.where(y == "rare", 3.0, 1.0)
    model = VicinalClassifier(class_weight="balanced", max_queries=60).fit(X, y, weights)
    masses = [weights[y == one].sum() for one in model.classes_]
    expected = (model.predict_proba(X_test) / masses).argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X_test), model.classes_[expected])


def test_costs_decide_by_expectation_in_class_order(classifier, rows):
    _, (X_test, _) = rows
    costs = np.array([[0.0, 1.0], [7.0, 0.5]])
    expected = (decided_by(classifier).predict_proba(X_test) @ costs).argmin(axis=1)
    found = decided_by(classifier, decision=costs).predict(X_test)
    np.testing.assert_array_equal(found, classifier.classes_[expected])


def test_a_goal_is_maximized_on_the_leave_one_out_probabilities(model, rows):
    (_, y), (X_test, _) = rows
    model.predict(X_test, "y")
    predictor = predictor_of(model, "y")
    cases, probabilities = predictor.left_out_probabilities()
    order = model.schema_["y"].class_order
    truth = np.array([order.index(one) for one in y[cases]])
    tuned = Decision.tuned("f1", probabilities, truth)
    expected = np.array(order)[tuned.choose(model.predict_proba(X_test, "y"))]
    np.testing.assert_array_equal(model.predict(X_test, "y", decision="f1"), expected)


def test_calibration_and_decisions_use_the_same_probabilities_if_enough_are_fresh():
    X, y = some_rows(380, 2)
    model = Model(max_queries=40).fit(X.assign(y=y))
    model.predict(X, "y")
    predictor = predictor_of(model, "y")
    cases, probabilities = predictor.left_out_probabilities()
    codes = predictor.target.outcomes_of(cases).astype(int)
    scores = np.sort(1 - probabilities[np.arange(len(cases)), codes])
    np.testing.assert_allclose(predictor.calibration.scores, scores, atol=1e-12)


def test_rare_classes_are_found_more_often(classifier, rows):
    _, (X_test, y_test) = rows
    plain = balanced_accuracy_score(y_test, decided_by(classifier).predict(X_test))
    for rule in ({"class_weight": "balanced"}, {"decision": "balanced_accuracy"}):
        found = decided_by(classifier, **rule).predict(X_test)
        assert balanced_accuracy_score(y_test, found) > plain + 0.05


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_classifier_and_its_model_decide_alike(classifier, rows, rule):
    _, (X_test, _) = rows
    found = decided_by(classifier, **rule).predict(X_test)
    expected = classifier.model_.predict(X_test, classifier._targets[0], **rule)
    assert found.tolist() == expected.tolist()
    assert found.dtype == classifier.classes_.dtype


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_parameters_come_back_from_clones_and_files(classifier, rows, rule, tmp_path):
    _, (X_test, _) = rows
    model = decided_by(classifier, **rule)
    assert clone(model).get_params() == model.get_params()
    model.save(tmp_path / "model")
    again = vicinal.load(tmp_path / "model")
    assert again.get_params()["decision"] == model.decision
    assert again.get_params()["class_weight"] == model.class_weight
    np.testing.assert_array_equal(again.predict(X_test), model.predict(X_test))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_explanations_and_counterfactuals_speak_of_the_decided_class(classifier, rows, rule):
    _, (X_test, _) = rows
    plain = decided_by(classifier).predict(X_test)
    found = decided_by(classifier, **rule).predict(X_test)
    differ = np.flatnonzero(plain != found)[:2]
    some = X_test.iloc[[0, *differ]]
    why = classifier.explain(some, counterfactuals=True)
    assert [one.prediction for one in why] == found[[0, *differ]].tolist()
    assert [one.features.outcome for one in why] == [one.prediction for one in why]
    for one in why:
        for change in one.counterfactuals:
            assert change.prediction != one.prediction
            assert classifier.predict(pd.DataFrame([change.row]))[0] == change.prediction


def test_added_cases_and_classes_are_counted(rows):
    (X, y), (X_test, _) = rows
    model = Model(max_queries=60).fit(X.assign(y=y))
    model.predict(X_test, "y", decision="f1")
    model.add(X_test[:30].assign(y="new"))
    model.remove([0, 1, 2])
    for rule in ({"class_weight": "balanced"}, {"decision": "mcc"}):
        assert set(model.predict(X_test, "y", **rule)) <= {"rare", "common", "new"}
    assert "new" in model.predict(X_test, "y", class_weight={"new": 50})


def test_a_declared_class_without_a_case_is_never_predicted(rows):
    (X, y), (X_test, _) = rows
    model = VicinalClassifier(max_queries=60, decision=[[0, 9, 9], [9, 0, 9], [0, 0, 0]])
    model.partial_fit(X, y, classes=["absent", "common", "rare"])
    for rule in ({}, {"decision": None, "class_weight": "balanced"}, {"decision": "f1"}):
        assert "absent" not in model.set_params(**rule).predict(X_test)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            {"class_weight": {"rar": 2}},
            r"names 'rar', which is not a class.*Did you mean 'rare'\?",
        ),
        ({"class_weight": "balance"}, r"class_weight='balance'.*Did you mean 'balanced'\?"),
        ({"class_weight": {"rare": -1}}, r"weights, which are above 0"),
        ({"decision": "f2"}, r"decision='f2'; expected None, 'accuracy'"),
        ({"decision": np.eye(3)}, r"shape \(3, 3\); expected \(2, 2\).*order 'common', 'rare'"),
    ],
)
def test_errors_say_what_to_do_already_in_fit(rows, model, rule, message):
    (X, y), (X_test, _) = rows
    with pytest.raises(ParameterError, match=message):
        VicinalClassifier(**rule).fit(X, y)
    with pytest.raises(ParameterError, match=message):
        model.predict(X_test, "y", **rule)


def test_numbers_have_no_class_to_decide_on(model, rows):
    _, (X_test, _) = rows
    for rule in ({"class_weight": "balanced"}, {"decision": "f1"}):
        with pytest.raises(ParameterError, match="'a' is continuous, so it has no classes"):
            model.predict(X_test, "a", **rule)


def test_a_decision_calibrates_once_whatever_it_is_and_as_without_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    table = {"x": x, "y": np.where(x + rng.normal(size=40) > 0, "a", "b")}
    fitted = Model(n_jobs=1).fit(table)._fitted
    predictor = learn(fitted, "y", fitted.columns_for(["x"], "y"))
    for weights in ([1.0, 3.0], [3.0, 1.0]):
        decided = predictor.deciding(Decision.weighted(np.array(weights)))
        assert decided.deciding(decided.decision).calibration is predictor.calibration
    # Computed by itself, it is the same.
    alone = replace(decided, known_calibration=None).calibration
    for name, expected in vars(predictor.calibration).items():
        np.testing.assert_array_equal(getattr(alone, name), expected)
