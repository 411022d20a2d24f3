"""The building blocks of what results show."""

from __future__ import annotations

import numpy as np

from vicinal.formatting.sheet import Bar, Marked, Words, bars, cell_text, is_numeric, left_out


def test_bars_are_relative_to_the_largest_known():
    made = bars([4.0, -1.0, np.nan, np.inf])
    assert [one.share for one in made] == [1.0, -0.25, 0.0, 1.0]
    assert [one.share for one in bars([0.0, 0.0])] == [0.0, 0.0]
    assert bars([]) == []


def test_cells_are_short_text_but_sentences_are_whole():
    long = "a" * 60
    assert cell_text(long) == "a" * 47 + "…"
    assert cell_text(Marked(long)) == "a" * 47 + "…"
    assert cell_text(Words(long + "\n")) == long + "\N{REPLACEMENT CHARACTER}"
    assert cell_text(Bar("7 %", 0.5)) == "7 %"


def test_columns_of_numbers_are_told_from_others():
    assert is_numeric([1, None, 2.5, Marked(np.float64(3)), ""])
    assert not is_numeric([1, "a"])
    assert not is_numeric([True])
    assert not is_numeric([None])


def test_what_is_left_out_is_counted():
    assert [left_out(n, "row") for n in (-1, 0, 1, 2)] == [
        "",
        "",
        "… and 1 more row",
        "… and 2 more rows",
    ]
