"""Columns from numpy arrays and from Python values of any type."""

from __future__ import annotations

import datetime as dt
import enum
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from tests.tables.libraries import only
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i8", "u1", "u8", ">f8", "<i4", "?"])
def test_numpy_arrays_of_any_number_are_read(dtype):
    array = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    schema = infer_schema(array, kinds={"x0": "continuous", "x1": "continuous"})
    assert schema.names == ("x0", "x1")
    np.testing.assert_array_equal(encode(array, schema), array.astype(float))


@pytest.mark.parametrize("array", [
    np.array([["b", "1"], ["a", "2"]]),
    np.array([["b", "1"], ["a", "2"]], dtype=object),
    np.array([["b", "1"], ["a", "2"]], dtype=np.dtypes.StringDType()),
    np.ma.array([["b", "1"], ["a", "2"]]),
], ids=["U", "object", "T", "masked"])  # fmt: skip
def test_numpy_arrays_of_strings_are_nominal(array):
    schema = infer_schema(array)
    assert [feature.categories for feature in schema] == [("a", "b"), ("1", "2")]
    np.testing.assert_array_equal(encode(array, schema), [[1, 0], [0, 1]])


def test_numpy_object_columns_are_what_they_hold():
    array = np.array([[1, "a", 2.5, True], [None, "b", np.nan, False]], dtype=object)
    dtypes = [feature.dtype for feature in infer_schema(array)]
    assert dtypes == ["int", "string", "float", "bool"]


def test_masked_arrays_hide_what_is_masked():
    array = np.ma.array([[1.0, np.inf], [2.0, 5.0]], mask=[[False, True], [True, False]])
    np.testing.assert_array_equal(
        encode(array, infer_schema(array)), [[1.0, np.nan], [np.nan, 5.0]]
    )


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_layout_give_the_same_matrix(order):
    array = np.arange(24.0).reshape(2, 12)
    schema = infer_schema(array)
    expected = array[:, [int(feature.name[1:]) for feature in schema.storage]]
    np.testing.assert_array_equal(encode(np.array(array, order=order), schema), expected)
    np.testing.assert_array_equal(encode(np.repeat(array, 2, axis=1)[:, ::2], schema), expected)


class Color(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("values", "dtype", "categories"),
    [
        (["a", 1, None], "mixed", (1, "a")),
        (["1", 1, 1.0, True], "mixed", (1, True, "1")),
        ([True, 2.5], "mixed", (True, 2.5)),
        ([1.0, "a", 1], "mixed", (1, "a")),
        ([1, "a", 1.0], "mixed", (1, "a")),
        ([b"a", b"b"], "bytes", (b"a", b"b")),
        ([Color.RED, "red"], "string", ("red",)),
        ([np.str_("a"), "a"], "string", ("a",)),
        ([pd.Interval(0, 1), None], "string", ("(0, 1]",)),
        ([(1, 2), (1, 2)], "string", ("(1, 2)",)),
        ([dt.date(2024, 1, 1), "unknown"], "mixed", (dt.date(2024, 1, 1), "unknown")),
    ],
)
def test_objects_that_are_not_all_numbers_are_nominal(values, dtype, categories):
    feature, _ = only({"x": values})
    assert (feature.kind, feature.dtype) == ("nominal", dtype)
    assert feature.categories == categories
    assert list(map(type, feature.categories)) == list(map(type, categories))


@pytest.mark.parametrize(
    ("values", "dtype", "encoded"),
    [
        ([1, 2.5], "float", [1, 2.5]),
        ([Fraction(1, 4), 1], "float", [0.25, 1]),
        ([Decimal("0.1"), 1], "decimal", [0.1, 1]),
        ([Decimal("0.1"), 1.5], "float", [0.1, 1.5]),
        ([Level.LOW, 3], "int", [1, 3]),
        ([np.int8(1), np.float32(0.5)], "float", [1, 0.5]),
        ([2**70, 1], "float", [2.0**70, 1]),
        (range(2), "int", [0, 1]),
        ([np.timedelta64(3, "s"), dt.timedelta(seconds=1)], "duration", [3, 1]),
        ([pd.Timedelta("3s"), dt.timedelta(seconds=1)], "duration", [3, 1]),
        ([pd.Timestamp(0), dt.datetime(1970, 1, 2)], "datetime", [0, 86400]),
        ([np.datetime64(0, "s"), dt.date(1970, 1, 2)], "datetime", [0, 86400]),
    ],
)
def test_objects_that_are_all_numbers_or_times_are_continuous(values, dtype, encoded):
    feature, actual = only({"x": values})
    assert (feature.kind, feature.dtype) == ("continuous", dtype)
    assert actual == encoded
