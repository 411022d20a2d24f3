"""The schema of a table: kinds from dtypes, what the user says, and laws of category order."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.data import load_penguins
from vicinal.exceptions import FeatureError, ParameterError, TableError
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.kinds import Kind
from vicinal.tables.table import read_table

TABLE = {
    "age": [31, 47, 22, 31],
    "zip": [100, 200, 200, 300],
    "size": ["S", "L", None, "M"],
    "hour": [23, 1, 4, 12],
}


def kinds_of(schema):
    return {feature.name: str(feature.kind) for feature in schema}


def test_the_penguins_are_inferred():
    schema = infer_schema(load_penguins())
    assert schema["species"].categories == ("Adelie", "Gentoo", "Chinstrap")
    assert schema["sex"].categories == ("male", "female")
    assert kinds_of(schema) == {
        "species": "nominal",
        "island": "nominal",
        "bill_length_mm": "continuous",
        "bill_depth_mm": "continuous",
        "flipper_length_mm": "continuous",
        "body_mass_g": "continuous",
        "sex": "nominal",
        "year": "continuous",
    }


@pytest.mark.parametrize(
    "chosen",
    [["zip"], ("zip",), {"zip"}, [1], np.array([1]), [False, True, False, False],
     np.array([False, True, False, False])],
)  # fmt: skip
def test_categorical_features_are_names_numbers_or_a_mask(chosen):
    schema = infer_schema(TABLE, categorical_features=chosen)
    assert kinds_of(schema) == {
        "age": "continuous",
        "zip": "nominal",
        "size": "nominal",
        "hour": "continuous",
    }
    assert schema["zip"].categories == (200, 100, 300)


@pytest.mark.parametrize("nothing", ["from_dtype", None, [], [False] * 4])
def test_without_categorical_features_the_dtype_decides(nothing):
    kinds = kinds_of(infer_schema(TABLE, categorical_features=nothing))
    assert [name for name, kind in kinds.items() if kind == "nominal"] == ["size"]


def test_ordinal_features_have_their_order():
    schema = infer_schema(TABLE, ordinal_features={"size": ["S", "M", "L", "XL"], "zip": None})
    assert schema["size"].categories == ("S", "M", "L", "XL")
    assert schema["size"].listed
    assert schema["zip"].categories == (100, 200, 300)
    assert not schema["zip"].listed


@pytest.mark.parametrize(
    ("values", "categories"),
    [
        ([3, 1, None, 3], (1, 3)),
        ([2.5, -1.0, np.nan], (-1.0, 2.5)),
        ([True, False], (False, True)),
        ([dt.date(2024, 1, 2), dt.date(2024, 1, 1)], (dt.date(2024, 1, 1), dt.date(2024, 1, 2))),
        (pd.Series([30, 10, 20], dtype="category"), (10, 20, 30)),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"])), ("b", "a", "c")),
        ([None, None], ()),
    ],
)
def test_ordinal_features_without_categories_have_the_order_of_their_values(values, categories):
    [feature] = infer_schema({"x": values}, ordinal_features=["x"])
    assert feature.categories == categories


def test_cyclic_features_have_their_period():
    schema = infer_schema(TABLE, cyclic_features={"hour": 24, "zip": np.float64(7)})
    assert schema["hour"].period == 24.0
    assert isinstance(schema["hour"].period, float)
    spent = {"spent": [dt.timedelta(hours=30)]}
    period = dt.timedelta(days=1)
    assert infer_schema(spent, cyclic_features={"spent": period})["spent"].period == 86_400


@pytest.mark.parametrize(
    ("values", "period", "start"),
    [
        ([0, 23, 5], 24, 0),
        ([2, 12], 12, 1),
        ([1, 3], 12, 0),
        ([-90.0, 90.0], 360, -180),
        ([-180.0, 180.0], 360, -180),
        ([400.0, 500.0], 360, 400),
        ([-1000.0, 1000.0], 360, 0),
        ([None], 5, 0),
    ],
)
def test_the_cycle_that_values_are_written_in_is_found(values, period, start):
    [feature] = infer_schema({"x": values}, cyclic_features={"x": period})
    assert feature.origin == start


def test_any_kind_can_be_said_for_any_feature():
    table = {**TABLE, "flag": [True, False, True, None], "grade": pd.Categorical([1, 2, 1, 3])}
    schema = infer_schema(
        table,
        kinds={
            "age": Kind.ORDINAL,
            "zip": "nominal",
            "flag": "continuous",
            "grade": "continuous",
            "hour": "cyclic",
        },
        cyclic_features={"hour": 24},
    )
    assert [str(feature.kind) for feature in schema] == [
        "ordinal", "nominal", "nominal", "cyclic", "continuous", "continuous",
    ]  # fmt: skip
    assert schema["grade"].dtype == "int"


def test_an_order_can_be_overruled():
    sizes = pl.Series(["S", "M", "M"], dtype=pl.Enum(["S", "M", "L"]))
    assert infer_schema({"x": sizes})["x"].kind == "ordinal"
    for options in ({"categorical_features": ["x"]}, {"kinds": {"x": "nominal"}}):
        [feature] = infer_schema({"x": sizes}, **options)
        assert (feature.kind, feature.categories) == ("nominal", ("M", "S"))
    [feature] = infer_schema({"x": sizes}, ordinal_features={"x": ["L", "M", "S"]})
    assert feature.categories == ("L", "M", "S")


def test_dates_are_counted_from_the_first():
    [feature] = infer_schema({"x": [dt.datetime(1970, 1, 3), dt.datetime(1970, 1, 2, 0, 0, 1)]})
    assert feature.origin == 86_401


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"categorical_features": ["zipp"]}, FeatureError,
         "categorical_features names 'zipp', .*Did you mean 'zip'"),
        ({"ordinal_features": ["sizes"]}, FeatureError,
         "ordinal_features names 'sizes'.*Did you mean 'size'"),
        ({"ordinal_features": {"sise": ["S"]}}, FeatureError, "Did you mean 'size'"),
        ({"cyclic_features": {"hours": 24}}, FeatureError,
         "cyclic_features names 'hours'.*Did you mean 'hour'"),
        ({"kinds": {"agee": "nominal"}}, FeatureError, "kinds names 'agee'.*Did you mean 'age'"),
        ({"kinds": {3: "nominal"}}, FeatureError, "kinds names 3.*The columns are 'age', 'zip'"),
        ({"missing_values": {"agee": -1}}, FeatureError, "missing_values names 'agee'"),
        ({"kinds": {"age": "nominl"}}, FeatureError, "'nominl'.*Did you mean 'nominal'"),
        ({"kinds": "nominal"}, ParameterError, "kinds='nominal'; expected a dict"),
        ({"categorical_features": "zip"}, ParameterError, "categorical_features='zip'; expected"),
        ({"categorical_features": 3}, ParameterError, "categorical_features=3; expected"),
        ({"categorical_features": [4]}, FeatureError, "column number 4; expected .* 0 to 3"),
        ({"categorical_features": [-1]}, FeatureError, "column number -1"),
        ({"categorical_features": [True]}, ParameterError, "1 bools and the table 4 columns"),
        ({"ordinal_features": "size"}, ParameterError, "ordinal_features='size'; expected a list"),
        ({"ordinal_features": {"size": "SML"}}, ParameterError, "order 'SML'; expected a list"),
        ({"ordinal_features": {"size": []}}, FeatureError, "at least one category"),
        ({"ordinal_features": {"size": ["S", None]}}, FeatureError, "none that is missing"),
        ({"ordinal_features": {"size": ["S", "M", "L", "S"]}}, FeatureError, "have 'S' twice"),
        ({"ordinal_features": ["size"]}, FeatureError,
         r"'size' was declared ordinal.*'S'.*Give the order: ordinal_features=\{'size'"),
        ({"ordinal_features": {"size": ["s", "M", "L"]}}, TableError,
         "'size' has 'S' in row 0; expected one of .*Did you mean 's'"),
        ({"ordinal_features": {"zip": [100, 200]}}, TableError, "'zip' has 300 in row 3"),
        ({"ordinal_features": {"zip": ["100"]}}, TableError,
         r"'zip' has 100 \(int\) in row 0; expected strings"),
        ({"cyclic_features": ["hour"]}, ParameterError, "expected a dict of names and their peri"),
        ({"cyclic_features": {"hour": 0}}, FeatureError, "'hour' has the period 0; expected"),
        ({"cyclic_features": {"hour": -24}}, FeatureError, "period -24"),
        ({"cyclic_features": {"hour": np.nan}}, FeatureError, "period nan"),
        ({"cyclic_features": {"hour": "24"}}, FeatureError, "period '24'"),
        ({"cyclic_features": {"hour": True}}, FeatureError, "period True"),
        ({"cyclic_features": {"size": 3}}, FeatureError,
         r"'size' was declared cyclic by cyclic_features, but it holds string.*\(row 0: 'S'"),
        ({"kinds": {"size": "continuous"}}, FeatureError, "declared continuous by kinds.*numbers"),
        ({"kinds": {"hour": "cyclic"}}, FeatureError, "cyclic without a period.*cyclic_features="),
        ({"kinds": {"hour": "nominal"}, "cyclic_features": {"hour": 24}}, FeatureError,
         "'hour' was declared cyclic by cyclic_features and nominal by kinds"),
        ({"categorical_features": ["age"], "ordinal_features": ["age"]}, FeatureError,
         "nominal by categorical_features and ordinal by ordinal_features"),
        ({"missing_values": [["a"]]}, ParameterError, r"missing_values has \['a'\]"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_a_reason(options, error, message):
    with pytest.raises(error, match=message):
        infer_schema(TABLE, **options)


@pytest.mark.parametrize("table", [{"a": []}, pd.DataFrame({"a": []}), np.empty((0, 2))])
def test_a_table_without_rows_is_refused(table):
    with pytest.raises(TableError, match="no rows"):
        infer_schema(table)


def test_the_row_of_a_label_among_numbers_is_named():
    with pytest.raises(FeatureError, match=r"row 2: 'many'"):
        infer_schema({"x": [1, None, "many", 3]}, kinds={"x": "continuous"})


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "cyclic"])
def test_infinite_values_are_named_before_they_are_counted(kind):
    options = {"kinds": {"income": kind}}
    if kind == "cyclic":
        options["cyclic_features"] = {"income": 3}
    with pytest.raises(TableError, match="'income' has an infinite value, -inf, in row 2"):
        infer_schema({"income": [1.0, np.nan, -np.inf]}, **options)


MARKED = [-999, 5, 7]


@pytest.mark.parametrize(
    "table",
    [{"x": MARKED}, {"x": [float(v) for v in MARKED]}, pd.DataFrame({"x": MARKED}),
     pl.DataFrame({"x": MARKED}), np.array(MARKED).reshape(-1, 1),
     np.array(MARKED, dtype="f4").reshape(-1, 1), np.array(MARKED, dtype=float).reshape(-1, 1)],
)  # fmt: skip
@pytest.mark.parametrize("marker", [-999, -999.0, (-999, "?"), {-999}])
def test_numbers_can_mean_missing(table, marker):
    schema = infer_schema(table, missing_values=marker)
    np.testing.assert_array_equal(encode(table, schema)[:, 0], [np.nan, 5, 7])


@pytest.mark.parametrize("marker", ["", "?", "NA"])
@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_strings_can_mean_missing(marker, make):
    table = make({"x": ["b", marker, "a", "b"]})
    schema = infer_schema(table, missing_values=["", "?", "NA"])
    assert schema["x"].categories == ("b", "a")
    np.testing.assert_array_equal(encode(table, schema)[:, 0], [0, np.nan, 1, 0])
    assert schema["x"].missing_values == ("", "?", "NA")


def test_without_its_markers_a_column_is_what_is_left():
    table = {"x": [1, "?", 3], "y": ["?", "?", None], "z": [dt.date(2024, 1, 1), "?", None]}
    schema = infer_schema(table, missing_values="?")
    assert [feature.dtype for feature in schema] == ["int", "string", "date"]
    np.testing.assert_array_equal(encode(table, schema)[:, schema.column("x")], [1, np.nan, 3])


def test_markers_by_column_leave_other_columns_alone():
    table = {"x": [-1, 2], "y": [-1, 2]}
    schema = infer_schema(table, missing_values={"x": -1})
    assert schema["x"].missing_values == (-1,)
    assert schema["y"].missing_values == ()
    np.testing.assert_array_equal(encode(table, schema), [[np.nan, -1], [2, 2]])


def test_markers_count_for_later_rows_too():
    schema = infer_schema({"x": [1.5, 2.5]}, missing_values=("?", -999))
    for later in ({"x": ["?", 3]}, {"x": [-999, 3]}, pd.DataFrame({"x": [-999.0, 3]})):
        np.testing.assert_array_equal(encode(later, schema)[:, 0], [np.nan, 3])


@pytest.mark.parametrize(
    ("values", "marker"),
    [
        ([True, False], 1),
        ([True, False], 0),
        (["1", "2"], 1),
        ([1, 2], "1"),
        ([1, 2], True),
        ([1.0, 2.0], None),
        ([1.0, 2.0], float("nan")),
    ],
)
def test_markers_of_another_type_mean_nothing(values, marker):
    table = {"x": values}
    assert not np.isnan(encode(table, infer_schema(table, missing_values=[marker]))).any()


@pytest.mark.parametrize(
    ("values", "marker"),
    [
        ([True, False, True], False),
        ([dt.date(2024, 1, 1), dt.date(1900, 1, 1), dt.date(2024, 1, 2)], dt.date(1900, 1, 1)),
        ([dt.time(1), dt.time(0), dt.time(2)], dt.time(0)),
        ([dt.timedelta(1), dt.timedelta(-1), dt.timedelta(2)], dt.timedelta(-1)),
        (pd.Series(["a", "?", "b"], dtype="category"), "?"),
        ([b"a", b"", b"b"], b""),
    ],
)
def test_values_of_any_type_can_mean_missing(values, marker):
    table = {"x": values}
    encoded = encode(table, infer_schema(table, missing_values=[marker]))[:, 0]
    assert np.isnan(encoded).tolist() == [False, True, False]


def test_markers_leave_the_order_of_an_ordered_categorical():
    sizes = pd.CategoricalDtype(["?", "S", "L"], ordered=True)
    table = pd.DataFrame({"x": pd.Categorical(["L", "?", "S"], dtype=sizes)})
    assert infer_schema(table, missing_values="?")["x"].categories == ("S", "L")


labels = st.sampled_from([0, 1, 2.5, True, False, "a", "b", "1", None, float("nan")])
words = st.sampled_from(["a", "b", "c", "B", "", "ä", None])
small = st.integers(-3, 3) | st.none()
columns = st.one_of(
    st.lists(labels, min_size=1, max_size=12),
    st.lists(words, min_size=1, max_size=12),
    st.lists(small, min_size=1, max_size=12),
)


@given(columns, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_schema(values, random):
    shuffled = random.sample(values, len(values))
    for options in ({}, {"categorical_features": ["x"]}):
        a = infer_schema({"x": values}, **options)
        b = infer_schema({"x": shuffled}, **options)
        assert a == b
        assert list(map(type, a["x"].categories or ())) == list(map(type, b["x"].categories or ()))


@given(st.lists(words | st.just("d"), min_size=1, max_size=30))
def test_categories_are_by_decreasing_frequency_and_ties_in_sort_order(values):
    counts = Counter(value for value in values if value is not None)
    expected = sorted(counts, key=lambda word: (-counts[word], word))
    schema = infer_schema({"x": values}, kinds={"x": "nominal"})
    assert list(schema["x"].categories) == expected
    if counts:
        for table in (pd.DataFrame({"x": values}), pl.DataFrame({"x": values})):
            assert list(infer_schema(table)["x"].categories) == expected


@given(st.lists(small, min_size=1, max_size=30))
def test_categories_of_numbers_are_ordered_the_same_way(values):
    counts = Counter(value for value in values if value is not None)
    expected = sorted(counts, key=lambda number: (-counts[number], number))
    schema = infer_schema({"x": values}, categorical_features=["x"])
    assert list(schema["x"].categories) == expected


@given(st.permutations(["age", "zip", "size", "hour"]))
def test_the_order_of_columns_changes_only_the_table_order(names):
    options = {"cyclic_features": {"hour": 24}, "categorical_features": ["zip"]}
    schema = infer_schema({name: TABLE[name] for name in names}, **options)
    expected = infer_schema(TABLE, **options)
    assert schema.storage == expected.storage
    assert schema.names == tuple(names)


def test_reading_once_is_enough():
    table = read_table(TABLE)
    assert infer_schema(table, categorical_features=[1]) == infer_schema(
        TABLE, categorical_features=[1]
    )
