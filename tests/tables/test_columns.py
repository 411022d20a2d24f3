"""Every table library, every dtype and every spelling of missing is read alike."""

from __future__ import annotations

import datetime as dt
import enum
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.tables import libraries
from tests.tables.libraries import EXPECTED, LIBRARIES, NAMES
from vicinal.exceptions import FeatureError, TableError
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.tables.table import read_table


def names_of(table):
    return [name for name in NAMES if name in read_table(table).names]


def expected_matrix(schema):
    return np.array([EXPECTED[feature.name][3] for feature in schema.storage], dtype=float).T


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
    table = library()
    schema = infer_schema(fitted())
    matrix = encode(table, schema, require=False, extra="ignore")
    have = [one.name in read_table(table).names for one in schema.storage]
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


def only(table, **options):
    """The one feature of a table of one column, and its encoded values."""
    schema = infer_schema(table, **options)
    [feature] = schema
    return feature, encode(table, schema)[:, 0].tolist()


MISSING = {
    "None": [1.5, None],
    "NaN": [1.5, float("nan")],
    "numpy NaN": [1.5, np.float32("nan")],
    "pandas NA": [1.5, pd.NA],
    "pandas NaT": [1.5, pd.NaT],
    "numpy NaT": [1.5, np.datetime64("NaT")],
    "numpy NaT of a duration": [1.5, np.timedelta64("NaT")],
    "masked": [1.5, np.ma.masked],
    "decimal NaN": [1.5, Decimal("NaN")],
}


@pytest.mark.parametrize("values", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("make", [dict, pd.DataFrame], ids=["dict", "pandas"])
def test_all_spellings_of_missing_are_missing_among_numbers(values, make):
    column = pd.Series(values, dtype=object) if make is pd.DataFrame else values
    feature, encoded = only(make({"x": column}))
    assert (feature.kind, feature.dtype) == ("continuous", "float")
    np.testing.assert_array_equal(encoded, [1.5, np.nan])


@pytest.mark.parametrize("missing", [values[1] for values in MISSING.values()], ids=MISSING)
@pytest.mark.parametrize(
    "value", ["a", True, dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), dt.timedelta(1), dt.time(1)]
)
def test_all_spellings_of_missing_are_missing_among_other_values(missing, value):
    feature, encoded = only({"x": [missing, value]})
    assert feature.dtype not in ("mixed", "null")
    np.testing.assert_array_equal(np.isnan(encoded), [True, False])


@pytest.mark.parametrize(
    "table",
    [
        {"x": [None, None]},
        pd.DataFrame({"x": pd.Series([None, None], dtype=object)}),
        pd.DataFrame({"x": pd.Series([pd.NA, np.nan], dtype=object)}),
        pl.DataFrame({"x": [None, None]}),
        pa.table({"x": pa.nulls(2)}),
        np.array([[None], [None]]),
        [{"x": None}, {"x": None}],
        [[None], [None]],
    ],
    ids=lambda table: type(table).__module__,
)
def test_a_column_of_nothing_is_continuous_and_missing(table):
    feature, encoded = only(table)
    assert (feature.kind, feature.dtype) == ("continuous", "null")
    assert np.isnan(encoded).all()


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


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i8", "u1", "u8", ">f8", "<i4", "?"])
def test_numpy_arrays_of_any_number_are_read(dtype):
    array = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    schema = infer_schema(array, kinds={"x0": "continuous", "x1": "continuous"})
    assert schema.names == ("x0", "x1")
    np.testing.assert_array_equal(encode(array, schema), array.astype(float))


@pytest.mark.parametrize("array", [
    np.array([["b", "1"], ["a", "2"]]),
    np.array([["b", "1"], ["a", "2"]], dtype=object),
    np.array([["b", "1"], ["a", "2"]], dtype=np.dtypes.StringDType()),
    np.ma.array([["b", "1"], ["a", "2"]]),
], ids=["U", "object", "T", "masked"])  # fmt: skip
def test_numpy_arrays_of_strings_are_nominal(array):
    schema = infer_schema(array)
    assert [feature.categories for feature in schema] == [("a", "b"), ("1", "2")]
    np.testing.assert_array_equal(encode(array, schema), [[1, 0], [0, 1]])


def test_numpy_object_columns_are_what_they_hold():
    array = np.array([[1, "a", 2.5, True], [None, "b", np.nan, False]], dtype=object)
    dtypes = [feature.dtype for feature in infer_schema(array)]
    assert dtypes == ["int", "string", "float", "bool"]


def test_masked_arrays_hide_what_is_masked():
    array = np.ma.array([[1.0, np.inf], [2.0, 5.0]], mask=[[False, True], [True, False]])
    np.testing.assert_array_equal(
        encode(array, infer_schema(array)), [[1.0, np.nan], [np.nan, 5.0]]
    )


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_layout_give_the_same_matrix(order):
    array = np.arange(24.0).reshape(2, 12)
    schema = infer_schema(array)
    expected = array[:, [int(feature.name[1:]) for feature in schema.storage]]
    np.testing.assert_array_equal(encode(np.array(array, order=order), schema), expected)
    np.testing.assert_array_equal(encode(np.repeat(array, 2, axis=1)[:, ::2], schema), expected)


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns", "ps"])
def test_datetimes_of_any_unit_are_the_same_moment(unit):
    array = np.array(["1970-01-03", "NaT", "1970-01-02"], dtype=f"M8[{unit}]")
    feature, encoded = only({"x": array})
    assert feature.origin == 86_400
    np.testing.assert_array_equal(encoded, [86_400, np.nan, 0])


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_fractions_of_seconds_do_not_depend_on_the_unit(unit):
    stamps = np.array(["2024-02-29T12:30:15.123457", "1999-12-31T23:59:59.999999"], dtype="M8[us]")
    _, encoded = only({"x": stamps.astype(f"M8[{unit}]")})
    seconds = (stamps[0].astype(int) // 10**6) - (stamps[1].astype(int) // 10**6)
    assert encoded == [float(seconds) + 0.123457, 0.999999]


def test_fixed_offsets_are_spelled_alike():
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    values = [dt.datetime(2024, 1, 1, tzinfo=zone)]
    arrow = pa.table({"x": pa.array(values, pa.timestamp("us", "+05:30"))})
    schema = infer_schema({"x": values})
    assert schema["x"].timezone == "UTC+05:30"
    assert infer_schema(arrow) == schema == infer_schema(pd.DataFrame({"x": values}))
    assert decode(encode(arrow, schema), schema) == {"x": values}


def test_a_time_zone_without_a_name_becomes_universal_time():
    class Nowhere(dt.tzinfo):
        def utcoffset(self, when):
            return dt.timedelta(hours=1)

        def __str__(self):
            return "tzfile('/somewhere/on/this/machine')"

    feature, _ = only({"x": [dt.datetime(2024, 1, 1, 1, tzinfo=Nowhere())]})
    assert feature.timezone == "UTC"
    assert feature.origin == dt.datetime(2024, 1, 1, tzinfo=dt.UTC).timestamp()


def test_dictionaries_may_hold_nulls_and_repeat_values():
    codes = pa.array([0, 1, 2, None, 3])
    for values in ([7, None, 7, 5], ["b", None, "b", "a"]):
        array = pa.DictionaryArray.from_arrays(codes, pa.array(values))
        feature, encoded = only(pa.table({"x": array}))
        assert feature.categories == (values[0], values[3])
        np.testing.assert_array_equal(encoded, [0, np.nan, 0, np.nan, 1])
        numbers = infer_schema(pa.table({"x": array}), kinds={"x": "nominal"})
        assert numbers["x"] == feature


def test_several_time_zones_become_universal_time():
    zones = [dt.timezone(dt.timedelta(hours=h)) for h in (1, 2)]
    feature, encoded = only({"x": [dt.datetime(2024, 1, 1, 12, tzinfo=zone) for zone in zones]})
    assert feature.timezone == "UTC"
    assert encoded == [3600.0, 0.0]


def test_mixed_naive_and_aware_datetimes_are_refused():
    table = {"when": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]}
    with pytest.raises(TableError, match="'when' mixes datetimes with and without a time zone"):
        read_table(table)


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("values", "dtype", "categories"),
    [
        (["a", 1, None], "mixed", (1, "a")),
        (["1", 1, 1.0, True], "mixed", (1, True, "1")),
        ([True, 2.5], "mixed", (True, 2.5)),
        ([1.0, "a", 1], "mixed", (1, "a")),
        ([1, "a", 1.0], "mixed", (1, "a")),
        ([b"a", b"b"], "bytes", (b"a", b"b")),
        ([Colour.RED, "red"], "string", ("red",)),
        ([np.str_("a"), "a"], "string", ("a",)),
        ([pd.Interval(0, 1), None], "string", ("(0, 1]",)),
        ([(1, 2), (1, 2)], "string", ("(1, 2)",)),
        ([dt.date(2024, 1, 1), "unknown"], "mixed", (dt.date(2024, 1, 1), "unknown")),
    ],
)
def test_objects_that_are_not_all_numbers_are_nominal(values, dtype, categories):
    feature, _ = only({"x": values})
    assert (feature.kind, feature.dtype) == ("nominal", dtype)
    assert feature.categories == categories
    assert list(map(type, feature.categories)) == list(map(type, categories))


@pytest.mark.parametrize(
    ("values", "dtype", "encoded"),
    [
        ([1, 2.5], "float", [1, 2.5]),
        ([Fraction(1, 4), 1], "float", [0.25, 1]),
        ([Decimal("0.1"), 1], "decimal", [0.1, 1]),
        ([Decimal("0.1"), 1.5], "float", [0.1, 1.5]),
        ([Level.LOW, 3], "int", [1, 3]),
        ([np.int8(1), np.float32(0.5)], "float", [1, 0.5]),
        ([2**70, 1], "float", [2.0**70, 1]),
        (range(2), "int", [0, 1]),
        ([np.timedelta64(3, "s"), dt.timedelta(seconds=1)], "duration", [3, 1]),
        ([pd.Timedelta("3s"), dt.timedelta(seconds=1)], "duration", [3, 1]),
        ([pd.Timestamp(0), dt.datetime(1970, 1, 2)], "datetime", [0, 86400]),
        ([np.datetime64(0, "s"), dt.date(1970, 1, 2)], "datetime", [0, 86400]),
    ],
)
def test_objects_that_are_all_numbers_or_times_are_continuous(values, dtype, encoded):
    feature, actual = only({"x": values})
    assert (feature.kind, feature.dtype) == ("continuous", dtype)
    assert actual == encoded


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


def test_column_names_become_strings():
    assert infer_schema(pd.DataFrame([[1, 2]])).names == ("0", "1")
    assert infer_schema({1: [2]}).names == ("1",)


def test_a_dict_of_single_values_is_a_single_row():
    table = read_table({"age": 31, "job": "cook", "when": dt.date(2024, 1, 1), "gone": None})
    assert len(table) == 1
    assert [column.dtype for column in table.columns.values()] == ["int", "string", "date", "null"]


def test_rows_without_names_are_numbered_columns():
    table = [[1, "a"], (2, "b"), np.array([3.5, 4.5])]
    assert infer_schema(table).names == ("x0", "x1")


def test_a_table_that_was_read_is_not_read_again():
    table = read_table({"age": [31]})
    assert read_table(table) is table
    assert infer_schema(table) == infer_schema({"age": [31]})


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ({}, TableError, "no columns"),
        (pd.DataFrame(), TableError, "no columns"),
        (pl.DataFrame(), TableError, "no columns"),
        (np.empty((3, 0)), TableError, "no columns"),
        ([], TableError, "empty list"),
        (3, TableError, "Got a int; expected a dataframe"),
        ("age", TableError, "Got a str; expected a dataframe"),
        (None, TableError, "Got a NoneType"),
        (np.arange(3), TableError, r"1 dimension; expected 2.*reshape\(1, -1\)"),
        (np.zeros((2, 2, 2)), TableError, "3 dimensions; expected 2"),
        (pl.LazyFrame({"a": [1]}), TableError, r"polars LazyFrame.*\.collect\(\)"),
        (pd.Series([1]), TableError, r"\.to_frame\(\)"),
        (pl.Series([1]), TableError, r"\.to_frame\(\)"),
        ({"a": [1, 2], "b": [1]}, TableError, "'b' has 1 rows and column 'a' has 2"),
        ({"a": [1, 2], "b": 1}, TableError, "'b' is a int; expected a list"),
        ({"a": np.zeros((2, 2))}, TableError, "'a' is a ndarray; expected a list"),
        ([[1, 2], [3]], TableError, "Row 1 of the list has 1 values and row 0 has 2"),
        ([1, 2], TableError, "Row 0 of the list is a int; expected each row to be a dict"),
        (["ab", "cd"], TableError, "Row 0 of the list is a str"),
        ([{"a": 1}, [2]], TableError, "Row 0 of the list is a dict|Row 0"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), FeatureError, "more than one column.* 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), FeatureError, "more than one column.* 'a'"),
        (pd.DataFrame([[1, 2]], columns=[0, "0"]), FeatureError, "more than one column.* '0'"),
        ([{0: 1, "0": 2}], FeatureError, "more than one column.* '0'"),
        ({"a": [[1], [2]]}, FeatureError, "'a' holds a list in row 0"),
        ({"a": ["x", {"b": 1}]}, FeatureError, "'a' holds a dict in row 1"),
        ({"a": [1j]}, FeatureError, "'a' holds a complex in row 0"),
        ({"a": np.array([1j])}, FeatureError, "'a' has the dtype complex128"),
        (pl.DataFrame({"a": [[1]]}), FeatureError, r"'a' has the dtype List\(Int64\)"),
        (pa.table({"a": [{"b": 1}]}), FeatureError, "'a' has the dtype Struct"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_with_a_reason(table, error, message):
    with pytest.raises(error, match=message):
        read_table(table)


def test_sparse_matrices_are_refused_with_the_way_out():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TableError, match=r"\.toarray\(\)"):
        read_table(sparse.eye_array(3))


def test_tables_say_what_they_are():
    table = {f"column {number}": [1, 2] for number in range(20)}
    assert repr(read_table(table)).startswith("<Table of 2 rows and 20 columns: column 0, column")
    assert repr(read_table(table)).endswith("…>")
