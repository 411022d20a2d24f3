import pytest

from tests.report.reading import text_of
from vicinal.report.parts import (
    CalibrationCurve,
    ConfusionMatrix,
    Performance,
    Score,
)
from vicinal.report.scales import Axis
from vicinal.report.sections.performance import calibration_section, performance_section


def performance(n_fresh=10, what="classes", **options):
    return Performance(
        n_cases=10,
        n_fresh=n_fresh,
        predictors=("This model", "Always a"),
        scores=(Score("Accuracy", "higher is better", ("90.0 %", "50.0 %")),),
        headline="90.0 % of the held-out cases were predicted correctly.",
        calibration=CalibrationCurve(what, ((0.5, 0.4, 6.0), (0.9, 1.0, 4.0)), 0.1, "Sentence."),
        **options,
    )


@pytest.mark.parametrize(
    ("n_fresh", "text"),
    [
        (10, "None of them were also used to tune the model."),
        (4, "6 of them were also used to tune the model."),
        (0, "All of them were also used to tune the model."),
    ],
)
def test_it_says_how_many_cases_were_used_for_tuning_too(n_fresh, text):
    assert text in text_of(performance_section(performance(n_fresh), "y"))


def test_scores_stand_beside_those_of_the_baselines():
    page = performance_section(performance(), "y")
    assert '<td class="n">90.0 %</td>' in page
    assert '<td class="n">50.0 %</td>' in page
    assert '<span class="hint">higher is better</span>' in page


def test_classes_have_a_confusion_matrix_and_numbers_a_scatter_plot():
    matrix = ConfusionMatrix(("a", "b"), ((3.0, 1.0), (0.0, 0.0)))
    page = performance_section(performance(confusion=matrix), "y")
    assert "Share of each true y (rows) predicted as each class (columns)" in page
    assert "a (4)" in page
    assert '<td class="n h8">75 %</td>' in page
    points = performance(points=((1.0, 2.0), (3.0, 3.0)), axis=Axis(0.0, 4.0, ()))
    page = performance_section(points, "y")
    assert page.count("<circle") == 2
    assert "predicted y" in page


def test_calibration_is_shown_as_a_chart_and_as_a_table():
    page = calibration_section(performance(), "y")
    assert page.count("<circle") == 2
    assert "predicted probability" in page
    assert "Expected and observed shares" in page
    assert '<td class="n">40.0 %</td>' in page
    page = calibration_section(performance(what="intervals"), "y")
    assert "nominal coverage" in page
    assert "observed coverage" in page
