"""A table whose first column follows from the second, as a number or as two classes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target

kinds = pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])


def table(classes, n=80, seed=0, noise=0.3, weights=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    told = x[:, 0] + noise * rng.normal(size=n)
    target = (told > 0).astype(float) if classes else told
    cases = np.column_stack([target, x])
    metric = make_metric(
        cases, [NOMINAL if classes else NUMERIC] + [NUMERIC] * 3, 0.7, weights=[0, 1.0, 1.0, 1.0]
    )
    index = ExactIndex(cases, metric.kinds, weights)
    return cases, metric, index, Target.of(index, 0, n_classes=2 if classes else 0)
