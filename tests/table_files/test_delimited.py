"""CSV as spreadsheets write it where commas are decimal points."""

from __future__ import annotations

import pytest

from vicinal import Model
from vicinal.table_files.reading import read_blocks, read_body


def read(text):
    return read_body(text.encode(), "csv", "table.csv").table()


def test_between_semicolons_numbers_may_have_decimal_commas():
    table = read("price;rooms;name\n1.234,5;3;a, b\n-7;2;c\nNA;1;d\n,5;1;e\n+2,5e3;1;f\n")
    assert table["price"] == [1234.5, -7.0, None, 0.5, 2500.0]
    assert table["rooms"] == [3, 2, 1, 1, 1]
    assert table["name"] == ["a, b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    "column",
    [
        ["1,5", "about 2"],  # text
        ["1,5", "1.500"],  # which of them is the decimal point?
        ["1,5", "2,5,3"],
        ["1.23,5", "2,5"],  # no thousands
    ],
)
def test_a_column_with_anything_else_stays_as_it_is(column):
    assert read("x;y\n" + "".join(f"{cell};1\n" for cell in column))["x"] == column


def test_points_are_decimal_points_where_no_number_has_a_comma():
    assert read("x;y\n1.500;1\n2.5;2\n")["x"] == [1.5, 2.5]


def test_between_commas_and_tabs_commas_are_no_decimal_points(tmp_path):
    assert read('x,y\n"1,5",1\n"2,5",2\n')["x"] == ["1,5", "2,5"]
    path = tmp_path / "table.tsv"
    path.write_text("x\ty\n1,5\t1\n")
    [block] = read_blocks(str(path), size=None)
    assert block.table()["x"] == ["1,5"]


@pytest.mark.parametrize("separator", ["\t", "|", ";"])
def test_other_separators_are_recognized_where_the_first_line_has_no_comma(separator):
    table = read("name;x;y\nn, m;1;2\no;2;3\n".replace(";", separator))
    assert table == {"name": ["n, m", "o"], "x": [1, 2], "y": [2, 3]}
    # A comma in the first line separates, whatever else is there.
    assert list(read(f"a,b{separator}c\n1,2\n")) == ["a", f"b{separator}c"]


def test_new_rows_in_blocks_have_the_numbers_that_the_model_was_fitted_to(tmp_path):
    lines = [f"{i},25;{i % 3}" for i in range(30)]
    path = tmp_path / "table.csv"
    path.write_text("x;y\n" + "\n".join(lines))
    [whole] = read_blocks(str(path), size=None)
    model = Model(max_members=1).fit(whole.table())
    for block in read_blocks(str(path), size=7):
        assert (
            block.rows(model.schema_)["x"]
            == [i + 0.25 for i in range(30)][block.first_row : block.first_row + len(block)]
        )
