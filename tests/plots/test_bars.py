"""Ranked bars."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plots.drawing import drawn, inside, labels, texts
from vicinal.plots.bars import draw_bars


def test_the_first_bar_is_on_top_with_its_number():
    ax = draw_bars(["first", "second"], [2.0, -1.0], title="Title", xlabel="nats")
    assert labels(ax) == ["first", "second"]
    assert [bar.get_width() for bar in ax.patches] == [2.0, -1.0]
    assert texts(ax) == ["2", "-1"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert len(drawn(ax.figure)) > 1000


def test_missing_numbers_and_texts_that_look_like_mathematics_are_drawn():
    ax = draw_bars(["$a$\x00"], [np.nan], title="$", xlabel="", texts=["$\\frac{"])
    assert labels(ax) == [r"\$a\$" + "\N{REPLACEMENT CHARACTER}"]
    assert len(drawn(ax.figure)) > 1000


def test_nothing_cannot_be_drawn():
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_bars([], [], title="", xlabel="")


@pytest.mark.parametrize("values", [[1.0, 0.2], [0.2, -1.0], [0.0, 0.0], [-1.0, -2.0], [3e9, 0.1]])
@pytest.mark.parametrize("length", [3, 40, 300])
def test_texts_and_titles_end_within_the_figure(values, length):
    text = ("change of the median " * 20)[:length]
    ax = draw_bars(
        ["a", "feature with a very long name, indeed"],
        values,
        title=f"Drift of {text[:90]}",
        xlabel="gap between the distributions, from 0 to 1, in color where it is significant",
        texts=[text, "0.05"],
    )
    assert inside(ax)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
