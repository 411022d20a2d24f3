"""Values that mean missing, and what is left of a column without them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema

MARKED = [-999, 5, 7]


@pytest.mark.parametrize(
    "table",
    [{"x": MARKED}, {"x": [float(v) for v in MARKED]}, pd.DataFrame({"x": MARKED}),
     pl.DataFrame({"x": MARKED}), np.array(MARKED).reshape(-1, 1),
     np.array(MARKED, dtype="f4").reshape(-1, 1), np.array(MARKED, dtype=float).reshape(-1, 1)],
)  # fmt: skip
@pytest.mark.parametrize("marker", [-999, -999.0, (-999, "?"), {-999}])
def test_numbers_can_mean_missing(table, marker):
    schema = infer_schema(table, missing_values=marker)
    np.testing.assert_array_equal(encode(table, schema)[:, 0], [np.nan, 5, 7])


@pytest.mark.parametrize("marker", ["", "?", "NA"])
@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_strings_can_mean_missing(marker, make):
    table = make({"x": ["b", marker, "a", "b"]})
    schema = infer_schema(table, missing_values=["", "?", "NA"])
    assert schema["x"].categories == ("b", "a")
    np.testing.assert_array_equal(encode(table, schema)[:, 0], [0, np.nan, 1, 0])
    assert schema["x"].missing_values == ("", "?", "NA")


def test_without_its_markers_a_column_is_what_is_left():
    table = {"x": [1, "?", 3], "y": ["?", "?", None], "z": [dt.date(2024, 1, 1), "?", None]}
    schema = infer_schema(table, missing_values="?")
    assert [feature.dtype for feature in schema] == ["int", "string", "date"]
    np.testing.assert_array_equal(encode(table, schema)[:, schema.column("x")], [1, np.nan, 3])


@pytest.mark.parametrize(
    ("values", "marker"),
    [
        ([True, False], 1),
        ([True, False], 0),
        (["1", "2"], 1),
        ([1, 2], "1"),
        ([1, 2], True),
        ([1.0, 2.0], None),
        ([1.0, 2.0], float("nan")),
    ],
)
def test_markers_of_another_type_mean_nothing(values, marker):
    table = {"x": values}
    assert not np.isnan(encode(table, infer_schema(table, missing_values=[marker]))).any()


@pytest.mark.parametrize(
    ("values", "marker"),
    [
        ([True, False, True], False),
        ([dt.date(2024, 1, 1), dt.date(1900, 1, 1), dt.date(2024, 1, 2)], dt.date(1900, 1, 1)),
        ([dt.time(1), dt.time(0), dt.time(2)], dt.time(0)),
        ([dt.timedelta(1), dt.timedelta(-1), dt.timedelta(2)], dt.timedelta(-1)),
        (pd.Series(["a", "?", "b"], dtype="category"), "?"),
        ([b"a", b"", b"b"], b""),
    ],
)
def test_values_of_any_type_can_mean_missing(values, marker):
    table = {"x": values}
    encoded = encode(table, infer_schema(table, missing_values=[marker]))[:, 0]
    assert np.isnan(encoded).tolist() == [False, True, False]


def test_markers_leave_the_order_of_an_ordered_categorical():
    sizes = pd.CategoricalDtype(["?", "S", "L"], ordered=True)
    table = pd.DataFrame({"x": pd.Categorical(["L", "?", "S"], dtype=sizes)})
    assert infer_schema(table, missing_values="?")["x"].categories == ("S", "L")
