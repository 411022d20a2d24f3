"""Schemas: lookup, storage order, and what they refuse."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given

from tests.schema.examples import ALL_KINDS, NOMINAL, tables
from tests.tables.libraries import LIBRARIES
from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.align import grow_schema
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.schema import Schema


def test_storage_is_by_group_then_by_name():
    assert [feature.name for feature in ALL_KINDS.storage] == ["m", "z", "day", "hour", "a", "b"]


def test_features_are_found_by_name():
    assert ALL_KINDS["b"] is NOMINAL
    assert [ALL_KINDS.column(feature.name) for feature in ALL_KINDS.storage] == list(range(6))
    assert "b" in ALL_KINDS
    assert "c" not in ALL_KINDS
    assert len(ALL_KINDS) == 6
    assert [feature.name for feature in ALL_KINDS] == list(ALL_KINDS.names)


def test_table_order_leads_from_storage_back_to_the_table():
    storage = np.array([feature.name for feature in ALL_KINDS.storage])
    assert tuple(storage[ALL_KINDS.table_order]) == ALL_KINDS.names


def test_columns_are_ascending_and_distinct():
    assert ALL_KINDS.columns(["b", "m", "b", "day"]).tolist() == [0, 2, 5]
    assert ALL_KINDS.columns([]).tolist() == []
    assert ALL_KINDS.columns([]).dtype.kind == "i"
    assert ALL_KINDS.columns("hour").tolist() == [3]


@pytest.mark.parametrize(
    "ask", [ALL_KINDS.column, ALL_KINDS.__getitem__, lambda n: ALL_KINDS.columns([n])]
)
def test_unknown_names_get_a_suggestion(ask):
    with pytest.raises(FeatureError, match=r"No feature is named 'hours'\. Did you mean 'hour'"):
        ask("hours")
    with pytest.raises(
        FeatureError, match=r"No feature is named 3.* The features are 'b', 'hour'"
    ):
        ask(3)


def test_replacing_a_feature_leaves_the_others():
    changed = ALL_KINDS.replace("z", missing="distinct")
    assert changed["z"].missing == "distinct"
    assert changed.names == ALL_KINDS.names
    assert ALL_KINDS["z"].missing == "expected"
    with pytest.raises(FeatureError, match="Did you mean 'hour'"):
        ALL_KINDS.replace("houre", missing="distinct")


def test_schemas_and_features_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        NOMINAL.name = "c"
    with pytest.raises(FrozenInstanceError):
        ALL_KINDS.features = ()


def test_schemas_refuse_no_features_and_names_used_twice():
    with pytest.raises(FeatureError, match="no features"):
        Schema(())
    with pytest.raises(FeatureError, match="'b' twice"):
        Schema((NOMINAL, NOMINAL))


@pytest.mark.parametrize("library", LIBRARIES)
def test_schemas_survive_json(library):
    schema = infer_schema(library())
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_saved_schemas_that_are_wrong_are_refused():
    with pytest.raises(ParameterError, match="'features' is missing"):
        Schema.from_dict({})


def test_without_names_the_order_of_the_table_counts():
    features = infer_schema({"b": [1.0], "job": ["cook"], "a": [2.0]}).features
    schema = Schema(features, by_name=False)
    assert [one.name for one in schema.storage] == ["b", "a", "job"]
    assert Schema.from_dict(schema.to_dict()) == schema
    changed = schema.replace("a", missing="distinct")
    assert [one.name for one in changed.storage] == ["b", "a", "job"]
    grown = grow_schema({"job": ["smith"]}, schema)
    assert [one.name for one in grown.storage] == ["b", "a", "job"]


@given(tables())
def test_schemas_of_any_table_survive_being_saved(table):
    schema = infer_schema(table, missing_values=["a", 1])
    again = Schema.from_dict(schema.to_dict())
    np.testing.assert_array_equal(encode(table, again), encode(table, schema))
