"""``vicinal anomalies``."""

import json

import vicinal
from tests.cli.running import PENGUINS, done, rows_of
from vicinal.data import load_penguins


def test_anomalies_are_those_of_the_model(model, folder):
    out = folder / "strange.csv"
    text = done("anomalies", model)
    found = vicinal.load(model).anomalies()
    assert f"{len(found)} of 344 cases are anomalies" in text
    name, _ = found.features[0][0]
    assert f" {name} = {load_penguins()[name][found.cases[0]]:g} (" in text
    done("anomalies", model, "-o", out)
    assert [int(one["case"]) for one in rows_of(out)] == found.cases.tolist()
    told = json.loads(done("anomalies", model, PENGUINS, "--json"))
    assert told["judged"] == 344
