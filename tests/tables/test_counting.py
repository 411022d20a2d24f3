"""Values are counted block by block as they are all at once."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.exceptions import TableError
from vicinal.tables import column as tables_column
from vicinal.tables import counting
from vicinal.tables.arrays import column_of
from vicinal.tables.column import Column
from vicinal.tables.counting import check_all_finite, count_levels, distinct_values


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK", 3)
    monkeypatch.setattr(tables_column, "BLOCK", 3)


VALUES = [
    st.one_of(st.none(), st.sampled_from("abc")),
    st.one_of(st.none(), st.integers(-3, 3)),
    st.one_of(st.none(), st.sampled_from([0.1, -0.0, 0.0, 7.5, -2.0])),
    st.one_of(st.none(), st.dates()),
    st.booleans(),
]


@given(st.sampled_from(VALUES).flatmap(lambda one: st.lists(one, min_size=1, max_size=20)))
def test_values_are_counted_and_weighed_in_the_order_of_rows(values):
    column, weights = column_of(values, "x"), np.arange(1.0, len(values) + 1) / 3
    masses: dict[object, float] = {}
    for value, weight in zip(values, weights.tolist(), strict=True):
        if value is not None:
            masses[value] = masses.get(value, 0.0) + weight
    for given_weights, expected in ((weights, masses), (None, Counter(values))):
        found = count_levels(column, given_weights)
        for level, count, mass in zip(*found, strict=True):
            assert (count, mass) == (values.count(level), expected.get(level, 0))
        assert found.counts.sum() == sum(value is not None for value in values)
    if column.levels is None:
        assert found.levels == tuple(sorted({value for value in values if value is not None}))
        assert column.to_python(distinct_values(column)) == list(found.levels)


def test_the_range_is_that_of_all_blocks():
    assert column_of([4.0, None, 2.0, 9.0, 3.0], "x").ends == (2.0, 9.0)
    assert np.isnan(column_of([None, None], "x").ends).all()


def test_an_infinite_value_is_named_by_its_row():
    for row, sign in product(range(5), (1, -1)):
        values = np.ones(5)
        values[row] = sign * np.inf
        with pytest.raises(TableError, match=f"in row {row} "):
            check_all_finite(Column("float", values), "x")
