"""Leave-one-out predictions that are kept."""

import numpy as np

import vicinal
from vicinal.influence.answer import Answer
from vicinal.prediction import left_out
from vicinal.prediction.predictor import learn


def make():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    table = {f"x{i}": x[:, i] for i in range(3)}
    return {**table, "y": np.where(x[:, 0] > x[:, 1], "yes", "no").astype(object)}


def predictor_of(model):
    fitted = model._ready()
    return learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))


def test_kept_predictions_are_those_made_anew(monkeypatch):
    predictor = predictor_of(vicinal.Model(n_jobs=1, max_queries=40).fit(make()))
    wanted = np.array([7, 3, 50, 3])
    predictor.left_out(np.array([3, 12, 50]))
    kept = predictor.left_out(wanted)
    monkeypatch.setattr(left_out, "MOST_KEPT", 0)
    fresh = predictor.predict(predictor.index.rows(wanted), wanted)
    np.testing.assert_array_equal(kept.probabilities, fresh.probabilities)
    np.testing.assert_array_equal(kept.values, fresh.values)


def test_nothing_is_kept_of_cases_that_have_changed():
    model = vicinal.Model(n_jobs=1, max_queries=40).fit(make())
    before = predictor_of(model).left_out(np.array([5])).probabilities
    model.remove(np.arange(20, 60))
    predictor = predictor_of(model)
    after = predictor.left_out(np.array([5])).probabilities
    assert (before != after).any()
    expected = predictor.predict(predictor.index.rows(np.array([5])), np.array([5]))
    np.testing.assert_array_equal(after, expected.probabilities)


def test_few_predictions_of_many_classes_are_kept(monkeypatch):
    monkeypatch.setattr(left_out, "MOST_KEPT", 25)
    asked = []

    def predict(cases):
        asked.append(len(cases))
        return Answer(0.0 * cases, np.full((len(cases), 10), 0.1), None)

    for cases in (np.arange(2), np.arange(3)):
        kept = left_out.LeftOutAnswers()
        for _ in range(2):
            kept.of(cases, 0, predict)
    assert asked == [2, 3, 3]
