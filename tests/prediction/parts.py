"""A real `Predictor` of parts made by hand, and rows to ask it about."""

from __future__ import annotations

import numpy as np

from tests.strategies import CYCLIC, NOMINAL
from vicinal.fitted import Fitted, Rows
from vicinal.index.metric import TermSettings
from vicinal.influence.tuning import Tuning
from vicinal.prediction.predictor import Predictor
from vicinal.schema.schema import Feature, Schema


class SchemaAsGiven(Schema):
    """A schema whose encoded columns stand in the order of its features."""

    @property
    def storage(self):
        return self.features


def predictor_of(index, ensemble, target, metric=None, *, calibration=None):
    """Predict a target by an ensemble, as a Model that had learned it would."""
    fitted = fitted_of(index, ensemble.spaces[0].metric if metric is None else metric, target)
    nothing = np.empty(0, dtype=np.int64)
    tuning = Tuning(ensemble, (), 0.0, nothing, np.empty((0, target.n_classes or 1)))
    context = np.setdiff1d(np.arange(len(index.kinds)), [target.column])
    return Predictor(fitted, target.column, context, tuning, calibration)


def fitted_of(index, metric, target):
    """Hold cases and a target as a fit would, without one."""
    features = [feature_of(column, metric, index, target) for column in range(len(index.kinds))]
    terms = TermSettings(metric.kinds, metric.periods, metric.weights, metric.p, metric.distinct)
    fitted = Fitted(SchemaAsGiven(tuple(features)), metric, terms, index)
    fitted.cached(("target", target.column), lambda: target)
    return fitted


def feature_of(column, metric, index, target):
    name, kind = f"x{column}", metric.kinds[column]
    if kind == CYCLIC:
        return Feature(name, "cyclic", "float", period=float(metric.periods[column]), origin=0.0)
    if kind != NOMINAL:
        return Feature(name, "continuous", "float")
    codes = index.reduce("distribution", column=column)["values"]
    size = target.n_classes if column == target.column else int(codes.max(initial=-1)) + 1
    return Feature(name, "nominal", "string", categories=tuple(f"c{code}" for code in range(size)))


def rows_of(values, exclude=None):
    """Encoded rows, all of whose columns count."""
    d = values.shape[1]
    return Rows(values, tuple(f"x{column}" for column in range(d)), np.arange(d), exclude)
