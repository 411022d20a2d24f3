"""Scores of a user's own estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from tests.derived.own_estimators import FOLDS, Broken, Sample, sample, three_classes
from vicinal.derived import attribution
from vicinal.derived.estimators import SMALLEST, EstimatorScores
from vicinal.exceptions import FileError, ParameterError
from vicinal.model.packing import Unpacking

ENCODED = make_column_transformer(
    (
        OneHotEncoder(handle_unknown="ignore"),
        make_column_selector(dtype_include="category"),
    ),
    remainder="passthrough",
)
EVERYWHERE = {
    "boosted numbers": (False, HistGradientBoostingRegressor(max_iter=15)),
    "boosted classes": (True, HistGradientBoostingClassifier(max_iter=15)),
    "linear numbers": (False, make_pipeline(ENCODED, Ridge())),
    "linear classes": (True, make_pipeline(ENCODED, LogisticRegression(max_iter=500))),
    "decisions": (True, make_pipeline(ENCODED, RidgeClassifier())),
}
every = pytest.mark.parametrize("name", EVERYWHERE)


@pytest.fixture(scope="module")
def learned():
    """Each of the samples, and the scores learned from it."""
    found = {}
    for name, (classes, estimator) in EVERYWHERE.items():
        given = sample(classes)
        [scores] = given.learn(estimator)
        found[name] = given, scores
    return found


@every
def test_a_score_is_that_of_a_clone_fitted_without_the_fold(learned, name):
    given, scores = learned[name]
    table = scores.given.table(given.values)
    values = scores.values(given.values, given.folds)
    for fold, (model, _) in enumerate(scores.models):
        at = given.folds == fold
        if hasattr(model, "predict_proba"):
            p = model.predict_proba(table[at])[:, list(model.classes_).index("yes")]
            expected = np.log((p + SMALLEST) / (1 - p + SMALLEST))
        else:
            ask = getattr(model, "decision_function", model.predict)
            expected = ask(table[at])
        # The second class in the order of codes may be either of them.
        sign = np.sign(expected @ values[at, 0]) if EVERYWHERE[name][0] else 1.0
        np.testing.assert_allclose(values[at, 0], sign * expected, atol=1e-7)


@every
def test_new_rows_have_the_mean_over_the_folds(learned, name):
    given, scores = learned[name]
    rows = given.values[:9]
    each = [scores.values(rows, np.full(9, fold)) for fold in range(FOLDS)]
    np.testing.assert_allclose(scores.values(rows, np.full(9, -1)), np.mean(each, axis=0))


@every
@pytest.mark.parametrize("fold", [-1, 2])
def test_parts_sum_to_the_score_less_the_typical_one(learned, name, fold):
    given, scores = learned[name]
    rows, folds = given.values[:9], np.full(9, fold)
    base = scores.values(given.typical[None], folds[:1])
    expected = scores.values(rows, folds) - base
    np.testing.assert_allclose(scores.parts(rows, folds).sum(axis=1), expected, atol=1e-12)


@every
def test_scores_do_not_depend_on_the_rows_beside_them(learned, name):
    given, scores = learned[name]
    folds = np.full(len(given.values), -1)
    together = scores.values(given.values, folds)
    alone = [scores.values(given.values[i : i + 1], folds[:1])[0] for i in range(5)]
    np.testing.assert_array_equal(together[:5], alone)


def test_classes_that_a_fold_lacks_have_the_lowest_score():
    given = Sample(three_classes())
    rare = given.schema["y"].categories.index("rare")
    given.folds[given.truth == rare] = 1  # so that the clone of the fold 1 sees none of them
    [scores] = given.learn(HistGradientBoostingClassifier(max_iter=5))
    assert scores.width == 3
    values = scores.values(given.values, given.folds)
    assert values.shape == (len(given.values), 3)
    lowest = np.log(SMALLEST / (1 + SMALLEST))
    np.testing.assert_allclose(values[given.folds == 1, rare], lowest, rtol=1e-6)


def test_every_feature_has_a_size_so_that_none_is_left_out(learned):
    for _, scores in learned.values():
        assert (scores.sizes > 0).all()
        assert scores.sizes.shape == (scores.width, len(scores.attribution.columns))


def test_of_many_cases_the_effort_is_bounded(monkeypatch):
    monkeypatch.setattr(attribution, "MOST_SCORED", 1000)
    given = sample()
    [scores] = given.learn(HistGradientBoostingRegressor(max_iter=5), n_cases=250)
    assert scores.attribution.step_of.max() == 1


def test_scores_can_be_pickled(learned):
    given, scores = learned["boosted classes"]
    again = pickle.loads(pickle.dumps(scores))
    expected = scores.values(given.values, given.folds)
    np.testing.assert_array_equal(again.values(given.values, given.folds), expected)


def test_no_file_can_bring_an_estimator():
    unpacking = Unpacking({}.__getitem__)
    assert unpacking.unpack(tuple[EstimatorScores, ...], []) == ()
    for crafted in ({}, {"models": []}, "HistGradientBoostingClassifier"):
        with pytest.raises(FileError, match="cannot be read"):
            unpacking.unpack(tuple[EstimatorScores, ...], [crafted])


def test_predictions_that_are_missing_are_an_error():
    with pytest.raises(ParameterError, match=r"Broken predicted .* missing or infinite"):
        sample().learn(Broken())


def test_an_estimator_that_fails_is_named_with_its_columns_and_advice():
    with pytest.raises(ParameterError) as caught:
        sample().learn([("mine", Ridge())])
    message = str(caught.value)
    assert "mine failed when fitting, with ValueError" in message
    assert "numbers 'a', 'b', 'noise' and categories 'group'" in message
    assert "make_pipeline" in message
    assert isinstance(caught.value.__cause__, ValueError)
