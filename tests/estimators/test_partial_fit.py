"""Rows come in batches: what was learned stays until the table has doubled."""

from __future__ import annotations

import numpy as np
import pytest

import vicinal
from vicinal import (
    ParameterError,
    VicinalClassifier,
    VicinalDensity,
    VicinalImputer,
    VicinalOutlierDetector,
    VicinalRegressor,
)

FAST = {"max_queries": 40, "max_members": 2}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.digitize(np.nan_to_num(X[:, 0]), [-0.6, 0.6]), np.nan_to_num(X[:, 0]) * 3


def test_one_batch_is_a_fit(data):
    X, y, z = data
    pairs = [
        (
            VicinalClassifier(**FAST).fit(X, y),
            VicinalClassifier(**FAST).partial_fit(X, y, [0, 1, 2]),
        ),
        (VicinalRegressor(**FAST).fit(X, z), VicinalRegressor(**FAST).partial_fit(X, z)),
    ]
    for fitted, partial in pairs:
        np.testing.assert_array_equal(partial.predict(X[:9]), fitted.predict(X[:9]))
    for kind in (VicinalOutlierDetector, VicinalDensity):
        np.testing.assert_array_equal(
            kind().partial_fit(X).score_samples(X), kind().fit(X).score_samples(X)
        )


def test_once_the_table_has_doubled_it_is_as_fitted_to_all(data):
    X, y, z = data
    batches = [slice(0, 30), slice(30, 80)]
    classifier, regressor = VicinalClassifier(**FAST), VicinalRegressor(**FAST)
    detector, density = VicinalOutlierDetector(), VicinalDensity()
    for rows in batches:
        classifier.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        regressor.partial_fit(X[rows], z[rows])
        detector.partial_fit(X[rows])
        density.partial_fit(X[rows])
    assert classifier.model_.changed_share == 0.0
    whole = VicinalClassifier(**FAST).fit(X, y)
    np.testing.assert_array_equal(classifier.predict_proba(X[:9]), whole.predict_proba(X[:9]))
    np.testing.assert_array_equal(classifier.kneighbors(X[:9])[1], whole.kneighbors(X[:9])[1])
    np.testing.assert_array_equal(
        regressor.predict(X[:9]), VicinalRegressor(**FAST).fit(X, z).predict(X[:9])
    )
    fitted = VicinalOutlierDetector().fit(X)
    np.testing.assert_array_equal(detector.training_scores_, fitted.training_scores_)
    np.testing.assert_array_equal(detector.score_samples(X), fitted.score_samples(X))
    np.testing.assert_array_equal(
        density.score_samples(X[:9]), VicinalDensity().fit(X).score_samples(X[:9])
    )


def test_in_between_what_was_learned_stays_and_new_rows_speak(data):
    X, y, _ = data
    classifier = VicinalClassifier(**FAST).partial_fit(X[:60], y[:60], classes=[0, 1, 2, 9])
    before = classifier.model_.residuals_
    far = np.array([[50.0, 50.0, 50.0], [50.1, 50.0, 50.0], [50.0, 50.1, 50.0]])
    classifier.partial_fit(far, [9, 9, 9], sample_weight=[1.0, 2.0, 0.0])
    assert classifier.model_.residuals_ == before
    assert len(classifier.model_) == 62
    assert classifier.predict([[50.0, 50.0, 50.05]]).tolist() == [9]
    probabilities = classifier.predict_proba(X[:5])
    assert probabilities.shape == (5, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert set(classifier.kneighbors(far, 2)[1].ravel().tolist()) == {60, 61}
    found = classifier.influences(far[:1])
    assert found.outcomes[0, 0] == 3
    assert classifier.contributions(far[:1]).predictions.shape == (1, 4)
    assert classifier.predict_set(X[:5]).shape == (5, 4)


def test_labels_never_seen_have_no_probability(data):
    X, y, _ = data
    classifier = VicinalClassifier(**FAST).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert (classifier.predict_proba(X)[:, 2] == 0).all()
    assert classifier.classes_.tolist() == [0, 1, 2]


def test_wrong_calls_say_so_and_change_nothing(data):
    X, y, z = data
    with pytest.raises(ParameterError, match="classes must be passed on the first call"):
        VicinalClassifier().partial_fit(X, y)
    with pytest.raises(ParameterError, match="label 2, which is not among classes"):
        VicinalClassifier().partial_fit(X, y, classes=[0, 1])
    classifier = VicinalClassifier(**FAST).partial_fit(X, y, classes=[0, 1, 2])
    before = classifier.predict_proba(X[:5])
    with pytest.raises(ParameterError, match="the first call of partial_fit had"):
        classifier.partial_fit(X, y, classes=[0, 1, 2, 3])
    with pytest.raises(ParameterError, match="not among classes"):
        classifier.partial_fit(X[:1], [7])
    with pytest.raises(ValueError, match="features"):
        classifier.partial_fit(X[:, :2], y)
    with pytest.raises(ValueError, match="infinity"):
        classifier.partial_fit(np.full((1, 3), np.inf), [1])
    np.testing.assert_array_equal(classifier.predict_proba(X[:5]), before)
    assert classifier.kneighbors(X[:2])[1].max() < 80
    regressor = VicinalRegressor(**FAST).partial_fit(X, z)
    with pytest.raises(ParameterError, match="y has 2 outputs; expected 1"):
        regressor.partial_fit(X, np.column_stack([z, z]))


def test_an_estimator_can_be_saved_between_batches(data, tmp_path):
    X, y, z = data
    classifier = VicinalClassifier(**FAST).partial_fit(X[:50], y[:50], classes=[0, 1, 2, 3])
    regressor = VicinalRegressor(**FAST).partial_fit(X[:50], np.column_stack([z, -z])[:50])
    for estimator, outcome in ((classifier, y), (regressor, np.column_stack([z, -z]))):
        estimator.save(tmp_path / "e")
        loaded = vicinal.load(tmp_path / "e", mmap=True)
        for one in (estimator, loaded):
            one.partial_fit(X[50:60], outcome[50:60])
        np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))


def test_an_imputer_can_be_saved(data, tmp_path):
    X, *_ = data
    imputer = VicinalImputer(effort="low").fit(X)
    imputer.save(tmp_path / "e")
    loaded = vicinal.load(tmp_path / "e")
    np.testing.assert_array_equal(loaded.transform(X), imputer.transform(X))
