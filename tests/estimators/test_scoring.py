"""Scores leave out the rows whose target is missing, as `fit` does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from vicinal import VicinalClassifier, VicinalRegressor

OPTIONS = {"max_queries": 40, "max_members": 3}


@pytest.fixture(name="X")
def features():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(50, 2)), columns=["age", "debt"])


def test_rows_without_a_label_do_not_count_in_scores(X):
    y = pd.Series(np.where(X["age"] > 0, "old", "young"), dtype=object)
    model = VicinalClassifier(**OPTIONS).fit(X, y)
    weights = np.arange(50.0)
    wrong, known = y.where(y.index % 5 > 0, "old"), y.index >= 7
    gaps = wrong.where(known, None)
    expected = model.score(X[known], wrong[known], weights[known])
    assert 0 < expected < 1
    assert model.score(X, gaps, weights) == pytest.approx(expected)
    numbers = pd.Series((X["age"] > 0).astype(int)).astype("Int64").where(known)
    model.fit(X, (X["age"] > 0).astype(int))
    assert model.score(X, numbers) == model.score(X[known], numbers[known])
    assert np.isfinite(cross_val_score(VicinalClassifier(**OPTIONS), X, gaps, cv=2)).all()
    with pytest.raises(ValueError, match="All values of y are missing"):
        model.score(X, pd.Series([None] * 50, dtype=object))


def test_rows_without_an_outcome_do_not_count_in_scores(X):
    y = pd.DataFrame({"income": 2 * X["age"] + X["debt"], "rent": X["age"] - X["debt"]})
    model = VicinalRegressor(**OPTIONS).fit(X, y)
    gaps = y.copy()
    gaps.iloc[:7, 0], gaps.iloc[5:9, 1] = np.nan, np.nan
    known = y.index >= 9
    assert model.score(X, gaps) == pytest.approx(model.score(X[known], y[known]))
    scores = cross_val_score(VicinalRegressor(**OPTIONS), X, gaps["income"], cv=2)
    assert np.isfinite(scores).all()


def test_scores_of_gaps_take_as_many_rows_as_outcomes(X):
    y = pd.Series(X["age"].to_numpy(), dtype=float)
    model = VicinalRegressor(**OPTIONS).fit(X, y)
    y[:7] = np.nan
    with pytest.raises(ValueError, match="inconsistent"):
        model.score(X[:20], y)
