"""Rows of dataframes on their own, and the labels that rows bring along."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from vicinal.exceptions import TableError
from vicinal.tables.rows import as_rows, is_single, listed, row_labels
from vicinal.tables.table import read_rows, read_table

PEOPLE = pd.DataFrame(
    {"age": [31, 47], "job": ["cook", None], "seen": pd.to_datetime(["2024-01-31", "2024-02-01"])},
    index=["P-17", "P-18"],
)


@pytest.mark.parametrize(
    "index", [None, [0, 1], pd.MultiIndex.from_tuples([("a", 1), ("a", 2)], names=["x", "y"])]
)
def test_a_default_index_and_one_of_several_levels_have_no_labels(index):
    assert row_labels(pd.DataFrame({"age": [31, 47]}, index=index)) is None


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (["P-17", "P-18"], ["P-17", "P-18"]),
        ([7, 3], [7, 3]),
        (pd.RangeIndex(5, 7), [5, 6]),
        (
            pd.to_datetime(["2024-01-31", "2024-02-01"]),
            [dt.datetime(2024, 1, 31), dt.datetime(2024, 2, 1)],
        ),
    ],
)
def test_any_other_index_has_labels_of_plain_values(index, expected):
    found = row_labels(pd.DataFrame({"age": [31, 47]}, index=index)).tolist()
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_other_libraries_have_no_index():
    assert row_labels(pl.DataFrame({"age": [31]})) is None
    assert row_labels({"age": [31]}) is None


def test_a_row_of_a_dataframe_is_a_table_of_one_row():
    read = read_rows(PEOPLE.iloc[1])
    assert read.names == ("age", "job", "seen")
    assert read.labels.tolist() == ["P-18"]
    assert read.single
    assert read.columns["job"].is_missing().tolist() == [True]
    assert read.columns["seen"].dtype == "datetime"


def test_several_rows_may_be_given_as_a_list():
    read = read_rows([PEOPLE.iloc[1], PEOPLE.iloc[0]])
    assert read.labels.tolist() == ["P-18", "P-17"]
    assert read.columns["age"].numbers().tolist() == [47, 31]


def test_a_row_made_by_hand_has_no_label():
    rows, labels = as_rows(pd.Series({"age": 31}))
    assert (rows, labels.tolist()) == ([{"age": 31}], [None])


def test_a_column_is_not_a_row():
    with pytest.raises(TableError, match=r"\.to_frame\(\)"):
        read_rows(pd.Series([1, 2]))
    with pytest.raises(TableError, match=r"\.to_frame\(\)"):
        read_table(PEOPLE.iloc[0])  # a fit takes tables only


def test_taking_rows_takes_their_labels():
    assert read_table(PEOPLE).take([1]).labels.tolist() == ["P-18"]


def test_a_polars_row_is_a_dict():
    frame = pl.DataFrame({"age": [31, 47], "job": ["cook", None]})
    for row in (frame.row(1, named=True), frame[1], [frame.row(1, named=True)]):
        assert read_rows(row).columns["age"].numbers().tolist() == [47]


def test_one_case_or_several_are_a_list():
    assert listed("P-17") == ["P-17"]
    assert listed(np.int64(3)) == listed(np.array(3)) == [3]
    assert listed(np.array([3, 4])) == listed((3, 4)) == [3, 4]
    assert all(type(one) is int for one in listed(np.array([3])))
    assert is_single("ab")
    assert not is_single(["ab"])
