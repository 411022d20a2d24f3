"""Small parts to predict with: targets, ensembles, metrics of usual size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.strategies import NOMINAL
from vicinal.index.brute_force import BruteForce
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import NUMERIC
from vicinal.influence.answer import Answer
from vicinal.influence.ensemble import Ensemble, Member, Space
from vicinal.influence.target import Target
from vicinal.prediction.conformal import calibrate

RULES = ("inverse", "probability", "centered", "linear")


def index_of_column(column, weights=None, kind=NUMERIC):
    """Cases with a column and, beside it, their numbers."""
    cases = np.column_stack([column, np.arange(float(len(column)))])
    return ExactIndex(cases, np.array([kind, NUMERIC], dtype=np.uint8), weights)


def usual_metric(table, column):
    """The table's metric without a column, its residuals of the size of the values."""
    values = np.vstack([table.cases, np.zeros(table.cases.shape[1])])
    spread = np.nanmax(np.abs(values), axis=0)
    residuals = np.where(table.metric.kinds == NOMINAL, 1.0, np.where(spread > 0, spread, 1.0))
    weights = np.ones(len(residuals))
    weights[column] = 0.0
    return replace(table.metric, residuals=residuals, weights=weights, p=1.0)


def index_of(table, weights=None):
    return ExactIndex(table.cases, table.metric.kinds, weights)


def target_of(index, column, kind):
    codes = index.storage.column(column)
    known = codes[~np.isnan(codes)]
    n_classes = int(known.max()) + 1 if kind == NOMINAL and len(known) else 0
    return Target.of(index, column, n_classes=n_classes)


def ensemble_of(metrics, column, rules=RULES, k=60, background=0.1):
    """Every rule in every metric, with shares that differ."""
    pairs = [(space, rule) for space in range(len(metrics)) for rule in rules]
    shares = np.arange(1.0, len(pairs) + 1)
    shares *= (1 - background) / shares.sum()
    members = tuple(
        Member(space, rule, 0.5 + space, 0.3, share)
        for (space, rule), share in zip(pairs, shares, strict=True)
    )
    return Ensemble(column, tuple(Space(one) for one in metrics), members, k, background)


def target_of_outcomes(outcomes, weights=None, *, n_classes=0, period=0.0):
    """A target whose outcomes by case number are these."""
    kinds = np.array([NOMINAL if n_classes else NUMERIC], dtype=np.uint8)
    index = BruteForce(np.asarray(outcomes, dtype=float)[:, None], kinds, weights)
    return Target.of(index, 0, n_classes=n_classes, period=period)


def calibrate_numbers(truth, predicted, spread, weights=None):
    target = target_of_outcomes(truth, weights)
    return calibrate(target, np.arange(len(truth)), Answer(predicted, None, spread))


def calibrate_classes(truth, probabilities, weights=None):
    target = target_of_outcomes(truth, weights, n_classes=probabilities.shape[1])
    named = probabilities.argmax(axis=1).astype(float)
    return calibrate(target, np.arange(len(truth)), Answer(named, probabilities, None))
