"""Compressed files."""

from pathlib import Path

import pytest

from tests.cli.running import done, refused
from vicinal.exceptions import TableError
from vicinal.table_files.reading import read_blocks, read_whole
from vicinal.table_files.writing import write_table

COLUMNS = {"x": ["1", "2", "3"], "y": ["a", "b", "c"]}


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".XZ"])
@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_a_compressed_table_is_the_table(tmp_path, kind, suffix):
    plain, packed = (str(tmp_path / f"rows{kind}{end}") for end in ("", suffix))
    write_table(plain, COLUMNS)
    write_table(packed, COLUMNS)
    assert Path(plain).read_bytes()[:4] != Path(packed).read_bytes()[:4]
    assert sum(len(block) for block in read_blocks(packed, size=2)) == 3
    content = read_whole(packed).content
    assert [list(content[name]) for name in COLUMNS] == list(COLUMNS.values())


def test_the_same_table_is_the_same_file(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(str(tmp_path / name), COLUMNS)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_damaged_file_is_refused(tmp_path, suffix):
    path = tmp_path / f"rows.csv{suffix}"
    write_table(str(path), COLUMNS)
    whole = path.read_bytes()
    for content in (whole[:-9], b"x,y\n1,a\n"):
        path.write_bytes(content)
        with pytest.raises(TableError, match="is not a valid"):
            read_whole(str(path))
    assert "is not a valid" in refused("info", path)


def test_outputs_are_named_after_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table("rows.csv.gz", {"x": list(range(20)), "y": list("ab" * 10)})
    done("fit", "rows.csv.gz")
    assert (tmp_path / "rows.vicinal").exists()
