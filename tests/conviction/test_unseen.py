"""Values never seen in columns that do not vary."""

from dataclasses import replace

import numpy as np
import pytest

import vicinal
from tests.naive import conviction as naive
from vicinal.conviction.measure import Measure
from vicinal.conviction.unseen import Unseen
from vicinal.index.kinds import NOMINAL

MEASURE = Measure(5, n_reference=7, prior=0.2)


def table(n=40, constant=5.0):
    rng = np.random.default_rng(0)
    return {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": np.full(n, constant)}


def rows(*values):
    return {"a": [0.3] * len(values), "b": [-0.5] * len(values), "c": list(values)}


def test_convictions_are_those_of_a_metric_in_which_the_column_counts():
    model = vicinal.Model().fit(table(n=14))
    fitted = model._ready()
    actual = model.conviction(rows(7.0), measure=MEASURE)
    # The naive twin compares it like categories of which another one is seen once in n + 2.
    cases = np.concatenate([values for _, values in fitted.index.blocks()])
    kinds, residuals, weights = (
        one.copy() for one in (fitted.metric.kinds, fitted.metric.residuals, fitted.metric.weights)
    )
    at = fitted.schema.table_order[2]
    kinds[at], residuals[at], weights[at] = NOMINAL, np.log(len(cases) + 1), 1.0
    metric = replace(fitted.metric, kinds=kinds, residuals=residuals, weights=weights)
    usual, new = np.full(3, 1.5), fitted.rows(rows(7.0)).values[0]
    grain = naive.grain(cases, metric, 5, 1.0, usual)
    overall = naive.contributions(cases, metric, 5, "excess", grain, usual).mean()
    more = np.vstack([cases, new])
    phi = naive.contributions(more, metric, 5, "excess", grain, usual)
    expected = naive.expectations(more, metric, phi, 7, 0.2, overall)[-1] / phi[-1]
    np.testing.assert_allclose(actual.similarity, [expected], rtol=1e-9)
    np.testing.assert_allclose(actual.familiarity, [naive.familiarity(phi)[-1]], rtol=1e-6)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 3.0, 400.0])
def test_terms_are_added_to_power_means(p):
    terms, shares = np.array([[1.5, 9.0, 1.5], [1.5, 1.5, 1.5]]), np.array([0.0, 0.5, 0.25])
    distances = np.array([[1.5, 4.0, np.inf], [2.0, 3.0, np.inf]])
    found = Unseen(terms, shares).farther(distances, p)
    for j, d in enumerate([1.5, 4.0]):
        if p == 0:
            expected = d * (9.0 / 1.5) ** 0.5
        elif p < 100:
            expected = (d**p + 0.5 * (9.0**p - 1.5**p)) ** (1 / p)
        else:
            expected = 9.0 * 0.5 ** (1 / p)
        np.testing.assert_allclose(found[0, j], expected, rtol=1e-12)
    assert np.isinf(found[:, 2]).all()
    assert np.array_equal(found[1], distances[1])


def test_the_column_is_named_as_responsible():
    found = vicinal.Model().fit(table()).anomalies(rows(5.0, 7.0))
    assert found.cases.tolist() == [1]
    [[(name, surplus)]] = found.features
    assert name == "c"
    assert surplus == pytest.approx(np.log(41) / 2)


def test_neither_the_unit_nor_how_far_off_a_value_is_matters():
    plain = vicinal.Model().fit(table()).conviction(rows(7.0, 5.1)).similarity
    other = vicinal.Model().fit(table(constant=-3e8)).conviction(rows(2e8, -2.9e8)).similarity
    words = vicinal.Model().fit(table() | {"c": ["x"] * 40}).conviction(rows("y", "z")).similarity
    assert np.array_equal(plain, other)
    assert np.array_equal(plain, words)
    assert plain[0] == plain[1]


def test_rows_without_a_new_value_keep_their_convictions():
    model = vicinal.Model().fit(table())
    alone = model.conviction(rows(5.0))
    among = model.conviction(rows(7.0, 5.0, np.nan, 5.0 + 1e-15))
    for one in (1, 2, 3):
        assert among.similarity[one] == alone.similarity[0]
        assert among.familiarity[one] == alone.familiarity[0]


def test_a_value_that_was_added_is_no_longer_unseen():
    model = vicinal.Model().fit(table())
    before = model.conviction(rows(7.0)).similarity[0]
    model.add(rows(7.0))
    assert model.conviction(rows(7.0, 5.0)).similarity[0] > 3 * before


def test_a_weight_counts_like_repeated_cases():
    twice = {name: np.repeat(values, 2) for name, values in table().items()}
    heavy = vicinal.Model().fit(table(), sample_weight=np.full(40, 2.0))
    repeated = vicinal.Model().fit(twice)
    actual, expected = (model.conviction(rows(7.0)).similarity for model in (heavy, repeated))
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_where_nothing_varies_all_that_is_new_is_surprising():
    model = vicinal.Model().fit({"a": [1.0] * 30, "b": ["x"] * 30})
    found = model.conviction({"a": [1.0, 2.0], "b": ["x", "x"]})
    assert found.similarity[0] == 1.0
    assert found.similarity[1] < 0.5


def test_a_column_without_weight_stays_without():
    model = vicinal.Model(feature_weights={"c": 0}).fit(table())
    found = model.conviction(rows(7.0, 5.0)).similarity
    assert found[0] == found[1]
