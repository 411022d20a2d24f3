"""Identifiers and free text are not features, unless the user says so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.roles import IgnoredColumn, ignored_text, role_of, row_counts
from vicinal.schema.schema import Schema
from vicinal.tables.arrays import column_of

N = 40
NAMES = [f"Braund, Mr. Owen {n}" for n in range(N)]
TEXTS = [f"the passenger in cabin {n} was seen on deck" for n in range(N)]
JOBS = ["cook", "smith", "pilot", "cook"] * (N // 4)
TABLE = {
    "PassengerId": list(range(1, N + 1)),
    "name": NAMES,
    "age": [20 + n % 17 for n in range(N)],
    "remark": TEXTS,
    "job": JOBS,
}


def role(name, values):
    return role_of(name, column_of(values, name))


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("name", NAMES, "identifier"),
        ("name", [*NAMES[:30], *[None] * 10], "identifier"),
        ("remark", TEXTS, "text"),
        ("job", JOBS, None),
        ("city", NAMES[:20] + NAMES[:20], None),  # each twice
        ("name", NAMES[:19], None),  # too few to tell
        ("PassengerId", list(range(N)), "identifier"),
        ("patient_id", [7 * n + 3 for n in range(N)], "identifier"),
        ("EmployeeNumber", list(range(N)), "identifier"),
        ("Unnamed: 0", list(range(N)), "identifier"),
        ("patient_id", [None, *range(N)], None),  # pandas would have floats here
        ("id", [float(n) for n in range(N)], None),
        ("number of steps", list(range(N)), None),
        ("year", list(range(1900, 1900 + N)), None),
        ("income", [1000 + 7 * n for n in range(N)], None),
        ("x", list(range(N)), None),
    ],
)
def test_a_column_names_rows_if_most_values_occur_once(name, values, expected):
    assert role(name, values) == expected


def test_more_than_half_of_the_rows_must_have_a_value_of_their_own():
    rows = 400  # one half and two standard errors are 220 rows
    for alone, expected in [(220, None), (221, "identifier")]:
        values = [f"a{n}" for n in range(alone)]
        values += ["b"] * (rows - alone)
        assert role("ticket", values) == expected


def test_categoricals_and_dates_are_never_identifiers():
    frame = pd.DataFrame(
        {"kind": pd.Categorical(NAMES), "day": pd.date_range("2020-01-01", periods=N)}
    )
    assert infer_schema(frame).ignored == ()


def test_the_numbers_of_a_bare_array_are_taken_as_they_are():
    array = np.column_stack([np.arange(N), np.arange(N) % 2])
    schema = infer_schema(array)
    assert [str(one.kind) for one in schema] == ["continuous", "continuous"]
    assert not schema.ignored


def test_ignored_columns_are_in_the_schema_and_not_among_its_features():
    schema = infer_schema(TABLE)
    assert schema.names == ("age", "job")
    assert schema.table_names == tuple(TABLE)
    assert schema.identifiers == ("PassengerId", "name")
    assert [(one.name, one.role) for one in schema.ignored] == [
        ("PassengerId", "identifier"),
        ("name", "identifier"),
        ("remark", "text"),
    ]
    assert "Schema of 2 features; 3 columns ignored" in repr(schema)
    assert "free text" in schema._repr_html_()
    with pytest.raises(FeatureError, match=r"'name' is ignored \(identifier\). To use a column"):
        schema.column("name")


@pytest.mark.parametrize(
    "options",
    [
        {"kinds": {"name": "nominal"}},
        {"categorical_features": ["name"]},
        {"ordinal_features": {"name": sorted(NAMES)}},
        {"classes": {"name": NAMES[:2]}},
    ],
)
def test_a_declared_column_is_a_feature(options):
    assert infer_schema(TABLE, **options).names == ("name", "age", "job")


def test_the_user_may_choose_what_is_ignored():
    assert infer_schema(TABLE, ignore=[]).names == tuple(TABLE)
    schema = infer_schema(TABLE, ignore=["job", "name"])
    assert schema.names == ("PassengerId", "age", "remark")
    assert [one.role for one in schema.ignored] == ["identifier", "other"]


@pytest.mark.parametrize(
    ("ignore", "options", "error", "message"),
    [
        ("name", {}, ParameterError, "expected 'auto', or a list"),
        (3, {}, ParameterError, "expected 'auto', or a list"),
        (["nam"], {}, FeatureError, "Did you mean 'name'"),
        (["job"], {"kinds": {"job": "nominal"}}, FeatureError, "declared as a feature"),
        (list(TABLE), {}, FeatureError, "names all columns"),
    ],
)
def test_wrong_choices_are_refused(ignore, options, error, message):
    with pytest.raises(error, match=message):
        infer_schema(TABLE, ignore=ignore, **options)


def test_columns_are_not_all_ignored():
    assert infer_schema({"name": NAMES, "remark": TEXTS}).names == ("name", "remark")
    assert infer_schema({"name": NAMES, "y": JOBS}, kinds={"y": "nominal"}).names == ("name", "y")


@given(st.randoms(use_true_random=False))
def test_law_the_order_of_rows_and_columns_does_not_matter(random):
    rows = random.sample(range(N), N)
    names = random.sample(list(TABLE), len(TABLE))
    mixed = infer_schema({name: [TABLE[name][row] for row in rows] for name in names})
    plain = infer_schema(TABLE)
    assert set(mixed) == set(plain)
    assert {(one.name, one.role) for one in mixed.ignored} == {
        (one.name, one.role) for one in plain.ignored
    }
    assert mixed.table_names == tuple(names)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pd", "pl", "pa"])
def test_law_the_library_does_not_matter(library):
    schema = infer_schema(library(TABLE))
    assert schema == infer_schema(TABLE)
    kept = encode(library(TABLE), schema)
    np.testing.assert_array_equal(kept, encode({"age": TABLE["age"], "job": JOBS}, schema))


def test_law_whole_weights_equal_repeated_rows():
    twice = np.full(N, 2.0)
    repeated = {name: values * 2 for name, values in TABLE.items()}
    assert infer_schema(TABLE, weights=twice).names == infer_schema(repeated).names
    assert row_counts(np.full(3, 0.5)) is None


def test_law_saved_schemas_are_the_same():
    schema = infer_schema(TABLE)
    assert Schema.from_dict(schema.to_dict()) == schema


@pytest.mark.parametrize("wrong", [{"role": "key"}, {"place": -1}, {"place": True}, {"name": 3}])
def test_saved_columns_are_checked(wrong):
    with pytest.raises((FeatureError, ParameterError)):
        IgnoredColumn(**{"name": "a", "role": "text", "place": 0, **wrong})


def test_a_name_cannot_be_a_feature_and_ignored():
    saved = infer_schema(TABLE).to_dict()
    saved["ignored"][0]["name"] = "age"
    with pytest.raises(FeatureError, match="twice"):
        Schema.from_dict(saved)


def test_rows_may_have_the_ignored_columns_or_not():
    schema = infer_schema(TABLE)
    bare = [[1, "new", 30, "any text", "cook"]]
    expected = encode({"age": [30], "job": ["cook"]}, schema)
    named = dict(zip(TABLE, bare[0], strict=True))
    for rows in (named, bare, [[30, "cook"]], {**named, "name": 3}):
        np.testing.assert_array_equal(encode(rows, schema), expected)


def test_one_line_says_what_is_ignored():
    text = ignored_text(infer_schema(TABLE).ignored)
    assert text.startswith("Ignored columns: 'PassengerId' (identifier), 'name' (identifier), ")


def test_integers_that_floats_cannot_tell_apart_are_names_and_large_times_are_not():
    n = np.arange(60)
    assert role_of("card", column_of(2**60 + n // 3, "card")) == "identifier"
    assert role_of("nanoseconds", column_of(17 * 10**17 + 10**9 * n, "nanoseconds")) is None
    assert role_of("count", column_of(2**50 + n, "count")) is None
    assert role_of("0", column_of(2**60 + n, "0"), named=False) is None
