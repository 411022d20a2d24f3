"""The information matrix asks several numbers of neighbors, which are searched once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.test_coalitions import all_chains, as_one_column, drawn_tables
from tests.mixed_table import OPTIONS, mixed_table
from vicinal import Model
from vicinal.explain import information_matrix
from vicinal.explain.coalitions import answers, baseline
from vicinal.index.coalitions import CoalitionTree, predict_coalitions, predict_coalitions_from
from vicinal.influence.losses import mean_losses
from vicinal.influence.target import Target


@settings(max_examples=15)
@given(table=drawn_tables(), ks=st.permutations([1, 4, 9]))
def test_several_numbers_of_neighbors_at_once_are_as_each_alone(table, ks):
    able = table.predictor.players()
    asked = (
        table.index,
        table.ensemble.spaces[0].metric,
        CoalitionTree.of_chains(all_chains(able)),
        table.rows,
        as_one_column,
        [("linear", 1.0, 0.3, 0.5), ("inverse", 0.5, np.inf, 0.5)],
    )
    how = {"target": 0, "n_classes": table.target.n_classes}
    together = predict_coalitions_from(ks, *asked, **how)
    for at, k in enumerate(ks):
        for every, one in zip(together, predict_coalitions(*asked, **how, k=k), strict=True):
            assert (every is None) == (one is None)
            if every is not None:
                np.testing.assert_array_equal(every[at], one)


@pytest.mark.parametrize("missing", [0.0, 0.08])
@pytest.mark.parametrize(("widest", "most"), [(128, 1 << 21), (4, 1)])
@pytest.mark.parametrize("weights", [None, "weight"])
def test_columns_that_are_predicted_together_say_what_each_says_alone(
    monkeypatch, missing, widest, most, weights
):
    monkeypatch.setattr(information_matrix, "_WIDEST", widest)
    monkeypatch.setattr(information_matrix, "_MOST_SUMS", most)
    table = mixed_table(120, missing=missing)
    given = None if weights is None else np.random.default_rng(0).choice([0.5, 1.0, 2.0], 120)
    model = Model(**OPTIONS, n_jobs=1).fit(table, sample_weight=given)
    found, fitted = model.information_matrix(), model._ready()
    storage = fitted.schema.storage
    place = {feature.name: at for at, feature in enumerate(storage)}
    for i, name in enumerate(found.names):
        values, explained = alone(fitted, place[name])
        for j, other in enumerate(found.names):
            if i != j:
                expected = (values[place[other]], explained[place[other]])
                actual = (found.values[i, j], found.explained[i, j])
                np.testing.assert_allclose(actual, expected, atol=1e-12)


def alone(fitted, column):
    """Information and explained error of each other column about one, from its own search."""
    index, feature = fitted.index, fitted.schema.storage[column]
    n_classes, period = fitted.n_classes(column), feature.period or 0.0
    target = Target.of(index, column, n_classes=n_classes, period=period)
    cases = np.arange(len(index))
    cases = cases[~np.isnan(target.outcomes_of(cases))]
    nothing = mean_losses(np.tile(baseline(target), (len(cases), 1)), cases, target)
    others = [one for one in fitted.metric.active.tolist() if one != column]
    sums, _ = predict_coalitions_from(
        information_matrix.NEIGHBORS,
        index,
        fitted.metric,
        CoalitionTree.of_chains([(one,) for one in others]),
        index.rows(cases),
        lambda values: target.outcome_columns(values)[0],
        [("inverse", 1.0, np.inf, 1.0)],
        target=column,
        n_classes=n_classes,
        exclude=cases,
    )
    values, explained = np.zeros((2, len(fitted.schema)))
    for slot, other in enumerate(others):
        each = [mean_losses(answers(one, one, target)[:, slot], cases, target) for one in sums]
        best = min(each, key=lambda losses: losses.entropy)
        values[other] = nothing.entropy - best.entropy
        explained[other] = 1 - best.mae / nothing.mae
    return values, explained
