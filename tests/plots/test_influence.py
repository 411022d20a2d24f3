import numpy as np
import pytest

from tests.plots.drawing import drawn, inside, labels
from vicinal.plots import InfluenceDisplay


def test_influences_are_bars_and_the_rest_is_one(explained):
    one = explained["body_mass_g"]
    display = InfluenceDisplay.from_explanation(one, most=4)
    widths = [bar.get_width() for bar in display.ax_.patches if bar.get_width() != 0]
    np.testing.assert_allclose(widths[:4], one.cases.influences[:4])
    assert sum(widths) == pytest.approx(one.cases.influences.sum())
    assert labels(display.ax_)[4] == f"{len(one.cases) - 4} more"


def test_influence_that_all_cases_share_has_a_bar():
    display = InfluenceDisplay("y", 1.0, [1], [0.9], [1.0], background=0.1).plot()
    assert labels(display.ax_) == ["#1  1", "baseline (all cases)"]


def test_negative_influences_are_drawn_to_the_left():
    display = InfluenceDisplay("y", 1.0, [1, 2], [1.3, -0.3], [1.0, 2.0]).plot()
    assert display.ax_.get_xlim()[0] < -0.3
    assert drawn(display.figure_)


def test_ordinal_outcomes_are_drawn_though_python_cannot_order_them():
    display = InfluenceDisplay("y", dict, [1], [1.0], ["S"]).plot()
    assert drawn(display.figure_)


def test_each_color_has_a_name_though_classes_begin_alike_and_all_are_within_the_figure():
    # Before, the names were the same once they were shortened, and shared an entry.
    classes = tuple(f"a long name of class number {i} of the catalogue" for i in range(6))
    outcomes = [classes[i] for i in (2, 0, 2, 5)]
    display = InfluenceDisplay("y", classes[2], [1, 2, 3, 4], [0.4, 0.3, 0.2, 0.1], outcomes)
    display.classes = classes
    ax = display.plot().ax_
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(set(names)) == 3
    assert inside(ax)
