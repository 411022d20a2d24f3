import datetime as dt

import numpy as np
import pytest

from tests.plots.drawing import drawn, inside, labels
from vicinal import Model, ParameterError
from vicinal.plots import ContributionDisplay


@pytest.mark.parametrize("target", ["species", "body_mass_g"])
def test_a_waterfall_leads_from_the_baseline_to_the_prediction(explained, target):
    found = explained[target].features
    display = ContributionDisplay.from_explanation(explained[target])
    bars = display.ax_.patches
    assert bars[0].get_x() == pytest.approx(found.baseline)
    last = bars[-1]
    assert last.get_x() + last.get_width() == pytest.approx(found.prediction)
    actual = [label.split(" = ")[0] for label in labels(display.ax_)]
    expected = [found.names[i] for i in found.order]
    if target == "species":  # steps of probabilities may change places to stay between 0 and 1
        actual, expected = sorted(actual), sorted(expected)
    assert actual == expected


def test_contributions_to_times_are_counted_from_the_baseline_in_a_unit():
    hours = np.arange(24.0)
    took = [dt.timedelta(hours=3 * one) for one in hours]
    model = Model(max_members=1).fit({"x": hours, "took": took})
    found = model.contributions({"x": [2.0]}, "took")
    one = ContributionDisplay.from_contributions(found, row=0)
    other = ContributionDisplay.from_explanation(model.explain({"x": [2.0]}, "took")[0])
    for display in (one, other):
        [bar] = display.ax_.patches
        assert bar.get_x() == 0
        assert bar.get_width() == pytest.approx(found.values[0, 0] / 86400)
        path = display.ax_.get_xlabel()
        assert path.startswith("from 1 day, ")
        assert path.endswith(", in days")
    many = model.contributions({"x": hours}, "took")
    assert many.plot().get_xlabel() == "days; dots: 24 rows; bars: mean absolute value"
    assert many.overall().plot().get_xlabel() == "mean absolute contribution in hours"


def test_steps_of_probabilities_stay_between_0_and_1(explained):
    bars = ContributionDisplay.from_explanation(explained["species"]).ax_.patches
    ends = [end for bar in bars for end in (bar.get_x(), bar.get_x() + bar.get_width())]
    assert min(ends) > -1e-9
    assert max(ends) < 1 + 1e-9


def test_contributions_of_many_rows_are_summed_up(model, rows):
    found = model.contributions(rows, "species")
    display = ContributionDisplay.from_contributions(found, outcome="Gentoo")
    place = found.classes.index("Gentoo")
    means = np.abs(found.values[:, :, place]).mean(axis=0)
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, np.sort(means)[::-1])
    assert drawn(display.figure_)
    one = ContributionDisplay.from_contributions(found, outcome="Gentoo", row=2)
    assert one.predictions.tolist() == [found.predictions[2, place]]
    with pytest.raises(ParameterError, match="'Emperor' is not one of the classes"):
        ContributionDisplay.from_contributions(found, outcome="Emperor")


def test_the_class_with_the_largest_contributions_is_drawn_by_default(model, rows):
    found = model.contributions(rows, "species")
    largest = int(np.abs(found.values).sum(axis=(0, 1)).argmax())
    display = ContributionDisplay.from_contributions(found)
    assert display.what == f"the probability of {found.classes[largest]}"
    np.testing.assert_array_equal(display.values, found.values[:, :, largest])


def test_sampled_contributions_have_error_bars():
    display = ContributionDisplay(
        tuple("abcdefghijklmn"),
        np.linspace(-1, 2, 14)[None],
        5.0,
        np.array([12.0]),
        np.full((1, 14), 0.1),
    )
    display.plot(most=5)
    assert labels(display.ax_)[-1] == "9 more"
    assert drawn(display.figure_)


def test_what_cannot_be_drawn_is_refused(model, rows):
    bare = model.explain(rows, "species", features=False)[0]
    with pytest.raises(ParameterError, match="has no contributions"):
        ContributionDisplay.from_explanation(bare)
    display = ContributionDisplay(("a",), np.zeros((0, 1)), 0.0, np.zeros(0))
    with pytest.raises(ParameterError, match="nothing to draw"):
        display.plot()
    with pytest.raises(ParameterError, match="kind must be"):
        ContributionDisplay(("a",), np.zeros((1, 1)), 0.0, np.zeros(1)).plot(kind="pie")


def test_the_way_between_two_times_is_within_the_figure():
    display = ContributionDisplay(
        ("date_of_first_contact_with_the_service", "b"),
        np.array([[-368.0, 5.0]]),
        0.0,
        np.array([-363.0]),
        what="the probability of a class whose name is long",
        ends=("2022-05-19 19:30:00", "2021-04-28 03:05:54"),
        unit="days",
    )
    assert inside(display.plot().ax_)
