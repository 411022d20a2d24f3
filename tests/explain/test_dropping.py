"""Held-out cases predicted without groups of features, in the same way as with all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.explain.test_coalitions import Drawn, all_chains
from tests.prediction.parts import rows_of
from tests.quality.test_useless import noisy
from vicinal import Model
from vicinal.explain import dropping
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.dropping import held_out_losses, held_out_sample, losses_without
from vicinal.index.coalitions import coalition_of
from vicinal.prediction.predictor import learn


def test_the_full_set_is_predicted_as_a_coalition_if_it_is_asked_for():
    styles, rules = ["gaussian", "integers", "hours"], ("probability", "linear")
    table = Drawn(styles, 40, 0, rules, k=5, p=1.0, seed=0, missing=0.0, weighted=False)
    able = table.predictor.players()
    chains, rows = all_chains(able), rows_of(table.rows)
    places, values = coalition_values(table.predictor, chains, rows, whole=True)
    fewer, others = coalition_values(table.predictor, chains, rows)
    assert set(places) - set(fewer) == {coalition_of(able)}
    for coalition, place in fewer.items():
        np.testing.assert_array_equal(values[:, places[coalition]], others[:, place])
    whole = values[:, places[coalition_of(able)], 0]
    np.testing.assert_allclose(whole, table.predictor.predict(table.rows).values, atol=1e-9)


@pytest.fixture
def wide():
    table = noisy(30, n=150)
    fitted = Model(n_jobs=1).fit(table)._ready()
    return learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))


def test_dropping_nothing_changes_nothing(wide):
    cases = held_out_sample(wide, 40)
    whole, [same, without, nothing] = losses_without(
        wide, cases, [[], wide.players()[:5], wide.players()]
    )
    np.testing.assert_array_equal(same.errors, whole.errors)
    assert without.errors.mean() > whole.errors.mean()
    baseline = np.abs(wide.target.outcomes_of(cases) - wide.target.mean)
    np.testing.assert_allclose(nothing.errors, baseline)


def test_groups_are_dropped_as_by_a_model_that_lacks_them(wide):
    cases = held_out_sample(wide, 40)
    one = wide.players()[3]
    _, [alone] = losses_without(wide, cases, [[one]])
    held = held_out_losses(wide, cases, without=[one])
    np.testing.assert_allclose(alone.errors, held.without[one].errors, rtol=1e-12)


def test_sets_of_many_features_are_compared_with_all_of_them_predicted_alike(wide, monkeypatch):
    cases = held_out_sample(wide, 40)
    one = wide.players()[3]
    few = held_out_losses(wide, cases, without=[one])
    np.testing.assert_array_equal(few.compared.errors, few.whole.errors)
    monkeypatch.setattr(dropping, "MANY", 20)
    many = held_out_losses(wide, cases, without=[one])
    np.testing.assert_array_equal(many.whole.errors, few.whole.errors)
    expected, _ = losses_without(wide, cases, [[one]])
    np.testing.assert_array_equal(many.compared.errors, expected.errors)
    assert (many.compared.errors != many.whole.errors).any()
