import numpy as np

from tests.plots.drawing import drawn, texts
from vicinal import VicinalRegressor
from vicinal.plots import ConvictionDisplay


def test_convictions_are_drawn_beside_those_of_all_cases(model, rows):
    display = ConvictionDisplay.from_model(model, rows, labels=list("abcde"))
    judged = model.conviction(rows)
    np.testing.assert_array_equal(display.rows, judged.similarity)
    np.testing.assert_array_equal(display.stored, model.conviction().similarity)
    assert any("a" in text for text in texts(display.ax_))
    assert drawn(display.figure_)
    part = {"island": ["Dream"], "sex": ["male"]}
    some = ConvictionDisplay.from_model(model, part)
    expected = model.conviction(context=["island", "sex"]).similarity
    np.testing.assert_array_equal(some.stored, expected)


def test_convictions_are_drawn_for_estimators_too():
    X = np.random.default_rng(0).normal(size=(40, 2))
    regressor = VicinalRegressor(max_members=2).fit(X, X[:, 0])
    assert drawn(ConvictionDisplay.from_estimator(regressor, [[0.0, 0.1], [9.0, 9.0]]).figure_)
