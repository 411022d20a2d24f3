"""Residuals are what the reference finds, round by round."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.learning.rounds import (
    CYCLIC,
    KINDS,
    NOMINAL,
    NUMERIC,
    assert_same_history,
    mixed_cases,
    naive_history,
    term_settings,
)
from tests.strategies import any_column, any_power, tables
from vicinal.exceptions import ParameterError
from vicinal.index.metric import TermSettings
from vicinal.index.sampling import content_order
from vicinal.learning.residuals import learn_residuals

# --- the whole iteration, done again in the plainest way --------------------------------------


@pytest.mark.parametrize("p", [0, 0.5, 1, 2])
@pytest.mark.parametrize("distinct", [False, True])
def test_every_round_is_that_of_the_reference(p, distinct):
    cases = mixed_cases(90)
    assert_same_history(cases, term_settings(KINDS, p=p, distinct=distinct), k=5)


@pytest.mark.parametrize("choices", [[1.0, 2, 3], [0.5, 1.0, 2.5]])
def test_every_round_of_weighted_cases_is_that_of_the_reference(choices):
    cases = mixed_cases(70)
    weights = np.random.default_rng(4).choice(choices, size=len(cases))
    assert_same_history(cases, term_settings(KINDS), k=4, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_round_of_mean_squares_is_that_of_the_reference(weighted):
    cases = mixed_cases(80)
    weights = np.random.default_rng(4).choice([0.5, 1.0, 3.0], size=80) if weighted else None
    assert_same_history(cases, term_settings(KINDS), k=5, weights=weights, mean="square")


def test_of_laplace_errors_both_means_are_the_scale():
    cases = np.random.default_rng(0).laplace(scale=3.0, size=(4000, 1))
    for mean in ("absolute", "square"):
        learned = learn_residuals(
            cases, term_settings([NUMERIC]), k=200, max_queries=4000, mean=mean
        )
        assert learned.values[0] == pytest.approx(3.0, rel=0.06)


def test_a_column_that_is_seldom_far_off_has_a_larger_mean_square():
    rng = np.random.default_rng(0)
    seldom = np.where(rng.random(400) < 0.05, rng.integers(1, 51, 400), 0)
    cases = np.column_stack([rng.normal(size=400), seldom])
    absolute, square = (
        learn_residuals(cases, term_settings([NUMERIC] * 2), k=10, mean=mean).values
        for mean in ("absolute", "square")
    )
    assert square[0] == pytest.approx(absolute[0], rel=0.2)
    assert square[1] > 2 * absolute[1]


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**600])
def test_mean_squares_have_the_unit_of_the_column_however_large(scale):
    cases = mixed_cases(120)[:, :2]
    expected = learn_residuals(cases, term_settings([NUMERIC] * 2), k=5, mean="square")
    actual = learn_residuals(cases * scale, term_settings([NUMERIC] * 2), k=5, mean="square")
    np.testing.assert_array_equal(actual.values, expected.values * scale)


def test_features_may_have_weights():
    cases = mixed_cases(60)
    given = term_settings(KINDS, weights=[1.0, 0.0, 2.0, 0.5, 1.0])
    learned = assert_same_history(cases, given, k=4)
    # A feature that does not count is not predicted either: its residual stays its spread.
    assert learned.values[1] == learned.history[0][1]


@settings(max_examples=40)
@given(
    table=tables(st.integers(1, 25), any_power, any_column, max_columns=4),
    k=st.integers(1, 6),
    weighted=st.booleans(),
)
def test_odd_tables_have_the_residuals_of_the_reference(table, k, weighted):
    cases, metric = table.cases, table.metric
    assume(not any(_almost_equal(column) for column in cases.T))
    given = TermSettings(
        metric.kinds, metric.periods, np.ones(len(metric.kinds)), metric.p, metric.distinct
    )
    weights = np.resize([1.0, 2.0, 3.0], len(cases)) if weighted else None
    # One round: where two cases are equally near but for rounding, a second one may go anywhere.
    order = content_order(cases)
    cases, weights = cases[order], None if weights is None else weights[order]
    learned = learn_residuals(cases, given, k=k, case_weights=weights, max_rounds=1)
    start, expected = naive_history(cases, given, k, weights, 1, 0.02)
    np.testing.assert_allclose(learned.history[0], start, rtol=1e-9)
    certain = given.kinds != CYCLIC  # opposite directions may cancel or not
    # Values that are almost equal differ by little more than their own rounding.
    unit = np.fmax.reduce(np.abs(cases), initial=1e-300)[certain]
    actual, expected = learned.history[1][certain] / unit, expected[certain] / unit
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-12)


def _almost_equal(column):
    """Whether values differ, but by no more than rounding, so that it decides which is nearer."""
    gaps = np.diff(np.unique(column[~np.isnan(column)]))
    return bool((gaps < 1e-9 * np.abs(column[~np.isnan(column)]).max(initial=0.0)).any())


# --- laws -------------------------------------------------------------------------------------


def test_the_order_of_rows_does_not_matter_to_the_last_bit():
    cases = np.vstack([mixed_cases(300), mixed_cases(40)])
    shuffled = cases[np.random.default_rng(9).permutation(len(cases))]
    expected = learn_residuals(cases, term_settings(KINDS), k=5)
    actual = learn_residuals(shuffled, term_settings(KINDS), k=5)
    np.testing.assert_array_equal(actual.history, expected.history)


def test_the_order_of_rows_does_not_matter_in_a_sample_either():
    cases = mixed_cases(600)
    shuffled = cases[np.random.default_rng(9).permutation(len(cases))]
    few = {"k": 5, "max_queries": 50, "max_reference": 200}
    expected = learn_residuals(cases, term_settings(KINDS), **few)
    actual = learn_residuals(shuffled, term_settings(KINDS), **few)
    np.testing.assert_array_equal(actual.history, expected.history)


@pytest.mark.parametrize("p", [0, 1, 2])
def test_whole_case_weights_are_repeated_cases(p):
    cases = mixed_cases(120)
    counts = np.random.default_rng(5).integers(0, 4, size=len(cases))
    repeated = np.repeat(cases, counts, axis=0)
    expected = learn_residuals(repeated, term_settings(KINDS, p=p), k=7)
    actual = learn_residuals(cases, term_settings(KINDS, p=p), k=7, case_weights=counts * 1.0)
    np.testing.assert_allclose(actual.history, expected.history, rtol=1e-9)


@pytest.mark.parametrize(("factor", "shift"), [(1e6, 0.0), (1e-9, 0.0), (-2.5, 40.0)])
def test_a_residual_is_in_the_unit_of_its_feature(factor, shift):
    cases = mixed_cases(200)
    changed = cases.copy()
    changed[:, 0] = cases[:, 0] * factor + shift
    expected = learn_residuals(cases, term_settings(KINDS), k=5).values
    expected[0] *= abs(factor)
    actual = learn_residuals(changed, term_settings(KINDS), k=5).values
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_number_of_threads_does_not_matter(threads):
    cases = mixed_cases(300)
    expected = learn_residuals(cases, term_settings(KINDS), k=5)
    actual = learn_residuals(cases, term_settings(KINDS), k=5, threads=threads)
    np.testing.assert_array_equal(actual.history, expected.history)


def test_a_table_sorted_by_a_feature_does_not_favour_its_first_rows():
    # Nothing tells the two halves apart, so that all cases are equally near to each.
    n = 200
    cases = np.column_stack([np.repeat([0.0, 1.0], n // 2), np.tile([0.0, 1.0], n // 2)])
    learned = learn_residuals(cases, term_settings([NOMINAL, NOMINAL]), k=10, max_rounds=1)
    # The cap of 0.8 × chance; by the first rows alone one class would have an error of 0.
    np.testing.assert_allclose(learned.values, 0.4)


# --- limits -----------------------------------------------------------------------------------


def test_what_tells_nothing_apart_has_no_residual_and_no_weight():
    cases = np.column_stack([mixed_cases(30), np.full(30, 7.0), np.full(30, np.nan), np.ones(30)])
    kinds = [*KINDS, NUMERIC, NUMERIC, NOMINAL]
    learned = learn_residuals(cases, term_settings(kinds), k=3)
    assert np.isnan(learned.values).tolist() == [False] * 5 + [True] * 3
    assert (learned.metric.weights > 0).tolist() == [True] * 5 + [False] * 3
    alone = learn_residuals(cases[:, :5], term_settings(KINDS), k=3)
    np.testing.assert_allclose(learned.values[:5], alone.values, rtol=1e-9)


def test_a_feature_that_follows_exactly_keeps_half_a_gap():
    x = np.arange(50.0).repeat(4)
    learned = learn_residuals(np.column_stack([x, 10 * x]), term_settings([NUMERIC] * 2), k=3)
    np.testing.assert_array_equal(learned.values, [0.5, 5.0])


def test_a_class_that_follows_exactly_keeps_some_doubt():
    x = np.arange(3.0).repeat(20)
    learned = learn_residuals(np.column_stack([x, x]), term_settings([NOMINAL] * 2), k=3)
    np.testing.assert_allclose(learned.values, 0.5 / 61)


def test_a_class_that_nothing_tells_stays_below_chance():
    rng = np.random.default_rng(0)
    cases = np.column_stack([rng.normal(size=400), rng.integers(0, 4, size=400)])
    learned = learn_residuals(cases, term_settings([NUMERIC, NOMINAL]), k=10)
    assert learned.values[1] == pytest.approx(0.8 * 0.75)
    assert learned.metric.residuals[1] > 0


def test_one_case_teaches_nothing():
    learned = learn_residuals(mixed_cases(1, missing=0), term_settings(KINDS), k=3)
    assert np.isnan(learned.values).all()
    assert learned.converged


def test_a_case_without_any_value_is_legal():
    cases = mixed_cases(40)
    cases[7] = np.nan
    assert_same_history(cases, term_settings(KINDS), k=3)


def test_cases_without_weight_are_absent():
    cases = mixed_cases(60)
    weights = np.where(np.arange(60) < 40, 1.0, 0.0)
    expected = learn_residuals(cases[:40], term_settings(KINDS), k=4)
    actual = learn_residuals(cases, term_settings(KINDS), k=4, case_weights=weights)
    np.testing.assert_allclose(actual.history, expected.history, rtol=1e-12)
    assert actual.n_reference == 40


# --- what is reported -------------------------------------------------------------------------


def test_the_history_begins_with_the_spread_and_ends_with_the_residuals():
    learned = learn_residuals(mixed_cases(300), term_settings(KINDS), k=5)
    assert learned.converged
    assert 3 <= len(learned.history) <= 9
    last = learned.history[-1]
    exact = learn_residuals(
        mixed_cases(300), term_settings(KINDS), k=5, tolerance=1e-3, max_rounds=40
    )
    assert (np.abs(last - exact.values) <= 0.2 * exact.values).all()
    # What follows from the others is known better than by itself.
    assert (last[:4] < learned.history[0][:4]).all()


def test_rounds_end_where_they_are_told_to():
    learned = learn_residuals(mixed_cases(300), term_settings(KINDS), k=5, max_rounds=1)
    assert len(learned.history) == 2
    assert not learned.converged


def test_the_size_of_the_sample_is_reported():
    learned = learn_residuals(
        mixed_cases(300), term_settings(KINDS), k=5, max_queries=40, max_reference=100
    )
    assert (learned.n_queries, learned.n_reference) == (40, 100)


def test_a_sample_comes_near_the_whole():
    cases = mixed_cases(1500)
    whole = learn_residuals(cases, term_settings(KINDS), k=10, max_queries=1500)
    part = learn_residuals(cases, term_settings(KINDS), k=10, max_queries=400)
    np.testing.assert_allclose(part.values, whole.values, rtol=0.15)


def test_every_round_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="vicinal"):
        learned = learn_residuals(mixed_cases(100), term_settings(KINDS), k=5)
    rounds = [record for record in caplog.records if "largest change" in record.getMessage()]
    assert len(rounds) == len(learned.history) - 1


def test_at_least_one_round_is_needed():
    with pytest.raises(ParameterError, match="max_rounds must be at least 1; got 0"):
        learn_residuals(mixed_cases(10), term_settings(KINDS), k=5, max_rounds=0)
