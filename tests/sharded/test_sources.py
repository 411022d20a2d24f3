"""Parts of a table are read from files and dataframes, one block at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from vicinal.exceptions import TableError
from vicinal.sharded import sources
from vicinal.sharded.sources import read_parts

FRAME = pd.DataFrame({"x": np.arange(7.0), "kind": list("abcabca")})


def write(path):
    table = pa.Table.from_pandas(FRAME)
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=3)
    elif path.suffix == ".feather":
        pa.feather.write_feather(table, path)
    else:
        FRAME.to_csv(path, index=False)
    return path


def read(source):
    """All rows of a source, as tuples."""
    rows = []
    for part in read_parts(source):
        codes, levels = part.columns["kind"].labels()
        labels = [levels[code] for code in codes]
        rows += zip(part.columns["x"].numbers().tolist(), labels, strict=True)
    return rows


ROWS = [*zip(FRAME["x"].tolist(), FRAME["kind"].tolist(), strict=True)]


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
def test_files_are_read_by_name_by_pattern_and_by_folder(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 2)
    first, second = (write(tmp_path / f"{name}{suffix}") for name in ("a", "b"))
    assert read(first) == read(str(first)) == ROWS
    assert (
        read(str(tmp_path / f"*{suffix}")) == read([first, second]) == read(tmp_path) == 2 * ROWS
    )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pydict, dict])
def test_tables_are_read_one_after_the_other(make):
    parts = [make(FRAME[some].to_dict("list")) for some in (slice(0, 3), slice(3, 7))]
    assert read(iter(parts)) == ROWS


def test_partitions_are_computed_one_at_a_time():
    class Partition:
        def __init__(self, rows):
            self.rows = rows

        def compute(self):
            return FRAME[self.rows]

    class Frame:
        npartitions = 2
        partitions = (Partition(slice(0, 3)), Partition(slice(3, 7)))

    assert read(Frame()) == ROWS


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing/*.parquet", "There is no file 'nothing/"),
        (7, "Got a int; expected files"),
        ({"x": [1.0]}, "Got a dict; expected files"),
        ([FRAME, FRAME.rename(columns={"x": "y"})], "Part 1 has the columns 'y', 'kind'"),
    ],
)
def test_other_sources_are_refused(source, message):
    with pytest.raises(TableError, match=message):
        list(read_parts(source))


@pytest.mark.parametrize("name", ["rows.xlsx", "rows.parquet", "rows.csv"])
def test_files_that_cannot_be_read_are_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\x00 no table\n1,2,3,4\n")
    with pytest.raises(TableError, match=name):
        list(read_parts(tmp_path / name))
