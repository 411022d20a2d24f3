"""Estimators for tests, and scores learned from them on small tables."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from tests.derived.tables import frame
from vicinal.derived.folds import Folds
from vicinal.derived.learn_estimators import EstimatorLearner, EstimatorTask
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema

FOLDS = 4


class Recorder(RegressorMixin, BaseEstimator):
    """A mean of outcomes that remembers what it was fitted to."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.weight_ = X, np.asarray(y), sample_weight
        return self

    def predict(self, X):
        return X["a"].to_numpy() + self.y_.mean()


class Unweighted(Recorder):
    """The same, but without weights."""

    def fit(self, X, y):
        return super().fit(X, y)


class Labels(ClassifierMixin, BaseEstimator):
    """A classifier that has labels and nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Broken(Recorder):
    """An estimator that predicts what cannot be used."""

    def predict(self, X):
        return np.full(len(X), np.nan)


class Sample:
    """A table in the form in which estimators are learned."""

    def __init__(self, table, target="y", weights=None, fixed=(), kinds=None):
        self.schema = infer_schema(table, kinds=kinds)
        self.values = encode(table, self.schema)
        column = self.schema.column(target)
        names = [name for name in self.schema.names if name != target]
        self.context = np.sort([self.schema.column(name) for name in names])
        used = [self.schema.column(name) for name in names if name not in fixed]
        self.columns = np.sort(used).astype(np.int64)
        self.column, self.truth = column, self.values[:, column]
        self.weights = np.ones(len(self.values)) if weights is None else weights
        nominal = np.array([self.schema.storage[c].kind == "nominal" for c in self.columns])
        folds = Folds.of(self.values, self.columns, nominal, count=FOLDS, seed=0)
        self.folds = folds.of_rows(self.values)
        self.n_classes = len(self.schema.storage[column].categories or ())
        self.typical = np.nan_to_num(np.nanmedian(self.values, axis=0)).round()

    def learn(self, scores, n_cases=None, **options):
        task = EstimatorTask.of(scores, self.schema, self.context, self.column)
        learner = EstimatorLearner(
            task,
            self.values,
            self.truth,
            self.weights,
            self.folds == np.arange(FOLDS)[:, None],
            columns=self.columns,
            typical=self.typical,
            n_classes=self.n_classes,
            n_cases=len(self.values) if n_cases is None else n_cases,
            random_state=0,
            threads=1,
            **options,
        )
        return learner.learn()


def sample(classes=False, n=160, seed=0, **options):
    return Sample(frame(n, seed=seed, classes=classes), **options)


def three_classes(n=200, seed=0):
    """A table with a rare class, so that folds may lack it."""
    table = frame(n, seed=seed)
    told = np.where(table["a"] > 0, "high", "low").astype(object)
    told[np.argsort(table["b"])[-2:]] = "rare"
    return {**table, "y": told}
