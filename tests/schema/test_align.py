"""New tables beside a fitted schema: columns that match, names, new categories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.schema.examples import SCHEMA, TABLE, tables
from vicinal.exceptions import FeatureError, ParameterError, TableError
from vicinal.schema.align import grow_schema, table_names
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema


def test_grown_schemas_have_new_categories_at_the_end():
    schema = infer_schema({"x": ["a", "b", "a"], "n": [1, 2, 3]})
    rows = {"x": ["z", "y", "b", "z", None, "w"], "n": [1, 2, 3, 4, 5, 6]}
    grown = grow_schema(rows, schema)
    matrix = encode(rows, grown)
    assert grown["x"].categories == ("a", "b", "z", "w", "y")
    np.testing.assert_array_equal(matrix[:, 1], [2, 4, 1, 2, np.nan, 3])
    np.testing.assert_array_equal(encode(rows, grown), matrix)
    assert grow_schema(rows, schema) == grown
    assert grow_schema(rows, grown) == grown
    assert schema["x"].categories == ("a", "b")


def test_schemas_grow_from_rows_with_some_of_the_columns():
    schema = infer_schema({"x": ["a"], "y": ["b"]})
    assert grow_schema({"x": ["c"]}, schema)["x"].categories == ("a", "c")


def test_numbers_taken_for_bools_and_bools_for_numbers_grow_alike():
    schema = infer_schema({"x": [1, 2]}, categorical_features=["x"])
    assert grow_schema({"x": [True, False]}, schema)["x"].categories == (1, 2, 0)
    assert grow_schema({"x": [0, 1]}, infer_schema({"x": [True]}))["x"].categories == (True, False)


def test_bare_arrays_have_the_columns_of_the_schema_in_its_order():
    rows = [["cook", 31, 23], ["smith", None, 1]]
    np.testing.assert_array_equal(encode(rows, SCHEMA), encode(TABLE, SCHEMA)[:2])
    np.testing.assert_array_equal(
        encode(np.array(rows, dtype=object), SCHEMA), encode(TABLE, SCHEMA)[:2]
    )
    assert table_names(rows, SCHEMA) == SCHEMA.names
    assert table_names(rows) == ("x0", "x1", "x2")
    assert table_names(TABLE, SCHEMA) == tuple(TABLE)


@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        ({"job": ["a"], "age": [1]}, {}, TableError, "Column 'hour' is absent; expected the feat"),
        ({"job": ["a"]}, {}, TableError, r"Column 'age' is absent \(and 1 more\)"),
        ({"job": ["a"], "agee": [1], "hour": [1]}, {}, FeatureError,
         "Column 'agee' is not in the schema.* Did you mean 'age'"),
        ({**{n: v[:1] for n, v in TABLE.items()}, "extra": [1]}, {}, FeatureError,
         "Column 'extra' is not in the schema.* Drop the column"),
        ({"job": ["a"]}, {"require": ["hour"]}, TableError, "Column 'hour' is absent"),
        ({"job": ["a"]}, {"require": ["hours"]}, FeatureError, "Did you mean 'hour'"),
        ({"job": ["a"]}, {"require": "hour"}, ParameterError, "require='hour'; expected True"),
        (np.zeros((2, 4)), {}, TableError, "4 columns and the schema 3 features"),
        ({}, {}, TableError, "no columns"),
    ],
)  # fmt: skip
def test_columns_that_do_not_match_are_named(table, options, error, message):
    with pytest.raises(error, match=message):
        encode(table, SCHEMA, **options)


def test_columns_that_need_not_be_there_are_missing():
    expected = [[np.nan, np.nan, 0]]
    np.testing.assert_array_equal(encode({"job": ["cook"]}, SCHEMA, require=False), expected)
    np.testing.assert_array_equal(encode({"job": ["cook"]}, SCHEMA, require=["job"]), expected)


@given(tables(), tables())
def test_growing_keeps_the_codes_there_were(table, more):
    # Of mixed columns the later rows may have a type that the first had not: an error.
    same = {name: more[name] for name in table if name in more and name != "mixed"}
    schema = infer_schema(table)
    grown = grow_schema(same, schema) if same else schema
    np.testing.assert_array_equal(encode(table, grown), encode(table, schema))
    for feature, was in zip(grown, schema, strict=True):
        if was.categories is not None:
            assert feature.categories[: len(was.categories)] == was.categories
