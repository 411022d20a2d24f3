"""What holds for every display."""

import pytest

from tests.plots.drawing import drawn
from vicinal.plots import (
    ContributionDisplay,
    ExplanationDisplay,
    InfluenceDisplay,
    NeighborsDisplay,
)

ALL = [InfluenceDisplay, ContributionDisplay, NeighborsDisplay, ExplanationDisplay]


@pytest.mark.parametrize("display", ALL)
@pytest.mark.parametrize("target", ["species", "body_mass_g"])
def test_every_display_draws_an_explanation(display, target, explained):
    shown = display.from_explanation(explained[target])
    assert drawn(shown.figure_)
    if display is not ExplanationDisplay:
        assert shown.ax_.figure is shown.figure_


@pytest.mark.parametrize("display", ALL)
def test_every_display_draws_from_a_model_or_an_estimator(display, model, rows, frame, classifier):
    X = frame.drop(columns="species")
    assert drawn(display.from_estimator(classifier, X[:4]).figure_)
    assert drawn(display.from_model(model, rows, "body_mass_g").figure_)


@pytest.mark.parametrize("display", [InfluenceDisplay, ContributionDisplay, NeighborsDisplay])
def test_displays_draw_on_the_axes_they_are_given(display, explained):
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert display.from_explanation(explained["species"], ax=ax).ax_ is ax
