"""Displays draw what they are given; matplotlib draws into memory here."""

from __future__ import annotations

import io
import sys

import numpy as np
import pandas as pd
import pytest

from vicinal import Model, ParameterError, VicinalClassifier, VicinalRegressor
from vicinal.data import load_penguins

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from vicinal.plots import (  # noqa: E402
    ContributionDisplay,
    ConvictionDisplay,
    ExplanationDisplay,
    InfluenceDisplay,
    NeighborsDisplay,
)

ALL = [InfluenceDisplay, ContributionDisplay, NeighborsDisplay, ExplanationDisplay]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def penguins():
    return load_penguins()


@pytest.fixture(scope="module")
def model(penguins):
    return Model(max_members=2).fit({name: values[::2] for name, values in penguins.items()})


@pytest.fixture(scope="module")
def frame(penguins):
    return pd.DataFrame(penguins)[["bill_length_mm", "island", "sex", "species"]]


@pytest.fixture(scope="module")
def classifier(frame):
    return VicinalClassifier(max_members=2).fit(
        frame[::3].drop(columns="species"), frame["species"][::3]
    )


@pytest.fixture(scope="module")
def rows(penguins):
    return {name: values[198:203] for name, values in penguins.items()}


@pytest.fixture(scope="module")
def explained(model, rows):
    return {name: model.explain(rows, name)[0] for name in ("species", "body_mass_g")}


def drawn(figure):
    """The picture, as evidence that it can be drawn; warnings are errors."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=40)
    return buffer.getvalue()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


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
    _, ax = plt.subplots()
    assert display.from_explanation(explained["species"], ax=ax).ax_ is ax


def test_influences_are_bars_and_the_rest_is_one(explained):
    one = explained["body_mass_g"]
    display = InfluenceDisplay.from_explanation(one, most=4)
    widths = [bar.get_width() for bar in display.ax_.patches if bar.get_width() != 0]
    np.testing.assert_allclose(widths[:4], one.cases.influences[:4])
    assert sum(widths) == pytest.approx(one.cases.influences.sum())
    assert labels(display.ax_)[4] == f"{len(one.cases) - 4} more"


def test_a_waterfall_leads_from_the_baseline_to_the_prediction(explained):
    found = explained["species"].features
    display = ContributionDisplay.from_explanation(explained["species"])
    bars = display.ax_.patches
    assert bars[0].get_x() == pytest.approx(found.baseline)
    last = bars[-1]
    assert last.get_x() + last.get_width() == pytest.approx(found.prediction)
    assert [label.split(" = ")[0] for label in labels(display.ax_)] == [
        found.names[i] for i in found.order
    ]


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


def test_differing_cells_are_marked(explained):
    one = explained["species"]
    display = NeighborsDisplay.from_explanation(one, most=3)
    marked = {(row, display.header[column]) for row, column in display.marked}
    expected = {
        (1 + at, name)
        for at in range(3)
        for i, name in enumerate(one.cases.names)
        if one.cases.differs[at, i]
    }
    assert {(row, name) for row, name in marked if row <= 3} == expected
    assert "this row" in texts(display.ax_)
    assert display.rows[1][0] == f"#{one.cases.numbers[0]}"


def test_convictions_are_drawn_beside_those_of_all_cases(model, rows):
    display = ConvictionDisplay.from_model(model, rows, labels=list("abcde"))
    judged = model.conviction(rows)
    np.testing.assert_array_equal(display.rows, judged.similarity)
    np.testing.assert_array_equal(display.stored, model.conviction().similarity)
    assert any("a" in text for text in texts(display.ax_))
    assert drawn(display.figure_)
    part = {"island": ["Dream"], "sex": ["male"]}
    some = ConvictionDisplay.from_model(model, part)
    expected = model.conviction(context=["island", "sex"]).similarity
    np.testing.assert_array_equal(some.stored, expected)


def test_convictions_are_drawn_for_estimators_too():
    X = np.random.default_rng(0).normal(size=(40, 2))
    regressor = VicinalRegressor(max_members=2).fit(X, X[:, 0])
    assert drawn(ConvictionDisplay.from_estimator(regressor, [[0.0, 0.1], [9.0, 9.0]]).figure_)


def test_an_explanation_draws_itself(explained, model, rows):
    display = explained["species"].plot()
    assert len(display.axes_) == 3
    bare = model.explain(rows, "species", features=False)
    assert len(bare.plot().axes_) == 2
    assert drawn(bare.plot().figure_)


def test_names_that_look_like_mathematics_are_drawn_as_they_are():
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    hard = r"$\frac{1$ a_b^c \n & <b> 100 %"
    table = {hard: x, "$": x + rng.normal(size=30), "y$x$": np.where(x > 0, "$in$", r"\out{")}
    model = Model(max_members=2).fit(table)
    row = {name: values[:1] for name, values in table.items()}
    assert drawn(model.explain(row, "y$x$")[0].plot().figure_)
    assert drawn(ContributionDisplay.from_model(model, table, "y$x$").figure_)


def test_negative_influences_are_drawn_to_the_left():
    display = InfluenceDisplay("y", 1.0, [1, 2], [1.3, -0.3], [1.0, 2.0]).plot()
    assert display.ax_.get_xlim()[0] < -0.3
    assert drawn(display.figure_)


def test_ordinal_outcomes_are_drawn_though_python_cannot_order_them():
    display = InfluenceDisplay("y", dict, [1], [1.0], ["S"]).plot()
    assert drawn(display.figure_)


def test_what_cannot_be_drawn_is_refused(explained, model, rows):
    bare = model.explain(rows, "species", features=False)[0]
    with pytest.raises(ParameterError, match="has no contributions"):
        ContributionDisplay.from_explanation(bare)
    display = ContributionDisplay(("a",), np.zeros((0, 1)), 0.0, np.zeros(0))
    with pytest.raises(ParameterError, match="nothing to draw"):
        display.plot()
    with pytest.raises(ParameterError, match="kind must be"):
        ContributionDisplay(("a",), np.zeros((1, 1)), 0.0, np.zeros(1)).plot(kind="pie")


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch, explained):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ParameterError, match=r"pip install vicinal\[plots\]"):
        explained["species"].plot()
