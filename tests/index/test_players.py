"""Coalitions of players with columns and parts of scores, against the naive twin; their laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.scored import Member, ScoredTable, all_chains, scored_tables
from vicinal.exceptions import ParameterError
from vicinal.index import _native
from vicinal.index.exact import ExactIndex
from vicinal.index.players import Players

BALANCED = [Member("linear", share=0.4), Member("centered", 0.5, share=0.6)]
PLAIN = [Member("probability"), Member("inverse", share=0.5)]
INVERSE = [Member("inverse")]  # for any p; the others compare with the twin for p = 1
ks = st.sampled_from([1, 5, 13])


def check_against_naive(table, members, k, tolerance, **options):
    found = table.sums(members, k, **options)
    assert len(found) == 2 ** len(table.able) - 1
    for coalition, values in found.items():
        expected = [table.naive(at, coalition, members, k) for at in range(3)]
        np.testing.assert_allclose(values, expected, atol=tolerance)


def assert_same(first, second):
    assert first.keys() == second.keys()
    for coalition, values in first.items():
        np.testing.assert_array_equal(values, second[coalition])


def assert_close(first, second):
    assert first.keys() == second.keys()
    for coalition, values in first.items():
        np.testing.assert_allclose(values, second[coalition], atol=1e-6)


@pytest.mark.parametrize("path", _native.paths())
@settings(max_examples=25)
@given(table=scored_tables(powers=(0.0, 0.5, 1.0, 2.0)), k=ks)
def test_players_say_what_the_naive_twin_says(path, table, k):
    check_against_naive(table, INVERSE, k, 1e-7, path=path)


@settings(max_examples=20)
@given(table=scored_tables(), k=ks)
def test_players_share_by_probability_as_the_naive_twin_does(table, k):
    check_against_naive(table, PLAIN, k, 1e-7)


@settings(max_examples=25)
@given(table=scored_tables(), k=ks)
def test_linear_players_say_what_the_naive_twin_says(table, k):
    check_against_naive(table, [Member("linear")], k, 1e-5)


@settings(max_examples=12)
@given(table=scored_tables(), k=ks)
def test_centered_players_say_what_the_naive_twin_says(table, k):
    # Gently: far outside the neighbors the solver stops short of the optimum.
    check_against_naive(table, [Member("centered", 0.3, 3.0)], k, 1e-4)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0])
def test_many_cases_say_what_the_naive_twin_says(p):
    # With many cases most are ruled out, by their columns or by their scores.
    table = ScoredTable(3000, 2, p, seed=4, missing=0.05, weighted=True, parts="gaussian")
    check_against_naive(table, INVERSE, 13, 1e-7)


@settings(max_examples=20)
@given(table=scored_tables(scores=(0,)), k=ks)
def test_players_of_one_column_each_say_the_same_as_columns(table, k):
    # In another order, so that a player is not called by the number of its column.
    columns = ((3,), (1,), (0,), (2,), (4,))
    parts = np.empty((len(table.cases), 5, 0))
    players = replace(table.players, columns=columns, case_parts=parts, query_parts=parts[:3])
    first = table.sums(BALANCED, k, chains=all_chains([1, 2, 3]), players=None)
    second = table.sums(BALANCED, k, chains=all_chains([0, 1, 3]), players=players)
    renamed = {frozenset(columns[i][0] for i in one): said for one, said in second.items()}
    assert_same(first, renamed)


@settings(max_examples=25)
@given(table=scored_tables(powers=(0.0, 1.0, 2.0)), k=ks)
def test_all_players_together_say_what_all_columns_say(table, k):
    chain = table.metric.active.tolist()
    whole = table.sums(BALANCED, k, chains=[table.able])[frozenset(table.able)]
    columns = table.sums(BALANCED, k, chains=[chain], players=None)[frozenset(chain)]
    np.testing.assert_allclose(whole, columns, atol=1e-6)


def test_scores_are_balanced_in_where_they_are_among_the_heaviest_columns():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(200, 40))
    parts = rng.normal(size=(200, 40, 2))
    cases = np.column_stack([columns.sum(axis=1), columns, parts.sum(axis=1)])
    base = ScoredTable(200, 0, 1.0, seed=0, missing=0.0, weighted=False)
    metric = replace(
        base.metric,
        kinds=np.zeros(43, dtype=np.uint8),
        residuals=np.ones(43),
        periods=np.zeros(43),
        weights=np.array([0.0, *rng.uniform(0.1, 1.0, 40), 3.0, 0.05]),
        supports=(base.metric.supports[0],) * 43,
        distinct=np.zeros(43, dtype=bool),
    )
    players = Players(
        tuple((column,) for column in range(1, 41)), np.array([41, 42]), parts, parts[:3]
    )
    options = {
        "index": ExactIndex(cases, metric.kinds),
        "metric": metric,
        "queries": cases[:3],
        "k": 60,
    }
    chain = metric.active.tolist()
    whole = base.sums(BALANCED, chains=[range(40)], players=players, **options)
    columns = base.sums(BALANCED, chains=[chain], players=None, **options)
    np.testing.assert_allclose(whole[frozenset(range(40))], columns[frozenset(chain)], atol=1e-6)


@settings(max_examples=15)
@given(table=scored_tables(powers=(0.0, 1.0, 2.0)), k=ks, threads=st.sampled_from([1, 3]))
def test_paths_threads_and_batches_change_no_bit(table, k, threads):
    first = table.sums(BALANCED, k)
    for path in _native.paths():
        assert_same(table.sums(BALANCED, k, path=path, threads=threads), first)
    for at in range(3):
        one = replace(table.players, query_parts=table.players.query_parts[[at]])
        alone = table.sums(
            BALANCED, k, players=one, queries=table.queries[[at]], exclude=table.exclude[[at]]
        )
        assert_same(alone, {coalition: said[[at]] for coalition, said in first.items()})


@settings(max_examples=15)
@given(table=scored_tables(), k=ks, seed=st.integers(0, 99))
def test_the_order_in_which_players_are_added_changes_no_bit(table, k, seed):
    order = np.random.default_rng(seed).permutation(table.able).tolist()
    everything = table.sums(BALANCED, k)
    some = table.sums(BALANCED, k, chains=[order, order[::-1]])
    assert_same(some, {coalition: everything[coalition] for coalition in some})


@settings(max_examples=15)
@given(table=scored_tables(), k=ks, seed=st.integers(0, 99))
def test_the_order_of_cases_is_not_seen(table, k, seed):
    order = np.random.default_rng(seed).permutation(len(table.cases))
    weights = None if table.weights is None else table.weights[order]
    index = ExactIndex(table.cases[order], table.metric.kinds, weights)
    shuffled = replace(table.players, case_parts=table.players.case_parts[order])
    places = np.argsort(order)
    exclude = np.where(table.exclude < 0, -1, places[table.exclude])
    assert_close(
        table.sums(BALANCED, k, index=index, players=shuffled, exclude=exclude),
        table.sums(BALANCED, k),
    )


@settings(max_examples=15)
@given(table=scored_tables(sizes=(12, 40, 300)), k=ks)
def test_removed_cases_bring_no_parts(table, k):
    left = np.arange(len(table.cases)) % 3 != 2
    weights = None if table.weights is None else table.weights[left]
    fewer = replace(table.players, case_parts=table.players.case_parts[left])
    index = ExactIndex(table.cases[left], table.metric.kinds, weights)
    table.index.remove(np.flatnonzero(~left))
    options = {"players": fewer, "exclude": None}
    assert_close(
        table.sums(BALANCED, k, **options), table.sums(BALANCED, k, index=index, **options)
    )


@settings(max_examples=15)
@given(table=scored_tables(scores=(3,)), k=ks)
def test_a_score_without_weight_changes_no_bit(table, k):
    weights = table.metric.weights.copy()
    weights[6] = 0.0
    metric = table.metric.with_weights(weights)
    parts, query_parts = table.players.case_parts, table.players.query_parts
    without = Players(
        table.columns, np.array([7, 5]), parts[..., [2, 0]], query_parts[..., [2, 0]]
    )
    assert_same(
        table.sums(BALANCED, k, metric=metric),
        table.sums(BALANCED, k, metric=metric, players=without),
    )


@settings(max_examples=15)
@given(table=scored_tables(scores=(1, 3)), k=ks)
def test_a_player_that_brings_nothing_changes_nothing(table, k):
    parts, query_parts = table.players.case_parts.copy(), table.players.query_parts.copy()
    parts[:, 3], query_parts[:, 3] = 1.5, 1.5  # the same of all cancels
    players = replace(table.players, case_parts=parts, query_parts=query_parts)
    found = table.sums(BALANCED, k, players=players)
    for coalition, said in found.items():
        if len(coalition) > 1:
            np.testing.assert_allclose(said, found[coalition - {3}], atol=1e-6)


def test_a_coalition_that_knows_nothing_of_a_score_says_the_mean():
    table = ScoredTable(40, 1, 1.0, seed=1, missing=0.0, weighted=False)
    parts = np.zeros_like(table.players.case_parts)
    players = replace(table.players, case_parts=parts, query_parts=parts[:3])
    found = table.sums(PLAIN[:1], 5, chains=[(3,)], players=players, exclude=None)
    np.testing.assert_allclose(found[frozenset({3})], np.nanmean(table.cases[:, 0]))


def test_players_count_where_a_column_or_any_score_counts():
    table = ScoredTable(12, 1, 1.0, seed=1, missing=0.0, weighted=False)
    assert table.players.counting(table.metric) == frozenset(range(4))
    bare = table.metric.with_weights(table.metric.weights * (np.arange(6) < 5))
    assert table.players.counting(bare) == frozenset({0, 1})


def test_the_unit_of_a_score_is_not_seen():
    table = ScoredTable(40, 1, 1.0, seed=1, missing=0.0, weighted=False)
    for scale in (2.0**-900, 2.0**-40, 2.0**40, 2.0**980):
        metric = replace(table.metric, residuals=table.metric.residuals.copy())
        metric.residuals[5] *= scale
        players = replace(
            table.players,
            case_parts=table.players.case_parts * scale,
            query_parts=table.players.query_parts * scale,
        )
        assert_same(
            table.sums(BALANCED, 5, metric=metric, players=players), table.sums(BALANCED, 5)
        )


def test_scores_far_beyond_what_terms_count_are_compared_as_columns_are():
    table = ScoredTable(300, 2, 1.0, seed=1, missing=0.0, weighted=False, parts="gaussian")
    metric = replace(table.metric, residuals=table.metric.residuals.copy())
    metric.residuals[5:] = 1e-5  # most terms are cut off, so that cases tie
    chain = metric.active.tolist()
    whole = table.sums(PLAIN, 13, metric=metric)[frozenset(range(4))]
    columns = table.sums(PLAIN, 13, chains=[chain], metric=metric, players=None)
    np.testing.assert_allclose(whole, columns[frozenset(chain)], atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": ((1, 2), (3,), (4,), (1,))}, "once each"),
        ({"columns": ((1,), (3,), (4,), ())}, "once each"),
        ({"columns": ((1, 2), (3,), (4,), (9,))}, "once each"),
        ({"scores": np.array([5, 5])}, "once each"),
        ({"case_parts": np.zeros((11, 4, 2))}, "case parts have the shape"),
        ({"query_parts": np.zeros((3, 4, 1))}, "query parts have the shape"),
        ({"query_parts": np.full((3, 4, 2), np.nan)}, "finite"),
        ({"case_parts": np.full((12, 4, 2), np.inf)}, "finite"),
    ],
)
def test_players_that_do_not_fit_are_refused(change, message):
    table = ScoredTable(12, 2, 1.0, seed=1, missing=0.0, weighted=False)
    with pytest.raises(ValueError, match=message):
        table.sums(PLAIN, 5, players=replace(table.players, **change))


def test_coalitions_in_which_nothing_counts_are_refused():
    table = ScoredTable(12, 0, 1.0, seed=1, missing=0.0, weighted=False)
    with pytest.raises(ValueError, match="nothing that counts"):
        table.sums(PLAIN, 5, chains=[(2, 0)])
    with pytest.raises(ValueError, match="does not exist"):
        table.sums(PLAIN, 5, chains=[(0, 4)])
    with pytest.raises(ParameterError, match="column 4, which does not count"):
        table.sums(PLAIN, 5, chains=[(1, 4)], players=None)
