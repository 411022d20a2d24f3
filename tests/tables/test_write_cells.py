"""Tables with some cells replaced keep their form and, where they can, their types."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from vicinal.tables.table import read_table
from vicinal.tables.write_cells import write_cells

ROWS = np.array([0, 2])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict, read_table])
def test_cells_are_written_into_tables_of_any_form(make):
    table = make({"job": ["cook", "smith", None], "age": [31, 47, 22]})
    made = write_cells(table, {"job": (ROWS, ["pilot", "cook"])})
    assert type(made) is (dict if make is read_table else type(table))
    assert list(made["job"] if make is not pa.table else made["job"].to_pylist()) == [
        "pilot",
        "smith",
        "cook",
    ]
    np.testing.assert_array_equal(made["age"], [31, 47, 22])
    read = read_table(table).columns["job"]
    assert [None if no else read.value(i) for i, no in enumerate(read.is_missing())] == [
        "cook",
        "smith",
        None,
    ]


def test_a_dataframe_keeps_its_index_and_types_where_the_values_allow_it():
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [1.5, np.nan, 2.5]}, index=[7, 5, 5])
    whole = write_cells(frame, {"x": (ROWS, [4, 5]), "y": (np.array([1]), [2.0])})
    assert whole.index.tolist() == [7, 5, 5]
    assert whole.dtypes.astype(str).tolist() == ["int64", "float64"]
    assert whole.to_numpy().tolist() == [[4, 1.5], [2, 2], [5, 2.5]]
    half = write_cells(frame, {"x": (ROWS, [0.5, 4.0])})
    assert half["x"].tolist() == [0.5, 2, 4]
    assert half.index.tolist() == [7, 5, 5]
    assert write_cells(frame, {}).equals(frame)


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("f8", [0.5, 2], "f8"),
        ("f4", [0.5, 2], "f4"),
        ("i8", [0.5, 2], "f8"),
        ("?", [0.5, 2], "f8"),
        ("f8", ["many", 2], "O"),
        ("O", [0.5, 2], "O"),
        ("U5", ["many", "few"], "O"),
        ("i8", [], "i8"),
        ("U5", [], "U5"),
    ],
)
def test_an_array_has_the_narrowest_type_that_holds_all(dtype, values, expected):
    array = np.ones((3, 2), dtype=dtype)
    before = array.copy()
    made = write_cells(array, {"x1": (ROWS[: len(values)], values)})
    assert made.dtype == np.dtype(expected)
    assert made[ROWS[: len(values)], 1].tolist() == values
    np.testing.assert_array_equal(array, before)
    np.testing.assert_array_equal(made[:, 0], array[:, 0])


def test_a_masked_array_becomes_a_plain_one():
    array = np.ma.masked_equal([[1.0, -1.0], [2.0, 3.0]], -1)
    made = write_cells(array, {"x1": (np.array([0]), [5.0])})
    assert type(made) is np.ndarray
    assert made.tolist() == [[1, 5], [2, 3]]
