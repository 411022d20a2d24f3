"""Tables as plain text."""

from hypothesis import given
from hypothesis import strategies as st

from vicinal.formatting.text_table import aligned_lines, terminal_width, text_table, text_width
from vicinal.formatting.values import truncate

CELLS = st.none() | st.integers() | st.floats() | st.text()


def test_columns_align_text_left_and_numbers_right():
    assert aligned_lines([["a", "1"], [], ["bcd", "23", "x"]], right=[1, 2]) == [
        "a     1",
        "",
        "bcd  23  x",
    ]


@given(st.text(), st.integers(1, 30))
def test_law_truncated_text_fits(text, width):
    assert text_width(truncate(text, width, text_width)) <= max(width, 1)


@given(
    st.integers(0, 4).flatmap(
        lambda n: st.dictionaries(
            st.text(), st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=8
        )
    ),
    st.integers(40, 120),
)
def test_law_no_line_is_wider_than_the_screen(columns, width):
    lines = text_table(columns, width=width).split("\n")
    assert max(map(text_width, lines)) <= width
    count = len(next(iter(columns.values())))
    assert len(lines) in (count + 1, count + 2)


def test_wide_characters_are_aligned_by_their_width():
    assert aligned_lines([["ペン", "1"], ["abc", "22"]], right=[1]) == ["ペン   1", "abc   22"]
    assert truncate("ペンギン", 6, text_width) == "ペン…"


def test_columns_that_do_not_fit_are_named():
    columns = {f"a rather long name {i}": ["x"] for i in range(4)}
    lines = text_table(columns, width=60).splitlines()
    assert lines[-1].startswith("… and 2 more columns: a rather long name 2")


def test_the_terminal_is_never_taken_for_narrower_than_a_table(monkeypatch):
    monkeypatch.setenv("COLUMNS", "7")
    assert terminal_width() == 40
