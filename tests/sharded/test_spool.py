"""A spooled table has the columns that the whole table has."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mixed_table import mixed_table
from vicinal.exceptions import TableError
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.sharded.spool import spool
from vicinal.tables.table import read_table

START = dt.datetime(2024, 1, 1)
FRAME = pd.DataFrame(
    {
        **mixed_table(60),
        "when": [START + dt.timedelta(hours=n) for n in range(60)],
        "day": pd.Categorical(["mo", "tu", "we"] * 20, ["mo", "tu", "we"], ordered=True),
        "empty": [None] * 60,
        "long": [dt.timedelta(seconds=n) for n in range(60)],
        "sentinel": [-999, *range(30, 58)] * 2 + [5, 6],
    }
)


@settings(max_examples=15)
@given(cuts=st.lists(st.integers(1, 59), unique=True, max_size=4))
def test_parts_make_up_the_whole_table(tmp_path_factory, cuts):
    ends = [0, *sorted(cuts), len(FRAME)]
    parts = [read_table(FRAME[one:end]) for one, end in pairwise(ends)]
    whole = spool(parts, tmp_path_factory.mktemp("spool"))
    expected, actual = infer_schema(FRAME), infer_schema(whole)
    assert actual == expected
    np.testing.assert_array_equal(encode(whole, actual), encode(FRAME, expected))
    np.testing.assert_array_equal(
        encode(whole.take(slice(5, 25)), actual), encode(FRAME[5:25], expected)
    )


def test_whole_numbers_of_one_part_and_missing_ones_of_another_are_numbers(tmp_path):
    parts = [{"x": [1, 2]}, {"x": [0.5, None]}, {"x": [None, None]}, {"x": [3, 4]}]
    column = spool(map(read_table, parts), tmp_path).columns["x"]
    np.testing.assert_array_equal(column.numbers(), [1, 2, 0.5, *[np.nan] * 3, 3, 4])
    assert column.dtype == "float"


@pytest.mark.parametrize("empty", [0, 1])
def test_a_part_in_which_all_is_missing_has_any_type(tmp_path, empty):
    for at, values in enumerate(([1, 2], ["a", "b"], [START, START], [True, False])):
        parts = [{"x": values}]
        parts.insert(empty, {"x": [None, None]})
        folder = tmp_path / str(at)
        folder.mkdir()
        column = spool(map(read_table, parts), folder).columns["x"]
        assert column.is_missing().tolist() == [empty == 0] * 2 + [empty == 1] * 2
        assert column.value(0 if empty else 2) == values[0]


def test_types_that_differ_between_parts_are_refused(tmp_path):
    with pytest.raises(TableError, match="'x' is float in one part of the table and string"):
        spool(map(read_table, [{"x": [0.5]}, {"x": ["a"]}]), tmp_path)


def test_a_table_without_rows_is_refused(tmp_path):
    with pytest.raises(TableError, match="no rows"):
        spool([], tmp_path)


def test_too_many_texts_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.sharded.spool.MOST_LEVELS", 3)
    with pytest.raises(TableError, match="'x' has more than 3 distinct texts"):
        spool(map(read_table, [{"x": ["a", "b"]}, {"x": ["c", "d"]}]), tmp_path)
