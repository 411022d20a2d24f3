"""Ranges of derived columns: no changed row leaves them."""

import numpy as np
import pytest

from tests.robustness.attacking import rows_within
from vicinal import Model
from vicinal.prediction.predictor import learn
from vicinal.robustness.budget import Budget
from vicinal.robustness.derived_ranges import extended_box
from vicinal.robustness.perturbation import Perturbation


@pytest.fixture(scope="module")
def predictor():
    rng = np.random.default_rng(0)
    n = 240
    table = {f"x{i}": rng.normal(size=n) for i in range(3)}
    table["skewed"] = np.exp(2 * rng.normal(size=n))
    table["color"] = rng.choice(["red", "green", "blue"], n).tolist()
    score = table["x0"] + table["x1"] * table["x2"] + (np.array(table["color"]) == "red")
    table["y"] = np.where(score > 0.3, "yes", "no").tolist()
    fitted = Model(n_jobs=1).fit(table)._ready()
    return learn(fitted, "y", fitted.schema.columns(["x0", "x1", "x2", "skewed", "color"]))


@pytest.fixture(scope="module")
def of_many_categories():
    rng = np.random.default_rng(1)
    n = 600
    place = rng.integers(0, 120, size=n)
    table = {"x": rng.normal(size=n), "place": [f"p{one}" for one in place.tolist()]}
    table["y"] = np.where(table["x"] + 3 * np.sin(place) > 0, "yes", "no").tolist()
    fitted = Model(n_jobs=1).fit(table)._ready()
    found = learn(fitted, "y", fitted.schema.columns(["x", "place"]))
    assert any(trees.bins.groups for trees in found.derived.trees)
    return found


@pytest.mark.parametrize("norm", ["max", "sum"])
@pytest.mark.parametrize("categories", [False, True])
@pytest.mark.parametrize("table", ["predictor", "of_many_categories"])
def test_no_changed_row_leaves_the_ranges(table, norm, categories, request):
    predictor = request.getfixturevalue(table)
    assert predictor.derived is not None, "the table is made to have derived columns"
    rng = np.random.default_rng(1)
    fitted = predictor.fitted
    cases = np.concatenate([values for _, values in fitted.index.blocks()])
    for radius in (0.0, 0.05, 0.5, 3.0):
        row = cases[rng.integers(len(cases))] + 0.01 * (fitted.metric.kinds != 2)
        changes = Perturbation.of(fitted, row, predictor.context, norm=norm, categories=categories)
        box = extended_box(predictor.derived, changes, radius, -1)
        rows = rows_within(changes, radius, cases, rng)
        changed = predictor.derived.extended(rows, np.full(len(rows), -1))
        d = predictor.derived.width
        assert (changed[:, d:] >= box.lower[d:] - 1e-9).all()
        assert (changed[:, d:] <= box.upper[d:] + 1e-9).all()


def test_no_rank_climbs_farther_than_it_costs(predictor):
    rng = np.random.default_rng(2)
    fitted, derived = predictor.fitted, predictor.derived
    cases = np.concatenate([values for _, values in fitted.index.blocks()])
    for radius in (0.05, 0.5, 3.0):
        row = cases[rng.integers(len(cases))]
        changes = Perturbation.of(fitted, row, predictor.context, norm="sum", categories=False)
        budget = Budget.of(derived, changes, radius)
        rows = rows_within(changes, radius, cases, rng)
        climbs = np.abs(
            derived.extended(rows, np.full(len(rows), -1)) - predictor.cases.rows(row[None])
        )
        places = derived.groups["ranks"]
        costs = (
            np.abs(rows - row)[:, budget.sources[places]] / changes.units[budget.sources[places]]
        )
        most = budget.units[places] * (costs + budget.free[places])
        assert (budget.units[places] > 0).all()
        assert (climbs[:, places] <= most + 1e-9).all()


def test_the_ranges_of_no_change_are_points(predictor):
    row = predictor.index.rows(np.array([3]))[0]
    changes = Perturbation.of(
        predictor.fitted, row, predictor.context, norm="max", categories=True
    )
    box = extended_box(predictor.derived, changes, 0.0, -1)
    there = ~np.isnan(box.lower)
    np.testing.assert_allclose(box.lower[there], box.upper[there], rtol=1e-9, atol=1e-9)
