"""Bounds that a user declares: read in the terms of the column, and refused with advice."""

import datetime as dt

import numpy as np
import pytest

from vicinal.exceptions import FeatureError, ParameterError, TableError
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.ranges import check_bounds, read_bounds

TABLE = {
    "age": [31.0, 47.0, None],
    "day": [dt.date(2024, 1, 5), dt.date(2024, 3, 1), dt.date(2024, 2, 1)],
    "job": ["cook", "smith", "cook"],
}
SCHEMA = infer_schema(TABLE)


def test_bounds_are_encoded_as_the_column_is():
    age, day = SCHEMA.column("age"), SCHEMA.column("day")
    found = read_bounds(SCHEMA, {"age": (0, None), "day": (None, dt.date(2025, 1, 1))})
    assert found[age][0] == 0
    assert np.isnan(found[age][1])
    assert np.isnan(found[day][0])
    later = encode({"day": [dt.date(2025, 1, 1)]}, SCHEMA, require=False)[0, day]
    assert found[day][1] == later
    assert read_bounds(SCHEMA, {"age": (-np.inf, np.inf)})[age] == (-np.inf, np.inf)
    assert read_bounds(SCHEMA, None) == {}


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ([("age", 0)], ParameterError, "expected a dict of names and their bounds"),
        ({"agee": (0, 1)}, FeatureError, "Did you mean 'age'"),
        ({"job": ("a", "z")}, FeatureError, "nominal; expected a number or a date"),
        ({"age": 5}, ParameterError, r"expected \(low, high\)"),
        ({"age": (9, 1)}, ParameterError, r"perhaps \(1, 9\)"),
        ({"age": ("old", None)}, ParameterError, "bounds"),
    ],
)
def test_bounds_that_are_none_are_refused_with_advice(bounds, error, message):
    with pytest.raises(error, match=message):
        read_bounds(SCHEMA, bounds)


def test_rows_outside_are_refused_and_missing_values_are_not():
    values = encode(TABLE, SCHEMA)
    check_bounds(values, SCHEMA, {"age": (31, 47), "day": (dt.date(2024, 1, 1), None)})
    with pytest.raises(TableError, match=r"Row 1 has 47 in 'age', outside its bounds \(0, 40\)"):
        check_bounds(values, SCHEMA, {"age": (0, 40)})
    with pytest.raises(TableError, match="Row 1 has 2024-03-01 in 'day'"):
        check_bounds(values, SCHEMA, {"day": (None, dt.date(2024, 2, 5))})
