import numpy as np
import pytest

from tests.report import tables
from tests.report.reading import fit
from vicinal.prediction.predict import predict
from vicinal.report.gather_performance import gather_performance
from vicinal.report.held_out import hold_out


def test_scores_are_those_of_predictions_without_the_case_itself(penguins, held_out):
    found = gather_performance(held_out["island"])
    truth = np.array(tables.some_penguins()["island"], dtype=object)
    right = float(np.mean(predict(penguins, None, "island") == truth))
    common = max(np.unique(truth.astype(str), return_counts=True)[1]) / len(truth)
    assert found.scores[0].texts == (f"{100 * right:.1f} %", f"{100 * common:.1f} %")
    assert found.predictors == ("This model", "Always Biscoe")
    assert found.headline.startswith(f"{100 * right:.1f} % of the held-out cases")


def test_errors_of_numbers_are_those_of_predictions_without_the_case_itself(penguins, held_out):
    found = gather_performance(held_out["body_mass_g"])
    truth = np.array(tables.some_penguins()["body_mass_g"], dtype=float)
    known = ~np.isnan(truth)
    predicted = predict(penguins, None, "body_mass_g")
    mae = np.abs(predicted - truth)[known].mean()
    errors = dict(zip(found.predictors, found.scores[0].texts, strict=True))
    assert float(errors["This model"]) == pytest.approx(mae, rel=1e-3)
    median = np.abs(truth[known] - np.median(truth[known])).mean()
    assert float(errors["Always the median"]) == pytest.approx(median, rel=1e-3)
    assert len(found.points) == known.sum()


@pytest.mark.parametrize("n", [40, 41])
def test_the_median_is_that_of_all_outcomes(n):
    y = np.random.default_rng(n).normal(size=n).round(1)
    held = hold_out(fit({"x": y + 1.0, "y": y}, max_queries=20), "y")
    errors = np.abs(held.truth - np.median(y)).mean()
    assert gather_performance(held).scores[0].texts[2] == f"{errors:.4g}"


def test_rare_classes_share_a_row_of_the_confusion_matrix():
    x = np.random.default_rng(0).normal(size=120)
    fitted = fit({"x": x, "y": [f"class {int(10 * v)}" for v in x]}, max_queries=60)
    found = gather_performance(hold_out(fitted, "y")).confusion
    assert len(found.labels) == 12
    assert found.labels[-1].endswith(" others")
    assert sum(map(sum, found.counts)) == pytest.approx(60)


def test_cases_that_nothing_was_learned_from_are_counted():
    x = np.random.default_rng(0).normal(size=200)
    found = gather_performance(hold_out(fit({"x": x, "y": 2 * x}, max_queries=30), "y"))
    assert (found.n_cases, found.n_fresh) == (30, 30)
