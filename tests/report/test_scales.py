import pytest

from vicinal.report.scales import Axis, number_axis, placed


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-5.0, 1e6), (3.0, 3.0), (1e-310, 3e-310), (-1e308, 1e308)]
)
def test_axes_have_few_ticks_within_them(low, high):
    axis = number_axis(low, high)
    assert len(axis.ticks) <= 12
    assert all(0.0 <= placed(value, axis) <= 1.0 for value, _ in axis.ticks)


def test_places_outside_an_axis_are_at_its_ends():
    assert placed(15.0, Axis(10.0, 20.0, ())) == 0.5
    assert placed(9.0, Axis(0.0, 1.0, ())) == 1.0
    assert placed(-9.0, Axis(0.0, 1.0, ())) == 0.0
