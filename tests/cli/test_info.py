"""``vicinal info``."""

import json

from tests.cli.conftest import ODD
from tests.cli.running import PENGUINS, done
from vicinal.data import load_penguins


def test_info_tells_what_a_model_and_a_table_hold(model):
    assert "Tuned to predict: species." in done("info", model)
    told = json.loads(done("info", model, "--json"))
    assert told["cases"] == 344
    assert [one["name"] for one in told["features"]] == list(load_penguins())
    table = json.loads(done("info", PENGUINS, "--json"))
    assert [one["missing"] for one in table["features"]] == [0, 0, 2, 2, 2, 2, 11, 0]


def test_an_odd_table_keeps_its_names_and_values(odd_model):
    told = json.loads(done("info", odd_model, "--json"))
    assert [one["name"] for one in told["features"]] == ODD[0]
    types = [one["type"] for one in told["features"]]
    assert types == ["float", "string", "string", "string", "date", "bool"]
    assert set(told["features"][1]["categories"]) == {row[1] for row in ODD[1:]}
    assert [one["missing"] > 0 for one in told["features"]] == [
        True,
        False,
        True,
        True,
        False,
        False,
    ]
