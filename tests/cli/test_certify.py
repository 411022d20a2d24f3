"""``vicinal certify``."""

import json

import vicinal
from tests.cli.running import PENGUINS, done, refused
from vicinal.data import load_penguins


def test_certificates_are_those_of_the_model(model):
    arguments = ["--row", 4, "--fix", "year", "--norm", "sum", "--no-training", "--max-boxes", 4]
    found = json.loads(done("certify", model, PENGUINS, *arguments, "--json"))
    row = {name: [values[4]] for name, values in load_penguins().items()}
    expected = vicinal.load(model).certify(
        row, "species", norm="sum", immutable=["year"], training=False, max_boxes=4
    )
    (one,) = found["certificates"]
    assert (found["norm"], one["row"], one["prediction"]) == ("sum", 4, "Adelie")
    assert one["radius"] == expected.radius[0]
    assert one["flip"] == expected.flip[0]
    assert "± year" not in one
    assert "labels" not in one


def test_an_unknown_feature_is_refused_with_a_suggestion(model):
    assert "'year'" in refused("certify", model, PENGUINS, "--row", 0, "--fix", "yaer")
