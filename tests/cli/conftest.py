"""Models and tables that the tests of commands share."""

import csv

import pytest

from tests.cli.running import PENGUINS, done

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


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cli")


@pytest.fixture(scope="session")
def model(folder):
    path = folder / "penguins.vicinal"
    out = done("fit", PENGUINS, "-o", path, "--target", "species")
    assert "344 cases with 8 features, tuned to predict species" in out
    return path


@pytest.fixture(scope="session")
def odd(folder):
    path = folder / "odd table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(ODD)
    return path


@pytest.fixture(scope="session")
def odd_model(folder, odd):
    path = folder / "odd.vicinal"
    done("fit", odd, "-o", path)
    return path


@pytest.fixture
def wrong(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,b\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    (tmp_path / "headless.csv").write_text("0,0,ada\n1,5,eva\n")
    (tmp_path / "latin.csv").write_bytes("a,b\nGröße,2\n".encode("latin-1"))
    (tmp_path / "unicode.csv").write_bytes("a,b\nGröße,2\n".encode("utf-16"))
    (tmp_path / "broken.jsonl").write_text('{"a": 1}\n{"a": \n')
    (tmp_path / "broken.parquet").write_bytes(b"not parquet")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "broken.vicinal").write_bytes(b"not a model")
    (tmp_path / "folder.csv").mkdir()
    return tmp_path
