"""Dates and times that are written as text."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from vicinal import Model
from vicinal.formatting.values import value_text
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.table_files.cells import cell_text, column_of_text
from vicinal.tables.arrays import column_of
from vicinal.tables.iso_text import read_duration, times_column, times_of_text, values_like

DAYS = ["2024-01-31", "2024-02-01", "2023-12-24"]
DATES = [dt.date.fromisoformat(day) for day in DAYS]


@pytest.mark.parametrize(
    ("texts", "dtype"),
    [
        (DAYS, "date"),
        ([*DAYS, None], "date"),
        (["2024-01-31T12:30", "2024-01-31"], "datetime"),
        (["2024-01-31 12:30:15.25"], "datetime"),
        (["2024-01-31T12:30Z", "2024-01-31T12:30+01:00"], "datetime"),
        (["12:30", "23:59:59"], "time"),
        (["2024-01-31", "12:30"], None),
        (["2024-01-31", "soon"], None),
        (["2024-02-30"], None),
        (["20240131"], None),
        (["31.01.2024"], None),
        (["2024-01-31T12:30Z", "2024-01-31T12:30"], None),  # only one has a time zone
        ([None, None], None),
        ([1, 2], None),
    ],
)
def test_text_is_a_time_if_all_of_it_is_written_as_one(texts, dtype):
    read = times_column(column_of(texts, "x"), "x")
    assert (None if read is None else read.dtype) == dtype


def test_the_command_line_reads_the_same():
    for texts in (DAYS, ["2024-01-31T12:30", "2024-01-31"], ["12:30"]):
        assert column_of_text(texts) == times_of_text(texts)


@pytest.mark.parametrize("library", [dict, pd.DataFrame, pl.DataFrame])
def test_text_and_dates_give_the_same_schema_and_values(library):
    written, typed = infer_schema(library({"day": DAYS})), infer_schema({"day": DATES})
    assert written == typed
    for rows in (DAYS, DATES):
        for schema in (written, typed):
            np.testing.assert_array_equal(
                encode(library({"day": rows}), schema), encode({"day": DATES}, typed)
            )


def test_declared_labels_stay_text():
    [feature] = infer_schema({"day": DAYS}, kinds={"day": "nominal"})
    assert feature.categories == tuple(sorted(DAYS))
    frame = pd.DataFrame({"day": pd.Categorical(DAYS)})
    assert infer_schema(frame)["day"].dtype == "category"


def test_imputed_dates_are_text_where_the_column_is():
    days = [f"2024-01-{day:02d}" for day in range(1, 31)]
    frame = pd.DataFrame({"day": [*days, None], "n": [*range(30), 14.5]})
    filled = Model().fit(frame).impute(effort="low", table=frame).table
    assert filled["day"].map(type).eq(str).all()
    assert "2024-01-10" < filled["day"][30] < "2024-01-21"


def test_only_columns_of_text_get_text():
    day = [DATES[0]]
    assert values_like(column_of(DAYS, "x"), day) == DAYS[:1]
    assert values_like(column_of(DATES, "x"), day) == day


@pytest.mark.parametrize(
    "span",
    [
        dt.timedelta(0),
        dt.timedelta(hours=-1, minutes=-6),
        dt.timedelta(hours=30),
        dt.timedelta(days=3, hours=2, seconds=1.5),
        dt.timedelta(days=-3, hours=2, seconds=1.5),
        dt.timedelta(days=-2),
    ],
)
def test_durations_are_read_however_they_are_written(span):
    for text in (str(span), str(pd.Timedelta(span)), value_text(span), cell_text(span)):
        assert read_duration(text) == span


@pytest.mark.parametrize(
    "text",
    ["", "1h", "-", "1:2", "days", "1e400", "inf", "()", "-(1:00:00", "1:61:00", "5 days, "],
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match=r"^(Python int.*)?$"):
        read_duration(text)
