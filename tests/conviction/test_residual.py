"""Laws of residual conviction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import tables
from vicinal.conviction.residual import judge_features
from vicinal.fitted import Fitted, Rows
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import CYCLIC, NUMERIC
from vicinal.index.metric import Metric
from vicinal.index.support import observed_support
from vicinal.settings import Settings


def judged(index, metric, rows, exclude, k):
    fitted = Fitted(None, metric, None, index, Settings(n_neighbors=k))
    columns = np.arange(len(metric.kinds))
    return judge_features(fitted, Rows(rows, (), columns, exclude), columns)


@settings(max_examples=30)
@given(tables(max_columns=3), st.integers(1, 25), st.integers(0, 99))
def test_integer_weights_equal_repeated_rows(table, k, seed):
    n, kinds = len(table.cases), table.metric.kinds
    weights = np.random.default_rng(seed).integers(1, 4, size=n)
    repeated = np.repeat(np.arange(n), weights)
    weighed = ExactIndex(table.cases, kinds, weights.astype(float))
    many = ExactIndex(table.cases[repeated], kinds)
    one = judged(weighed, table.metric, table.cases, np.arange(n), k)
    other = judged(many, table.metric, table.cases[repeated], np.arange(len(repeated)), k)
    np.testing.assert_allclose(one[repeated], other, rtol=1e-5)
    np.testing.assert_allclose(
        judged(weighed, table.metric, table.queries, None, k),
        judged(many, table.metric, table.queries, None, k),
        rtol=1e-5,
    )


def test_a_cyclic_feature_whose_neighbors_point_opposite_ways_has_no_conviction():
    cases = np.array([[0.0, 0.0], [0.0, 12.0], [9.0, 6.0], [9.0, 7.0]])
    metric = Metric(
        kinds=np.array([NUMERIC, CYCLIC], dtype=np.uint8),
        residuals=np.array([1.0, 2.0]),
        periods=np.array([0.0, 24.0]),
        weights=np.ones(2),
        p=1.0,
        supports=tuple(observed_support(column, nominal=False) for column in cases.T),
        distinct=np.zeros(2, dtype=bool),
    )
    index = ExactIndex(cases, metric.kinds)
    rows = np.array([[0.0, 5.0], [9.0, 5.0]])
    opposite, agreeing = judged(index, metric, rows, None, 2)[:, 1]
    assert np.isnan(opposite)
    assert agreeing == pytest.approx(1.0 / 1.5, rel=1e-5)
