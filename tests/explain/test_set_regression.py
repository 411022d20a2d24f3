"""Contributions from balanced sets of features."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tests.naive import explain as naive_explain
from vicinal import Model
from vicinal.explain.balanced_sets import FEWEST, balanced_sets
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.set_regression import SetRegression, _regressed
from vicinal.explain.shapley import explain_features
from vicinal.index.coalitions import coalition_of, players_in
from vicinal.prediction.predictor import learn


def halves(design, value):
    """Half of what each set says above all others, for one row and a width of one."""
    d = design.sets.shape[1]
    every = (1 << d) - 1
    masks = [coalition_of(np.flatnonzero(one).tolist()) for one in design.sets]
    return np.array([[[(value(one) - value(every ^ one)) / 2] for one in masks]])


@pytest.mark.parametrize("d", [5, 6])
def test_estimates_have_no_bias(d):
    """Over all ways to name the features, the mean is the Shapley value of any game."""
    said = np.random.default_rng(d).normal(size=1 << d)
    said[0] = 0.0
    expected = naive_explain.shapley_values(
        lambda order: said[coalition_of(order)], list(range(d)), d
    )
    design = balanced_sets(d, FEWEST, 1)
    total = np.zeros(d)
    named = list(permutations(range(d)))
    for names in named:
        own = halves(design, lambda one, names=names: said[coalition_of(_named(one, names))])
        found, _ = _regressed(design, own, np.array([[said[-1]]]))
        total[list(names)] += found[0, :, 0]
    np.testing.assert_allclose(total / len(named), expected, atol=2e-3)


def _named(coalition, names):
    return [names[player] for player in players_in(coalition)]


@pytest.mark.parametrize("d", [11, 20, 33])
def test_an_additive_game_is_told_exactly(d):
    parts = np.random.default_rng(d).normal(size=d)
    design = balanced_sets(d, FEWEST, 0)
    own = halves(design, lambda one: parts[players_in(one)].sum())
    found, errors = _regressed(design, own, np.array([[parts.sum()]]))
    np.testing.assert_allclose(found[0, :, 0], parts, atol=1e-12)
    np.testing.assert_allclose(errors, 0.0, atol=1e-12)


@pytest.mark.parametrize("d", [11, 12, 20, 64])
def test_sets_of_all_sizes_count_alike_and_more_rounds_add_to_them(d):
    design = balanced_sets(d, FEWEST, 0)
    sizes = design.sets.sum(axis=1)
    assert len(sizes) == FEWEST * d
    told = np.bincount(sizes, design.leverages)[1:]
    expected = np.where(2 * np.arange(1, d // 2 + 1) < d, 2.0, 1.0)
    np.testing.assert_allclose(told, expected, rtol=1e-3)
    assert design.leverages.max() < 0.6
    more = balanced_sets(d, FEWEST + 1, 0)
    np.testing.assert_array_equal(more.sets[: len(sizes)], design.sets)
    np.testing.assert_array_equal(more.turns[: len(sizes)], design.turns)
    assert (balanced_sets(d, FEWEST, 1).sets != design.sets).any()


def made(kind):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(120, 12))
    y = x[:, 0] * x[:, 1] + x[:, 2]
    table = {f"x{i}": x[:, i] for i in range(12)}
    table["y"] = y if kind == "number" else np.where(y > 0, "high", "low")
    fitted = Model(max_queries=40, n_jobs=1).fit(table)._ready()
    predictor = learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))
    return predictor, fitted.cases(np.arange(5), "y")


@pytest.mark.parametrize("kind", ["number", "classes"])
def test_sets_say_the_same_as_prefixes_of_orders(kind):
    predictor, rows = made(kind)
    rng = np.random.default_rng(0)
    chains = [tuple(rng.permutation(predictor.players()).tolist()) for _ in range(4)]
    places, values = coalition_values(predictor, chains, rows)
    apart = [tuple(players_in(one)) for one in places]
    found, alone = coalition_values(predictor, apart[::3], rows, only=set(list(places)[::3]))
    assert len(found) == len(apart[::3])
    for one, place in found.items():
        np.testing.assert_array_equal(alone[:, place], values[:, places[one]])


def test_each_set_is_predicted_by_one_space_in_proportion_to_their_shares():
    predictor, _ = made("number")
    regression = SetRegression(predictor, 0)
    turns = balanced_sets(12, 8, 0).turns
    shares = {}
    for spaces, factor, places in regression._divided(turns):
        shares[None if spaces is None else spaces[0]] = (factor, len(places) / len(turns))
    members = predictor.ensemble.members
    for space, (factor, part) in shares.items():
        own = sum(one.share for one in members if space in (None, one.space))
        total = sum(one.share for one in members)
        np.testing.assert_allclose(part, own / total, atol=0.06)
        np.testing.assert_allclose(factor, total / own if space is not None else 1.0)
    assert sum(part for _, part in shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["number", "classes"])
def test_contributions_sum_to_the_prediction(kind):
    predictor, rows = made(kind)
    found = explain_features(predictor, rows)
    total = found.baseline + found.values.sum(axis=1)
    np.testing.assert_allclose(total, found.predictions, atol=1e-9)
    exact = explain_features(predictor, rows, exact_up_to=12)
    off = (found.values - exact.values)[:, predictor.players()]
    size = np.sqrt(np.mean(off**2))
    assert 0 < size <= 1.3 * np.sqrt(np.mean(found.standard_errors[:, predictor.players()] ** 2))
