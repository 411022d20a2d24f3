"""Leave-one-out predictions that are kept."""

import numpy as np

import vicinal
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
