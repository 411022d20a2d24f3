"""Missing is not strange: rows are judged by the features that they have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import make_metric, tables
from vicinal import Model, VicinalOutlierDetector
from vicinal.conviction import new_rows
from vicinal.conviction.baseline import measure_baseline
from vicinal.conviction.breakdown import explain_surprise
from vicinal.conviction.gaps import fill, gaps_of, patterns, search_known
from vicinal.conviction.measure import Measure
from vicinal.conviction.results import convictions_of_rows
from vicinal.formulas import power_mean
from vicinal.index.exact import ExactIndex
from vicinal.index.ties import search_ties


def passengers(seed=0, n=400, missing=0.2):
    """A few classes and an age, which is missing for some, whoever they are."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, size=n)
    age = np.round(20 + 8 * group + 10 * rng.normal(size=n), 1)
    age[rng.random(n) < missing] = np.nan
    sex = rng.choice(["female", "male"], size=n)
    return {"class": np.array(["3rd", "2nd", "1st"])[group], "sex": sex, "age": age}


@pytest.mark.parametrize("missing", [0.02, 0.2, 0.6])
def test_rows_with_a_gap_are_flagged_no_more_often_than_others(missing):
    table = passengers(missing=missing)
    gap = np.isnan(table["age"])
    flagged = np.zeros(len(gap), dtype=bool)
    flagged[Model().fit(table).anomalies().cases] = True
    error = np.sqrt(0.05 * 0.95 / gap.sum())
    assert flagged[gap].mean() <= flagged[~gap].mean() + 2 * error
    assert flagged.mean() < 0.1


def test_half_empty_rows_are_judged_by_what_they_have():
    rng = np.random.default_rng(1)
    common = rng.normal(size=(300, 1))
    values = 0.9 * common + 0.4 * rng.normal(size=(300, 6))
    values[rng.random(values.shape) < 0.5] = np.nan
    for row in range(5):
        values[row] = np.nan
        values[row, row], values[row, row + 1] = 4.0, -4.0
    detector = VicinalOutlierDetector().fit(values)
    assert set(np.argsort(detector.training_scores_)[:5]) == set(range(5))


def test_a_missing_cell_adds_nothing_to_the_breakdown():
    table = passengers()
    model = Model().fit(table)
    fitted = model._ready()
    rows = fitted.cases(np.arange(60))
    measure = Measure(7, n_reference=7)
    broken = explain_surprise(fitted, rows, measure)
    gaps = gaps_of(rows.values, fitted.metric)
    assert gaps.any()
    assert (broken.surplus[gaps] == 0).all()
    assert not any("age" in dict(f) for f in model.anomalies({"age": [None]} | {
        name: column[:1] for name, column in table.items() if name != "age"
    }).features)  # fmt: skip


def test_surpluses_add_up_over_the_features_that_a_row_has():
    model = Model().fit(passengers())
    fitted, measure = model._ready(), Measure(6, n_reference=6)
    rows = fitted.cases(np.arange(400))
    broken = explain_surprise(fitted, rows, measure)
    stored = measure_baseline(fitted.index, fitted.metric, measure)
    whole = np.flatnonzero(~gaps_of(rows.values, fitted.metric).any(axis=1))
    found = search_ties(fitted.index, rows.values[whole], fitted.metric, 6, exclude=whole)
    mean = stored.distances.mean(axis=1)
    expected = mean[whole] - (found.shares(6) * mean[found.indices]).sum(axis=1)
    np.testing.assert_allclose(broken.surplus[whole].sum(axis=1), expected, atol=1e-9)


def test_missing_as_a_value_of_its_own_is_compared_as_one():
    table = passengers(missing=0.3)
    fitted = Model(missing="distinct").fit(table)._ready()
    rows = fitted.cases(np.arange(400))
    assert np.isnan(rows.values).any()
    assert not gaps_of(rows.values, fitted.metric).any()


@settings(max_examples=25)
@given(tables(), st.integers(1, 9))
def test_without_gaps_the_search_is_the_plain_one_bit_by_bit(table, k):
    whole = ~np.isnan(table.queries).any(axis=1)
    index, rows = ExactIndex(table.cases, table.metric.kinds), table.queries[whole]
    one, other = (search(index, rows, table.metric, k) for search in (search_known, search_ties))
    np.testing.assert_array_equal(one.distances, other.distances)
    np.testing.assert_array_equal(one.indices, other.indices)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0])
def test_scores_of_whole_tables_do_not_know_of_usual_terms(p):
    cases = np.random.default_rng(3).normal(size=(80, 3))
    metric = make_metric(cases, 0, 0.5, p=p)
    index = ExactIndex(cases, metric.kinds)
    plain = measure_baseline(index, metric, Measure(5))
    other = measure_baseline(index, metric, Measure(5), usual=np.full(3, 99.0))
    assert plain.gaps is None
    np.testing.assert_array_equal(plain.similarity, other.similarity)
    rows = cases[:9] + 0.1
    np.testing.assert_array_equal(
        convictions_of_rows(plain, rows).familiarity, convictions_of_rows(other, rows).familiarity
    )


@given(st.integers(0, 999), st.sampled_from([0.0, 0.3, 1.0, 2.0, 200.0]))
def test_filling_gives_the_power_mean_of_all_terms(seed, p):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 2.0, size=5)
    terms, usual = 1.5 + rng.exponential(size=(4, 3, 5)), 1.5 + rng.exponential(size=5)
    gaps = rng.random((4, 5)) < 0.5
    metric = make_metric(np.zeros((1, 5)), 0, 1.0, p=p, weights=weights)
    known = power_mean(terms, np.where(gaps, 0.0, weights)[:, None, :], p)
    actual = fill(np.where(np.isnan(known), 0.0, known), gaps, usual, metric)
    expected = power_mean(np.where(gaps[:, None, :], usual, terms), weights, p)
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0])
def test_cases_out_of_reach_are_left_out_and_no_others(p, monkeypatch):
    cases = np.random.default_rng(5).normal(size=(120, 4)).round(1)
    cases[np.random.default_rng(6).random(cases.shape) < 0.2] = np.nan
    metric = make_metric(cases, 0, 0.5, p=p)
    stored = measure_baseline(ExactIndex(cases, metric.kinds), metric, Measure(5))
    found = []
    for saved in (0, 1 << 30):  # never looked ahead, and always
        monkeypatch.setattr(new_rows, "_SAVED_TERMS", saved)
        found.append(new_rows.entries(stored, cases[:7] + 0.1))
    assert 0 < len(found[0].rows) < 7 * len(cases)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_patterns_cover_all_rows_once():
    gaps = np.random.default_rng(0).random((50, 11)) < 0.3
    seen = np.concatenate([rows for rows, _ in patterns(gaps)])
    assert sorted(seen) == list(range(50))
    assert all((gaps[rows] == columns).all() for rows, columns in patterns(gaps))


def test_rows_of_nothing_are_ordinary():
    model = Model().fit(passengers())
    judged = model.conviction({"class": [None], "sex": [None], "age": [None]})
    assert 0.7 < judged.similarity[0] < 1 / 0.7
