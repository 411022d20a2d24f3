"""Every library gives the same columns, whatever the dtype."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.tables import libraries
from tests.tables.libraries import EXPECTED, LIBRARIES, expected_matrix, names_of, only
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.tables.table import read_table


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_schema_known_by_hand(library):
    schema = infer_schema(library())
    assert sorted(schema.names) == sorted(names_of(library()))
    for feature in schema:
        kind, dtype, categories, _ = EXPECTED[feature.name]
        assert (feature.kind, feature.dtype, feature.categories) == (kind, dtype, categories)
    zones = {feature.name: feature.timezone for feature in schema if feature.timezone}
    assert zones == ({"paid": "Europe/Paris"} if "paid" in schema else {})


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_matrix_known_by_hand_bit_for_bit(library):
    table = library()
    schema = infer_schema(table)
    actual = encode(table, schema)
    assert actual.dtype == np.float64
    assert actual.flags.c_contiguous
    assert actual.tobytes() == np.ascontiguousarray(expected_matrix(schema)).tobytes()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("fitted", LIBRARIES)
def test_what_one_library_fitted_another_can_ask(library, fitted):
    table, schema = read_table(library()), infer_schema(fitted())
    matrix = encode(table.drop(set(table.names) - set(schema.names)), schema, require=False)
    have = [one.name in table.names for one in schema.storage]
    np.testing.assert_array_equal(matrix[:, have], expected_matrix(schema)[:, have])


@pytest.mark.parametrize("library", LIBRARIES)
def test_decoding_gives_the_values_back(library):
    table = library()
    schema = infer_schema(table)
    decoded = decode(encode(table, schema), schema)
    assert tuple(decoded) == schema.names
    for name, values in decoded.items():
        assert values == libraries.VALUES[name], name
        assert [type(v) for v in values] == [type(v) for v in libraries.VALUES[name]]


def test_repeated_rows_change_codes_by_nothing():
    few, many = libraries.polars_frame(), libraries.polars_large()
    assert infer_schema(few) == infer_schema(many)
    schema = infer_schema(few)
    np.testing.assert_array_equal(encode(many, schema), np.tile(encode(few, schema), (50, 1)))


def test_typed_columns_of_nothing_keep_their_type():
    table = pl.DataFrame(
        {"s": [None], "f": [None], "i": [None], "b": [None], "d": [None]},
        schema={"s": pl.String, "f": pl.Float64, "i": pl.Int8, "b": pl.Boolean, "d": pl.Date},
    )
    schema = infer_schema(table)
    assert [feature.dtype for feature in schema] == ["string", "float", "int", "bool", "date"]
    assert schema["s"].categories == ()
    assert np.isnan(encode(table, schema)).all()
    assert decode(encode(table, schema), schema) == {name: [None] for name in schema.names}
    assert infer_schema(table.to_arrow()) == schema


def test_dictionaries_may_hold_nulls_and_repeat_values():
    codes = pa.array([0, 1, 2, None, 3])
    for values in ([7, None, 7, 5], ["b", None, "b", "a"]):
        array = pa.DictionaryArray.from_arrays(codes, pa.array(values))
        feature, encoded = only(pa.table({"x": array}))
        assert feature.categories == (values[0], values[3])
        np.testing.assert_array_equal(encoded, [0, np.nan, 0, np.nan, 1])
        numbers = infer_schema(pa.table({"x": array}), kinds={"x": "nominal"})
        assert numbers["x"] == feature


def test_intervals_of_an_ordered_categorical_keep_their_order():
    table = pd.DataFrame({"x": pd.cut([1, 15, 7], [0, 5, 10, 20])})
    feature, encoded = only(table)
    assert feature.categories == ("(0, 5]", "(5, 10]", "(10, 20]")
    assert encoded == [0, 2, 1]


def test_categoricals_of_numbers_are_labels():
    table = pd.DataFrame({"x": pd.Categorical([30, 10, 30], categories=[10, 20, 30])})
    feature, encoded = only(table)
    assert (feature.kind, feature.dtype, feature.categories) == ("nominal", "category", (30, 10))
    assert encoded == [0, 1, 0]


def test_categoricals_of_bools_and_dates_are_labels():
    day = dt.datetime(2024, 1, 1)
    assert only(pd.DataFrame({"x": pd.Categorical([True, False])}))[0].categories == (False, True)
    assert only(pd.DataFrame({"x": pd.Categorical([day])}))[0].categories == (day,)


def test_sparse_pandas_columns_are_read():
    table = pd.DataFrame({"x": pd.arrays.SparseArray([0, 3, 0])})
    assert only(table)[1] == [0, 3, 0]


def test_periods_are_read_by_their_string_form():
    table = pd.DataFrame({"x": pd.period_range("2024-01", periods=2, freq="M")})
    assert only(table)[0].categories == ("2024-01", "2024-02")


def test_integers_of_128_bits_are_read_though_numpy_has_none():
    small, large = [3, None, 5], [2**70, None, 1]
    for dtype in (pl.Int128, pl.UInt128):
        table = read_table(pl.DataFrame({"n": pl.Series(small, dtype=dtype)}))
        assert table.columns["n"].numbers().tolist()[::2] == [3.0, 5.0]
        assert table.columns["n"].is_missing().tolist() == [False, True, False]
    wide = read_table(pl.DataFrame({"n": pl.Series(large, dtype=pl.Int128)}))
    assert wide.columns["n"].numbers()[0] == 2.0**70
