"""Tables to matrices and back."""

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

from vicinal.data import load_penguins
from vicinal.exceptions import FeatureError, ParameterError, TableError
from vicinal.schema.align import grow_schema, table_names
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.schema import Schema
from vicinal.tables.table import read_table
from vicinal.tables.to_frame import build_frame

TABLE = {"job": ["cook", "smith", "cook"], "age": [31, None, 47], "hour": [23, 1, 12]}
SCHEMA = infer_schema(TABLE, cyclic_features={"hour": 24})


def one(fitted, asked, **options):
    """Encode a column beside the schema of another."""
    return encode({"x": asked}, infer_schema({"x": fitted}, **options))[:, 0].tolist()


def test_columns_stand_in_storage_order():
    expected = [[31, 23, 0], [np.nan, 1, 1], [47, 12, 0]]
    np.testing.assert_array_equal(encode(TABLE, SCHEMA), expected)


def test_categories_never_seen_share_one_code():
    assert one(["a", "b"], ["b", "z", "y", "a"]) == [1, 2, 2, 0]
    assert one(pd.Categorical(["a", "b"]), pl.Series(["z"], dtype=pl.Categorical)) == [2]
    assert one([None, None], ["z"], kinds={"x": "nominal"}) == [0]


def test_grown_schemas_have_new_categories_at_the_end():
    schema = infer_schema({"x": ["a", "b", "a"], "n": [1, 2, 3]})
    rows = {"x": ["z", "y", "b", "z", None, "w"], "n": [1, 2, 3, 4, 5, 6]}
    matrix, grown = encode(rows, schema, grow=True)
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


def test_encoding_with_growth_works_for_plain_numbers():
    array = np.arange(6.0).reshape(2, 3)
    matrix, grown = encode(array, infer_schema(array), grow=True)
    np.testing.assert_array_equal(matrix, array)
    assert grown == infer_schema(array)


@pytest.mark.parametrize(
    "asked",
    [
        [2, 1, None],
        [2.0, 1.0, np.nan],
        [Decimal(2), Decimal(1), None],
        np.array([2, 1, np.nan], "f4"),
        pd.Series([2.0, 1.0, np.nan]),
        pd.Categorical([2, 1, None]),
        pd.array([2, 1, None], dtype="Int8"),
        pl.Series([2, 1, None]),
        pa.array([2, 1, None]),
    ],
)
def test_numeric_categories_match_whatever_the_number_type(asked):
    fitted = infer_schema({"x": [1, 2, 2]}, categorical_features=["x"])
    np.testing.assert_array_equal(encode({"x": asked}, fitted)[:, 0], [0, 1, np.nan])
    fitted = infer_schema({"x": [1.0, 2.0, 2.0]}, categorical_features=["x"])
    np.testing.assert_array_equal(encode({"x": asked}, fitted)[:, 0], [0, 1, np.nan])


def test_large_integer_categories_keep_all_digits():
    big = 2**60
    for nothing in ([], [None]):
        table = {"x": [big, big + 1, *nothing]}
        assert one(table["x"], table["x"], categorical_features=["x"])[:2] == [0, 1]
        frame = pl.DataFrame(table)
        schema = infer_schema(frame, categorical_features=["x"])
        assert schema["x"].categories == (big, big + 1)


def test_whole_columns_of_bools_and_of_zeros_and_ones_match():
    assert one([True, False, True], [1, 0]) == [0, 1]
    assert one([True, False, True], np.array([1.0, 0.0])) == [0, 1]
    assert one([1, 0, 1], [True, False], categorical_features=["x"]) == [0, 1]
    assert one([5, 1, 1], [True, False], categorical_features=["x"]) == [0, 2]


def test_bools_numbers_and_strings_stay_apart_in_mixed_columns():
    values = [True, 1, "1", 0, False, "0", 1.0, "True"]
    codes = one(values, values)
    assert len(set(codes)) == 7
    assert codes[1] == codes[6]


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
        ([dt.date(2024, 1, 1)], ["2024-01-01"], {}, "'x' has '2024-01-01'.*expected dates"),
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


def test_ranks_of_numbers_never_seen_lie_between():
    ranks = one([10, 20, 40], [10, 15, 20, 30, 40, 45, 90, 5, -50, None], ordinal_features=["x"])
    expected = [0, 0.5, 1, 1.5, 2, 2.25, 3, -0.5, -1, np.nan]
    np.testing.assert_array_equal(ranks, expected)


def test_ranks_beside_a_single_or_no_value():
    assert one([7], [7, 8, 6], ordinal_features=["x"]) == [0, 1, -1]
    assert one([None], [7], ordinal_features=["x"]) == [0]


def test_ranks_of_dates():
    days = [dt.date(2024, 1, day) for day in (3, 1, 2)]
    assert one(days, days, ordinal_features=["x"]) == [2, 0, 1]
    assert one(days, [dt.datetime(2024, 1, 1, 12)], ordinal_features=["x"]) == [0.5]


def test_listed_orders_can_be_of_any_type():
    days = [dt.date(2024, 1, 2), dt.date(2024, 1, 1)]
    assert one(days, days[::-1], ordinal_features={"x": days}) == [1, 0]
    assert one([1, 2], [2.0, np.nan, 1.0], ordinal_features={"x": [2, 1]})[::2] == [0, 1]


def test_dates_as_categories():
    stamps = np.array(["2024-01-01", "2024-01-02", "2024-01-01"], dtype="M8[ns]")
    schema = infer_schema({"x": stamps}, categorical_features=["x"])
    assert schema["x"].categories == (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2))
    assert encode({"x": [dt.date(2024, 1, 2), None]}, schema)[0, 0] == 1
    close = np.array([0, 1, 10**9], dtype="M8[ns]")
    assert one(close, close, categorical_features=["x"]) == [0, 0, 1]


def test_columns_may_come_in_any_order():
    turned = {name: TABLE[name] for name in reversed(TABLE)}
    np.testing.assert_array_equal(encode(turned, SCHEMA), encode(TABLE, SCHEMA))


def test_bare_arrays_have_the_columns_of_the_schema_in_its_order():
    rows = [["cook", 31, 23], ["smith", None, 1]]
    np.testing.assert_array_equal(encode(rows, SCHEMA), encode(TABLE, SCHEMA)[:2])
    np.testing.assert_array_equal(
        encode(np.array(rows, dtype=object), SCHEMA), encode(TABLE, SCHEMA)[:2]
    )
    assert table_names(rows, SCHEMA) == SCHEMA.names
    assert table_names(rows) == ("x0", "x1", "x2")
    assert table_names(TABLE, SCHEMA) == tuple(TABLE)


def test_plain_arrays_follow_the_names_of_the_schema():
    array = np.arange(6.0).reshape(2, 3)
    schema = infer_schema({"c": [1.0], "a": [1.0], "b": [1.0]})
    np.testing.assert_array_equal(encode(array, schema), array[:, [1, 2, 0]])


@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        ({"job": ["a"], "age": [1]}, {}, TableError, "Column 'hour' is absent; expected the feat"),
        ({"job": ["a"]}, {}, TableError, r"Column 'age' is absent \(and 1 more\)"),
        ({"job": ["a"], "agee": [1], "hour": [1]}, {}, FeatureError,
         "Column 'agee' is not in the schema.* Did you mean 'age'"),
        ({**{n: v[:1] for n, v in TABLE.items()}, "extra": [1]}, {}, FeatureError,
         "Column 'extra' is not in the schema.* Drop the column"),
        ({"job": ["a"], "agee": [1], "hour": [1]}, {"extra": "ignore"}, TableError,
         "Column 'age' is absent.* Did you mean 'agee'"),
        ({"job": ["a"]}, {"require": ["hour"]}, TableError, "Column 'hour' is absent"),
        ({"job": ["a"]}, {"require": ["hours"]}, FeatureError, "Did you mean 'hour'"),
        ({"job": ["a"]}, {"require": "hour"}, ParameterError, "require='hour'; expected True"),
        (TABLE, {"extra": "drop"}, ParameterError, "extra='drop'; expected 'refuse' or 'ignore'"),
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


def test_columns_not_known_can_be_ignored():
    table = {**TABLE, "note": [[1], [2], [3]][0] * 3}
    np.testing.assert_array_equal(encode(table, SCHEMA, extra="ignore"), encode(TABLE, SCHEMA))


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


def test_penguins_come_back():
    table = load_penguins()
    schema = infer_schema(table)
    assert decode(encode(table, schema), schema) == table


def test_decoded_months_and_angles_lie_where_they_were_written():
    table = {"month": [12, 1, 6], "angle": [-90.0, 90.0, 0.0]}
    schema = infer_schema(table, cyclic_features={"month": 12, "angle": 360})
    assert decode(encode(table, schema), schema) == table


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


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_decoded_columns_make_a_table_that_encodes_the_same(backend):
    frame = build_frame(decode(encode(TABLE, SCHEMA), SCHEMA), backend)
    np.testing.assert_array_equal(encode(frame, SCHEMA), encode(TABLE, SCHEMA))


# A float64 of seconds tells microseconds apart for 272 years.
moments = st.datetimes(dt.datetime(1850, 1, 1), dt.datetime(2100, 1, 1))
COLUMNS = {
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "int": st.integers(-(2**53), 2**53),
    "bool": st.booleans(),
    "text": st.text(max_size=3),
    "mixed": st.sampled_from(["a", "1", 1, 2.5, True, False]),
    "datetime": moments,
    "aware": moments.map(lambda moment: moment.replace(tzinfo=dt.UTC)),
    "date": moments.map(dt.datetime.date),
    "duration": st.timedeltas(dt.timedelta(days=-40_000), dt.timedelta(days=40_000)),
    "time": st.times(),
    "decimal": st.integers(-(10**9), 10**9).map(lambda cents: Decimal(cents) / 100),
    "bytes": st.binary(max_size=2),
}


@st.composite
def tables(draw):
    n = draw(st.integers(1, 8))
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=6, unique=True))
    return {
        name: draw(st.lists(COLUMNS[name] | st.none(), min_size=n, max_size=n)) for name in names
    }


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
def test_schemas_of_any_table_survive_being_saved(table):
    schema = infer_schema(table, missing_values=["a", 1])
    again = Schema.from_dict(schema.to_dict())
    np.testing.assert_array_equal(encode(table, again), encode(table, schema))


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
