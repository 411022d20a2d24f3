"""Features and schemas: lookup, storage order, JSON, display, and what they refuse."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from dataclasses import FrozenInstanceError
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables.libraries import LIBRARIES
from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.align import grow_schema
from vicinal.schema.infer import infer_schema
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Feature, Schema

NOMINAL = Feature("b", "nominal", "string", categories=("x", "y"))
SCHEMA = Schema(
    (
        NOMINAL,
        Feature("hour", "cyclic", "int", period=24.0),
        Feature("z", "continuous", "float"),
        Feature("a", "nominal", "bool", categories=(True, False)),
        Feature("day", "cyclic", "int", period=7.0),
        Feature("m", "ordinal", "int", categories=(1, 2)),
    )
)


def test_storage_is_by_group_then_by_name():
    assert [feature.name for feature in SCHEMA.storage] == ["m", "z", "day", "hour", "a", "b"]


def test_features_are_found_by_name():
    assert SCHEMA["b"] is NOMINAL
    assert [SCHEMA.column(feature.name) for feature in SCHEMA.storage] == list(range(6))
    assert "b" in SCHEMA
    assert "c" not in SCHEMA
    assert len(SCHEMA) == 6
    assert [feature.name for feature in SCHEMA] == list(SCHEMA.names)


def test_table_order_leads_from_storage_back_to_the_table():
    storage = np.array([feature.name for feature in SCHEMA.storage])
    assert tuple(storage[SCHEMA.table_order]) == SCHEMA.names


def test_columns_are_ascending_and_distinct():
    assert SCHEMA.columns(["b", "m", "b", "day"]).tolist() == [0, 2, 5]
    assert SCHEMA.columns([]).tolist() == []
    assert SCHEMA.columns([]).dtype.kind == "i"
    assert SCHEMA.columns("hour").tolist() == [3]


@pytest.mark.parametrize("ask", [SCHEMA.column, SCHEMA.__getitem__, lambda n: SCHEMA.columns([n])])
def test_unknown_names_get_a_suggestion(ask):
    with pytest.raises(FeatureError, match=r"No feature is named 'hours'\. Did you mean 'hour'"):
        ask("hours")
    with pytest.raises(
        FeatureError, match=r"No feature is named 3.* The features are 'b', 'hour'"
    ):
        ask(3)


def test_replacing_a_feature_leaves_the_others():
    changed = SCHEMA.replace("z", missing="distinct")
    assert changed["z"].missing == "distinct"
    assert changed.names == SCHEMA.names
    assert SCHEMA["z"].missing == "expected"
    with pytest.raises(FeatureError, match="Did you mean 'hour'"):
        SCHEMA.replace("houre", missing="distinct")


def test_schemas_and_features_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        NOMINAL.name = "c"
    with pytest.raises(FrozenInstanceError):
        SCHEMA.features = ()


def test_kinds_are_words():
    assert NOMINAL.kind is Kind.NOMINAL
    assert NOMINAL.kind == "nominal"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "nominl"}, "kind 'nominl'; expected one of .* Did you mean 'nominal'"),
        ({"kind": 3}, "kind 3; expected one of continuous, ordinal, cyclic, nominal"),
        ({"dtype": "text"}, "dtype 'text'; expected one of float"),
        ({"categories": None}, "is nominal and has categories None"),
        ({"kind": "continuous"}, "is continuous and has categories"),
        ({"categories": ("x", "y", "x")}, "have 'x' twice"),
        ({"categories": (1, 1.0)}, "have 1.0 twice"),
        ({"period": 3.0}, "is nominal and has the period 3.0"),
        ({"kind": "cyclic", "categories": None}, "is cyclic and has the period None"),
        ({"kind": "cyclic", "categories": None, "period": 0.0}, "period 0.0; expected a finite"),
        ({"kind": "cyclic", "categories": None, "period": np.inf}, "period inf"),
        ({"missing": "dropped"}, "missing='dropped'; expected 'expected' or 'distinct'"),
        ({"name": 3}, "name 3 is not a string"),
    ],
)
def test_features_refuse_what_does_not_fit(fields, message):
    given = {"name": "b", "kind": "nominal", "dtype": "string", "categories": ("x", "y"), **fields}
    with pytest.raises((FeatureError, ParameterError), match=message):
        Feature(**given)


def test_labels_of_different_types_are_different_categories():
    Feature("b", "nominal", "mixed", categories=(1, True, "1"))


def test_schemas_refuse_no_features_and_names_used_twice():
    with pytest.raises(FeatureError, match="no features"):
        Schema(())
    with pytest.raises(FeatureError, match="'b' twice"):
        Schema((NOMINAL, NOMINAL))


def test_a_schema_reads_as_an_aligned_table():
    lines = repr(SCHEMA).splitlines()
    assert lines[0] == "Schema of 6 features"
    assert lines[1].split() == ["name", "kind", "values", "missing"]
    kinds = ["kind", *(str(feature.kind) for feature in SCHEMA)]
    assert len({line.index(kind) for line, kind in zip(lines[1:], kinds, strict=True)}) == 1
    assert "2 categories: 1 < 2" in repr(SCHEMA)
    assert "int, period 24" in repr(SCHEMA)


def test_dates_are_shown_with_the_day_they_are_counted_from():
    schema = infer_schema({"x": [dt.datetime(2024, 2, 29, 12)], "y": [None]})
    assert "datetime from 2024-02-29" in repr(schema)


def test_long_names_many_categories_and_many_features_are_cut_short():
    table = {f"column {number} {'x' * 200}": ["a"] for number in range(100)}
    schema = infer_schema(table)
    assert len(repr(schema).splitlines()) < 70
    assert "… and 40 more" in repr(schema)
    assert max(map(len, repr(schema).splitlines())) < 120
    many = infer_schema({"x": [*range(1000)]}, categorical_features=["x"])
    assert "1000 categories: 0, 1, 2, 3, 4, 5, …" in repr(many)


def test_line_breaks_in_the_data_do_not_break_the_table():
    schema = infer_schema({"a\nb": ["c\nd\x1b[31m"]})
    assert len(repr(schema).splitlines()) == 3
    assert "\x1b" not in repr(schema)


def test_html_is_escaped():
    schema = infer_schema({"<script>": ["<b>&", "'\"><img>"]})
    html = schema._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<img>" not in html
    assert html.startswith("<table>")


@pytest.mark.parametrize("library", LIBRARIES)
def test_schemas_survive_json(library):
    schema = infer_schema(library())
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert pickle.loads(pickle.dumps(schema)) == schema


values = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.UTC)),
    st.dates(),
    st.times(),
    st.timedeltas(),
)


@given(values)
def test_every_category_value_survives_json_with_its_type(value):
    feature = Feature("x", "nominal", "mixed", categories=(value,), missing_values=(value,))
    again = Feature.from_dict(json.loads(json.dumps(feature.to_dict())))
    assert again == feature
    assert type(again.categories[0]) is type(value)


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ({"name": "x", "kind": "continuous"}, "'dtype' is missing"),
        ({"name": "x", "kind": "continuous", "dtype": "int", "code": "x"}, "'code' is unknown"),
        (
            {"name": "x", "kind": "nominal", "dtype": "int", "categories": [None]},
            "None is not a category",
        ),
        (
            {"name": "x", "kind": "nominal", "dtype": "int", "categories": [{"eval": "1"}]},
            "is not a category",
        ),
    ],
)
def test_saved_features_that_are_wrong_are_refused(saved, message):
    with pytest.raises(ParameterError, match=message):
        Feature.from_dict(saved)


def test_saved_schemas_that_are_wrong_are_refused():
    with pytest.raises(ParameterError, match="'features' is missing"):
        Schema.from_dict({})


def test_unsavable_categories_are_refused():
    feature = Feature("x", "nominal", "mixed", categories=((1, 2),))
    with pytest.raises(ParameterError, match="A tuple cannot be a category"):
        feature.to_dict()


def test_a_decimal_category_is_the_number_that_it_is():
    with pytest.raises(FeatureError, match="twice"):
        Feature("x", "nominal", "decimal", categories=(Decimal("0.1"), 0.1))


def test_without_names_the_order_of_the_table_counts():
    features = infer_schema({"b": [1.0], "job": ["cook"], "a": [2.0]}).features
    schema = Schema(features, by_name=False)
    assert [one.name for one in schema.storage] == ["b", "a", "job"]
    assert Schema.from_dict(schema.to_dict()) == schema
    changed = schema.replace("a", missing="distinct")
    assert [one.name for one in changed.storage] == ["b", "a", "job"]
    grown = grow_schema({"job": ["smith"]}, schema)
    assert [one.name for one in grown.storage] == ["b", "a", "job"]
