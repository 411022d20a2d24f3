"""Integers that are labels."""

import pandas as pd
import polars as pl
import pytest

from vicinal.schema.codes import are_codes
from vicinal.schema.infer import infer_schema
from vicinal.tables.arrays import column_of


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("survived", [0, 1, 1], True),
        ("survived", [0, 1], False),  # nothing repeats
        ("survived", [0, 1, None, 1], True),
        ("survived", [0.0, 1.0, 1.0], False),  # floats that nothing made floats
        ("survived", [0.0, 1.0, 1.0, None], True),
        ("half", [0.0, 0.5, 0.5, None], False),
        ("sold", [1, 2] * 5, True),
        ("sold", [1, 2] * 4, False),
        ("sign", [-1, 1] * 5, True),
        ("viagra", [0, 8] * 50, False),
        ("year", [1999, 2000] * 50, False),
        ("children", [0, 1, 2, 3] * 50, False),
        ("rating", [1, 2, 3, 4, 5] * 50, False),
        ("RACE", [1, 2, 3] * 5, True),
        ("RACE", [1, 2, 3] * 4, False),
        ("zip_code", [10115, 80331, 20095] * 5, True),
        ("StoreID", [1, 2, 3, 7] * 5, True),
        ("CompanySizeNumber", [1, 10, 20, 100] * 50, False),
        ("tracer", [1, 2, 3] * 50, False),
        ("RACE", [1.5, 2.0, 3.0, None] * 50, False),
        ("constant", [1] * 50, False),
        ("flag", [True, False] * 50, False),  # a label already
        ("race", ["a", "b"] * 50, False),
    ],
)
def test_codes_are_two_values_or_named_as_such(name, values, expected):
    assert are_codes(name, column_of(values, name)) is expected


def test_codes_are_nominal_whatever_the_library():
    values = [0, 1, None, 1, 1]
    for column in (values, pd.Series(values), pl.Series(values)):
        [feature] = infer_schema({"y": column})
        assert str(feature.kind) == "nominal"
        assert feature.categories == (1, 0)


def test_declared_codes_are_numbers():
    [feature] = infer_schema({"y": [0, 1, 1, 0]}, kinds={"y": "continuous"})
    assert str(feature.kind) == "continuous"
