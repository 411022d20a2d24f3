"""Tables from files."""

import pytest

from tests.cli.running import refused


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
