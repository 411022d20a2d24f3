"""What coalitions say, against the naive twin; trees of coalitions."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.influence.parts import ensemble_of
from tests.naive import explain as naive_explain
from tests.prediction.parts import predictor_of, rows_of
from tests.strategies import CYCLIC, NOMINAL, NUMERIC, make_metric
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.dropping import dropping_each
from vicinal.index import _native
from vicinal.index.coalitions import (
    CoalitionTree,
    _fitting_threads,
    coalition_of,
    players_in,
    predict_coalitions,
)
from vicinal.index.exact import ExactIndex
from vicinal.index.players import Players
from vicinal.influence.answer import answer
from vicinal.influence.target import Target

RULES = ("inverse", "probability", "centered", "linear")
COLUMNS = {
    # In steps: near zero terms grow with the square, and the twin must know what ties.
    "gaussian": (NUMERIC, lambda rng, n: rng.normal(size=n).round(3)),
    "integers": (NUMERIC, lambda rng, n: rng.integers(-2, 3, size=n).astype(float)),
    "hours": (CYCLIC, lambda rng, n: rng.integers(0, 8, size=n) * 3.0),
    "categories": (NOMINAL, lambda rng, n: rng.integers(0, 3, size=n).astype(float)),
}


class Drawn:
    """A table whose first column is the target, rows to ask about, and an ensemble."""

    def __init__(self, styles, n, n_classes, rules, k, p, seed, missing, weighted):
        rng = np.random.default_rng(seed)
        kinds = [NUMERIC if not n_classes else NOMINAL, *(COLUMNS[style][0] for style in styles)]
        first = rng.integers(0, n_classes, n) if n_classes else rng.normal(size=n)
        columns = [first.astype(float)]
        for style in styles:
            values = COLUMNS[style][1](rng, n)
            columns.append(np.where(rng.random(n) < missing, np.nan, values))
        self.cases = np.column_stack(columns)
        self.weights = rng.integers(1, 3, n).astype(float) if weighted else None
        self.rows = np.vstack([self.cases[:2], self.cases[rng.integers(0, n, 1)]])
        self.rows[0, 1] = np.nan
        self.index = ExactIndex(self.cases, np.array(kinds, dtype=np.uint8), self.weights)
        self.target = Target.of(self.index, 0, n_classes=n_classes)
        weights = np.concatenate([[0.0], rng.uniform(0.3, 2.0, len(styles))])
        metrics = [
            replace(
                make_metric(
                    self.cases,
                    kinds,
                    [1.0, *(3.0 if kind == CYCLIC else 0.8 for kind in kinds[1:])],
                    periods=[24.0 if kind == CYCLIC else 0.0 for kind in kinds],
                    p=p,
                ),
                weights=one,
            )
            for one in (weights, weights[::-1] * (np.arange(len(weights)) > 0) + weights / 3)
        ]
        self.ensemble = ensemble_of(metrics, 0, rules, k=k)
        self.predictor = predictor_of(self.index, self.ensemble, self.target)

    def expected(self):
        return self.target.shares if self.target.n_classes else np.array([self.target.mean])

    def naive(self, row, coalition):
        outcomes = self.cases[:, [0]]
        if self.target.n_classes:
            outcomes = (outcomes == np.arange(self.target.n_classes)).astype(float)
            say = naive_explain.class_chances
        else:
            say = naive_explain.said
        weights = np.ones(len(self.cases)) if self.weights is None else self.weights
        return say(row, self.cases, outcomes, self.ensemble, coalition, self.expected(), weights)


@st.composite
def drawn_tables(draw, rules=RULES, powers=(1.0,)):
    p = draw(st.sampled_from(powers))
    return Drawn(
        styles=draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=3)),
        n=draw(st.sampled_from([3, 12, 40, 300])),
        n_classes=draw(st.sampled_from([0, 3])),
        rules=rules,
        k=draw(st.sampled_from([1, 5, 13])),
        p=p,
        seed=draw(st.integers(0, 2**32 - 1)),
        missing=draw(st.sampled_from([0.0, 0.2])),
        weighted=draw(st.booleans()),
    )


def as_one_column(values):
    return values[:, None]


def all_chains(columns):
    return [one for size in range(1, len(columns) + 1) for one in combinations(columns, size)]


def check_against_naive(table, tolerance):
    able = table.predictor.players()
    places, values = coalition_values(table.predictor, all_chains(able), rows_of(table.rows))
    assert len(places) == 2 ** len(able) - 2
    for coalition, place in places.items():
        for at, row in enumerate(table.rows):
            expected = table.naive(row, players_in(coalition))
            np.testing.assert_allclose(values[at, place], expected, atol=tolerance)


@settings(max_examples=25)
@given(table=drawn_tables(rules=("probability", "linear")))
def test_coalitions_say_what_the_naive_twin_says(table):
    check_against_naive(table, 1e-5)


@settings(max_examples=12)
@given(table=drawn_tables(rules=("centered",)))
def test_centred_coalitions_say_what_the_naive_twin_says(table):
    check_against_naive(table, 1e-3)


@settings(max_examples=20)
@given(table=drawn_tables(rules=("inverse",), powers=(0.0, 0.5, 1.0, 2.0)))
def test_coalitions_of_the_papers_way_say_what_the_naive_twin_says(table):
    check_against_naive(table, 1e-7)


@settings(max_examples=20)
@given(table=drawn_tables())
def test_all_columns_together_say_what_the_model_predicts(table):
    # Asked as if there were one more column that never counts, so that "all" is no special case.
    able = table.predictor.players()
    tree = CoalitionTree.of_chains([able])
    k = len(table.cases)  # no list ends within a tie
    ensemble = replace(table.ensemble, k=k)
    total = ensemble.background * np.tile(table.expected(), (len(table.rows), 1))
    for number, space in enumerate(ensemble.spaces):
        members = [m for m in ensemble.members if m.space == number]
        sums, _ = predict_coalitions(
            table.index,
            space.metric,
            tree,
            table.rows,
            as_one_column,
            [(m.rule, m.bandwidth, m.ridge, m.share) for m in members],
            target=0,
            k=k if table.weights is None else int(table.weights.sum()),
            n_classes=table.target.n_classes,
        )
        total += sums[:, -1]
    if table.weights is not None:
        ensemble = replace(ensemble, k=int(table.weights.sum()))
    whole = answer(table.index, ensemble, table.target, table.rows)
    if not table.target.n_classes:
        np.testing.assert_allclose(total[:, 0], whole.values, atol=1e-5)
    elif (total >= 0).all():
        np.testing.assert_allclose(total, whole.probabilities, atol=1e-5)


@settings(max_examples=15)
@given(table=drawn_tables(), threads=st.sampled_from([1, 3]))
def test_paths_threads_and_batches_change_no_bit(table, threads):
    able = table.predictor.players()
    tree = CoalitionTree.of_chains(all_chains(able))
    metric = table.ensemble.spaces[0].metric

    def sums(rows, **options):
        return predict_coalitions(
            table.index,
            metric,
            tree,
            rows,
            as_one_column,
            [("linear", 1.0, 0.3, 0.5), ("centered", 0.5, 0.3, 0.5)],
            target=0,
            k=5,
            n_classes=table.target.n_classes,
            **options,
        )[0]

    first = sums(table.rows)
    for path in _native.paths():
        np.testing.assert_array_equal(sums(table.rows, path=path, threads=threads), first)
    for at in range(len(table.rows)):
        np.testing.assert_array_equal(sums(table.rows[[at]])[0], first[at])


@settings(max_examples=15)
@given(table=drawn_tables(), seed=st.integers(0, 99))
def test_the_order_in_which_columns_are_added_changes_no_bit(table, seed):
    able = table.predictor.players()
    order = np.random.default_rng(seed).permutation(able).tolist()
    one, first = coalition_values(table.predictor, [order, order[::-1]], rows_of(table.rows))
    other, second = coalition_values(table.predictor, all_chains(able), rows_of(table.rows))
    for coalition, place in one.items():
        np.testing.assert_array_equal(first[:, place], second[:, other[coalition]])


@settings(max_examples=20)
@given(table=drawn_tables(), seed=st.integers(0, 99))
def test_the_order_of_cases_is_not_seen_however_many_tie(table, seed):
    order = np.random.default_rng(seed).permutation(len(table.cases))
    weights = None if table.weights is None else table.weights[order]
    shuffled = ExactIndex(table.cases[order], table.index.storage.kinds, weights)
    target = Target.of(shuffled, 0, n_classes=table.target.n_classes)
    chains = all_chains(table.predictor.players())
    _, first = coalition_values(table.predictor, chains, rows_of(table.rows))
    _, second = coalition_values(
        predictor_of(shuffled, table.ensemble, target), chains, rows_of(table.rows)
    )
    np.testing.assert_allclose(first, second, atol=1e-6)


@settings(max_examples=20)
@given(table=drawn_tables(rules=("probability", "linear")))
def test_a_weight_of_two_says_the_same_as_a_repeated_case(table):
    weights = np.ones(len(table.cases)) if table.weights is None else table.weights
    rows = np.repeat(np.arange(len(table.cases)), weights.astype(int))
    repeated = ExactIndex(table.cases[rows], table.index.storage.kinds)
    target = Target.of(repeated, 0, n_classes=table.target.n_classes)
    chains = all_chains(table.predictor.players())
    _, first = coalition_values(table.predictor, chains, rows_of(table.rows))
    _, second = coalition_values(
        predictor_of(repeated, table.ensemble, target), chains, rows_of(table.rows)
    )
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_left_out_cases_do_not_answer_for_themselves():
    cases = np.array([[5.0, 1.0], [1.0, 1.0], [2.0, 2.0], [4.0, 9.0]])
    index = ExactIndex(cases, np.zeros(2, dtype=np.uint8))
    metric = replace(make_metric(cases, [0, 0], [1.0, 1.0]), weights=np.array([0.0, 1.0]))

    def nearest(exclude):
        sums, _ = predict_coalitions(
            index,
            metric,
            CoalitionTree.of_chains([(1,)]),
            cases[[0]],
            as_one_column,
            [("inverse", 1.0, np.inf, 1.0)],
            target=0,
            k=1,
            exclude=np.array([exclude]),
        )
        return sums[0, 0, 0]

    assert nearest(-1) == 3.0  # the mean of two cases at the same place
    assert nearest(0) == 1.0


def test_removed_cases_do_not_answer():
    cases = np.array([[5.0, 1.0], [1.0, 1.0], [2.0, 2.0], [4.0, 1.0]])
    index = ExactIndex(cases, np.zeros(2, dtype=np.uint8))
    index.remove([3])
    metric = replace(make_metric(cases, [0, 0], [1.0, 1.0]), weights=np.array([0.0, 1.0]))
    sums, _ = predict_coalitions(
        index,
        metric,
        CoalitionTree.of_chains([(1,)]),
        cases[[0]],
        as_one_column,
        [("inverse", 1.0, np.inf, 1.0)],
        target=0,
        k=1,
    )
    assert sums[0, 0, 0] == 3.0


def test_a_tree_asks_every_set_once_and_drops_paths_that_lead_nowhere():
    tree = CoalitionTree.of_chains([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
    assert sorted(map(players_in, tree.coalitions)) == [[0], [0, 1], [0, 1, 2], [1], [1, 2], [2]]
    assert len(tree.depths) == 6
    assert tree.slots == (0, 1, 2, 3, 4, 5)


def test_a_tree_that_drops_each_of_many_columns_asks_no_other_set_and_stays_small():
    columns = tuple(range(168))
    wanted = {coalition_of(set(columns) - {column}) for column in columns}
    chains = dropping_each(columns)
    assert [set(columns) - set(chain) for chain in chains] == [{column} for column in columns]
    tree = CoalitionTree.of_chains(chains, only=wanted)
    assert set(tree.coalitions) == wanted
    assert len(tree.coalitions) == 168
    assert len(tree.depths) <= 168 * 8


def test_fewer_threads_run_where_each_needs_much_memory():
    tree = CoalitionTree.of_chains([range(2000)])
    few, many = (Players.of_columns(count, 1, 1) for count in (4, 2000))
    assert _fitting_threads(64, CoalitionTree.of_chains([range(4)]), few, 60, 1000) == 64
    assert 8 < _fitting_threads(200, tree, many, 60, 1000) < 200
    scored = replace(many, scores=np.arange(12))
    assert 1 < _fitting_threads(64, tree, scored, 60, 1000) < 16


def test_a_tree_may_be_deeper_than_pythons_stack():
    tree = CoalitionTree.of_chains([range(3000)])
    assert tree.depths[-1] == 3000
    assert set(tree.ends) == {3000}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depths": (2, 1)}, "preorder"),
        ({"ends": (2, 2)}, "ends"),
        ({"players": (1, 7)}, "does not count"),
        ({"slots": (0, 0)}, "filled once"),
    ],
)
def test_the_kernel_refuses_a_tree_that_is_none(change, message):
    cases = np.arange(12.0).reshape(4, 3)
    index = ExactIndex(cases, np.zeros(3, dtype=np.uint8))
    metric = make_metric(cases, [0, 0, 0], [1.0, 1.0, 1.0])
    tree = replace(CoalitionTree.of_chains([(1,), (2,)]), **change)
    with pytest.raises(ValueError, match=message):
        predict_coalitions(
            index,
            metric,
            tree,
            cases,
            as_one_column,
            [("inverse", 1.0, np.inf, 1.0)],
            target=0,
            k=1,
        )
