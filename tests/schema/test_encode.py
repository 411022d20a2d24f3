"""Tables to matrices."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.examples import SCHEMA, TABLE, one, tables
from vicinal.estimators import VicinalClassifier
from vicinal.exceptions import TableError
from vicinal.model.model import Model
from vicinal.schema import encode as encoding
from vicinal.schema.align import grow_schema
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.tables.table import read_table


def test_columns_stand_in_storage_order():
    expected = [[31, 23, 0], [np.nan, 1, 1], [47, 12, 0]]
    np.testing.assert_array_equal(encode(TABLE, SCHEMA), expected)


@pytest.mark.parametrize(
    ("fitted", "asked", "options", "message"),
    [
        ([1.5, 2], [1.0, None, "a"], {}, r"'x' has 'a' \(str\) in row 2 .*expected numbers"),
        ([1.5, 2], ["1.5"], {}, r"'x' has '1.5' \(str\) in row 0 .* is continuous"),
        ([1, 2], pd.Series([None, "b"]), {}, "'x' has 'b' .*in row 1"),
        ([1, 2], pl.Series(["b"], dtype=pl.Categorical), {}, "'x' has 'b'"),
        ([1, 2], [dt.date(2024, 1, 1)], {}, r"datetime.date\(2024, 1, 1\).*expected numbers"),
        ([1, 2], [dt.timedelta(1)], {}, r"'x' has datetime.timedelta.*expected numbers"),
        ([dt.date(2024, 1, 1)], [None, 3], {}, r"'x' has 3 \(int\) in row 1 .*expected dates"),
        ([dt.date(2024, 1, 1)], ["01/02/2024"], {}, "'x' has '01/02/2024'.*expected dates"),
        ([dt.timedelta(1)], [3.5], {}, "'x' has 3.5 .*expected durations"),
        ([dt.time(1)], [3.5], {}, "'x' has 3.5 .*expected times of day"),
        ([1, 2], ["a"], {"cyclic_features": {"x": 3}}, "'x' has 'a'.*is cyclic"),
        ([1, 2], ["a"], {"ordinal_features": ["x"]}, "'x' has 'a'.*is ordinal"),
        (["a", "b"], [None, 1], {}, r"'x' has 1 \(int\) in row 1; expected strings"),
        (["1", "2"], [1, 2], {}, r"'x' has 1 \(int\) in row 0; expected strings"),
        ([1, 2], ["1"], {"categorical_features": ["x"]},
         r"'x' has '1' \(str\) in row 0; expected numbers"),
        ([True, False], [7], {}, r"'x' has 7 \(int\) in row 0; expected bools"),
        ([True, False], ["yes"], {}, r"'x' has 'yes' \(str\) in row 0; expected bools"),
        (["a", 1], [True], {}, r"'x' has True \(bool\) in row 0; expected numbers or strings"),
        (["S", "L"], ["S", "M"], {"ordinal_features": {"x": ["S", "L"]}},
         "'x' has 'M' in row 1; expected one of its categories 'S', 'L'"),
        ([1, 3], [2], {"ordinal_features": {"x": [1, 3]}}, "'x' has 2 in row 0; expected one of"),
        ([dt.datetime(2024, 1, 1)], [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], {},
         "time zone of column 'x' is UTC, and of the fitted table's none"),
        ([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], [dt.date(2024, 1, 1)], {},
         "time zone of column 'x' is none, and of the fitted table's UTC"),
    ],
)  # fmt: skip
def test_values_of_another_type_are_named(fitted, asked, options, message):
    with pytest.raises(TableError, match=message):
        one(fitted, asked, **options)


def test_a_column_of_nothing_fits_every_feature():
    nothing = {"job": [None], "age": [None], "hour": [None]}
    assert np.isnan(encode(nothing, SCHEMA)).all()
    for fitted in ([dt.date(2024, 1, 1)], [dt.time(1)], [True], ["a"], [1.5]):
        assert np.isnan(one(fitted, [None])).all()
        assert np.isnan(one(fitted, np.array([np.nan]))).all()


def test_bools_are_numbers_where_numbers_are_expected():
    assert one([1.5, 2], [True, False]) == [1, 0]
    assert one([1.5, 2], [True, 2.5]) == [1, 2.5]


INFINITE = {
    "numpy": lambda values: np.column_stack([np.zeros(len(values)), values]),
    "numpy integers too": lambda values: np.array([[0, v] for v in values], dtype=object),
    "float32": lambda values: np.column_stack([np.zeros(len(values)), values]).astype("f4"),
    "dict": lambda values: {"x0": [0] * len(values), "x1": list(values)},
    "pandas": lambda values: pd.DataFrame({"x0": 0, "x1": values}),
    "polars": lambda values: pl.DataFrame({"x0": [0] * len(values), "x1": values}),
    "pyarrow": lambda values: pa.table({"x0": [0] * len(values), "x1": values}),
    "decimal": lambda values: {"x0": [0] * len(values), "x1": [Decimal(v) for v in values]},
}


@pytest.mark.parametrize("make", INFINITE.values(), ids=INFINITE)
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 3, 9_999])
def test_infinite_values_are_named_by_column_and_row(make, infinity, row):
    values = np.arange(max(row + 1, 5), dtype=float)
    values[row] = infinity
    table = make(values)
    with pytest.raises(
        TableError, match=rf"'x1' has an infinite value, {infinity}, in row {row} "
    ):
        encode(table, infer_schema(table))


@pytest.mark.parametrize("options", [
    {"cyclic_features": {"x": 24}}, {"ordinal_features": ["x"]}, {"categorical_features": ["x"]},
])  # fmt: skip
def test_infinite_values_are_named_in_every_kind(options):
    with pytest.raises(TableError, match="'x' has an infinite value, inf, in row 1"):
        one([1.0, 2.0], [1.0, np.inf], **options)


def test_infinity_that_is_declared_missing_is_missing():
    array = np.array([[1.0], [np.inf]])
    schema = infer_schema(array, missing_values=np.inf)
    np.testing.assert_array_equal(encode(array, schema), [[1.0], [np.nan]])


def test_cyclic_values_lie_in_the_period():
    values = [0, 23.5, 24, 25, -1, -1e-20, 1e6]
    assert one([1.0], values, cyclic_features={"x": 24}) == [0, 23.5, 0, 1, 23, 0, 16]


def test_times_of_day_go_round_by_themselves():
    assert one([dt.time(1)], [dt.time(23, 59, 59)]) == [86_399]


def test_cyclic_dates_are_counted_in_universal_time():
    noon = [dt.datetime(2024, 1, 1, 12), dt.datetime(1969, 12, 31, 12)]
    assert one(noon, noon, cyclic_features={"x": 86_400}) == [43_200, 43_200]


def test_columns_may_come_in_any_order():
    turned = {name: TABLE[name] for name in reversed(TABLE)}
    np.testing.assert_array_equal(encode(turned, SCHEMA), encode(TABLE, SCHEMA))


def test_plain_arrays_follow_the_names_of_the_schema():
    array = np.arange(6.0).reshape(2, 3)
    schema = infer_schema({"c": [1.0], "a": [1.0], "b": [1.0]})
    np.testing.assert_array_equal(encode(array, schema), array[:, [1, 2, 0]])


def test_encoding_with_growth_works_for_plain_numbers():
    array = np.arange(6.0).reshape(2, 3)
    grown = grow_schema(array, infer_schema(array))
    np.testing.assert_array_equal(encode(array, grown), array)
    assert grown == infer_schema(array)


def test_no_rows_give_a_matrix_of_no_rows():
    assert encode(pl.DataFrame(TABLE).head(0), SCHEMA).shape == (0, 3)
    assert encode(np.empty((0, 2)), infer_schema(np.zeros((1, 2)))).shape == (0, 2)


def test_the_table_is_left_as_it_was():
    array = np.array([[1.0, -999.0], [np.nan, 2.0]])
    before = array.copy()
    matrix = encode(array, infer_schema(array, missing_values=-999))
    np.testing.assert_array_equal(array, before)
    plain = encode(array, infer_schema(array))
    plain[:] = 0
    matrix[:] = 0
    np.testing.assert_array_equal(array, before)


def test_read_tables_encode_the_same():
    np.testing.assert_array_equal(encode(read_table(TABLE), SCHEMA), encode(TABLE, SCHEMA))


@pytest.mark.parametrize("n", [1, 3275, 3276, 3277, 7000])
def test_blocks_of_rows_leave_no_seam(n):
    rng = np.random.default_rng(n)
    array = rng.normal(size=(n, 20))
    schema = infer_schema(array)
    expected = array[:, [int(feature.name[1:]) for feature in schema.storage]]
    np.testing.assert_array_equal(encode(array, schema), expected)
    frame = {f"x{column}": array[:, column] for column in range(20)}
    np.testing.assert_array_equal(encode(frame, schema), expected)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_only_permutes_rows(table, random):
    n = len(next(iter(table.values())))
    order = random.sample(range(n), n)
    shuffled = {name: [values[row] for row in order] for name, values in table.items()}
    schema = infer_schema(table)
    assert infer_schema(shuffled) == schema
    np.testing.assert_array_equal(encode(shuffled, schema), encode(table, schema)[order])


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_columns_changes_nothing(table, random):
    names = random.sample(list(table), len(table))
    turned = {name: table[name] for name in names}
    expected = encode(table, infer_schema(table))
    np.testing.assert_array_equal(encode(turned, infer_schema(turned)), expected)


@given(tables())
def test_rows_and_columns_of_python_are_read_alike(table):
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    schema = infer_schema(table)
    assert infer_schema(rows) == schema
    assert encode(rows, schema).tobytes() == encode(table, schema).tobytes()
    frame = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in table.items()})
    assert infer_schema(frame) == schema
    assert encode(frame, schema).tobytes() == encode(table, schema).tobytes()


@pytest.fixture
def columns_apart(monkeypatch):
    """The features whose columns were encoded one by one."""
    apart = []
    original = encoding._encode_column

    def counted(column, feature, n_rows):
        apart.append(feature.name)
        return original(column, feature, n_rows)

    monkeypatch.setattr(encoding, "_encode_column", counted)
    return apart


NUMBERS = np.random.default_rng(0).normal(size=(60, 5))


def test_an_estimator_encodes_an_array_at_once(columns_apart):
    classifier = VicinalClassifier(max_queries=20, max_members=1)
    classifier.fit(NUMBERS, NUMBERS[:, 0] > 0)
    columns_apart.clear()
    classifier.predict(NUMBERS)
    assert columns_apart == list(classifier._targets)  # which no row to predict has


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_a_model_encodes_an_array_and_a_dataframe_of_floats_at_once(columns_apart, make):
    rows = make(NUMBERS)
    model = Model(max_queries=20, max_members=1).fit(rows)
    target = model.schema_.names[2]
    assert columns_apart == []
    model.predict(rows, target)
    assert columns_apart == [target]  # it is hidden from its own prediction


@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_taken_at_once_are_the_same_as_one_by_one(order):
    array = np.array(NUMBERS, order=order)
    array[3, 1], array[4, 2], array[:, 4] = np.nan, -999, np.arange(60) % 3
    names = ["e", "a", "d", "b", "c"]
    apart = {name: array[:, place].copy() for place, name in enumerate(names)}
    options = {"missing_values": {"d": -999}, "categorical_features": ["c"]}
    schema = infer_schema(apart, **options)
    at_once = read_table(array).rename(names)
    assert infer_schema(at_once, **options) == schema
    expected = encode(apart, schema)
    assert encode(array, schema).tobytes() == expected.tobytes()
    assert encode(at_once, schema).tobytes() == expected.tobytes()
    assert encode(pd.DataFrame(apart), schema).tobytes() == expected.tobytes()
    some = encode({name: apart[name] for name in ("a", "c")}, schema, require=False)
    fewer = at_once.drop(["e", "d", "b"])
    assert encode(fewer, schema, require=False).tobytes() == some.tobytes()


@pytest.mark.parametrize("row", [0, 9_999])
def test_infinite_values_are_named_where_columns_are_taken_at_once(row):
    array = np.zeros((10_000, 3))
    schema = infer_schema({"c": [0.0], "a": [0.0], "b": [0.0]})
    array[row, 2] = -np.inf
    table = read_table(array).rename(["c", "a", "b"])
    message = f"'b' has an infinite value, -inf, in row {row} "
    for rows in (table, table.drop(["c"]), pd.DataFrame(array, columns=["c", "a", "b"])):
        with pytest.raises(TableError, match=message):
            encode(rows, schema, require=False)
    assert encode(table.drop(["b"]), schema, require=False)[row].tolist()[::2] == [0, 0]
