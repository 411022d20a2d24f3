"""Convictions against their naive twin."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.naive import conviction as naive
from tests.strategies import make_metric, tables
from vicinal.conviction.baseline import measure_baseline
from vicinal.conviction.distance_contribution import distance_contributions
from vicinal.conviction.familiarity import familiarity
from vicinal.conviction.gaps import usual_mean
from vicinal.conviction.measure import Measure
from vicinal.conviction.new_rows import entries
from vicinal.conviction.p_values import discoveries, own_p_values, p_values
from vicinal.conviction.results import convictions_of_rows
from vicinal.index.exact import ExactIndex

all_terms = st.sampled_from(["full", "excess"])
means = st.sampled_from(["harmonic", "geometric"])
decays = st.sampled_from([0.0, 0.5, 1.0])


def judged(table, measure):
    index = ExactIndex(table.cases, table.metric.kinds)
    return measure_baseline(index, table.metric, measure)


@settings(max_examples=40)
@given(tables(), st.integers(1, 25), all_terms, means, decays)
def test_contributions_of_stored_cases(table, k, terms, mean, rank_decay):
    stored = judged(
        table, Measure(k, n_reference=1, terms=terms, mean=mean, rank_decay=rank_decay)
    )
    usual = stored.usual_terms
    grain = naive.grain(table.cases, table.metric, k, rank_decay, usual)
    np.testing.assert_allclose(stored.grain, grain, rtol=1e-6, atol=1e-12)
    expected = naive.contributions(
        table.cases, table.metric, k, terms, stored.grain, usual, mean, rank_decay
    )
    np.testing.assert_allclose(stored.contribution, expected, rtol=1e-6)


@settings(max_examples=40)
@given(tables(), st.integers(1, 25), all_terms)
def test_contributions_of_new_rows_are_those_after_adding_them(table, k, terms):
    stored = judged(table, Measure(k, terms=terms))
    actual = convictions_of_rows(stored, table.queries).contribution
    expected = [
        naive.contributions(
            np.vstack([table.cases, row]), table.metric, k, terms, stored.grain, stored.usual_terms
        )[-1]
        for row in table.queries
    ]
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


@settings(max_examples=40)
@given(tables(), st.integers(1, 25))
def test_cases_whose_lists_a_new_row_enters_have_the_contribution_of_a_rebuild(table, k):
    stored = judged(table, Measure(k))
    entered = entries(stored, table.queries)
    for number, row in enumerate(table.queries):
        mine = entered.rows == number
        expected = naive.contributions(
            *(np.vstack([table.cases, row]), table.metric, k, "excess"),
            *(stored.grain, stored.usual_terms),
        )[:-1]
        actual = stored.contribution.copy()
        actual[entered.places[mine]] = entered.contribution[mine]
        np.testing.assert_allclose(actual, expected, rtol=1e-6)


@settings(max_examples=40)
@given(tables(), st.integers(1, 25), all_terms)
def test_familiarity_of_new_rows_is_that_after_adding_them(table, k, terms):
    stored = judged(table, Measure(k, terms=terms))
    actual = convictions_of_rows(stored, table.queries).familiarity
    for number, row in enumerate(table.queries):
        phi = naive.contributions(
            np.vstack([table.cases, row]), table.metric, k, terms, stored.grain, stored.usual_terms
        )
        divergences = np.array([naive.divergence(phi, j) for j in range(len(phi))])
        # Divergences are differences of numbers near 1: below this nothing is left of them.
        # A case with most of the distance is another matter: see the laws.
        plain = phi.max() < 0.5 * phi.sum() or len(phi) <= 2
        if plain and divergences.mean() > 1e-10 and divergences[-1] > 1e-10:
            expected = min(divergences.mean() / divergences[-1], 1e6)
            np.testing.assert_allclose(actual[number], expected, rtol=1e-4)


def generic(seed, n=60, d=4, p=1.0):
    rng = np.random.default_rng(seed)
    cases = rng.normal(size=(n, d))
    cases[rng.random((n, d)) < 0.05] = np.nan
    return cases, make_metric(cases, 0, rng.uniform(0.2, 2.0, size=d), p=p)


@pytest.mark.parametrize("prior", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("p", "rank_decay"), [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (2.0, 0.5)])
def test_similarity_of_stored_cases(p, rank_decay, prior):
    cases, metric = generic(1, p=p)
    measure = Measure(5, n_reference=12, prior=prior, rank_decay=rank_decay)
    stored = measure_baseline(ExactIndex(cases, metric.kinds), metric, measure)
    usual = naive.usual_terms(cases, metric, 5, rank_decay)
    np.testing.assert_allclose(stored.usual_terms, usual, rtol=1e-9)
    phi = naive.contributions(
        cases, metric, 5, "excess", stored.grain, usual, rank_decay=rank_decay
    )
    expected = naive.expectations(cases, metric, phi, 12, prior, rank_decay=rank_decay)
    np.testing.assert_allclose(stored.similarity, expected / phi, rtol=1e-9)


@pytest.mark.parametrize("prior", [0.0, 0.3])
def test_similarity_of_new_rows_is_that_after_adding_them(prior):
    cases, metric = generic(2)
    rows, _ = generic(3, n=9)
    index = ExactIndex(cases, metric.kinds)
    stored = measure_baseline(index, metric, Measure(5, n_reference=12, prior=prior))
    actual = convictions_of_rows(stored, rows).similarity
    usual = stored.usual_terms
    overall = naive.contributions(cases, metric, 5, "excess", stored.grain, usual).mean()
    for number, row in enumerate(rows):
        more = np.vstack([cases, row])
        phi = naive.contributions(more, metric, 5, "excess", stored.grain, usual)
        expected = naive.expectations(more, metric, phi, 12, prior, overall)[-1] / phi[-1]
        np.testing.assert_allclose(actual[number], expected, rtol=1e-9)


def hangs_by_rounding(table):
    """Whether some case has others at distances that differ by about what counts as a tie."""
    everyone = np.arange(len(table.cases))
    usual = np.full(len(table.metric.kinds), 1.5)
    _, found = naive.neighbors(
        table.cases, table.cases, table.metric, len(everyone), everyone, usual
    )
    distances = np.where(np.isfinite(found), found, np.nan)
    apart = np.diff(distances, axis=1) / distances[:, :-1]
    return bool(((apart > 1e-14) & (apart < 1e-9)).any())


@settings(max_examples=40)
@given(tables(), st.integers(1, 25))
def test_expectations_do_not_hang_on_the_order_of_cases_at_one_distance(table, k):
    assume(not hangs_by_rounding(table))
    # As many in the circle as there are: at its edge the order must decide who is in.
    stored = judged(table, Measure(k, n_reference=len(table.cases)))
    usual = stored.usual_terms
    phi = naive.contributions(table.cases, table.metric, k, "excess", stored.grain, usual)
    expected = naive.expectations(table.cases, table.metric, phi, len(table.cases), 0.2)
    np.testing.assert_allclose(stored.expected, expected, rtol=1e-5)


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=40))
def test_familiarity_of_stored_cases(values):
    phi = np.array(values)
    actual = familiarity(phi)
    divergences = np.array([naive.divergence(phi, j) for j in range(len(phi))])
    clear = divergences > 1e-12
    if len(phi) > 2 and phi.max() > 0.5 * phi.sum():
        return  # a case with most of the distance is another matter: see the laws
    expected = np.minimum(naive.familiarity(phi)[clear], 1e6) if clear.any() else []
    np.testing.assert_allclose(actual[clear], expected, rtol=1e-4)


@given(st.lists(st.integers(0, 9), max_size=20), st.lists(st.integers(-1, 10), min_size=1))
def test_p_values_count(reference, asked):
    expected = [naive.p_value(one, reference) for one in asked]
    actual = p_values(np.array(asked, dtype=float), np.array(reference, dtype=float))
    np.testing.assert_allclose(actual, expected)


@given(st.lists(st.integers(0, 9), max_size=20), st.booleans())
def test_p_values_of_cases_among_themselves_count(values, weighted):
    expected = [sum(other <= one for other in values) / len(values) for one in values]
    weights = np.ones(len(values)) if weighted else None
    np.testing.assert_array_equal(own_p_values(np.array(values, dtype=float), weights), expected)


@given(st.lists(st.integers(0, 9), max_size=50))
def test_the_usual_mean_of_cases_is_that_of_weights_of_one(values):
    numbers = np.array(values, dtype=float) / 7
    assert usual_mean(numbers) == usual_mean(numbers, np.ones(len(numbers)))


@given(st.integers(1, 9), st.booleans())
def test_contributions_of_many_rows_are_those_of_each(k, weighted):
    rng = np.random.default_rng(k)
    distances = np.sort(1.5 + rng.random((9000, k)), axis=1)
    distances[4000:4200, k // 2 :] = np.inf  # rows that have fewer neighbors
    counts = rng.integers(0, 3, (9000, k)).astype(float) if weighted else None
    some = np.array([0, 4095, 4096, 4150, 8999])
    own = None if counts is None else counts[some]
    expected = distance_contributions(distances[some], own, Measure(k), 0.2)
    actual = distance_contributions(distances, counts, Measure(k), 0.2)
    np.testing.assert_array_equal(actual[some], expected)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.floats(0.01, 0.5))
def test_discoveries_are_those_of_benjamini_and_hochberg(p, rate):
    p = np.array(p) / 40
    assert discoveries(p, rate).tolist() == naive.discoveries(p, rate)


@pytest.mark.parametrize("p", [60.0, 300.0])
def test_convictions_are_right_where_powers_exceed_floats(p):
    cases = np.random.default_rng(4).normal(size=(30, 3)) * np.logspace(0, 6, 30)[:, None]
    metric = replace(make_metric(cases, [0, 0, 0], [1.0, 1.0, 1.0]), p=p)
    measure = Measure(5, n_reference=5, prior=0.0)
    stored = measure_baseline(ExactIndex(cases, metric.kinds), metric, measure)
    usual = stored.usual_terms
    phi = naive.contributions(cases, metric, 5, "excess", stored.grain, usual)
    np.testing.assert_allclose(stored.contribution, phi, rtol=1e-6)
    expected = naive.expectations(cases, metric, phi, 5, 0.0)
    np.testing.assert_allclose(stored.expected, expected, rtol=1e-6)
