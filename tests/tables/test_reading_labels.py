"""Labels come from an id column, or from the index of a dataframe."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from vicinal.exceptions import FeatureError, TableError
from vicinal.tables.case_labels import CaseLabels
from vicinal.tables.reading_labels import labels_of_fit, labels_of_new
from vicinal.tables.table import read_table

TABLE = {"patient": ["P-17", "P-18"], "age": [31, 47]}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_an_id_column_of_any_library_is_no_feature(make):
    rest, labels = labels_of_fit(read_table(make(TABLE)), "patient")
    assert rest.names == ("age",)
    assert labels.by_number()[1] == ["P-17", "P-18"]
    assert (labels.column, labels.kept) == ("patient", True)


def test_without_an_id_column_the_index_names_the_cases():
    table, labels = labels_of_fit(read_table(pd.DataFrame(TABLE, index=[5, 9])), None)
    assert table.names == ("patient", "age")
    assert labels.by_number()[1] == [5, 9]
    assert not labels_of_fit(read_table(TABLE), None)[1].kept


@pytest.mark.parametrize(
    ("index", "why"), [(["a", "a"], "occurs twice"), ([1.0, None], "missing")]
)
def test_an_index_that_does_not_tell_cases_apart_is_noted_once(index, why):
    with pytest.warns(UserWarning, match=f"{why}.*go by their numbers") as noted:
        _, labels = labels_of_fit(read_table(pd.DataFrame(TABLE, index=index)), None)
    assert len(noted) == 1
    assert not labels.kept


@pytest.mark.parametrize(
    ("table", "column", "error", "message"),
    [
        (TABLE, "patients", FeatureError, r"id='patients' .* Did you mean 'patient'"),
        (TABLE, 3, FeatureError, r"id=3"),
        ({"patient": ["a"]}, "patient", TableError, r"no columns but 'patient'"),
        ({**TABLE, "patient": ["a", "a"]}, "patient", TableError, r"'a' occurs twice .*'patient'"),
        ({**TABLE, "patient": ["a", None]}, "patient", TableError, r"row 1 is missing"),
    ],
)
def test_an_id_column_must_tell_cases_apart(table, column, error, message):
    with pytest.raises(error, match=message):
        labels_of_fit(read_table(table), column)


def test_new_cases_need_an_id_that_no_case_has():
    known = CaseLabels([0], ["P-17"], "patient", kept=True)
    assert labels_of_new(read_table({"patient": ["N"], "age": [1]}), known)[1] == ["N"]
    with pytest.raises(TableError, match=r"'P-17' is stored already; change it with update"):
        labels_of_new(read_table(TABLE), known)
    with pytest.raises(TableError, match=r"lack 'patient'"):
        labels_of_new(read_table({"age": [1]}), known)


def test_new_cases_without_a_label_go_by_number():
    by_index = CaseLabels([0], ["P-17"], kept=True)
    assert labels_of_new(read_table({"age": [1]}), by_index)[1] == [None]
    with pytest.warns(UserWarning, match="stored already"):
        assert labels_of_new(read_table(pd.DataFrame({"age": [1]}, index=["P-17"])), by_index)[
            1
        ] == [None]
