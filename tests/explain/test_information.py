"""What features tell about a target: against the naive twin, on known functions, and laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frames import frames
from tests.naive import explain as naive_explain
from vicinal import Model
from vicinal.exceptions import FeatureError, TableError
from vicinal.explain import dropping, information
from vicinal.explain.boundary import mean_metric
from vicinal.explain.coalitions import coalition_values
from vicinal.explain.dropping import HeldOutLosses, held_out_losses
from vicinal.explain.information import measure_features
from vicinal.influence.losses import mean_losses
from vicinal.prediction import heaviest
from vicinal.prediction.predictor import learn

MIX = 1e-3


def made(n=300, seed=0):
    rng = np.random.default_rng(seed)
    a, b, noise = rng.normal(size=(3, n))
    label = np.where(a + 0.3 * rng.normal(size=n) > 0, "up", "down")
    y = 2 * a + b + 0.2 * rng.normal(size=n)
    return {"a": a, "b": b, "noise": noise, "constant": np.ones(n), "label": label, "y": y}


def by_name(found, what):
    return dict(zip(found.names, getattr(found, what), strict=True))


@pytest.mark.parametrize("target", ["label", "y"])
def test_losses_are_those_of_the_naive_twin(target):
    table = {name: values[:14] for name, values in made().items() if name != "constant"}
    other = "y" if target == "label" else "label"
    del table[other]
    model = Model(weighting="irw").fit(table)
    found = model.information(target)
    values, ensemble = model.index_.storage.values, model.tuning(target).ensemble
    column = model.schema_.column(target)
    truth = values[:, column]
    if target == "label":
        outcomes = (truth[:, None] == np.arange(2)).astype(float)
    else:
        outcomes = truth[:, None]
    expected = outcomes.mean(axis=0)
    everything = {model.schema_.column(name) for name in found.names}

    def entropy(columns):
        said = []
        for row in range(14):
            kept = np.arange(14) != row
            if columns:
                one = naive_explain.said(
                    values[row], values[kept], outcomes[kept], ensemble, columns, expected
                )
            else:
                one = expected
            said.append(one)
        said = np.array(said)
        if target == "y":
            return 1 + np.log(2 * np.abs(said[:, 0] - truth).mean())
        codes = truth.astype(int)
        chance = (1 - MIX) * said[np.arange(14), codes] + MIX * expected[codes]
        return -np.log(chance).mean()

    np.testing.assert_allclose(found.entropy_before, entropy(set()))
    for place, name in enumerate(found.names):
        column = model.schema_.column(name)
        alone = entropy(set()) - entropy({column})
        np.testing.assert_allclose(found.alone[place], alone, atol=1e-6)
        if len(everything) > 1:
            # Where all columns are there, the last place goes to the lower number, not to both.
            lost = entropy(everything - {column}) - found.entropy
            np.testing.assert_allclose(found.lost[place], lost, atol=1e-6)


def test_features_with_an_effect_tell_more_than_those_without():
    model = Model(max_queries=300).fit(made())
    found = model.information("y", context=["a", "b", "noise", "constant"])
    alone, lost, mda = (by_name(found, one) for one in ("alone", "lost", "mda"))
    assert alone["a"] > alone["b"] > 0.05 > abs(alone["noise"])
    assert lost["a"] > lost["b"] > 0.3 > lost["noise"]
    assert mda["a"] > mda["b"] > 0.2
    assert alone["constant"] == lost["constant"] == mda["constant"] == 0
    assert found.information > alone["a"] + 0.3
    assert found.mae < 0.4
    assert np.isnan(found.accuracy)
    assert found.context == ("a", "b", "noise", "constant")
    assert np.isnan(by_name(found, "lost")["label"])
    assert np.isfinite(by_name(found, "gained")["label"])


def test_adding_a_feature_to_a_context_tells_what_is_new():
    table = {name: values for name, values in made().items() if name != "y"}
    found = Model(max_queries=300).fit(table).information("label", context="noise")
    gained = by_name(found, "gained")
    assert gained["a"] > 0.3 > 0.1 > gained["b"]
    assert gained["constant"] == pytest.approx(0.0, abs=1e-6)
    assert np.isnan(gained["noise"])
    assert found.entropy_before == pytest.approx(np.log(2), abs=0.01)
    assert 0.3 < found.accuracy < 0.7


def test_dropping_one_of_two_copies_loses_next_to_nothing():
    table = made()
    table["copy"] = table["a"]
    # A score is made of both copies, and loses the part of one of them.
    model = Model(max_queries=300, scores=False).fit(table)
    found = model.information("y", context=["a", "copy", "b"])
    alone, lost = by_name(found, "alone"), by_name(found, "lost")
    assert alone["a"] == pytest.approx(alone["copy"], rel=1e-3)
    assert abs(lost["copy"]) < 0.2 < lost["b"]


@settings(max_examples=15)
@given(frame=frames(), way=st.sampled_from([{}, {"weighting": "irw"}]))
def test_any_table_is_measured(frame, way):
    model = Model(**way).fit(frame.table)
    found = model.information(frame.target)
    assert np.isfinite([found.entropy, found.entropy_before, found.mae]).all()
    assert np.isfinite(found.lost).all()
    assert np.isnan(found.gained).all()
    assert found.information == found.entropy_before - found.entropy
    matrix = model.information_matrix()
    inside = ~np.eye(len(matrix), dtype=bool)
    assert np.isfinite(matrix.values[inside]).all()
    assert (matrix.explained[inside] <= 1).all()


def test_the_matrix_tells_who_predicts_whom():
    found = Model().fit(made()).information_matrix()
    at = {name: place for place, name in enumerate(found.names)}
    assert found.values[at["y"], at["a"]] > 0.5
    assert found.values[at["label"], at["a"]] > 0.3
    assert abs(found.values[at["y"], at["noise"]]) < 0.1
    assert (found.values[at["a"], at["constant"]]) == 0
    assert np.isnan(np.diag(found.values)).all()
    assert found.entropies[at["label"]] == pytest.approx(np.log(2), abs=0.01)
    assert len(found.to_frame("pandas")) == 30
    titles = "feature about nats standard error error removed"
    assert repr(found).splitlines()[1].split() == titles.split()


def test_the_matrix_is_kept_until_the_cases_change():
    model = Model().fit({name: made()[name][:40] for name in ("a", "b", "label")})
    first = model.information_matrix()
    first.values[:] = 0.0  # the result is the user's own
    again = model.information_matrix()
    assert np.nanmax(np.abs(again.values)) > 0
    model.remove(range(20))
    assert (model.information_matrix().values != again.values)[~np.eye(3, dtype=bool)].any()


def test_a_large_table_is_sampled_and_repeats():
    table = {name: values for name, values in made(5000).items() if name != "label"}
    model = Model(max_queries=100).fit(table)
    first = model.information_matrix()
    model._ready()._kept.clear()
    second = model.information_matrix()
    assert first.n_cases == 400
    np.testing.assert_array_equal(first.values, second.values)
    found = model.information("y")
    assert found.n_cases == 100
    # None of the cases that were learned from: there are enough others.
    fitted = model._ready()
    predictor = learn(fitted, "y", fitted.columns_for(found.names, "y"))
    left_out = predictor.left_out_cases(100, among="fresh", seed=model.random_state + 1)
    assert not np.intersect1d(left_out, model.tuning("y").queries).size


def test_the_order_of_rows_changes_no_measurement():
    table = made(120)
    order = np.random.default_rng(3).permutation(120)
    first = Model().fit(table)
    second = Model().fit({name: values[order] for name, values in table.items()})
    np.testing.assert_allclose(
        first.information("y").lost, second.information("y").lost, atol=1e-5
    )
    np.testing.assert_allclose(
        first.information_matrix().values, second.information_matrix().values, atol=1e-9
    )


def test_results_become_frames_and_text():
    found = Model(max_queries=60).fit(made(60)).information("label", context=["a", "b"])
    frame = found.to_frame("pandas")
    assert frame["in_context"].tolist() == [True, True, False, False, False]
    assert "dropping loses" in repr(found)
    assert "adding gains" in repr(found)
    assert len(found) == 5


def test_wrong_names_are_refused():
    model = Model().fit(made(20))
    with pytest.raises(FeatureError, match="Did you mean"):
        model.information("labels")
    with pytest.raises(TableError, match="There is no feature"):
        model.information("y", context=["y"])


def test_a_time_budget_that_suffices_changes_nothing():
    model = Model(max_queries=60).fit(made(60))
    whole, budget = model.information("y"), model.information("y", time_budget=600.0)
    assert (budget.n_cases, budget.n_held_out) == (whole.n_cases, whole.n_cases)
    np.testing.assert_array_equal(whole.lost, budget.lost)
    matrix = model.information_matrix(time_budget=600.0)
    np.testing.assert_array_equal(matrix.values, model.information_matrix().values)


def test_a_time_budget_that_does_not_suffice_is_stated():
    model = Model(max_queries=60).fit(made(120))
    found, matrix = (
        model.information("y", time_budget=1e-6),
        model.information_matrix(time_budget=1e-6),
    )
    assert (found.n_cases, found.n_held_out) == (16, 60)
    assert "from 16 of 60 held-out cases" in repr(found)
    assert (matrix.n_cases, matrix.n_held_out) == (16, 120)
    assert "from 16 of 120 held-out cases" in repr(matrix)
    with pytest.raises(ValueError, match="time_budget"):
        model.information("y", time_budget=0.0)


def test_large_tables_are_measured_by_samples_of_the_cases(monkeypatch):
    model = Model(max_queries=200).fit(made(600))
    exact = model.information("y")
    monkeypatch.setattr("vicinal.explain.dropping.MOST_CASES", 500)
    monkeypatch.setattr("vicinal.explain.case_samples.SAMPLE_SIZE", 250)
    monkeypatch.setattr("vicinal.explain.dropping._BATCH", 25)
    monkeypatch.setattr("vicinal.explain.dropping._BY_SAMPLE", 50)
    model = Model(max_queries=200).fit(made(600))
    found = model.information("y")
    # What all features tell is measured by all cases, and what each of them adds by samples.
    assert (found.mae, found.entropy) == (exact.mae, exact.entropy)
    assert (found.lost != exact.lost).any()
    for name in ("lost", "alone"):
        errors = getattr(exact, f"{name}_error") + getattr(found, f"{name}_error")
        off = np.abs(getattr(found, name) - getattr(exact, name))
        assert (off <= 2 * errors + 0.05).all()


def test_nineteen_in_twenty_samples_of_held_out_cases_are_within_two_errors(monkeypatch):
    rng, within = np.random.default_rng(0), []
    held_out_losses, every = information.held_out_losses, np.arange(240)
    for seed in range(3):  # a single model may depend on few cases, which most samples miss
        fitted = Model(max_queries=60, random_state=seed).fit(made(240))._ready()
        predictor = learn(fitted, "y", fitted.columns_for(["a", "b", "noise"], "y"))
        monkeypatch.setattr(information, "held_out_losses", held_out_losses)
        exact, able = measure_features(predictor, every), predictor.players()
        whole = held_out_losses(predictor, every, without=able, alone=able)

        def some_of_these(_, cases, whole=whole, **__):
            def taken(one):
                weights = np.full(len(cases), 1 / len(cases))
                return replace(one, errors=one.errors[cases], weights=weights)

            return HeldOutLosses(
                *map(taken, (whole.whole, whole.nothing, whole.compared)),
                {column: taken(one) for column, one in whole.without.items()},
                {column: taken(one) for column, one in whole.alone.items()},
                taken(whole.kept),
            )

        monkeypatch.setattr(information, "held_out_losses", some_of_these)
        for _ in range(50):
            found = measure_features(predictor, np.sort(rng.permutation(240)[:60]))
            for column, without in exact.without.items():
                lost = found.without[column].entropy - found.compared.entropy
                off = lost - (without.entropy - exact.compared.entropy)
                within.append(abs(off) <= 2 * found.lost_errors[column])
    assert np.mean(within) > 0.95


@pytest.mark.parametrize("target", ["label", "y"])
def test_what_was_predicted_is_kept_until_the_cases_change(monkeypatch, target):
    asked = []

    def predicted(predictor, chains, rows, **options):
        asked.append(set(options["only"]))
        return coalition_values(predictor, chains, rows, **options)

    monkeypatch.setattr(dropping, "coalition_values", predicted)
    table = {name: made()[name][:30] for name in ("a", "b", "noise", target)}
    model = Model(weighting="irw").fit(table)
    first, again = model.information(target), model.information(target)
    assert len(asked) == 1
    np.testing.assert_array_equal(first.lost, again.lost)
    model.remove([0])
    model.information(target)
    assert len(asked) == 2
    # Losses of the same cases are the same bits, whatever else was asked about them.
    predictor = model._ready().learned.popitem()[1]
    cases, [one, *_] = np.arange(1, 30), predictor.players()
    model._ready()._kept.clear()
    little = held_out_losses(predictor, cases, without=[one])
    more = held_out_losses(predictor, cases, without=predictor.players(), alone=[one])
    assert not set(asked[-1]) & set(asked[-2])
    model._ready()._kept.clear()
    at_once = held_out_losses(predictor, cases, without=predictor.players(), alone=[one])
    np.testing.assert_array_equal(little.without[one].errors, more.without[one].errors)
    for column, losses in at_once.without.items():
        np.testing.assert_array_equal(losses.errors, more.without[column].errors)
    np.testing.assert_array_equal(at_once.alone[one].errors, more.alone[one].errors)


@pytest.mark.parametrize("target", ["label", "y"])
def test_of_many_features_the_lightest_are_dropped_together_and_share_by_weight(
    monkeypatch, target
):
    table = {name: made()[name][:60] for name in ("a", "b", "noise", target)}
    model = Model(weighting="irw").fit(table)
    every = model.information(target)
    model._ready()._kept.clear()
    monkeypatch.setattr(dropping, "MANY", 2)
    monkeypatch.setattr(heaviest, "ONE_BY_ONE", 1)
    for name, value in [("MANY", 2), ("_LEAST_OTHERS", 30), ("_OTHERS", 0)]:
        monkeypatch.setattr(information, name, value)
    found = model.information(target)
    predictor = model._ready().learned.popitem()[1]
    weights = mean_metric(predictor).weights
    places = [model.schema_.column(name) for name in found.names]
    first, *light = sorted(range(3), key=lambda at: -weights[places[at]])
    # The heaviest is measured as if all were, and all together in the way of sets of features.
    for name in ("lost", "alone", "mda", "mae_without", "lost_error", "alone_error"):
        actual, expected = (getattr(one, name)[first] for one in (found, every))
        assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert (found.mae, found.entropy) == (every.mae, every.entropy)
    # Left-out cases that only the heaviest feature is known of.
    rows, chains = predictor.fitted.cases(np.arange(60)), [(places[first],)]
    _, said = coalition_values(predictor, chains, rows)
    kept = mean_losses(said[:, 0], np.arange(60), predictor.target)
    lost = kept.entropy - every.entropy
    shares = weights[[places[at] for at in light]]
    shares /= shares.sum()
    np.testing.assert_allclose(found.lost[light], shares * lost)
    rise = shares * (kept.mae - every.mae)
    np.testing.assert_allclose(found.mae_without[light], every.mae + rise)
    # Alone, they are measured on half of the cases.
    off = np.abs(found.alone[light] - every.alone[light])
    assert (off > 0).all()
    assert (off <= 3 * found.alone_error[light]).all()
