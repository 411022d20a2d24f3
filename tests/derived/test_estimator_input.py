"""The tables that a user's own estimators receive."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from vicinal.derived import estimator_input
from vicinal.derived.estimator_input import EstimatorInput, take
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema

TABLE = {
    "job": ["cook", "smith", None, "cook"],
    "age": [31, None, 47, 20],
    "size": ["S", "L", "M", None],
    "month": [12, 1, None, 6],
    "day": [dt.date(2020, 1, 1), None, dt.date(2020, 1, 3), dt.date(2020, 1, 2)],
    "grade": [1, 5, 2, None],
    "y": [1.0, 2.0, 3.0, 4.0],
}
SCHEMA = infer_schema(
    TABLE,
    ordinal_features={"size": ["S", "M", "L"], "grade": [1, 2, 5]},
    cyclic_features={"month": 12},
)
VALUES = encode(TABLE, SCHEMA)
NAMES = [name for name in TABLE if name != "y"]


def given(names=NAMES, used=NAMES):
    context = np.sort([SCHEMA.column(name) for name in names])
    typical = np.array([0.0] * len(SCHEMA))
    columns = np.array([SCHEMA.column(name) for name in used])
    return EstimatorInput.of(SCHEMA, context, columns, typical)


def test_columns_have_the_names_and_the_order_of_the_table():
    assert given().table(VALUES).columns.tolist() == NAMES
    assert given(["age", "job"]).table(VALUES).columns.tolist() == ["job", "age"]


def test_numbers_are_floats_as_the_table_has_them():
    table = given().table(VALUES)
    for name in ("age", "month", "grade"):
        assert table[name].dtype == np.float64
        expected = [np.nan if one is None else float(one) for one in TABLE[name]]
        np.testing.assert_array_equal(table[name], expected)


def test_dates_are_seconds():
    days = given().table(VALUES)["day"]
    np.testing.assert_array_equal(days - days[0], [0.0, np.nan, 172800.0, 86400.0])


def test_categories_are_those_of_pandas():
    table = given().table(VALUES)
    assert isinstance(table["job"].dtype, pd.CategoricalDtype)
    assert not table["job"].cat.ordered
    assert table["job"].isna().tolist() == [False, False, True, False]
    assert table["job"].dropna().tolist() == ["cook", "smith", "cook"]


def test_declared_orders_stay():
    size = given().table(VALUES)["size"]
    assert size.cat.ordered
    assert size.cat.categories.tolist() == ["S", "M", "L"]
    assert size.dropna().tolist() == ["S", "L", "M"]


def test_categories_that_were_never_seen_are_missing():
    new = encode({**{name: [None] for name in NAMES}, "job": ["pilot"]}, SCHEMA, require=False)
    assert given().table(new)["job"].isna().all()


def test_columns_that_are_not_used_have_a_fixed_value():
    table = given(used=["age"]).table(VALUES)
    assert table["job"].tolist() == ["cook"] * 4
    assert table["age"].tolist()[0] == 31.0


def test_without_pandas_estimators_receive_arrays(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(estimator_input, "import_module", absent)
    mixed = given(["job", "age"]).table(VALUES)
    assert mixed.dtype == object
    assert mixed[:, 0].tolist() == TABLE["job"]
    np.testing.assert_array_equal(mixed[:, 1].astype(float), [31.0, np.nan, 47.0, 20.0])
    assert given(["age", "month"]).table(VALUES).dtype == np.float64


@pytest.mark.parametrize("with_pandas", [True, False])
def test_rows_can_be_taken_from_either(with_pandas):
    table = given().table(VALUES)
    table = table if with_pandas else table.to_numpy()
    assert take(table, [2, 0]).shape == (2, len(NAMES))


def test_columns_are_described_in_words():
    words = given(["job", "age", "month"]).described()
    assert words == "numbers 'age', 'month' and categories 'job'"
