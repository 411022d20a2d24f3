"""Schemas as text and HTML."""

from __future__ import annotations

import datetime as dt

import pandas as pd

from tests.schema.examples import ALL_KINDS
from vicinal.schema.infer import infer_schema


def test_a_schema_reads_as_an_aligned_table():
    lines = repr(ALL_KINDS).splitlines()
    assert lines[0] == "Schema of 6 features"
    assert lines[1].split()[:3] == ["name", "kind", "values"]
    kinds = ["kind", *(str(feature.kind) for feature in ALL_KINDS)]
    assert len({line.index(kind) for line, kind in zip(lines[1:], kinds, strict=True)}) == 1
    assert "2 categories: 1 < 2" in repr(ALL_KINDS)
    assert "int, period 24" in repr(ALL_KINDS)


def test_missing_values_have_a_column_where_they_are_not_only_empty_cells():
    table = {"age": [31, -999, 47], "job": ["cook", "smith", None]}
    assert "missing" not in repr(infer_schema(table))
    schema = infer_schema(table, missing_values={"age": -999}).replace("job", missing="distinct")
    head, age, job = repr(schema).splitlines()[1:]
    assert head.endswith("missing values")
    assert age.endswith("also -999")
    assert job.endswith("distinct")


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


def test_the_first_day_is_that_of_the_time_zone():
    days = pd.date_range("2024-01-01", periods=3, tz="Europe/Zurich")  # 2023-12-31 in UTC
    assert "datetime from 2024-01-01" in str(infer_schema(pd.DataFrame({"when": days})))
