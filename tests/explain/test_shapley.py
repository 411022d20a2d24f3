"""Contributions of features that bring several columns, and parts of scores."""

from __future__ import annotations

import tracemalloc
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from tests.index.scored import ScoredTable, all_chains, scored_tables
from tests.influence.parts import ensemble_of
from tests.naive import explain as naive_explain
from tests.prediction.parts import predictor_of, rows_of
from tests.strategies import make_metric
from vicinal import Model
from vicinal.explain import precision, shapley, space_shares
from vicinal.explain.boundary import mean_metric
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.equal_columns import equal_columns
from vicinal.explain.orders import orders, usual_permutations
from vicinal.explain.shapley import explain_features
from vicinal.index.coalitions import players_in
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target
from vicinal.prediction import heaviest
from vicinal.prediction.extended_cases import ExtendedCases
from vicinal.prediction.predictor import Predictor, learn

#: What the four players of a `ScoredTable` are called: by their first column, or any other.
NAMES = [1, 3, 4, 5]


class ScoredPredictor(Predictor):
    """Predicts from the features of a `ScoredTable`; scores count in its first space only."""

    def players(self):
        return NAMES


class ScoredCases(ExtendedCases):
    """The cases of a `ScoredTable`, whose index has its derived columns already."""

    def __init__(self, fitted, table):
        super().__init__(fitted, None)
        self.table = table

    def players(self, features, metric, rows):
        every = [one.tobytes() for one in self.table.queries]
        places = [every.index(one.tobytes()) for one in rows.values]
        players = self.table.players
        return replace(players, query_parts=players.query_parts[places])


def predictor_from(table, rules, k=5):
    weights = table.metric.weights
    metrics = [table.metric, table.metric.with_weights(weights * (np.arange(len(weights)) < 5))]
    ensemble = ensemble_of(metrics, 0, rules, k=k)
    target = Target.of(table.index, 0, n_classes=0)
    plain = predictor_of(table.index, ensemble, target)
    predictor = ScoredPredictor(**{one.name: getattr(plain, one.name) for one in fields(plain)})
    predictor.table = table
    predictor.cases = ScoredCases(plain.fitted, table)
    return predictor


def naive_value(predictor, at, coalition):
    """What the twin says that a coalition predicts; a space in which nothing counts the mean."""
    table, ensemble, mean = predictor.table, predictor.ensemble, predictor.target.mean
    total = ensemble.background * mean
    for number, space in enumerate(ensemble.spaces):
        members = [member for member in ensemble.members if member.space == number]
        counting = {NAMES[place] for place in table.players.counting(space.metric)}
        held = [NAMES.index(name) for name in coalition if name in counting]
        if held:
            total += table.naive(at, held, members, ensemble.k, space.metric)
        else:
            total += sum(member.share for member in members) * mean
    return total


@settings(max_examples=12)
@given(table=scored_tables(sizes=(12, 40), scores=(1, 3)))
def test_coalitions_of_features_say_what_the_naive_twin_says(table):
    predictor = predictor_from(table, ("probability", "linear"))
    rows = rows_of(table.queries, table.exclude)
    places, values = coalition_values(predictor, all_chains(NAMES), rows)
    assert len(places) == 14
    for coalition, place in places.items():
        expected = [naive_value(predictor, at, players_in(coalition)) for at in range(3)]
        np.testing.assert_allclose(values[:, place, 0], expected, atol=1e-5)


@settings(max_examples=10)
@given(table=scored_tables(sizes=(40,), scores=(1, 3)))
def test_contributions_of_features_are_the_naive_ones(table):
    predictor = predictor_from(table, ("probability", "linear"))
    found = explain_features(predictor, rows_of(table.queries, table.exclude))
    assert not found.values[:, [0, 2, *range(6, found.values.shape[1])]].any()

    @cache
    def value(coalition):
        whole = len(coalition) == 4
        return found.predictions[2, 0] if whole else naive_value(predictor, 2, coalition)

    expected = naive_explain.shapley_values(
        lambda order: value(frozenset(order)), NAMES, found.values.shape[1]
    )
    np.testing.assert_allclose(found.values[2, :, 0], expected, atol=1e-5)


@pytest.mark.parametrize("exact_up_to", [10, 1])
@settings(max_examples=10)
@given(table=scored_tables(scores=(1, 3)))
def test_contributions_of_features_sum_to_the_prediction(exact_up_to, table):
    predictor = predictor_from(table, ("centered", "linear"))
    rows = rows_of(table.queries, table.exclude)
    found = explain_features(predictor, rows, exact_up_to=exact_up_to)
    np.testing.assert_array_equal(found.predictions[:, 0], predictor.answer(rows).values)
    np.testing.assert_allclose(
        found.baseline + found.values.sum(axis=1), found.predictions, atol=1e-9
    )


def test_all_features_together_say_what_the_model_predicts():
    table = ScoredTable(40, 2, 1.0, seed=3, missing=0.1, weighted=False)
    predictor = predictor_from(table, ("probability", "linear"), k=40)
    rows = rows_of(table.queries, table.exclude)
    said = [naive_value(predictor, at, NAMES) for at in range(3)]
    np.testing.assert_allclose(said, predictor.answer(rows).values, atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "alike"),
    [((1.0, 0.5, 1.0, 0.5), True), ((1.0, 0.5, 1.0, 0.7), False), ((0.5, 1.0, 1.0, 0.5), False)],
)
def test_features_are_equal_where_all_their_columns_are_compared_alike(weights, alike):
    number = np.arange(20.0) % 7
    cases = np.column_stack([np.arange(20.0), number, number / 7, number, number / 7])
    metric = make_metric(cases, [0] * 5, 1.0, weights=[0.0, *weights])
    index = ExactIndex(cases, metric.kinds)
    target = Target.of(index, 0, n_classes=0)
    predictor = predictor_of(index, ensemble_of([metric], 0), target)
    predictor.cases.columns_of = lambda feature: (feature, feature + 1)
    assert equal_columns(predictor, [1, 3]) == ([[1, 3]] if alike else [])
    predictor.cases.columns_of = lambda feature: (feature, feature + 1)[: 1 + (feature == 1)]
    assert equal_columns(predictor, [1, 3]) == []


def test_contributions_of_thousands_of_columns_need_little_memory():
    rng = np.random.default_rng(0)
    cases = rng.normal(size=(12, 1501))
    metric = make_metric(cases, [0] * 1501, 1.0, weights=[0.0, *[1.0] * 1500])
    index = ExactIndex(cases, metric.kinds)
    target = Target.of(index, 0, n_classes=0)
    predictor = predictor_of(index, ensemble_of([metric], 0, ("probability",), k=3), target)
    tracemalloc.start()
    found = explain_features(predictor, rows_of(cases[:1]), n_permutations=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # As sets, the prefixes of two orders would have two million members, twice.
    assert peak < 16e6
    np.testing.assert_allclose(found.baseline + found.values.sum(axis=1), found.predictions)


def test_orders_in_blocks_add_up_to_the_same_contributions(monkeypatch):
    table = ScoredTable(40, 2, 1.0, seed=3, missing=0.1, weighted=False)
    predictor = predictor_from(table, ("probability", "linear"))
    rows = rows_of(table.queries, table.exclude)
    together = explain_features(predictor, rows, exact_up_to=1)
    monkeypatch.setattr(shapley, "_MOST_COALITIONS", 1)
    apart = explain_features(predictor, rows, exact_up_to=1)
    np.testing.assert_array_equal(apart.values, together.values)
    np.testing.assert_array_equal(apart.standard_errors, together.standard_errors)


def test_of_many_features_the_heaviest_are_explained_as_if_all_were(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 13))
    table = {f"x{i}": x[:, i] for i in range(13)} | {"y": 2 * x[:, 0] - x[:, 1] + 0.1 * x[:, 2]}
    fitted = Model(max_queries=60, n_jobs=1, scores=False).fit(table)._ready()
    predictor = learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))
    rows, how = fitted.cases(np.arange(5), "y"), {"n_permutations": 6}
    every = explain_features(predictor, rows, **how)
    monkeypatch.setattr(shapley, "MANY", 12)
    monkeypatch.setattr(heaviest, "ONE_BY_ONE", 3)
    found = explain_features(predictor, rows, **how)
    weights = mean_metric(predictor).weights
    first = np.argsort(-weights, kind="stable")[:3]
    np.testing.assert_allclose(found.values[:, first], every.values[:, first], rtol=1e-9)
    total = found.baseline + found.values.sum(axis=1)
    np.testing.assert_allclose(total, found.predictions, rtol=1e-9)
    others = np.setdiff1d(predictor.players(), first)
    assert (found.values[:, others] != every.values[:, others]).any()


@pytest.mark.parametrize("by_sets", [range(0), range(5, 65)])  # by orders, and by sets
def test_rows_take_more_until_their_standard_errors_are_small_enough(monkeypatch, by_sets):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 12))
    wild = x[:, 0] > 0  # where features interact, orders differ
    y = x[:, 1] + np.where(wild, 4 * x[:, 2] * x[:, 3] * np.sign(x[:, 4]), 0.0)
    table = {f"x{i}": x[:, i] for i in range(12)} | {"y": y}
    fitted = Model(max_queries=60, max_members=2, n_jobs=1).fit(table)._ready()
    predictor = learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))
    rows = fitted.cases(np.arange(12), "y")
    monkeypatch.setattr(shapley, "FEATURES", by_sets)
    monkeypatch.setattr(precision, "ENOUGH", 1e-9)
    most = explain_features(predictor, rows)
    monkeypatch.setattr(precision, "ENOUGH", 1e9)
    first = explain_features(predictor, rows)

    def size_of(explained):
        errors = explained.standard_errors[:, predictor.players()]
        return np.sqrt(np.mean(errors**2, axis=(1, 2))) / predictor.target.scale

    enough = float(np.median(size_of(first)))  # about half of the rows go on
    monkeypatch.setattr(precision, "ENOUGH", enough)
    found = explain_features(predictor, rows)
    goes_on = size_of(first) > enough
    assert goes_on.any()
    assert not goes_on.all()
    for at in range(len(rows)):
        alone = explain_features(predictor, rows.take(slice(at, at + 1)))
        np.testing.assert_array_equal(alone.values[0], found.values[at])
        np.testing.assert_array_equal(alone.standard_errors[0], found.standard_errors[at])
        assert np.array_equal(found.values[at], first.values[at]) != goes_on[at]
        took_all = np.array_equal(found.values[at], most.values[at])
        assert took_all or size_of(found)[at] <= enough
    total = found.baseline + found.values.sum(axis=1)
    np.testing.assert_allclose(total, found.predictions, rtol=1e-9)


def with_a_second_space(predictor, share):
    """Return a predictor with two spaces, and one for each of them alone."""
    ensemble = predictor.ensemble
    space, member = ensemble.spaces[0], ensemble.members[0]
    weights = space.metric.weights
    drawn = np.random.default_rng(4).uniform(0.2, 2.0, size=len(weights))
    spaces = (space, replace(space, metric=space.metric.with_weights(weights * drawn)))
    left = 1.0 - ensemble.background

    def made(*shares):
        members = [replace(member, space=at, share=one * left) for at, one in enumerate(shares)]
        members = tuple(one for one in members if one.share)
        both = replace(ensemble, spaces=spaces, members=members)
        return replace(predictor, tuning=replace(predictor.tuning, ensemble=both))

    return made(1.0 - share, share), made(1.0, 0.0), made(0.0, 1.0)


def naive_contributions(predictor, rows, chains):
    """What each feature adds to those before it, in the mean over some orders."""
    nothing = predictor.target.expected
    answered = predictor.answer(rows)
    whole = answered.probabilities
    whole = answered.values[:, None] if whole is None else whole
    total = np.zeros((*rows.values.shape, len(nothing)))
    for chain in chains:
        places, values = coalition_values(predictor, [chain], rows)
        before, known = np.broadcast_to(nothing, whole.shape), 0
        for column in chain:
            known |= 1 << column
            after = values[:, places[known]] if known in places else whole
            total[:, column] += (after - before) / len(chains)
            before = after
    return total


@pytest.mark.parametrize("kind", ["number", "classes"])
def test_a_space_of_a_small_share_takes_fewer_orders(monkeypatch, kind):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(80, 11))
    y = x[:, 0] * x[:, 1] + x[:, 2]
    table = {f"x{i}": x[:, i] for i in range(11)}
    table["y"] = y if kind == "number" else np.where(y > 0, "high", "low")
    model = Model(max_queries=40, max_members=1, n_jobs=1)
    fitted = model.fit(table)._ready()
    predictor = learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))
    both, large, small = with_a_second_space(predictor, 0.1)
    rows = fitted.cases(np.arange(3), "y")
    monkeypatch.setattr(precision, "ENOUGH", np.inf)  # the first stage is enough
    monkeypatch.setattr(shapley, "FEATURES", range(0))
    found = explain_features(both, rows)
    taken = orders(both.players(), usual_permutations(11), random_state=0)
    monkeypatch.setattr(space_shares, "_PARTS", ())
    all_alike = explain_features(both, rows)
    of_large = naive_contributions(large, rows, taken[: shapley.STEP])
    of_small = naive_contributions(small, rows, taken[:4])
    expected = 0.9 * of_large + 0.1 * of_small
    if both.ensemble.members[0].rule == "linear" and kind == "classes":
        expected = all_alike.values  # probabilities are no sum over spaces
    np.testing.assert_allclose(found.values, expected, atol=1e-9)
    total = found.baseline + found.values.sum(axis=1)
    np.testing.assert_allclose(total, found.predictions, rtol=1e-9)


@pytest.mark.parametrize("kind", ["number", "classes", "two spaces"])
def test_deviations_are_within_two_standard_errors_as_often_as_they_should_be(kind):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(150, 11)) + rng.normal(size=(150, 1))
    y = x[:, 0] * x[:, 1] + 2 * x[:, 2] - np.abs(x[:, 3]) + 0.5 * rng.normal(size=150)
    table = {f"x{i}": x[:, i] for i in range(11)}
    table["y"] = np.where(y > 0, "high", "low") if kind == "classes" else y
    fitted = Model(max_queries=60, max_members=1, n_jobs=1).fit(table)._ready()
    predictor = learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))
    if kind == "two spaces":
        predictor, *_ = with_a_second_space(predictor, 0.2)
    rows = fitted.cases(np.arange(2), "y")
    truth = explain_features(predictor, rows, exact_up_to=11)
    within = []
    for seed in range(100):
        found = explain_features(predictor, rows, random_state=seed)
        off = np.abs(found.values - truth.values)
        within.append((off <= 2 * found.standard_errors + 1e-12)[:, predictor.players()])
    # 2,200 deviations, of which those of a row and seed hang together.
    assert 0.935 <= np.mean(within) <= 0.995
