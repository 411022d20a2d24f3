"""``vicinal neighbors``."""

import json

import numpy as np

import vicinal
from tests.cli.running import PENGUINS, done, refused, rows_of
from vicinal.data import load_penguins


def test_neighbors_are_those_of_the_model(model, tmp_path):
    out = tmp_path / "near.csv"
    done("neighbors", model, PENGUINS, "--row", 3, "--row", 9, "-k", 2, "-o", out)
    table = load_penguins()
    rows = {name: [values[3], values[9]] for name, values in table.items()}
    expected = vicinal.load(model).neighbors(rows, 2)
    found = rows_of(out)
    assert [int(row["row"]) for row in found] == [3, 3, 9, 9]
    assert [int(row["case"]) for row in found] == expected.indices.ravel().tolist()
    assert np.allclose([float(row["distance"]) for row in found], expected.distances.ravel())


def test_a_stored_case_is_not_its_own_neighbor(model):
    found = json.loads(done("neighbors", model, "--case", 200, "-k", 3, "--json"))["neighbors"]
    assert [one["row"] for one in found] == [200] * 3
    assert 200 not in {one["case"] for one in found}


def test_the_screen_has_the_first_rows_and_says_so(model):
    text = done("neighbors", model, PENGUINS)
    assert text.startswith("Neighbors of 5 rows")
    assert "The first 5 of 344 rows; --row N shows another." in text


def test_rows_are_required(model):
    assert "--case NAME" in refused("neighbors", model)
