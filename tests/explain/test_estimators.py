"""The estimators explain what they predict."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from vicinal import ParameterError, VicinalClassifier, VicinalRegressor


def rows(n=80, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_contributions_of_the_classifier_sum_to_its_probabilities_in_the_order_of_classes():
    X = rows()
    y = np.where(X[:, 0] > 1, "a", np.where(X[:, 0] + X[:, 1] > 0, "z", "k"))
    model = VicinalClassifier(max_queries=80).fit(X, y)
    found = model.contributions(X[:5])
    assert found.classes == ("a", "k", "z") == tuple(model.classes_)
    total = found.values.sum(axis=1) + found.baseline
    np.testing.assert_allclose(total, model.predict_proba(X[:5]), atol=1e-9)
    shares = [np.mean(y == one) for one in found.classes]
    np.testing.assert_allclose(found.baseline, shares)


def test_contributions_of_the_regressor_sum_to_its_predictions_for_every_output():
    X = rows()
    y = np.column_stack([X[:, 0] - X[:, 1], X[:, 2] ** 2])
    model = VicinalRegressor(max_queries=80).fit(X, y)
    for output in range(2):
        found = model.contributions(X[:5], output=output, exact_up_to=1, n_permutations=4)
        total = found.values.sum(axis=1) + found.baseline
        np.testing.assert_allclose(total, model.predict(X[:5])[:, output], atol=1e-9)
    with pytest.raises(ParameterError, match="output=2"):
        model.contributions(X, output=2)


@pytest.mark.parametrize("estimator", [VicinalClassifier(), VicinalRegressor()])
def test_an_estimator_that_is_not_fitted_explains_nothing(estimator):
    with pytest.raises(NotFittedError):
        estimator.contributions(rows())
