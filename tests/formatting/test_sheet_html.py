"""Sheets in a notebook."""

from __future__ import annotations

from tests.formatting.test_sheet_text import SHEET
from vicinal.formatting.sheet import Bar, Grid, Marked, Sheet, Words
from vicinal.formatting.sheet_html import grid_html, sheet_html


def test_a_sheet_is_a_page_with_a_style():
    page = sheet_html(SHEET)
    assert page.startswith('<div class="vicinal"><style>')
    assert "<h4>Title</h4><p>A note.</p>" in page
    assert "<details><summary>For the curious</summary>" in page
    assert '<tr class="own"><th scope="row">this row</th>' in page


def test_marked_cells_and_sentences_have_their_classes():
    columns = [("a", ["#1"]), ("x", [Marked(1.5, "surprisal <2>")]), ("why", [Words("a <b>")])]
    page = grid_html(Grid("", columns))
    assert '<td class="differs n" title="surprisal &lt;2&gt;">1.5</td>' in page
    assert '<td class="words">a &lt;b&gt;</td>' in page
    assert "<caption>" not in page


def test_bars_point_to_both_sides_where_some_are_negative():
    page = grid_html(Grid("", [("a", ["x", "y"]), ("b", [Bar("+2", 1.0), Bar("−1", -0.5)])]))
    assert '<th scope="col" colspan="2">b</th>' in page
    assert '<div class="bar up" style="width:4.00em;margin-left:4.00em">' in page
    assert '<div class="bar down" style="width:2.00em;margin-left:2.00em">' in page


def test_an_empty_table_is_its_caption_and_note():
    page = sheet_html(Sheet("Title", grids=(Grid("None <found>", [], note="… and 2 more"),)))
    assert "<p><b>None &lt;found&gt;</b></p>" in page
    assert '<p class="note">… and 2 more</p>' in page
    assert "<table>" not in page
