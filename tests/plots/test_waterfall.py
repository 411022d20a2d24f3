"""The steps of a waterfall stay within limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.plots.waterfall import waterfall_steps

LIMITS = (0.0, 1.0)


@st.composite
def waterfalls(draw):
    """A start, contributions of any size, and an end, both between 0 and 1."""
    start, end = draw(st.floats(0, 1)), draw(st.floats(0, 1))
    values = draw(st.lists(st.floats(-2, 2), max_size=8))
    return start, [*values, end - start - sum(values)]


@given(waterfalls())
def test_no_partial_sum_leaves_the_limits_and_nothing_is_lost(waterfall):
    start, values = waterfall
    steps = waterfall_steps(start, values, LIMITS)
    sums = start + np.cumsum([step for _, step in steps])
    assert sums.min() >= -1e-6
    assert sums.max() <= 1 + 1e-6
    drawn = np.zeros(len(values))
    np.add.at(drawn, [place for place, _ in steps], [step for _, step in steps])
    np.testing.assert_allclose(drawn, values, atol=1e-9)


@given(st.lists(st.floats(-5, 5), max_size=8))
def test_without_limits_the_largest_comes_first(values):
    steps = waterfall_steps(0.0, values)
    sizes = [abs(step) for _, step in steps]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(place for place, _ in steps) == list(range(len(values)))


def test_a_prediction_outside_the_limits_is_drawn_all_the_same():
    assert waterfall_steps(0.5, [0.75], LIMITS) == [(0, 0.5), (0, 0.25)]


def test_a_waterfall_of_probabilities_is_drawn_within_them():
    pytest.importorskip("matplotlib").use("Agg")
    from vicinal.plots import ContributionDisplay

    values = np.array([[0.7, -0.4, 0.15]])
    errors = np.array([[0.3, 0.1, 0.2]])
    display = ContributionDisplay(
        ("a", "b", "c"), values, 0.5, np.array([0.95]), errors, limits=LIMITS
    ).plot()
    low, high = display.ax_.get_xlim()
    assert low >= 0
    assert high <= 1
    for bar in display.ax_.patches:
        assert bar.get_x() >= -1e-9
        assert bar.get_x() + bar.get_width() <= 1 + 1e-9
    for line in display.ax_.lines:
        assert np.min(line.get_xdata()) >= -1e-9
        assert np.max(line.get_xdata()) <= 1 + 1e-9
