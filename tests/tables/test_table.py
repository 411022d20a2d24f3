"""Tables of any form as named columns, and what is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from vicinal.exceptions import FeatureError, TableError
from vicinal.schema.infer import infer_schema
from vicinal.tables.table import read_table


def test_column_names_become_strings():
    assert infer_schema(pd.DataFrame([[1, 2]])).names == ("0", "1")
    assert infer_schema({1: [2]}).names == ("1",)


def test_a_dict_of_single_values_is_a_single_row():
    table = read_table({"age": 31, "job": "cook", "when": dt.date(2024, 1, 1), "gone": None})
    assert len(table) == 1
    assert [column.dtype for column in table.columns.values()] == ["int", "string", "date", "null"]


def test_rows_without_names_are_numbered_columns():
    table = [[1, "a"], (2, "b"), np.array([3.5, 4.5])]
    assert infer_schema(table).names == ("x0", "x1")


def test_a_table_that_was_read_is_not_read_again():
    table = read_table({"age": [31]})
    assert read_table(table) is table
    assert infer_schema(table) == infer_schema({"age": [31]})


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ({}, TableError, "no columns"),
        (pd.DataFrame(), TableError, "no columns"),
        (pl.DataFrame(), TableError, "no columns"),
        (np.empty((3, 0)), TableError, "no columns"),
        ([], TableError, "empty list"),
        (3, TableError, "Got a int; expected a dataframe"),
        ("age", TableError, "Got a str; expected a dataframe"),
        (None, TableError, "Got a NoneType"),
        (np.arange(3), TableError, r"1 dimension; expected 2.*reshape\(1, -1\)"),
        (np.zeros((2, 2, 2)), TableError, "3 dimensions; expected 2"),
        (pl.LazyFrame({"a": [1]}), TableError, r"polars LazyFrame.*\.collect\(\)"),
        (pd.Series([1]), TableError, r"\.to_frame\(\)"),
        (pl.Series([1]), TableError, r"\.to_frame\(\)"),
        ({"a": [1, 2], "b": [1]}, TableError, "'b' has 1 rows and column 'a' has 2"),
        ({"a": [1, 2], "b": 1}, TableError, "'b' is a int; expected a list"),
        ({"a": np.zeros((2, 2))}, TableError, "'a' is a ndarray; expected a list"),
        ([[1, 2], [3]], TableError, "Row 1 of the list has 1 values and row 0 has 2"),
        ([1, 2], TableError, "Row 0 of the list is a int; expected each row to be a dict"),
        (["ab", "cd"], TableError, "Row 0 of the list is a str"),
        ([{"a": 1}, [2]], TableError, "Row 0 of the list is a dict|Row 0"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), FeatureError, "more than one column.* 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), FeatureError, "more than one column.* 'a'"),
        (pd.DataFrame([[1, 2]], columns=[0, "0"]), FeatureError, "more than one column.* '0'"),
        ([{0: 1, "0": 2}], FeatureError, "more than one column.* '0'"),
        ({"a": [[1], [2]]}, FeatureError, "'a' holds a list in row 0"),
        ({"a": ["x", {"b": 1}]}, FeatureError, "'a' holds a dict in row 1"),
        ({"a": [1j]}, FeatureError, "'a' holds a complex in row 0"),
        ({"a": np.array([1j])}, FeatureError, "'a' has the dtype complex128"),
        (pl.DataFrame({"a": [[1]]}), FeatureError, r"'a' has the dtype List\(Int64\)"),
        (pa.table({"a": [{"b": 1}]}), FeatureError, "'a' has the dtype Struct"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_with_a_reason(table, error, message):
    with pytest.raises(error, match=message):
        read_table(table)


def test_sparse_matrices_are_refused_with_the_way_out():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TableError, match=r"\.toarray\(\)"):
        read_table(sparse.eye_array(3))


def test_tables_say_what_they_are():
    table = {f"column {number}": [1, 2] for number in range(20)}
    assert repr(read_table(table)).startswith("<Table of 2 rows and 20 columns: column 0, column")
    assert repr(read_table(table)).endswith("…>")


def test_renamed_tables_keep_their_columns_and_the_array_behind_them():
    array = np.arange(6.0).reshape(2, 3)
    table = read_table(array).rename(["a", "b", "c"])
    assert table.named
    assert table.matrix is array
    assert table.places == {"a": 0, "b": 1, "c": 2}
    assert table.columns["b"].values.tolist() == [1, 4]
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        table.rename(["a"])


def test_tables_without_some_columns_keep_the_array_behind_the_others():
    array = np.arange(6.0).reshape(2, 3)
    table = read_table(array).drop({"x1", "never"})
    assert table.names == ("x0", "x2")
    assert table.matrix is array
    assert table.places == {"x0": 0, "x2": 2}


@pytest.mark.parametrize(
    "table",
    [
        np.zeros((2, 2), dtype="f4"),
        np.zeros((2, 2), dtype=int),
        np.ma.zeros((2, 2)),
        {"x": np.zeros(2)},
        [[0.0], [1.0]],
        pd.DataFrame({"x": [0.0], "y": [1]}),
        pd.DataFrame({"x": [0.0]}, dtype="f4"),
        pd.DataFrame({"x": pd.arrays.SparseArray([0.0, 1.0])}),
        pa.table({"x": [0.0]}),
    ],
)
def test_only_arrays_and_dataframes_of_float64_have_an_array_behind_them(table):
    assert read_table(table).matrix is None
    assert read_table(table).places == {}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [0.5, None], "y": [1.5, 2.5]}),
        pd.DataFrame({"x": [0.5, None], "y": [1.5, 2.5]}, dtype="Float64"),
        pl.DataFrame({"x": [0.5, None], "y": [1.5, 2.5]}),
    ],
    ids=["pandas", "nullable", "polars"],
)
def test_dataframes_of_floats_are_arrays_with_names(frame):
    table = read_table(frame)
    np.testing.assert_array_equal(table.matrix, [[0.5, 1.5], [np.nan, 2.5]])
    assert table.places == {"x": 0, "y": 1}
    assert [column.dtype for column in table.columns.values()] == ["float", "float"]
    assert table.columns["x"].is_missing().tolist() == [False, True]
