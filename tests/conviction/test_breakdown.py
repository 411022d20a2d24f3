"""Breakdowns and residual convictions against their naive twins."""

import numpy as np
import pytest

from tests.naive import conviction as naive
from tests.strategies import CYCLIC, NOMINAL, NUMERIC, make_metric
from vicinal.conviction.breakdown import explain_surprise
from vicinal.conviction.measure import Measure
from vicinal.conviction.residual import judge_features
from vicinal.fitted import Fitted, Rows
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import TermSettings
from vicinal.settings import Settings


def mixed(seed, p=1.0, n=40):
    """Two numbers, an angle and a category, with missing values; one column may not count."""
    rng = np.random.default_rng(seed)
    cases = np.column_stack(
        [
            rng.normal(size=n),
            rng.lognormal(size=n),
            rng.uniform(0.0, 360.0, size=n),
            rng.integers(0, 3, size=n).astype(float),
        ]
    )
    cases[rng.random(cases.shape) < 0.08] = np.nan
    metric = make_metric(
        cases,
        [NUMERIC, NUMERIC, CYCLIC, NOMINAL],
        [0.4, 0.7, 30.0, 1.2],
        p=p,
        periods=[0.0, 0.0, 360.0, 0.0],
        weights=[1.0, 0.0 if seed == 3 else 2.0, 1.0, 0.5],
    )
    return cases, metric


def rows_and_exclude(cases):
    """Stored cases, each to be left out, and rows of their own kind that are not."""
    rows = np.vstack([cases[:6], cases[6:12] + np.array([0.3, 0.1, 10.0, 0.0])])
    return rows, np.concatenate([np.arange(6), np.full(6, -1)])


def asked(cases, metric, rows, exclude, k):
    """The same as the rooms take it."""
    index = ExactIndex(cases, metric.kinds)
    terms = TermSettings(metric.kinds, metric.periods, metric.weights, metric.p, metric.distinct)
    fitted = Fitted(None, metric, terms, index, Settings(n_neighbors=k))
    return fitted, Rows(rows, (), np.arange(cases.shape[1]), exclude)


@pytest.mark.parametrize("k", [1, 4, 60])
@pytest.mark.parametrize(("seed", "p"), [(1, 1.0), (2, 0.0), (3, 2.0)])
def test_breakdowns_add_up_the_terms_of_neighbors_and_of_theirs(seed, p, k):
    cases, metric = mixed(seed, p)
    rows, exclude = rows_and_exclude(cases)
    actual = explain_surprise(*asked(cases, metric, rows, exclude, k), Measure(k, n_reference=k))
    usual = naive.usual_terms(cases, metric, k)
    for at, (row, left_out) in enumerate(zip(rows, exclude, strict=True)):
        observed, expected = naive.breakdown(row, left_out, cases, metric, k, usual)
        np.testing.assert_allclose(actual.observed[at], observed, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(actual.expected[at], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [1, 4, 60])
@pytest.mark.parametrize(("seed", "p"), [(1, 1.0), (2, 0.0), (3, 2.0)])
def test_residual_convictions_compare_errors_with_those_of_neighbors(seed, p, k):
    cases, metric = mixed(seed, p)
    rows, exclude = rows_and_exclude(cases)
    columns = np.arange(cases.shape[1])
    judged = judge_features(*asked(cases, metric, rows, exclude, k), columns)
    for at, (row, left_out) in enumerate(zip(rows, exclude, strict=True)):
        for column in columns:
            expected = naive.residual_conviction(row, left_out, cases, metric, column, k)
            wanted = np.nan if expected is None else expected
            np.testing.assert_allclose(judged[at, column], wanted, rtol=1e-9)
