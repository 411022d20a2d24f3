"""Rows of large tables, compared with a sample of the cases."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import vicinal
from tests.strategies import make_metric, tables
from vicinal.conviction import sampled_baseline
from vicinal.conviction.baseline import measure_baseline
from vicinal.conviction.measure import Measure
from vicinal.conviction.results import convictions_of_rows, convictions_of_stored
from vicinal.conviction.sampled_baseline import sample_baseline
from vicinal.index.exact import ExactIndex

EVERYTHING = {"size": 10**9, "reference_size": 10**9}
SOME = {"size": 800, "reference_size": 120}


def numbers(n, d=3, seed=0):
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n)
    return np.column_stack([hidden + 0.5 * rng.normal(size=n) for _ in range(d)])


@settings(max_examples=10)
@given(table=tables(), prior=st.sampled_from([0.0, 0.2]))
def test_a_sample_of_all_cases_says_what_the_cases_say(table, prior):
    assume(len(table.cases) > 1)
    index, measure = ExactIndex(table.cases, table.metric.kinds), Measure(4, prior=prior)
    whole = measure_baseline(index, table.metric, measure)
    sample = sample_baseline(index, table.metric, measure, **EVERYTHING)
    np.testing.assert_allclose(sample.similarity, whole.similarity, rtol=1e-12)
    expected = convictions_of_rows(whole, table.queries)
    actual = convictions_of_rows(sample, table.queries)
    np.testing.assert_allclose(actual.similarity, expected.similarity, rtol=1e-12)
    np.testing.assert_allclose(actual.p_value, expected.p_value)
    np.testing.assert_allclose(actual.similarity_error, 0.0, atol=1e-12)


@settings(max_examples=10)
@given(table=tables())
def test_stored_cases_are_judged_as_among_all(table):
    assume(len(table.cases) > 1)
    index, measure = ExactIndex(table.cases, table.metric.kinds), Measure(4)
    expected = convictions_of_stored(measure_baseline(index, table.metric, measure))
    sample = sample_baseline(index, table.metric, measure, **EVERYTHING)
    own = np.arange(len(table.cases))
    actual = convictions_of_rows(sample, table.cases, own, changed=False)
    assert actual.stored
    np.testing.assert_array_equal(actual.cases, own)
    np.testing.assert_allclose(actual.contribution, expected.contribution, rtol=1e-12)
    np.testing.assert_allclose(actual.similarity, expected.similarity, rtol=1e-12)


def test_nineteen_in_twenty_deviations_are_within_two_standard_errors():
    values, rows = numbers(2400), numbers(40, seed=1) * 1.5
    metric = make_metric(values, np.zeros(3, dtype=np.uint8), 1.0)
    index, measure = ExactIndex(values, metric.kinds), Measure(8)
    exact = convictions_of_rows(measure_baseline(index, metric, measure), rows)
    within = {"similarity": [], "familiarity": [], "p_value": []}
    for seed in range(100):
        stored = sample_baseline(index, metric, measure, **SOME, random_state=seed)
        found = convictions_of_rows(stored, rows)
        for name, share in within.items():
            value, error = getattr(found, name), getattr(found, f"{name}_error")
            # Ranks of so few cases are coarse, and familiarity has a pole where a row is just as
            # far as the mean: no error is a measure there.
            grain = 1 / SOME["reference_size"] if name == "p_value" else 0.0
            told = (exact.familiarity < 2) | (name != "familiarity")
            off = np.abs(value - getattr(exact, name))
            share += (off <= 2 * error + grain)[told].tolist()
    assert len(within["familiarity"]) >= 500
    # Rows share the errors of their sample, so that 100 seeds tell the share to two hundredths.
    assert np.mean(within["similarity"]) > 0.93
    assert np.mean(within["familiarity"]) > 0.93
    assert np.mean(within["p_value"]) > 0.95


def test_standard_errors_are_no_larger_than_they_must_be():
    values, rows = numbers(1600), numbers(12, seed=1)
    metric = make_metric(values, np.zeros(3, dtype=np.uint8), 1.0)
    index, measure = ExactIndex(values, metric.kinds), Measure(8)
    found = [
        convictions_of_rows(
            sample_baseline(index, metric, measure, **SOME, random_state=seed), rows
        )
        for seed in range(40)
    ]
    for name in ("similarity", "familiarity"):
        spread = np.std([getattr(one, name) for one in found], axis=0)
        stated = np.mean([getattr(one, f"{name}_error") for one in found], axis=0)
        assert 0.7 < np.median(stated / spread) < 1.4


@pytest.fixture
def large(monkeypatch):
    """Let a table of 300 cases be a large one, of which 100 are sampled."""
    monkeypatch.setattr(sampled_baseline, "MOST_CASES", 200)
    monkeypatch.setattr(sampled_baseline.sample_baseline, "__kwdefaults__", {
        **sampled_baseline.sample_baseline.__kwdefaults__, "size": 100, "reference_size": 60
    })  # fmt: skip
    values = numbers(300)
    return vicinal.Model().fit({"a": values[:, 0], "b": values[:, 1], "c": values[:, 2]})


ROW = {"a": [0.1, 9.0], "b": [0.2, -9.0], "c": [0.0, 9.0]}


def test_new_rows_of_large_tables_come_with_standard_errors(large):
    found, exact = large.conviction(ROW), large.conviction(ROW, baseline="all")
    assert found.n_baseline == 100
    assert exact.n_baseline is None
    assert exact.similarity_error is None
    assert (found.similarity_error > 0).all()
    assert (np.abs(found.similarity - exact.similarity) < 5 * found.similarity_error).all()
    assert {"similarity_error", "p_value_error", "familiarity_error"} <= set(found.to_frame())
    assert not any("error" in name for name in exact.to_frame())
    assert "sample of 100" in str(found)


def test_all_stored_cases_are_judged_exactly_and_one_by_a_sample(large):
    every, one = large.conviction(), large.conviction(case=7)
    assert every.n_baseline is None
    assert one.n_baseline == 100
    assert one.stored
    np.testing.assert_array_equal(one.cases, [7])
    np.testing.assert_allclose(one.similarity, every.similarity[7], rtol=0.2)


def test_anomalies_among_new_rows_of_large_tables_are_found_by_a_sample(large):
    found, exact = large.anomalies(ROW), large.anomalies(ROW, baseline="all")
    np.testing.assert_array_equal(found.cases, exact.cases)
    assert found.features[0][0][0] == exact.features[0][0][0]
    kept = found.ordinary[found.ordinary >= 0]
    assert (large.conviction().similarity[kept] > 0.6).all()


def test_a_word_that_names_no_baseline_is_refused(large):
    with pytest.raises(vicinal.ParameterError, match="baseline"):
        large.conviction(ROW, baseline="some")


def test_a_sample_outlasts_a_few_changes_and_no_more(large):
    before = large.conviction(ROW)
    [number] = large.add({"a": [0.1], "b": [0.2], "c": [0.0]})
    few = large.conviction(ROW)
    # The nearest cases are the present ones, by the same sample.
    assert few.contribution[0] < before.contribution[0]
    np.testing.assert_array_equal(few.contribution[1], before.contribution[1])
    large.remove(number)
    np.testing.assert_array_equal(large.conviction(ROW).similarity, before.similarity)
    large.remove(range(5))
    assert (large.conviction(ROW).similarity != before.similarity).all()
