"""Sheets in a terminal."""

from __future__ import annotations

from vicinal.formatting.sheet import Bar, Grid, Marked, Sheet, Words
from vicinal.formatting.sheet_text import sheet_text

SHEET = Sheet(
    "Title",
    ("A note.",),
    (
        Grid(
            "Caption",
            [
                ("", ["this row", "#1"]),
                ("x", [1.5, Marked(12.25)]),
                ("share", [Bar("", 0.0), Bar("50 %", 0.5)]),
            ],
            own=frozenset({0}),
            note="… and 3 more cases",
        ),
        Grid("For the curious", [("a", [1])], detail=True),
    ),
)


def test_a_sheet_is_its_title_notes_and_tables():
    assert sheet_text(SHEET).splitlines() == [
        "Title",
        "  A note.",
        "  Caption",
        "                   x  share",
        "    this row    1.5",
        "    #1        12.25*  50 % █████",
        "    … and 3 more cases",
    ]


def test_a_comparison_that_is_too_wide_is_turned():
    names = [f"a feature with a long name {at}" for at in range(5)]
    columns = [("", ["this row", "#1"]), *((name, [1, Marked(2)]) for name in names)]
    lines = sheet_text(Sheet("Title", grids=(Grid("", columns, own=frozenset({0})),))).splitlines()
    assert lines[1].split() == ["this", "row", "#1"]
    assert [line.split()[-2:] for line in lines[2:]] == [["1", "2*"]] * 5


def test_columns_that_do_not_fit_are_named():
    columns = [(f"{at}" * 40, [at]) for at in range(4)]
    lines = sheet_text(Sheet("Title", grids=(Grid("", columns),))).splitlines()
    assert lines[-1].startswith("  … and 2 more columns in to_frame(): 2222")
    assert max(map(len, lines)) <= 90


def test_a_long_sentence_continues_below():
    columns = [("case", ["#1", "#2"]), ("why", [Words("word " * 30), Words("short")])]
    lines = sheet_text(Sheet("Title", grids=(Grid("", columns),))).splitlines()
    assert lines[2].startswith("  #1    word word")
    assert lines[3].startswith("        word word")
    assert lines[-1] == "  #2    short"


def test_the_end_of_a_long_caption_can_be_read():
    grid = Grid("from 2024-04-16 04:46:30+02:00 " * 3 + "(in days)", [("a", ["b"])])
    lines = sheet_text(Sheet("Title", grids=(grid,))).splitlines()
    assert lines[1].startswith("  from")
    assert lines[2].startswith("    ")
    assert lines[2].endswith("(in days)")
    assert max(map(len, lines)) <= 90
    endless = sheet_text(Sheet("Title", grids=(Grid("x" * 500, [("a", ["b"])]),))).splitlines()
    assert len(endless) == 5
    assert max(map(len, endless)) <= 90
