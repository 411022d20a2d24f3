"""What an explanation says, on tables where the answer is known."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest

from tests.mixed_table import OPTIONS, mixed_table
from vicinal import Model, ParameterError, TableError, VicinalClassifier, VicinalRegressor
from vicinal.data import load_penguins
from vicinal.explain.explanation.result import PARTS
from vicinal.formatting.values import format_percent, format_signed, format_value, json_value

CASE = 200


@pytest.fixture(scope="module")
def penguins():
    return load_penguins()


@pytest.fixture(scope="module")
def model(penguins):
    rest = {name: [*v[:CASE], *v[CASE + 1 :]] for name, v in penguins.items()}
    return Model(max_members=3).fit(rest)


@pytest.fixture(scope="module")
def bird(penguins):
    return {name: [values[CASE]] for name, values in penguins.items()}


@pytest.fixture(scope="module")
def species(model, bird):
    return model.explain(bird, "species", counterfactuals=True)[0]


@pytest.fixture(scope="module")
def mass(model, bird):
    return model.explain(bird, "body_mass_g", counterfactuals={"wanted": (5500, None)})[0]


def test_contributions_lead_from_the_baseline_to_the_prediction(species, mass):
    for one in (species, mass):
        total = one.features.baseline + one.features.values.sum()
        assert total == pytest.approx(one.features.prediction, abs=1e-9 * abs(total))
    assert species.features.outcome == species.prediction
    assert species.features.prediction == pytest.approx(species.probabilities["Gentoo"])
    assert mass.features.prediction == pytest.approx(mass.prediction)


def test_outcomes_and_values_are_in_the_terms_of_the_table(model, penguins, species, mass):
    rest = {name: [*v[:CASE], *v[CASE + 1 :]] for name, v in penguins.items()}
    for one in (species, mass):
        numbers = one.cases.numbers.tolist()
        assert list(one.cases.outcomes) == [rest[one.target][number] for number in numbers]
        for name in one.cases.names:
            assert list(one.cases.values[name]) == [rest[name][number] for number in numbers]
    assert all(isinstance(outcome, int) for outcome in mass.cases.outcomes)


def test_terms_are_those_of_neighbors(model, bird, species):
    context = [name for name in bird if name != "species"]
    near = model.neighbors(bird, k=343, context=context, terms=True)
    for at, number in enumerate(species.cases.numbers[:20].tolist()):
        place = near.indices[0].tolist().index(number)
        columns = [near.names.index(name) for name in species.cases.names]
        np.testing.assert_array_equal(species.cases.terms[at], near.terms[0, place, columns])


def test_distances_are_means_of_the_terms(species):
    means = species.cases.terms @ species.cases.weights
    np.testing.assert_allclose(species.cases.distances, means)
    assert species.cases.weights.sum() == pytest.approx(1)


def test_a_difference_below_the_residual_is_not_marked(model, bird, species):
    name = "flipper_length_mm"
    residual = model.residuals_[name]
    at = species.cases.names.index(name)
    for value, differs in zip(
        species.cases.values[name], species.cases.differs[:, at], strict=True
    ):
        assert differs == (abs(value - bird[name][0]) > residual)


def test_boundary_cases_had_another_outcome(species, mass):
    assert len(species.boundary) == len(mass.boundary) == 2
    assert species.prediction not in species.boundary.outcomes
    usual = mass.residual_conviction.usual
    assert all(abs(outcome - mass.prediction) > usual for outcome in mass.boundary.outcomes)


def test_the_true_value_is_compared_and_not_used(model, bird, mass):
    blind = {name: values for name, values in bird.items() if name != "body_mass_g"}
    one = model.explain(blind, "body_mass_g", features=False)[0]
    assert one.prediction == mass.prediction
    assert one.residual_conviction.error is None
    assert one.residual_conviction.of_error is None
    truth = bird["body_mass_g"][0]
    assert mass.residual_conviction.error == pytest.approx(abs(truth - mass.prediction))


def test_a_harder_region_is_called_harder():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=400)
    y = x + np.where(x > 0, 0.5, 0.02) * rng.normal(size=400)
    found = Model().fit({"x": x, "y": y}).explain({"x": [-0.5, 0.5]}, "y", features=False)
    easy, hard = (one.residual_conviction.conviction for one in found)
    assert easy > 1.5
    assert hard < 0.8
    assert "No, easier" in str(found[0])
    assert "Harder to predict than usual? Yes" in str(found[1])


def test_an_outlier_is_told_with_its_reason(model, bird):
    far = {**bird, "bill_length_mm": [90.0]}
    one = model.explain(far, "species", features=False)[0]
    assert one.conviction.direction == "outlier"
    assert one.conviction.features[0][0] == "bill_length_mm"
    assert "Unusual? Yes, an outlier" in str(one)


def test_stored_cases_are_explained_without_themselves():
    table = {name: values[:60] for name, values in load_penguins().items()}
    stored = Model(max_members=4).fit(table)
    found = stored.explain(None, "sex", features=False)
    assert [one.row for one in found] == list(range(60))
    for one in found:
        assert one.row not in one.cases.numbers[one.cases.influences != 0]
        assert one.row not in one.boundary.numbers
    judged = stored.conviction(None, context=[name for name in table if name != "sex"])
    np.testing.assert_array_equal(judged.similarity, [one.conviction.similarity for one in found])


def test_categories_never_seen_and_gaps_are_shown(model, bird):
    odd = {**bird, "island": ["Atlantis"], "sex": [None]}
    one = model.explain(odd, "species", features=False)[0]
    assert one.given["island"] == "Atlantis"
    assert one.given["sex"] is None
    assert "island Atlantis" in str(one)
    assert "sex ?" in str(one)


def test_counterfactuals_lead_to_the_next_class_or_the_wish(model, species, mass):
    [change] = species.counterfactuals
    assert change.prediction == list(species.probabilities)[1]
    assert "What would change it?" in str(species)
    for one in mass.counterfactuals:
        assert one.prediction >= 5500


def test_counterfactuals_of_numbers_need_a_wish(model, bird):
    with pytest.raises(ParameterError, match="is a number, so counterfactuals need a goal"):
        model.explain(bird, "body_mass_g", features=False, counterfactuals=True)


def test_a_single_class_has_nothing_to_change_to():
    model = Model().fit({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "a"]})
    one = model.explain({"x": [1.5]}, "y", counterfactuals=True)[0]
    assert len(one.counterfactuals) == 0
    assert "What would change it?" in str(one)
    assert len(one.boundary) == 0


@pytest.mark.parametrize("target", ["weight", "visits", "size", "hour", "colour", "member"])
def test_every_kind_of_target_is_explained_in_every_form(target):
    model = Model(max_members=3, **OPTIONS).fit(mixed_table(80))
    found = model.explain(mixed_table(6, seed=9), target, features={"exact_up_to": 8})
    for one in found:
        saved = one.to_dict()
        assert json.loads(json.dumps(saved, allow_nan=False)) == saved
        assert all(len(line) <= 90 and line.isprintable() for line in str(one).splitlines())
        assert one._repr_html_().startswith('<div class="vicinal">')
        for part in PARTS:
            one.to_frame(part)
    assert len(found.to_frame("prediction")) == 6
    if target != "hour":
        predicted = model.predict(mixed_table(6, seed=9), target)
        assert [one.prediction for one in found] == list(predicted)


def test_dates_are_targets_too():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(40)]
    model = Model(max_members=3).fit({"x": np.arange(40.0), "day": days})
    one = model.explain({"x": [20.0]}, "day", alpha=0.5)[0]
    assert abs(one.prediction - dt.date(2024, 1, 21)) <= dt.timedelta(days=1)
    assert one.cases.outcomes[0] in days
    assert one.to_dict()["prediction"] == one.prediction.isoformat()


def test_frames_have_one_row_for_each_part(species):
    cases = species.to_frame()
    assert list(cases["case"]) == species.cases.numbers.tolist()
    assert {"influence", "outcome", "distance", "island", "term_island"} <= set(cases)
    assert len(species.to_frame("boundary")) == 2
    features = species.to_frame("features")
    assert sorted(features["feature"]) == sorted(species.features.names)
    assert features["contribution"].abs().is_monotonic_decreasing
    assert species.to_frame("prediction")["probability"][0] == species.probabilities["Gentoo"]
    assert species.to_frame("conviction")["direction"][0] == "ordinary"
    assert species.to_frame("counterfactuals")["prediction"][0] != "Gentoo"
    polars = species.to_frame("cases", "polars")
    assert polars["case"].to_list() == species.cases.numbers.tolist()


def test_frames_of_several_rows_name_the_row(model, penguins):
    rows = {name: values[:3] for name, values in penguins.items()}
    found = model.explain(rows, "species", features=False, n_boundary=1)
    assert found.to_frame("boundary")["query"].tolist() == [0, 1, 2]
    assert len(found[1:]) == 2
    assert str(found).count("\n") == 3


def test_an_unknown_part_is_refused_with_a_suggestion(species, model, bird):
    with pytest.raises(ParameterError, match="Did you mean 'features'"):
        species.to_frame("feature")
    bare = model.explain(bird, "species", features=False)[0]
    with pytest.raises(ParameterError, match="has no features"):
        bare.to_frame("features")


def test_no_rows_have_no_explanations(model):
    found = model.explain({"island": []}, "species")
    assert len(found) == 0
    assert found.to_dict() == []
    assert "0 explanations" in found._repr_html_()
    with pytest.raises(ParameterError, match="nothing to draw"):
        found.plot()


@pytest.mark.parametrize("options", [{"alpha": 0}, {"alpha": 1.5}, {"n_boundary": -1}])
def test_arguments_out_of_range_are_refused(model, bird, options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        model.explain(bird, "species", **options)


def test_rows_that_say_nothing_are_refused(model):
    with pytest.raises(TableError, match="There is no feature to predict 'species' from"):
        model.explain({"species": ["Adelie"]}, "species")


# --- estimators -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame(penguins):
    return pd.DataFrame(penguins)


def test_a_classifier_explains_with_its_labels_and_rows(frame):
    X, y = frame.drop(columns="species")[::2], frame["species"][::2]
    weights = np.ones(len(y))
    weights[:5] = 0  # rows of no weight are not cases, and the numbers of the others stay
    classifier = VicinalClassifier(max_members=3).fit(X, y, weights)
    rows = X[20:23]
    found = classifier.explain(rows, counterfactuals={"n": 2})
    assert [one.prediction for one in found] == classifier.predict(rows).tolist()
    chances = classifier.predict_proba(rows)
    sets = classifier.predict_set(rows)
    for at, one in enumerate(found):
        assert [one.probabilities[c] for c in classifier.classes_] == chances[at].tolist()
        assert set(one.labels) == set(classifier.classes_[sets[at]])
        assert list(one.cases.outcomes) == y.iloc[one.cases.numbers].tolist()
        assert one.features.outcome == one.prediction
        assert all(change.prediction != one.prediction for change in one.counterfactuals)
        json.dumps(one.to_dict(), allow_nan=False)
    whole = classifier.contributions(rows)
    place = list(classifier.classes_).index(found[0].prediction)
    np.testing.assert_array_equal(found[0].features.values, whole.values[0, :, place])


def test_a_tie_of_classes_is_broken_as_by_predict():
    X = np.array([[1.0], [1.0], [1.0], [1.0]])
    y = np.array(["b", "a", "b", "a"])
    classifier = VicinalClassifier().fit(X, y)
    assert classifier.explain([[1.0]])[0].prediction == classifier.predict([[1.0]])[0]


def test_a_regressor_explains_each_output(frame):
    known = frame.dropna()
    X = known[["island", "bill_length_mm", "sex"]]
    y = known[["body_mass_g", "flipper_length_mm"]].to_numpy()
    regressor = VicinalRegressor(max_members=3).fit(X[::2], y[::2])
    rows = X[1:3]
    wanted = {"wanted": (200.0, None)}
    found = regressor.explain(rows, output=1, alpha=0.2, counterfactuals=wanted)
    assert [one.prediction for one in found] == regressor.predict(rows)[:, 1].tolist()
    lower, upper = regressor.predict_interval(rows, alpha=0.2)
    assert [one.interval for one in found] == list(zip(lower[:, 1], upper[:, 1], strict=True))
    for one in found:
        assert list(one.cases.outcomes) == y[::2][one.cases.numbers, 1].tolist()
        assert all(change.prediction >= 200 for change in one.counterfactuals)
    with pytest.raises(ParameterError, match="output=2"):
        regressor.explain(rows, output=2)


def test_influences_show_labels_in_their_frame(frame):
    X, y = frame.drop(columns="species")[::3], frame["species"][::3]
    found = VicinalClassifier(max_members=3).fit(X, y).influences(X[:2])
    assert set(found.to_frame()["outcome"]) <= set(y)
    model = Model(max_members=3).fit(frame[::3])
    assert set(model.influences(X[:2], "species").to_frame()["outcome"]) <= set(y)


# --- single values ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [(12345.6, "12346"), (0.00012345, "0.0001234"), (1e12, "1e+12"), (True, "True"), (7, "7")],
)
def test_values_are_shown_short(value, text):
    assert format_value(value) == text


def test_shares_next_to_nothing_and_all_are_told_apart():
    assert format_percent(1e-9) == "< 0.1 %"
    assert format_percent(1 - 1e-9) == "> 99.9 %"
    assert format_percent(-0.02) == "−2.0 %"


def test_signed_numbers_of_any_size_are_shown():
    assert format_signed(3e-20, 3e-20) == "+3e-20"
    assert format_signed(-0.0001, 5.0) == "0.00"


def test_json_takes_what_tables_hold():
    assert json_value(dt.timedelta(minutes=1)) == 60.0
    assert json_value(b"abc") == "YWJj"
    assert json_value(np.float64("nan")) is None
    assert json_value(dt.time(1, 2)) == "01:02:00"


def test_what_is_missing_is_not_said_to_differ():
    x = np.arange(12.0)
    table = {"x": x, "cabin": [*"abcdef", *[None] * 6], "y": x > 5}
    [one] = Model(n_jobs=1).fit(table).explain({"x": [8.0], "cabin": [None]}, "y")
    cabin = one.cases.names.index("cabin")
    assert not one.cases.differs[:, cabin].any()
    [one] = Model(n_jobs=1).fit(table).explain({"x": [3.0], "cabin": ["d"]}, "y")
    known = [value is not None for value in one.cases.values["cabin"]]
    assert not one.cases.differs[~np.array(known), cabin].any()
    assert one.cases.differs[:, cabin].any()
