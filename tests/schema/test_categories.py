"""Codes of categories, and the order in which categories are listed."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.examples import one, small, words
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema


def test_categories_never_seen_share_one_code():
    assert one(["a", "b"], ["b", "z", "y", "a"]) == [1, 2, 2, 0]
    assert one(pd.Categorical(["a", "b"]), pl.Series(["z"], dtype=pl.Categorical)) == [2]
    assert one([None, None], ["z"], kinds={"x": "nominal"}) == [0]


@pytest.mark.parametrize(
    "asked",
    [
        [2, 1, None],
        [2.0, 1.0, np.nan],
        [Decimal(2), Decimal(1), None],
        np.array([2, 1, np.nan], "f4"),
        pd.Series([2.0, 1.0, np.nan]),
        pd.Categorical([2, 1, None]),
        pd.array([2, 1, None], dtype="Int8"),
        pl.Series([2, 1, None]),
        pa.array([2, 1, None]),
    ],
)
def test_numeric_categories_match_whatever_the_number_type(asked):
    fitted = infer_schema({"x": [1, 2, 2]}, categorical_features=["x"])
    np.testing.assert_array_equal(encode({"x": asked}, fitted)[:, 0], [0, 1, np.nan])
    fitted = infer_schema({"x": [1.0, 2.0, 2.0]}, categorical_features=["x"])
    np.testing.assert_array_equal(encode({"x": asked}, fitted)[:, 0], [0, 1, np.nan])


def test_large_integer_categories_keep_all_digits():
    big = 2**60
    for nothing in ([], [None]):
        table = {"x": [big, big + 1, *nothing]}
        assert one(table["x"], table["x"], categorical_features=["x"])[:2] == [0, 1]
        frame = pl.DataFrame(table)
        schema = infer_schema(frame, categorical_features=["x"])
        assert schema["x"].categories == (big, big + 1)


def test_whole_columns_of_bools_and_of_zeros_and_ones_match():
    assert one([True, False, True], [1, 0]) == [0, 1]
    assert one([True, False, True], np.array([1.0, 0.0])) == [0, 1]
    assert one([1, 0, 1], [True, False], categorical_features=["x"]) == [0, 1]
    assert one([5, 1, 1], [True, False], categorical_features=["x"]) == [0, 2]


def test_bools_numbers_and_strings_stay_apart_in_mixed_columns():
    values = [True, 1, "1", 0, False, "0", 1.0, "True"]
    codes = one(values, values)
    assert len(set(codes)) == 7
    assert codes[1] == codes[6]


def test_listed_orders_can_be_of_any_type():
    days = [dt.date(2024, 1, 2), dt.date(2024, 1, 1)]
    assert one(days, days[::-1], ordinal_features={"x": days}) == [1, 0]
    assert one([1, 2], [2.0, np.nan, 1.0], ordinal_features={"x": [2, 1]})[::2] == [0, 1]


def test_dates_as_categories():
    stamps = np.array(["2024-01-01", "2024-01-02", "2024-01-01"], dtype="M8[ns]")
    schema = infer_schema({"x": stamps}, categorical_features=["x"])
    assert schema["x"].categories == (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2))
    assert encode({"x": [dt.date(2024, 1, 2), None]}, schema)[0, 0] == 1
    close = np.array([0, 1, 10**9], dtype="M8[ns]")
    assert one(close, close, categorical_features=["x"]) == [0, 0, 1]


@given(st.lists(words | st.just("d"), min_size=1, max_size=30))
def test_categories_are_by_decreasing_frequency_and_ties_in_sort_order(values):
    counts = Counter(value for value in values if value is not None)
    expected = sorted(counts, key=lambda word: (-counts[word], word))
    schema = infer_schema({"x": values}, kinds={"x": "nominal"})
    assert list(schema["x"].categories) == expected
    if counts:
        for table in (pd.DataFrame({"x": values}), pl.DataFrame({"x": values})):
            assert list(infer_schema(table)["x"].categories) == expected


@given(st.lists(small, min_size=1, max_size=30))
def test_categories_of_numbers_are_ordered_the_same_way(values):
    counts = Counter(value for value in values if value is not None)
    expected = sorted(counts, key=lambda number: (-counts[number], number))
    schema = infer_schema({"x": values}, categorical_features=["x"])
    assert list(schema["x"].categories) == expected
