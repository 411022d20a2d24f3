"""One column: its levels, numbers and missing rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest

from vicinal.exceptions import TableError
from vicinal.tables.arrays import column_of
from vicinal.tables.column import Column, check_finite
from vicinal.tables.counting import check_all_finite

COLUMNS = {
    "int": [3, None, 1, 3],
    "float": [2.5, None, -0.5, 2.5],
    "bool": [True, None, False, True],
    "string": ["b", None, "a", "b"],
    "mixed": ["b", None, 1, "b"],
    "decimal": [Decimal("0.1"), None, Decimal("-3.3"), Decimal("0.1")],
    "date": [dt.date(2024, 2, 29), None, dt.date(1969, 1, 1), dt.date(2024, 2, 29)],
    "datetime": [dt.datetime(2024, 2, 29, 1), None, dt.datetime(1969, 1, 1)] * 2,
    "duration": [dt.timedelta(1), None, dt.timedelta(-1), dt.timedelta(1)],
    "time": [dt.time(9, 30), None, dt.time(0), dt.time(9, 30)],
}


@pytest.mark.parametrize("dtype", COLUMNS)
def test_levels_and_codes_give_the_values_back(dtype):
    column = column_of(COLUMNS[dtype], "x")
    assert column.dtype == dtype
    codes, levels = column.labels()
    values = [None if code < 0 else levels[code] for code in codes.tolist()]
    assert values == COLUMNS[dtype]
    assert list(map(type, values)) == list(map(type, COLUMNS[dtype]))


@pytest.mark.parametrize("dtype", COLUMNS)
def test_missing_rows_are_marked_and_single_values_are_given(dtype):
    column = column_of(COLUMNS[dtype], "x")
    assert column.is_missing().tolist() == [value is None for value in COLUMNS[dtype]]
    assert column.first_present() == 0
    assert column.value(2) == COLUMNS[dtype][2]
    assert column_of([None], "x").first_present() is None


def test_minus_zero_is_the_same_label_as_zero():
    codes, levels = column_of([0.0, -0.0], "x").labels()
    assert codes.tolist() == [0, 0]
    assert str(levels[0]) == "0.0"


def test_the_first_row_of_another_family_is_found():
    column = column_of([1, None, True, "many", "few"], "x")
    assert column.first_mismatch({"number"}) == 2
    assert column.first_mismatch({"number", "bool"}) == 3
    assert column.first_mismatch({"number", "string"}) == 2


def test_numbers_do_not_change_the_column():
    values = np.array([1.0, 2.0])
    numbers = Column("float", values, np.array([False, True])).numbers()
    np.testing.assert_array_equal(numbers, [1, np.nan])
    numbers[:] = 0
    assert values.tolist() == [1, 2]


def test_infinite_values_are_refused_unless_they_are_missing():
    values = np.array([1.0, np.inf])
    with pytest.raises(TableError, match=r"'x' has an infinite value, inf, in row 1 \(counted"):
        check_all_finite(Column("float", values), "x")
    check_all_finite(Column("float", values, np.array([False, True])), "x")
    for dtype in ("string", "datetime", "int"):
        check_all_finite(column_of(COLUMNS[dtype], "x"), "x")
    check_finite(np.array([1.0, np.nan]), "x")
