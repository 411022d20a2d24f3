"""Text read as values, and values written as text."""

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.exceptions import TableError
from vicinal.schema.feature import Feature
from vicinal.schema.infer import infer_schema
from vicinal.table_files.cells import (
    MISSING,
    cell_text,
    column_as,
    column_of_text,
    set_text,
    value_as,
)

COLUMNS = {
    "bool": st.booleans(),
    "int": st.integers(-(10**12), 10**12),
    "float": st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x % 1 != 0),
    "date": st.dates(dt.date(1800, 1, 1)),
    "datetime": st.datetimes(dt.datetime(1800, 1, 1)).filter(lambda x: x.microsecond),
    "time": st.times(),
    "string": st.text(min_size=1).map(lambda text: "x" + text),
}


@pytest.mark.parametrize("dtype", COLUMNS)
@given(data=st.data())
def test_law_reading_undoes_writing(dtype, data):
    one = st.lists(st.none() | COLUMNS[dtype], min_size=1)
    values = data.draw(one.filter(lambda column: any(v is not None for v in column)))
    assert column_of_text(list(map(cell_text, values))) == values


@given(st.lists(st.text() | st.sampled_from(["1", "NA", "2.5", "true", "2024-01-31", "007"])))
def test_law_a_column_is_of_one_type_and_keeps_its_length(cells):
    values = column_of_text(cells)
    assert len(values) == len(cells)
    assert len({type(value) for value in values if value is not None}) <= 1
    gone = [cell.strip() in MISSING for cell in cells]
    assert [value is None for value in values] == gone


@given(st.lists(st.sampled_from(["1", "NA", "2.5", "-3e2", "", ".5", " 7 "]), min_size=1))
def test_law_a_model_reads_a_part_of_a_column_as_the_whole(cells):
    whole = [*cells, "1.25"]
    feature = infer_schema({"x": column_of_text(whole)})["x"]
    assert column_as(cells, feature) == column_of_text(whole)[:-1]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["007", "1"], ["007", "1"]),
        (["1_000"], ["1_000"]),
        (["１"], ["１"]),
        (["1,5"], ["1,5"]),
        (["20240131"], [20240131]),
        (["2024-02-30"], ["2024-02-30"]),
        (["-inf", "1"], [-math.inf, 1.0]),
        (["yes", "no"], ["yes", "no"]),
        (["NULL", "n/a"], [None, None]),
        (
            ["2024-01-31", "2024-01-31 12:00"],
            [dt.datetime(2024, 1, 31), dt.datetime(2024, 1, 31, 12)],
        ),
    ],
)
def test_doubtful_cells_are_read_with_care(cells, values):
    assert column_of_text(cells) == values


def test_a_category_spelled_like_nothing_is_a_category_to_its_model():
    feature = Feature("heating", "nominal", "string", categories=("None", "gas"))
    assert column_as(["None", "gas", ""], feature) == ["None", "gas", None]


def test_labels_that_are_no_text_are_known_by_how_they_are_written():
    feature = Feature("code", "nominal", "mixed", categories=(1, "a", 2.5))
    assert column_as(["1", "a", "2.5", "b"], feature) == [1, "a", 2.5, "b"]


def test_a_cell_that_does_not_fit_is_named():
    feature = Feature("size", "continuous", "float")
    with pytest.raises(TableError, match=r"row 12 \(counted from 0\): 'size' is 'big'"):
        column_as(["1", "", "big"], feature, first_row=10)
    with pytest.raises(TableError, match=r"^'size' is 'big'"):
        value_as("big", feature)


def test_a_value_of_an_option_has_the_type_of_its_feature():
    assert value_as("2.5", Feature("size", "continuous", "float")) == 2.5


def test_several_values_are_one_cell():
    assert set_text(["a", 2.0]) == "a; 2.0"
