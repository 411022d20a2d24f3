"""Margins: how deep inside the region of its predicted class a case is."""

import numpy as np

from vicinal import Model
from vicinal.prediction.predictor import learn
from vicinal.quality.label_margins import label_margins


def margins_of(x, predicted):
    model = Model(n_jobs=1).fit({"x": x, "kind": np.where(x > 0, "up", "down")})
    fitted = model._ready()
    predictor = learn(fitted, "kind", fitted.columns_for(fitted.schema.names, "kind"))
    return label_margins(predictor, fitted.rows(None), predicted)


def test_margins_grow_away_from_the_boundary():
    x = np.concatenate([np.linspace(-3, -0.1, 30), np.linspace(0.1, 3, 30)])
    margins = margins_of(x, (x > 0).astype(int))
    assert (np.diff(margins[30:]) >= -1e-9).all()
    assert margins[-1] > margins[30]


def test_margins_are_infinite_if_one_class_is_predicted():
    x = np.linspace(-1, 1, 20)
    assert np.isinf(margins_of(x, np.zeros(20, dtype=int))).all()


def test_a_case_that_is_alone_in_its_class_is_at_the_boundary():
    x = np.linspace(-1, 1, 20)
    predicted = np.zeros(20, dtype=int)
    predicted[7] = 1
    assert margins_of(x, predicted)[7] == 0
