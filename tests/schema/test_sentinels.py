"""Values that mean missing."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.sentinels import find_sentinels
from vicinal.tables.arrays import column_of

FAR = dt.date(9999, 12, 31)
DAYS = [dt.date(2020, 1, day) for day in range(1, 20)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([31, 47, -999, 52, -999], (-999,)),
        ([31, 47, -999, 52], ()),  # once may be an error
        ([3.5, 4.5, -9.0, 0.0, -9.0], (-9.0,)),
        ([-3, 4, -9, 2, -9], ()),  # other values are negative, too
        ([-99, -9, -99, -9, 1, 2, 3], (-99, -9)),
        ([1, 2, 3, 27, 999, 999], (999,)),
        ([1, 2, 3, 8, 99, 99], (99,)),
        ([18, 80, 40, 99, 99], ()),  # near
        ([0, 5178, 41310, 99999, 99999], ()),  # an income that was cut off
        ([1, 2, 3, 1000, 1000], ()),
        ([1, 2, 3, 9, 9], ()),
        ([-999, -999, 5], ()),  # nothing to compare with
        ([0.5, 1.5, 2147483647.0, 2147483647.0], (2147483647.0,)),
        ([-999, -999, 1, 2, 999, 999], (-999, 999)),
        ([None, None], ()),
        (["-999", "-999", "1"], ()),
        ([*DAYS, FAR], (FAR,)),
        ([*DAYS, dt.date(1, 1, 1), FAR], (dt.date(1, 1, 1), FAR)),
        ([FAR, FAR], ()),
        ([*DAYS, dt.date(2900, 1, 1)], ()),
    ],
)
def test_sentinels_are_repeated_nines_far_from_all_others(values, expected):
    found = find_sentinels(column_of(values, "x"))
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_repetitions_are_weighted():
    column = column_of([31, 47, -999, 52], "age")
    assert find_sentinels(column, np.array([1.0, 1.0, 2.0, 1.0])) == (-999,)


def test_sentinels_are_missing_in_the_table_and_in_rows():
    schema = infer_schema({"age": [31, 47, -999, 52, -999]})
    assert schema["age"].missing_values == (-999,)
    assert "also -999" in repr(schema)
    assert np.isnan(encode({"age": [-999, 31]}, schema)[:, 0]).tolist() == [True, False]


@pytest.mark.parametrize(
    "options", [{"kinds": {"age": "continuous"}}, {"missing_values": {"age": []}}]
)
def test_a_declared_column_keeps_its_values(options):
    schema = infer_schema({"age": [31, 47, -999, 52, -999]}, **options)
    assert schema["age"].missing_values == ()


def test_the_numbers_of_a_bare_array_are_kept():
    assert infer_schema(np.array([[1], [2], [-999], [-999]]))["x0"].missing_values == ()


@given(st.permutations([31, 47, -999, 52, -999, None, -9, -9]))
def test_law_the_order_of_rows_does_not_matter(values):
    assert find_sentinels(column_of(values, "age")) == (-999, -9)
