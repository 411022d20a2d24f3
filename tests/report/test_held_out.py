import datetime as dt

import numpy as np

from tests.report import tables
from tests.report.reading import fit
from vicinal.report.gather_performance import gather_performance
from vicinal.report.gather_table import summarize_feature
from vicinal.report.gather_what_ifs import gather_what_ifs
from vicinal.report.held_out import hold_out


def test_cases_are_predicted_without_themselves(held_out):
    from vicinal.prediction.predict import predict_proba

    held = held_out["island"]
    expected = predict_proba(held.fitted, None, "island")[held.cases]
    np.testing.assert_allclose(held.predicted.probabilities, expected, atol=1e-12)


def test_weights_sum_to_one_and_scores_of_classes_are_probabilities(held_out):
    for held in held_out.values():
        np.testing.assert_allclose(held.weights.sum(), 1.0)
    scores = held_out["island"].scores
    assert ((scores >= 0) & (scores <= 1)).all()


def test_rare_classes_are_predicted_as_one():
    x = np.random.default_rng(0).normal(size=120)
    fitted = fit({"x": x, "y": [f"class {int(10 * v)}" for v in x]}, max_queries=60)
    held = hold_out(fitted, "y")
    cases = held.cases[:5]
    labels, found = held.predict(fitted.index.rows(cases), cases, 6)
    assert len(labels) == 6
    assert labels[-1] == "others"
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_axes_have_ticks_in_the_terms_of_the_target():
    fitted = fit(tables.mixed(), max_queries=30, **tables.SETTINGS)
    grades = hold_out(fitted, "grade").axis(np.array([0.0, 2.0]))
    assert [text for _, text in grades.ticks] == ["low", "mid", "high"]
    times = hold_out(fitted, "when").axis(np.array([0.0, 86400.0]))
    assert len(times.ticks) == 4
    assert all(text.startswith("20") for _, text in times.ticks)
    days = hold_out(fitted, "when").axis(np.array([1000.0, 20 * 86400.0 + 5000.0]))
    assert len(days.ticks) >= 3
    assert all(len(text) == len("2024-01-31") for _, text in days.ticks)
    assert all(1000.0 <= place <= 20 * 86400.0 + 5000.0 for place, _ in days.ticks)


def test_an_axis_of_nothing_is_empty(held_out):
    assert held_out["body_mass_g"].axis(np.empty(0)).ticks == ()


def test_axes_of_durations_have_round_ticks_and_predicted_ones_no_fractions():
    n = 40
    took = [dt.timedelta(seconds=3600 + 777 * at + 0.25) for at in range(n)]
    fitted = fit({"took": took, "x": [at % 9 for at in range(n)], "y": [*range(n)]})
    held = hold_out(fitted, "took")
    texts = [text for _, text in held.axis(held.truth).ticks]
    assert texts == ["2:00:00", "4:00:00", "6:00:00", "8:00:00"]
    [one] = gather_what_ifs(held, [4], ["x", "y"])
    assert not any("." in text for text in one.answer_texts)


def test_predictions_of_a_cycle_are_drawn_beside_the_truth_and_labeled_within_it():
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    month = (np.round(2 * x + 11 + rng.normal(size=120) / 2) % 12 + 1).astype(int)
    fitted = fit({"x": x, "month": month}, cyclic_features={"month": 12})
    held = hold_out(fitted, "month")
    drawn = gather_performance(held)
    assert all(abs(true - predicted) <= 6 for true, predicted in drawn.points)
    for axis in (drawn.axis, held.axis(np.array([-5.0, 14.0]))):
        assert {int(text) for _, text in axis.ticks} <= set(range(1, 13))
    assert summarize_feature(fitted, "month").values == "1 to 12"
