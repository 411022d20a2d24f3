"""Radii that are proved part by part."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.robustness.division import Part
from vicinal.robustness.known_means import KnownMeans


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 70)).round(1)
    table = {"x": x, "y": y, "side": np.where(x * y > 0, "even", "odd")}
    return Model(n_jobs=1, influence="centered", scores=False, max_members=3).fit(table)


def test_halves_cover_the_whole():
    ends, known = (np.array([0.0, -1.0]), np.array([2.0, 1.0])), KnownMeans(np.zeros((4, 3)))
    part = Part(*ends, np.zeros(2, dtype=bool), np.arange(3), known)
    low, high = part.split(1)
    assert low.divided.tolist() == [False, True]
    assert (low.upper[1], high.lower[1]) == (0.0, 0.0)
    np.testing.assert_array_equal(low.lower, part.lower)
    np.testing.assert_array_equal(high.upper, part.upper)
    assert (part.lower[1], part.upper[1]) == (-1.0, 1.0)


@pytest.mark.parametrize("norm", ["max", "sum"])
def test_more_boxes_prove_larger_radii_up_to_known_changes(model, norm):
    rows = {"x": [0.8, -0.7], "y": [0.5, 0.4]}
    options = {"training": False, "norm": norm}
    found = [model.certify(rows, "side", max_boxes=boxes, **options) for boxes in (1, 16)]
    whole, divided = (one.radius for one in found)
    assert (divided >= whole).all()
    assert (divided > 1.04 * whole).any()
    assert (divided < found[1].flip).all()


@pytest.mark.parametrize("norm", ["max", "sum"])
@pytest.mark.parametrize("steps", [False, True])
def test_no_row_on_a_grid_within_a_divided_radius_changes_its_class(model, steps, norm):
    row = {"x": [0.95], "y": [0.72]}  # between two steps
    options = {"attack": False, "training": False, "max_boxes": 16}
    found = model.certify(row, "side", steps=steps, norm=norm, **options)
    ways = [found.radius[0] * found.units[name] for name in ("x", "y")]
    grids = [np.linspace(-way, way, 15) for way in ways]
    a, b = (one.ravel() for one in np.meshgrid(*grids))
    a, b = a + 0.95, b + 0.72
    if steps:
        a, b = np.append(a.round(1), 0.95), np.append(b.round(1), 0.72)
    costs = np.abs([a - 0.95, b - 0.72]) / np.array(ways)[:, None]
    inside = (costs.max(axis=0) if norm == "max" else costs.sum(axis=0)) <= 1 + 1e-12
    a, b = a[inside], b[inside]
    assert found.radius[0] > 0
    assert set(model.predict({"x": a, "y": b}, "side")) == {found.predictions[0]}
