"""``vicinal info``."""

import json

import pytest

from tests.cli.conftest import ODD
from tests.cli.running import PENGUINS, done, run
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


def test_notes_stand_below_the_columns(tmp_path):
    path, model = tmp_path / "loans.csv", tmp_path / "loans.vicinal"
    rows = [f"{n % 9 + 1}.5 %,{n},7" for n in range(40)]
    path.write_text("\n".join(["rate,amount,k", *rows]))
    done("fit", path, "-o", model)
    for source in (path, model):
        text = done("info", source)
        assert "\nrate: numbers written as text, compared as categories.\n" in text
        assert "\nk: constant.\n" in text
        assert json.loads(done("info", source, "--json"))["features"][2]["note"] == "constant"


@pytest.fixture
def patients(tmp_path):
    """A table whose rows have a number and a name."""
    path = tmp_path / "patients.csv"
    lines = [f"{n},Ada {n},{n % 7},{n % 2}" for n in range(40)]
    path.write_text("\n".join(["patient_id,name,visits,ill", *lines]))
    return path


def test_info_shows_what_is_ignored(patients, tmp_path):
    told = json.loads(done("info", patients, "--json"))
    assert [one["name"] for one in told["features"]] == ["visits", "ill"]
    assert told["ignored"] == [
        {"name": "patient_id", "role": "identifier"},
        {"name": "name", "role": "identifier"},
    ]
    assert "ignored" in done("info", patients)
    done("fit", patients, "-o", tmp_path / "m.vicinal")
    assert json.loads(done("info", tmp_path / "m.vicinal", "--json"))["ignored"] == told["ignored"]


def test_info_shows_which_values_mean_missing(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("age,size\n" + "\n".join(f"{n if n % 5 else -999},{n}.5" for n in range(30)))
    told = json.loads(done("info", path, "--json"))["features"][0]
    assert (told["missing"], told["missing_values"]) == (6, [-999])
    assert "int; -999 is missing" in done("info", path)


def test_one_line_on_standard_error_says_so_and_an_option_overrules_it(patients, tmp_path):
    fitted = run("fit", patients, "-o", tmp_path / "m.vicinal", "--categorical", "name")
    assert fitted.stderr == (
        "Ignored columns: 'patient_id' (identifier). To use a column, declare it: "
        "--categorical NAME. To name cases by one: --id NAME.\n"
    )
    predicted = run("predict", tmp_path / "m.vicinal", patients, "-t", "ill", "--json")
    answers = json.loads(predicted.stdout)["predictions"]
    assert {one["ill_predicted"] for one in answers} <= {0, 1}
