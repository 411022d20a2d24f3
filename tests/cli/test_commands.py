"""The commands on tables, as a new user would try them."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import vicinal
from vicinal.data import load_penguins

testing = pytest.importorskip("click.testing")

PENGUINS = Path(vicinal.__file__).parent / "data" / "penguins.csv"
#: Spaces, quotes, commas, line breaks, other alphabets, gaps, and a column of mixed types.
ODD = [
    ["größe (cm)", 'name, "full"', "ペンギン", "gemischt", "geprüft am", "ok"],
    *(
        [
            "" if i % 7 == 3 else f"{i % 5 + 0.5 * (i % 3)}",
            ['Ann "A"', "Bob, Jr.", "two\nlines", " spaced "][i % 4],
            ["黄色", "青", "N/A"][i % 3],
            ["1", "zwei", "3.5", ""][i % 4],
            f"2024-01-{i % 28 + 1:02d}",
            ["true", "false"][i % 2],
        ]
        for i in range(40)
    ),
]


def run(*arguments, stdin=None):
    from vicinal.cli.commands import vicinal as command

    given = [str(one) for one in arguments]
    return testing.CliRunner().invoke(command, given, input=stdin, catch_exceptions=False)


def done(*arguments, stdin=None):
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(*arguments, code=1, stdin=None):
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == code
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
    return result.stderr


def rows_of(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cli")


@pytest.fixture(scope="module")
def model(folder):
    path = folder / "penguins.vicinal"
    out = done("fit", PENGUINS, "-o", path, "--target", "species")
    assert "344 cases of 8 features, learned to predict species" in out
    return path


@pytest.fixture(scope="module")
def odd(folder):
    path = folder / "odd table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(ODD)
    return path


@pytest.fixture(scope="module")
def odd_model(folder, odd):
    path = folder / "odd.vicinal"
    done("fit", odd, "-o", path)
    return path


COMMANDS = (
    "demo",
    "fit",
    "info",
    "predict",
    "explain",
    "counterfactual",
    "anomalies",
    "audit",
    "impute",
    "drift",
    "report",
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_and_can_speak_json(name):
    text = done(name, "--help")
    assert "Examples:" in text
    assert f"vicinal {name}" in text
    assert "--json" in text


def test_a_csv_is_read_as_the_shipped_table_is(model):
    from_file = vicinal.load(model)
    expected = vicinal.Model().fit(load_penguins())
    assert from_file.schema_ == expected.schema_
    assert from_file.residuals_ == expected.residuals_


def test_info_tells_what_a_model_and_a_table_hold(model):
    assert "Learned to predict: species." in done("info", model)
    told = json.loads(done("info", model, "--json"))
    assert told["cases"] == 344
    assert [one["name"] for one in told["features"]] == list(load_penguins())
    table = json.loads(done("info", PENGUINS, "--json"))
    assert [one["missing"] for one in table["features"]] == [0, 0, 2, 2, 2, 2, 11, 0]


def test_predictions_are_those_of_the_model(model, folder):
    out = folder / "predicted.csv"
    done("predict", model, PENGUINS, "-t", "species", "--proba", "--interval", "0.1", "-o", out)
    loaded, table = vicinal.load(model), load_penguins()
    rows = {name: values for name, values in table.items() if name != "species"}
    found = rows_of(out)
    assert [one["species_predicted"] for one in found] == loaded.predict(rows, "species").tolist()
    shares = loaded.predict_proba(rows, "species")
    for at, label in enumerate(loaded.schema_["species"].categories):
        assert [float(one[f"species_p_{label}"]) for one in found] == shares[:, at].tolist()
    within = loaded.predict_set(rows, "species", alpha=0.1).sum(axis=1)
    sets = [one["species_set"].split("; ") if one["species_set"] else [] for one in found]
    assert list(map(len, sets)) == within.tolist()
    original = rows_of(PENGUINS)
    assert [{name: one[name] for name in original[0]} for one in found] == original


def test_predictions_do_not_depend_on_the_blocks(model, folder, monkeypatch):
    whole, parts = folder / "whole.csv", folder / "parts.csv"
    question = ("predict", model, PENGUINS, "-t", "body_mass_g", "--interval", "0.2", "-o")
    done(*question, whole)
    monkeypatch.setattr("vicinal.cli.predicting.BLOCK", 50)
    done(*question, parts)
    assert whole.read_bytes() == parts.read_bytes()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "arrow", "feather"])
def test_every_format_goes_in_and_out(model, folder, suffix):
    if suffix in ("parquet", "arrow", "feather"):
        pytest.importorskip("pyarrow")
    first, again = folder / f"first.{suffix}", folder / f"again_{suffix}.csv"
    done("predict", model, PENGUINS, "-t", "species", "-o", first)
    done("predict", model, first, "-t", "species", "--only", "-o", again)
    expected = folder / "expected.csv"
    done("predict", model, PENGUINS, "-t", "species", "--only", "-o", expected)
    assert again.read_text() == expected.read_text()


def test_polars_reads_and_writes_what_pyarrow_does(model, folder, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("vicinal.cli.io.reading.columnar_library", lambda kind: polars)
    monkeypatch.setattr("vicinal.cli.io.writing.columnar_library", lambda kind: polars)
    for suffix in ("parquet", "arrow"):
        first = folder / f"polars.{suffix}"
        done("predict", model, PENGUINS, "-t", "species", "-o", first)
        told = json.loads(done("predict", model, first, "-t", "species", "--json"))
        assert len(told["predictions"]) == 344


def test_standard_input_and_output_are_tables_too(model):
    text = PENGUINS.read_text()
    out = done("predict", model, "-", "-t", "species", "--only", "-o", "-", stdin=text)
    assert out.splitlines()[0] == "species_predicted"
    assert len(out.splitlines()) == 345
    out = done("impute", "--data", "-", "-o", "-", "--output-format", "jsonl", stdin=text)
    assert all(None not in json.loads(line).values() for line in out.splitlines())


def test_rows_can_be_given_on_the_spot(model):
    given = ("--set", "island=Dream", "--set", "body_mass_g=3700")
    told = json.loads(done("predict", model, "-t", "species", *given, "--json"))
    expected = vicinal.load(model).predict({"island": ["Dream"], "body_mass_g": [3700]}, "species")
    assert told["predictions"] == [{"species_predicted": expected[0]}]
    assert "species = " in done("explain", model, "-t", "species", *given)


def test_the_screen_shows_the_first_rows_within_its_width(model):
    text = done("predict", model, PENGUINS, "-t", "species", "--rows", 3)
    assert "The first 3 rows" in text
    assert max(map(len, text.splitlines())) <= 80


def test_explanations_of_a_case_leave_it_out(model):
    told = json.loads(done("explain", model, "-t", "species", "--case", 200, "--json"))
    [why] = told["explanations"]
    assert why["row"] == 200
    assert 200 not in [one["case"] for one in why["cases"]["cases"]]
    assert why["given"]["body_mass_g"] == load_penguins()["body_mass_g"][200]


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
    assert "Then species would be Adelie" in text
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


def test_anomalies_are_those_of_the_model(model, folder):
    out = folder / "strange.csv"
    text = done("anomalies", model)
    found = vicinal.load(model).anomalies()
    assert f"{len(found)} of 344 cases are anomalies" in text
    done("anomalies", model, "-o", out)
    assert [int(one["case"]) for one in rows_of(out)] == found.cases.tolist()
    told = json.loads(done("anomalies", model, PENGUINS, "--json"))
    assert told["judged"] == 344


def test_an_audit_tells_its_evidence(model):
    assert "Likely label errors" in done("audit", model, "-t", "species")
    told = json.loads(done("audit", PENGUINS, "--test", PENGUINS, "--json"))
    assert {one["kind"] for one in told["findings"]} >= {"leak", "unusual"}


def test_imputation_fills_the_holes_and_leaves_the_rest_as_it_came(folder):
    out, cells = folder / "filled.csv", folder / "cells.csv"
    assert "Filled 19 cells" in done("impute", PENGUINS, "-o", out, "--cells", cells)
    before, after = rows_of(PENGUINS), rows_of(out)
    filled = {(int(one["row"]), one["feature"]): one["value"] for one in rows_of(cells)}
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        for name, value in old.items():
            assert new[name] == (filled[row, name] if value == "NA" else value)


def test_drift_says_whether_the_data_have_changed(model):
    told = json.loads(done("drift", model, PENGUINS, "--shuffles", 99, "--json"))
    assert told["changed"] is False
    assert "No sign of change" in done("drift", model, PENGUINS, "--shuffles", 99)


def test_settings_of_a_fit_reach_the_model(folder):
    table = folder / "settings.tsv"
    table.write_text(
        "hour\tsize\tshop\tnote\n"
        + "".join(f"{i % 24}\t{'SML'[i % 3]}\t{i % 4}\t?\n" for i in range(60))
    )
    out = folder / "settings.vicinal"
    done(
        "fit",
        table,
        "-o",
        out,
        "--cyclic",
        "hour=24",
        "--ordinal",
        "size=S,M,L",
        "--categorical",
        "shop",
        "--missing",
        "?",
        "--drop",
        "note",
        "-k",
        5,
        "--power",
        0,
    )
    model = vicinal.load(out)
    assert [str(one.kind) for one in model.schema_] == ["cyclic", "ordinal", "nominal"]
    assert (model.n_neighbors, model.p) == (5, 0)


# A table that is hard on parsers and terminals


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


def test_every_command_takes_an_odd_table(odd, odd_model, folder):
    target = ODD[0][2]
    out = folder / "odd out.csv"
    done("predict", odd_model, odd, "-t", target, "-o", out)
    kept = [[row[name] for name in ODD[0]] for row in rows_of(out)]
    assert kept == ODD[1:]
    done("predict", odd_model, odd, "-t", ODD[0][4], "--interval", 0.2)
    done("explain", odd_model, odd, "-t", target, "--row", 3)
    done("counterfactual", odd_model, odd, "--row", 3, "-t", "ok", "--want", "true")
    done("anomalies", odd_model)
    done("audit", odd, "-t", target)
    filled = folder / "odd filled.csv"
    done("impute", odd, "-o", filled, "--effort", "low")
    assert all(cell for row in rows_of(filled) for cell in row.values())
    done("drift", odd_model, odd, "--shuffles", 19)
    for name in ("info", "anomalies", "impute"):
        assert json.loads(done(name, odd, "--json"))


# What goes wrong


@pytest.fixture
def wrong(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,b\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    (tmp_path / "latin.csv").write_bytes("a,b\nGröße,2\n".encode("latin-1"))
    (tmp_path / "broken.jsonl").write_text('{"a": 1}\n{"a": \n')
    (tmp_path / "broken.parquet").write_bytes(b"not parquet")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "broken.vicinal").write_bytes(b"not a model")
    (tmp_path / "folder.csv").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing.csv", "No such file"),
        ("nothing.vicinal", "No such file"),
        ("empty.csv", "is empty"),
        ("header.csv", "has no rows"),
        ("ragged.csv", "line 3: 3 cells, but 2 column names"),
        ("twice.csv", "two columns are named 'a'"),
        ("latin.csv", "--encoding"),
        ("broken.jsonl", "line 2"),
        ("broken.parquet", "not a sound Parquet file"),
        ("empty.parquet", "is empty"),
        ("broken.vicinal", "broken.vicinal"),
        ("folder.csv", "is a folder"),
        ("", "is a folder"),
        ("unknown.xyz", "--format"),
    ],
)
def test_a_wrong_file_is_one_clear_line(wrong, model, name, words):
    assert words in refused("info", wrong / name)
    assert words in refused("anomalies", wrong / name)
    if not name.endswith("vicinal"):
        assert words in refused("predict", model, wrong / name, "-t", "species")


def test_a_wrong_column_is_one_clear_line(model, odd):
    assert "Did you mean 'species'?" in refused("predict", model, PENGUINS, "-t", "speces")
    assert "Did you mean 'species'?" in refused("explain", model, PENGUINS, "-t", "speces")
    assert "no column 'yaer'" in refused("anomalies", PENGUINS, "--drop", "yaer")
    assert "none of its columns" in refused("predict", model, odd, "-t", "species")
    assert "'isle'" in refused("predict", model, "-t", "species", "--set", "isle=Dream")


def test_a_wrong_cell_is_named_with_its_row(model, tmp_path):
    table = tmp_path / "cells.csv"
    table.write_text("island,body_mass_g\nDream,3700\nDream,heavy\n")
    message = refused("predict", model, table, "-t", "species")
    assert "row 1" in message
    assert "'heavy'" in message
    assert "a number" in message


@pytest.mark.parametrize("place", ["missing folder/out.csv", "folder.csv", "empty.csv/out.csv"])
def test_a_place_that_cannot_be_written_to_is_one_clear_line(wrong, model, place):
    refused("predict", model, PENGUINS, "-t", "species", "-o", wrong / place)
    refused("fit", PENGUINS, "-o", wrong / place)
    refused("anomalies", model, "-o", wrong / place)


def test_a_file_that_is_there_is_kept_when_something_goes_wrong(model, tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.cli.predicting.BLOCK", 2)
    table, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    table.write_text("island,body_mass_g\n" + "Dream,3700\n" * 4 + "Dream,heavy\n")
    out.write_text("precious")
    assert "row 4 " in refused("predict", model, table, "-t", "species", "-o", out)
    assert out.read_text() == "precious"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.csv", "rows.csv"]


def test_wrong_usage_has_exit_code_2(model):
    assert "--target" in refused("predict", model, PENGUINS, code=2)
    refused("predict", model, PENGUINS, "-t", "species", "--interval", "2", code=2)
    refused("nonsense", code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "MODEL", "-t", "species"],
        ["explain", "MODEL", "-t", "species"],
        ["drift", "MODEL"],
        ["anomalies"],
        ["anomalies", "MODEL", "a.csv", "b.csv"],
        ["anomalies", "MODEL", "-k", "3"],
        ["predict", "MODEL", "-", "-t", "species", "--json", "-o", "-"],
        ["explain", "MODEL", "-t", "species", "--case", "999"],
        ["explain", "MODEL", "TABLE", "-t", "species", "--row", "999"],
        ["fit", "MODEL", "-o", "again.vicinal"],
        ["fit", "TABLE", "-o", "-"],
        ["predict", "MODEL", "-t", "species", "--set", "island"],
        ["counterfactual", "MODEL", "--case", "0", "-t", "species", "--want", "Emperor"],
    ],
)
def test_a_question_that_makes_no_sense_is_one_clear_line(model, arguments):
    places = {"MODEL": str(model), "TABLE": str(PENGUINS)}
    refused(*(places.get(one, one) for one in arguments))


def test_parquet_without_its_libraries_says_what_to_install(model, tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.cli.io.formats.find_spec", lambda name: None)
    out = tmp_path / "out.parquet"
    assert "pip install" in refused("predict", model, PENGUINS, "-t", "species", "-o", out)
    assert not out.exists()


def test_the_command_runs_as_a_process(tmp_path):
    code = "from vicinal.cli import main; main()"

    def real(*arguments, **options):
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
            check=False,
            **options,
        )

    table = tmp_path / "heights.csv"
    table.write_text("height,sort\n" + "".join(f"{i / 10},{'ab'[i > 9]}\n" for i in range(20)))
    piped = real("predict", table, "-", "-t", "sort", "-o", "-", input="height\n0.2\n1.7\n")
    assert piped.stdout.splitlines() == ["height,sort_predicted", "0.2,a", "1.7,b"]
    assert piped.returncode == 0
    failed = real("info", tmp_path / "nothing.csv")
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert failed.stderr.count("\n") == 1
