"""``vicinal counterfactual``."""

import json

from tests.cli.running import PENGUINS, done, rows_of
from vicinal.cli.counterfactual import constraints
from vicinal.data import load_penguins
from vicinal.schema.feature import Feature
from vicinal.schema.schema import Schema


def test_a_counterfactual_changes_the_answer(model, folder):
    out = folder / "changed.csv"
    text = done(
        "counterfactual",
        model,
        "--case",
        200,
        "-t",
        "species",
        "--want",
        "Adelie",
        "--fix",
        "sex",
        "--fix",
        "year",
        "-o",
        out,
    )
    assert "The predicted species is then Adelie" in text
    [row] = rows_of(out)
    assert row["species"] == "Adelie"
    table = load_penguins()
    assert row["sex"] == table["sex"][200]
    assert row["year"] == str(table["year"][200])


def test_a_counterfactual_of_a_number_takes_a_range(model):
    told = json.loads(
        done(
            "counterfactual",
            model,
            PENGUINS,
            "--row",
            0,
            "-t",
            "body_mass_g",
            "--want",
            "4200..",
            "--json",
        )
    )
    assert told["counterfactuals"][0]["prediction"] >= 4200


def test_constraints_are_read_with_the_types_of_their_features():
    schema = Schema((Feature("x", "continuous", "float"), Feature("y", "continuous", "float")))
    found = constraints(schema, fix=("x",), up=("y",), ranges=("x=1..",), allow=("y=1,2.5",))
    assert found == {
        "immutable": ("x",),
        "directions": {"y": "increase"},
        "ranges": {"x": (1.0, None)},
        "allowed": {"y": [1.0, 2.5]},
    }
