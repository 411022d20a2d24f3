"""Tables from files."""

import io

import pytest

from tests.cli.running import refused
from vicinal.exceptions import TableError
from vicinal.table_files.reading import read_whole


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing.csv", "No such file"),
        ("nothing.vicinal", "No such file"),
        ("empty.csv", "is empty"),
        ("header.csv", "has no rows"),
        ("ragged.csv", "line 3: 3 cells, but 2 column names"),
        ("twice.csv", "two columns are named 'a'; rename one of them.\n"),
        ("headless.csv", "looks like a row; it should have the names of the columns"),
        ("latin.csv", "--encoding, for example to latin-1"),
        ("unicode.csv", "--encoding, for example to utf-16"),
        ("broken.jsonl", "line 2"),
        ("broken.parquet", "not a valid Parquet file"),
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


def test_json_that_is_nested_too_deeply_is_refused(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}\n")
    assert "nested too deeply" in refused("fit", str(path), "-o", str(tmp_path / "m.vicinal"))


@pytest.mark.parametrize("closed", [True, False])
def test_closed_standard_input_is_refused(monkeypatch, closed):
    stdin = io.TextIOWrapper(io.BytesIO())
    stdin.close()
    monkeypatch.setattr("sys.stdin", stdin if closed else None)
    with pytest.raises(TableError, match="Standard input is closed"):
        read_whole("-", "csv")
