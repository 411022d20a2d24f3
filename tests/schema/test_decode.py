"""Matrices back to the values of the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.examples import SCHEMA, TABLE, tables
from vicinal.data import load_penguins
from vicinal.exceptions import FeatureError, TableError
from vicinal.schema.decode import decode, decode_column
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema


def test_penguins_come_back():
    table = load_penguins()
    schema = infer_schema(table)
    assert decode(encode(table, schema), schema) == table


def test_decoded_months_and_angles_lie_where_they_were_written():
    table = {"month": [12, 1, 6], "angle": [-90.0, 90.0, 0.0]}
    schema = infer_schema(table, cyclic_features={"month": 12, "angle": 360})
    assert decode(encode(table, schema), schema) == table


def test_means_of_months_and_hours_stay_in_the_cycle():
    table = {"month": [12, 1, 6], "hour": [23, 0, 5]}
    schema = infer_schema(table, cyclic_features={"month": 12, "hour": 24})
    assert decode_column([12.6, 0.4, 6.4], schema["month"]) == [1, 12, 6]
    assert decode_column([23.7, -0.4, 23.2], schema["hour"]) == [0, 0, 23]


def test_values_never_seen_decode_to_none():
    schema = infer_schema({"x": ["a"]})
    assert decode(encode({"x": ["z", "a", None]}, schema), schema) == {"x": [None, "a", None]}


def test_values_in_between_are_decoded_as_their_type_allows():
    table = {"n": [1, 2], "f": [1.5, 2.5], "b": [True, False], "r": [10, 20]}
    schema = infer_schema(table, kinds={"b": "continuous"}, ordinal_features=["r"])
    matrix = [[0.7, 1.75, 1.6, 0.5]]
    assert [one.name for one in schema.storage] == ["b", "f", "n", "r"]
    assert decode(matrix, schema) == {"n": [2], "f": [1.75], "b": [True], "r": [15]}


@pytest.mark.parametrize("shape", [(2,), (2, 2), (2, 4), (2, 3, 1)])
def test_matrices_of_another_shape_are_refused(shape):
    with pytest.raises(TableError, match="expected two dimensions and 3 columns"):
        decode(np.zeros(shape), SCHEMA)


@given(tables())
def test_decoding_undoes_encoding(table):
    schema = infer_schema(table)
    assert decode(encode(table, schema), schema) == table


@given(tables(), st.data())
def test_decoding_undoes_encoding_for_any_kind_that_fits(table, data):
    fitting = ["nominal", "ordinal", "continuous"]
    kinds = {
        name: data.draw(st.sampled_from(fitting), label=name)
        for name in table
        if name not in ("text", "mixed", "bytes", "time")
    }
    schema = infer_schema(table, kinds=kinds)
    assert decode(encode(table, schema), schema) == table


@given(tables())
def test_one_column_decodes_as_it_does_among_all(table):
    schema = infer_schema(table)
    matrix = encode(table, schema)
    whole = decode(matrix, schema)
    for name in table:
        alone = decode_column(matrix[:, schema.column(name)], schema[name])
        assert alone == whole[name]
        assert list(map(type, alone)) == list(map(type, whole[name]))
        assert decode(matrix, schema, [name]) == {name: alone}


def test_some_columns_can_be_decoded_in_any_order():
    matrix = encode(TABLE, SCHEMA)
    assert list(decode(matrix, SCHEMA, ["hour", "job"])) == ["hour", "job"]
    assert decode(matrix, SCHEMA, []) == {}
    with pytest.raises(FeatureError, match=r"No feature is named 'jobs'\. Did you mean 'job'"):
        decode(matrix, SCHEMA, ["jobs"])


def test_a_column_may_be_any_sequence_of_numbers():
    assert decode_column([1, 0, np.nan], SCHEMA["job"]) == ["smith", "cook", None]
    assert decode_column([], SCHEMA["age"]) == []
