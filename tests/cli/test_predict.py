"""``vicinal predict``."""

import json

import pytest

import vicinal
from tests.cli.running import PENGUINS, done, refused, rows_of, run
from vicinal.data import load_penguins


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


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (("--class-weight", "balanced"), {"class_weight": "balanced"}),
        (("--decision", "balanced_accuracy"), {"decision": "balanced_accuracy"}),
    ],
)
def test_decisions_are_those_of_the_model(model, folder, options, rule):
    out = folder / "decided.csv"
    done("predict", model, PENGUINS, "-t", "island", *options, "--only", "-o", out)
    table = load_penguins()
    rows = {name: values for name, values in table.items() if name != "island"}
    expected = vicinal.load(model).predict(rows, "island", **rule)
    assert [one["island_predicted"] for one in rows_of(out)] == expected.tolist()


def test_predictions_do_not_depend_on_the_blocks(model, folder, monkeypatch):
    whole, parts = folder / "whole.csv", folder / "parts.csv"
    question = ("predict", model, PENGUINS, "-t", "body_mass_g", "--interval", "0.2", "-o")
    done(*question, whole)
    monkeypatch.setattr("vicinal.cli.predict.BLOCK", 50)
    done(*question, parts)
    assert whole.read_bytes() == parts.read_bytes()


def test_parquet_is_predicted_block_by_block_with_progress(model, folder, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows, out, seen = folder / "blocks.parquet", folder / "blocks_out.parquet", []

    def noting(blocks, *, total, what):
        seen.append((what, total))
        for block in blocks:
            seen.append(len(block))
            yield block

    done("predict", model, PENGUINS, "-t", "species", "-o", rows)
    monkeypatch.setattr("vicinal.cli.predict.BLOCK", 150)
    monkeypatch.setattr("vicinal.cli.predict.track", noting)
    done("predict", model, rows, "-t", "island", "-o", out)
    assert seen == [("predicting", 3), 150, 150, 44]
    written = parquet.ParquetFile(out)
    assert [written.metadata.row_group(at).num_rows for at in range(3)] == [150, 150, 44]
    expected = folder / "at_once.csv"
    done("predict", model, PENGUINS, "-t", "island", "--only", "-o", expected)
    found = written.read().column("island_predicted").to_pylist()
    assert found == [one["island_predicted"] for one in rows_of(expected)]


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
    monkeypatch.setattr("vicinal.table_files.reading.columnar_library", lambda kind: polars)
    monkeypatch.setattr("vicinal.table_files.writing.columnar_library", lambda kind: polars)
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


def test_a_wrong_cell_is_named_with_its_row(model, tmp_path):
    table = tmp_path / "cells.csv"
    table.write_text("island,body_mass_g\nDream,3700\nDream,heavy\n")
    message = refused("predict", model, table, "-t", "species")
    assert "row 1" in message
    assert "'heavy'" in message
    assert "a number" in message


def test_a_file_that_is_there_is_kept_when_something_goes_wrong(model, tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.cli.predict.BLOCK", 2)
    table, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    table.write_text("island,body_mass_g\n" + "Dream,3700\n" * 4 + "Dream,heavy\n")
    out.write_text("precious")
    assert "row 4 " in refused("predict", model, table, "-t", "species", "-o", out)
    assert out.read_text() == "precious"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.csv", "rows.csv"]


def test_a_column_that_a_table_lacks_is_named_with_what_may_be_meant(model, tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text(PENGUINS.read_text().replace("bill_depth_mm", "bill_deph_mm", 1))
    note = run("predict", model, table).stderr
    assert note.startswith(f"Note: {table} has no column 'bill_depth_mm'")
    assert note.endswith("Did you mean 'bill_deph_mm'?\n")
    assert note.count("\n") == 1
    assert run("predict", model, PENGUINS).stderr == ""
    assert run("predict", model, "--set", "island=Dream").stderr == ""
