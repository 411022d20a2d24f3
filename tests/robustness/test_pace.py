"""Time budgets of certificates, and how far they have come."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.exceptions import ParameterError
from vicinal.robustness.pace import Pace


def test_every_row_moves_the_bar_by_all_its_boxes():
    steps = []
    pace = Pace(lambda: steps.append(1), rows=2, boxes=5)
    for _ in range(3):
        assert pace.more()
    pace.end_row()
    assert len(steps) == 5
    for _ in range(7):  # a few more than expected
        assert pace.more()
    pace.end_row()
    assert len(steps) == 10


def test_a_row_leaves_its_time_to_the_next():
    pace = Pace(lambda: None, rows=2, boxes=5, seconds=1e9)
    assert pace.more()
    over = Pace(lambda: None, rows=2, boxes=5, seconds=1e-9)
    assert not over.more()
    over.end_row()
    assert not over.more()


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 60))
    table = {"x": x, "y": y, "side": np.where(x + y > 0, "above", "below")}
    return Model(n_jobs=1, max_members=3).fit(table)


@pytest.mark.parametrize("norm", ["max", "sum"])
def test_without_time_radii_are_those_of_a_single_box(model, norm):
    rows = {"x": [1.0, -0.4], "y": [0.3, -0.5]}
    options = {"norm": norm, "training": False}
    single = model.certify(rows, "side", max_boxes=1, **options)
    hurried = model.certify(rows, "side", time_budget=1e-9, **options)
    np.testing.assert_array_equal(hurried.radius, single.radius)
    patient = model.certify(rows, "side", time_budget=1e9, **options)
    np.testing.assert_array_equal(patient.radius, model.certify(rows, "side", **options).radius)
    assert (patient.radius >= hurried.radius).all()
    assert (patient.radius > hurried.radius).any()


def test_a_time_budget_is_positive(model):
    with pytest.raises(ParameterError, match="time_budget"):
        model.certify({"x": [0.0], "y": [0.0]}, "side", time_budget=0)
