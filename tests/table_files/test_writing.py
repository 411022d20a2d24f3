"""Tables to files."""

import csv
import json

import pytest

from tests.cli.running import PENGUINS, done, refused
from vicinal.exceptions import ParameterError, TableError
from vicinal.table_files.reading import read_whole
from vicinal.table_files.writing import check_output, table_writer, write_table


@pytest.mark.parametrize("place", ["missing folder/out.csv", "folder.csv", "empty.csv/out.csv"])
def test_a_place_that_cannot_be_written_to_is_one_clear_line(wrong, model, place):
    refused("predict", model, PENGUINS, "-t", "species", "-o", wrong / place)
    refused("fit", PENGUINS, "-o", wrong / place)
    refused("anomalies", model, "-o", wrong / place)


def test_parquet_without_its_libraries_says_what_to_install(model, tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.table_files.formats.find_spec", lambda name: None)
    out = tmp_path / "out.parquet"
    assert "pip install" in refused("predict", model, PENGUINS, "-t", "species", "-o", out)
    assert not out.exists()


def test_a_folder_that_does_not_exist_is_named():
    with pytest.raises(
        ParameterError, match=r"^/no such/out\.csv: there is no folder /no such\.$"
    ):
        check_output("/no such/out.csv")


def test_text_that_looks_like_a_formula_is_neutralized_on_request(tmp_path):
    columns = {"=name": ["=1+2", "+x", "-y", "@z", "\tw", "plain"], "n": [-1.5, 2, -3, 4, 5, None]}
    path = tmp_path / "out.csv"
    write_table(str(path), columns)
    assert path.read_text().splitlines()[:2] == ["=name,n", "=1+2,-1.5"]
    write_table(str(path), columns, escape=True)
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["'=name", "n"]
    assert [row[0] for row in rows[1:]] == ["'=1+2", "'+x", "'-y", "'@z", "'\tw", "plain"]
    assert [row[1] for row in rows[1:]] == ["-1.5", "2", "-3", "4", "5", ""]


def test_other_formats_hold_text_as_it_is(tmp_path):
    path = tmp_path / "out.jsonl"
    write_table(str(path), {"x": ["=1+2"]}, escape=True)
    assert json.loads(path.read_text()) == {"x": "=1+2"}


def test_the_command_line_neutralizes_formulas(tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "out.csv"
    rows = [f"{x},{'=cmd' if x > 9 else 'ok'}" for x in range(20)]
    table.write_text("\n".join(["x,word", *rows]))
    done("predict", str(table), str(table), "-t", "word", "-o", str(out), "--escape-formulas")
    assert "'=cmd" in out.read_text()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_blocks_of_a_columnar_file_share_types_that_only_later_ones_show(tmp_path, suffix):
    path = str(tmp_path / f"out{suffix}")
    with table_writer(path) as writer:
        writer.write({"x": [None, 1], "y": [None, None]})
        writer.write({"x": [0.5, None], "y": ["a", None]})
    frame = read_whole(path).content
    assert frame["x"].to_list() == [None, 1.0, 0.5, None]
    assert frame["y"].to_list() == [None, None, "a", None]


def test_cells_of_mixed_types_in_different_blocks_are_refused(tmp_path):
    def write(path):
        with table_writer(str(path)) as writer:
            writer.write({"x": [1]})
            writer.write({"x": ["a"]})

    with pytest.raises(TableError, match="Parquet cannot hold this table"):
        write(tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
