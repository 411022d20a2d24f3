"""One order of the values of a feature predicts all columns as a search for each of them does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import CYCLIC, NOMINAL, NUMERIC, make_metric
from vicinal.explain.single_features import KnownOutcomes, means_by_feature
from vicinal.index.coalitions import CoalitionTree, predict_coalitions_from
from vicinal.index.exact import ExactIndex

KS = (1, 4, 9)


def expected_means(index, metric, feature, cases, column):
    """What a search among the cases that have the column says of it."""
    sums, _ = predict_coalitions_from(
        KS,
        index,
        metric,
        CoalitionTree.of_chains([(feature,)]),
        index.rows(cases),
        lambda values: values[:, None],
        [("inverse", 1.0, np.inf, 1.0)],
        target=column,
        exclude=cases,
        threads=1,
    )
    return sums[:, :, 0, 0]


def told_of(index, values, columns):
    known = ~np.isnan(values[:, columns])
    weights = index.weights_of(np.arange(len(values)))
    return KnownOutcomes(
        np.arange(len(values)),
        known,
        np.where(known, values[:, columns], 0.0),
        np.arange(len(columns)),
        np.ones(len(values)) if weights is None else weights,
    )


def check(values, metric, weights=None):
    index = ExactIndex(values, metric.kinds, weights)
    cases = np.arange(len(values)) if weights is None else np.flatnonzero(weights > 0)
    columns = np.arange(values.shape[1])
    told = told_of(index, values, columns)
    for feature in metric.active.tolist():
        found = means_by_feature(KS, index, metric, feature, cases, told, threads=1)
        for column in columns.tolist():
            known = ~np.isnan(values[cases, column])
            expected = expected_means(index, metric, feature, cases[known], column)
            unit = max(1.0, float(np.nanmax(np.abs(values[:, column]), initial=0.0)))
            np.testing.assert_allclose(
                found[:, known, column] / unit, expected / unit, rtol=1e-9, atol=1e-9
            )


@st.composite
def drawn_tables(draw):
    """Columns of few values and many, with gaps, so that much ties."""
    n, d = draw(st.integers(2, 40)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(
        st.lists(st.sampled_from([NUMERIC, NUMERIC, CYCLIC, NOMINAL]), min_size=d, max_size=d)
    )
    steps = draw(st.sampled_from([1.0, 0.5, 0.001]))
    values = np.column_stack(
        [
            rng.integers(0, 3, size=n)
            if kind == NOMINAL
            else np.round(3 * rng.random(n) / steps) * steps
            for kind in kinds
        ]
    )
    values = values.astype(float)
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.2, 0.6]))] = np.nan
    # Of p = 0 the steps of keys are so small that rounding may tell apart what is equally near.
    p = draw(st.sampled_from([0.5, 1.0, 2.0]))
    weights = draw(st.none() | st.just(rng.choice([0.0, 0.5, 1.0, 2.5], size=n)))
    distinct = draw(st.booleans())
    return values, make_metric(values, kinds, 0.5, p=p, periods=24.0, distinct=distinct), weights


@settings(max_examples=60)
@given(drawn=drawn_tables())
def test_means_are_those_of_a_search_for_each_column(drawn):
    check(*drawn)


@pytest.mark.parametrize("weighted", [False, True])
def test_many_values_and_few_have_the_same_means(weighted):
    rng = np.random.default_rng(2)
    values = np.column_stack(
        [
            rng.normal(size=300),
            rng.normal(size=300).round(1),
            (rng.random(300) > 0.9) * rng.lognormal(size=300),
            rng.integers(0, 4, size=300),
        ]
    )
    values[rng.random(values.shape) < 0.3] = np.nan
    metric = make_metric(values, [NUMERIC, NUMERIC, NUMERIC, NOMINAL], 0.5)
    check(values, metric, rng.choice([0.0, 0.5, 1.0, 2.5], 300) if weighted else None)
