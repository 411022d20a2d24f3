"""``vicinal explain``."""

import json

import vicinal
from tests.cli.running import PENGUINS, done, rows_of
from vicinal.data import load_penguins


def test_explanations_of_a_case_leave_it_out(model):
    told = json.loads(done("explain", model, "-t", "species", "--case", 200, "--json"))
    [why] = told["explanations"]
    assert why["row"] == 200
    assert 200 not in [one["case"] for one in why["cases"]["cases"]]
    assert why["given"]["body_mass_g"] == load_penguins()["body_mass_g"][200]


def test_a_case_has_the_same_answer_as_in_python(model):
    # Before, the case was removed from the model, which then learned something else.
    told = json.loads(done("explain", model, "-t", "species", "--case", 200, "--json"))
    expected = vicinal.load(model).explain(case=200, target="species").to_dict()
    assert told["explanations"] == json.loads(json.dumps(expected))
    assert told["explanations"][0]["stored"] is True


def test_explanations_can_be_kept_as_a_table(model, folder):
    out = folder / "why.csv"
    done(
        "explain",
        model,
        PENGUINS,
        "--row",
        3,
        "--row",
        5,
        "-t",
        "species",
        "--part",
        "features",
        "-o",
        out,
    )
    assert {one["row"] for one in rows_of(out)} == {"3", "5"}
