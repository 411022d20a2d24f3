"""Tables in which derived columns are surely of use, and what is derived from them."""

from __future__ import annotations

import numpy as np

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.derived.learn import learn_derived
from vicinal.index.exact import ExactIndex

#: Encoded columns of `encoded`: the target, two numbers, a category of many, one of three.
KINDS = np.array([NUMERIC, NUMERIC, NUMERIC, NOMINAL, NOMINAL], dtype=np.uint8)


def encoded(n=300, seed=0, classes=0, missing=0.05):
    """Encoded cases whose first column is linear in the others, but for an interaction."""
    rng = np.random.default_rng(seed)
    x = rng.lognormal(size=(n, 2))
    many, few = rng.integers(0, 12, size=n), rng.integers(0, 3, size=n)
    told = x[:, 0] + 2 * np.log(x[:, 1]) * (few == 1) + np.sin(many) + 0.1 * rng.normal(size=n)
    context = np.column_stack([x, many, few])
    context = np.where(rng.random(context.shape) < missing, np.nan, context)
    if classes:
        told = np.searchsorted(np.quantile(told, np.arange(1, classes) / classes), told)
    return np.column_stack([told, context])


def kinds_of(classes):
    kinds = KINDS.copy()
    kinds[0] = NOMINAL if classes else NUMERIC
    return kinds


def learned(values, classes=0, weights=None, context=(1, 2, 3, 4), **options):
    """Everything that is derived from the context to predict the first column."""
    kinds = kinds_of(classes)
    active = np.isin(np.arange(len(kinds)), context).astype(float)
    metric = make_metric(values, kinds, 1.0, weights=active)
    index = ExactIndex(values, kinds, weights)
    return learn_derived(index, metric, 0, n_classes=classes, **options)


def frame(n=300, seed=0, classes=False):
    """A table as people have it, with a target that is a sum and an interaction, and noise."""
    rng = np.random.default_rng(seed)
    a, b, noise = rng.normal(size=(3, n))
    group = rng.choice(["red", "green", "blue"], size=n)
    told = 2 * a + b * (group == "red") * 2 + (1.0 if classes else 0.1) * rng.normal(size=n)
    target = np.where(told > 0, "yes", "no").astype(object) if classes else told
    return {"a": a, "b": np.exp(b), "group": group.astype(object), "noise": noise, "y": target}
