"""Radii that are proved part by part."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.prediction.predictor import learn
from vicinal.robustness.division import Division, Part, is_divisible
from vicinal.robustness.known_means import KnownMeans
from vicinal.robustness.perturbation import Perturbation


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


@pytest.mark.parametrize("norm", ["max", "sum"])
def test_many_columns_are_divided_where_cases_are_few(norm):
    rng = np.random.default_rng(0)
    table = {f"x{i}": rng.normal(size=50) for i in range(14)}
    table["side"] = np.where(table["x0"] + table["x1"] > 0, "even", "odd")
    fitted = Model(n_jobs=1, influence="probability", scores=False, max_members=2).fit(table)
    row = {name: [0.4] for name in table if name != "side"}
    options = {"training": False, "norm": norm}
    whole, divided = (fitted.certify(row, "side", max_boxes=n, **options) for n in (1, 120))
    assert whole.radius[0] < divided.radius[0] < divided.flip[0]
    columns = fitted._ready().schema.columns(list(row))
    given = fitted._ready(), np.full(15, 0.4), columns
    changes = Perturbation.of(*given, norm=norm, categories=False)
    assert is_divisible(changes, 1000)
    assert not is_divisible(changes, 10_000)


def test_every_change_is_in_one_of_the_parts_of_a_sum():
    """Also after some are divided further, in columns at random."""
    rng = np.random.default_rng(0)
    division, whole, radius = _division("sum")
    columns = division.columns
    parts = division._star(whole)
    assert len(parts) == 2 * len(columns) + 1
    parts = _divided(division, parts, rng)
    within = _changes(division, parts, radius)
    for row in _rows(division, radius, rng):
        assert any(_contains(one, row) for one in within)


@pytest.mark.parametrize("norm", ["max", "sum"])
def test_parts_of_a_smaller_radius_cover_it_and_are_parts_of_the_larger_one(norm):
    """So that what is proved of these need not be proved again."""
    rng = np.random.default_rng(0)
    division, whole, radius = _division(norm)
    parts = _divided(division, division._star(whole) if norm == "sum" else [whole], rng)
    for smaller in (0.93 * radius, 0.6 * radius, 0.4 * radius):
        every = [(one, division._within([one], radius, smaller)) for one in parts]
        pairs = [(one, less) for one, found in every for less in found]
        larger = _changes(division, [one for one, _ in pairs], radius)
        within = _changes(division, [less for _, less in pairs], smaller)
        rows = _rows(division, smaller, rng)
        assert all(any(_contains(one, row) for one in within if one) for row in rows)
        for one, less in zip(larger, within, strict=True):
            inside = [row for row in rows if less is not None and _contains(less, row)]
            assert all(one is not None and _contains(one, row, 1e-5) for row in inside)


def _division(norm):
    """Return what divides the changes of four numbers, all of them as a part, and a radius."""
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=40) for name in "abcd"}
    table["side"] = np.where(table["a"] + table["b"] > 0, "even", "odd")
    settings = {"influence": "probability", "scores": False, "max_members": 2}
    fitted = Model(n_jobs=1, **settings).fit(table)._ready()
    rows = fitted.rows({name: [0.3] for name in "abcd"}, "side")
    predictor = learn(fitted, "side", rows.columns)
    options = {"norm": norm, "categories": False}
    changes = Perturbation.of(fitted, rows.values[0], rows.columns, **options)
    division = Division(predictor, changes, -1, None, np.zeros((1, 1)), 8)
    radius = 1.7
    ways, none = radius * changes.units, np.zeros(len(changes.row), dtype=bool)
    ends = changes.row - ways, changes.row + ways
    return division, Part(*ends, none, np.arange(1), KnownMeans(np.zeros((1, 1)))), radius


def _divided(division, parts, rng):
    """Return parts after some of them have been divided, in columns at random."""
    for _ in range(12):
        one, column = parts.pop(rng.integers(len(parts))), int(rng.choice(division.columns))
        parts = parts + division._split(one, column)
    return parts


def _changes(division, parts, radius):
    return [division._changes(part, radius) for part in parts]


def _rows(division, radius, rng):
    """Return changed rows, most of them at the end of a radius."""
    changes, columns = division.changes, division.columns
    signs = rng.choice([-1, 1], (300, len(columns)))
    costs = rng.dirichlet(np.full(len(columns), 0.4), 300) * signs
    if changes.norm == "max":
        costs /= np.abs(costs).max(axis=1, keepdims=True)
    costs[200:] *= rng.uniform(size=(100, 1))
    rows = np.tile(changes.row, (300, 1))
    rows[:, columns] += radius * costs * changes.units[columns]
    return rows


def _contains(changes, row, slack=1e-12):
    if changes is None:
        return False
    box, paid = changes.box(1.0), changes.paid_units > 0
    inside = (row >= box.lower) & (row <= box.upper) | np.isnan(changes.row)
    if changes.norm == "max":
        return inside[changes.units > 0].all()
    spent = np.abs(row - changes.row)[paid] / changes.units[paid]
    return inside[changes.units > 0].all() and spent.sum() <= 1 + slack
