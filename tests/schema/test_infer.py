"""The schema of a table: kinds from dtypes, values and declarations."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.examples import PARCELS, kinds_of, small, words
from vicinal.data import load_penguins
from vicinal.exceptions import FeatureError, TableError
from vicinal.schema.infer import infer_schema
from vicinal.schema.kinds import Kind
from vicinal.tables.table import read_table


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


def test_ordinal_features_have_their_order():
    schema = infer_schema(PARCELS, ordinal_features={"size": ["S", "M", "L", "XL"], "zip": None})
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
    schema = infer_schema(PARCELS, cyclic_features={"hour": 24, "zip": np.float64(7)})
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
    table = {**PARCELS, "flag": [True, False, True, None], "grade": pd.Categorical([1, 2, 1, 3])}
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


labels = st.sampled_from([0, 1, 2.5, True, False, "a", "b", "1", None, float("nan")])


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


@given(st.permutations(["age", "zip", "size", "hour"]))
def test_the_order_of_columns_changes_only_the_table_order(names):
    options = {"cyclic_features": {"hour": 24}, "categorical_features": ["zip"]}
    schema = infer_schema({name: PARCELS[name] for name in names}, **options)
    expected = infer_schema(PARCELS, **options)
    assert schema.storage == expected.storage
    assert schema.names == tuple(names)


def test_reading_once_is_enough():
    table = read_table(PARCELS)
    assert infer_schema(table, categorical_features=[1]) == infer_schema(
        PARCELS, categorical_features=[1]
    )
