"""Rows as they came from a file."""

import datetime as dt

import narwhals.stable.v2 as nw
import numpy as np
import pytest

import vicinal
from tests.cli.running import done
from vicinal.exceptions import TableError
from vicinal.schema.infer import infer_schema
from vicinal.table_files.blocks import FrameBlock, TextBlock, ValueBlock
from vicinal.table_files.reading import read_blocks, read_whole
from vicinal.tables.frames import as_frame
from vicinal.tables.table import read_table

COLUMNS = {
    "size": [1.5, None, 2.5, 4.0],
    "count": [3, 1, None, 2],
    "sort": ["a", "b", None, "a"],
    "day": [dt.date(2024, 1, day) for day in (1, 2, 3, 4)],
    "ok": [True, None, False, True],
}


@pytest.fixture(params=["pyarrow", "polars"])
def library(request, monkeypatch):
    library = pytest.importorskip(request.param)
    monkeypatch.setattr("vicinal.table_files.reading.columnar_library", lambda kind: library)
    return library


@pytest.fixture
def path(tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet, table

    parquet.write_table(table(COLUMNS), tmp_path / "typed.parquet")
    return str(tmp_path / "typed.parquet")


@pytest.fixture
def no_lists(monkeypatch):
    """Fail where a column of all cells becomes a list of Python objects."""

    def refuse(*_):
        raise AssertionError("cells became Python objects")

    monkeypatch.setattr(nw.Series, "to_list", refuse)
    monkeypatch.setattr(nw.DataFrame, "rows", refuse)
    monkeypatch.setattr(nw.DataFrame, "to_dict", refuse)


def test_columnar_cells_stay_in_arrays(path, library, no_lists):
    block = read_whole(path)
    assert nw.from_native(block.table()).implementation.value == library.__name__
    for part in (block, block.taken([2, 0]), *read_blocks(path, size=3)):
        columns = part.content.select("size", "count", "ok", "day").to_native()
        table = read_table(columns)
        assert all(isinstance(one.values, np.ndarray) for one in table.columns.values())
        assert all(one.values.dtype != object for one in table.columns.values())


def test_columnar_cells_stay_in_arrays_up_to_the_model(path, library, tmp_path, no_lists):
    done("fit", path, "-o", tmp_path / "typed.vicinal", "--drop", "sort", "--json")
    model = vicinal.load(tmp_path / "typed.vicinal")
    assert [one.dtype for one in model.schema_] == ["float", "int", "date", "bool"]


def test_a_dataframe_answers_as_its_values_do(path, library):
    block = read_whole(path)
    assert block.names == tuple(COLUMNS)
    assert len(block) == 4
    schema = vicinal.Model().fit(COLUMNS).schema_
    assert block.written(schema, "csv") == COLUMNS
    taken = block.taken([2, 0]).written(schema, "csv")
    assert taken == {name: [values[2], values[0]] for name, values in COLUMNS.items()}
    assert vicinal.Model().fit(block.table()).schema_ == schema
    hidden = nw.from_native(block.rows(schema, hidden=["sort"]))
    assert hidden.columns == ["size", "count", "day", "ok"]


@pytest.mark.parametrize("kind", [TextBlock, ValueBlock, FrameBlock])
def test_a_row_that_is_not_there_is_refused(kind):
    columns = {"a": ["1", "2"]}
    if kind is FrameBlock:
        frame = pytest.importorskip("polars").DataFrame(columns)
        block = FrameBlock(as_frame(frame), "t.csv")
    else:
        block = kind(columns, "t.csv")
    with pytest.raises(TableError, match=r"t.csv has no row 2; expected 0 to 1"):
        block.taken([0, 2])


def test_dates_in_json_are_read_as_dates_only_if_all_are():
    block = ValueBlock({"d": ["2024-01-31", None], "e": ["2024-01-31", "soon"]}, "t.jsonl")
    assert [one.dtype for one in infer_schema(block.table())] == ["date", "string"]
