"""Labels of cases: both ways, in text and in frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.exceptions import ParameterError, TableError
from vicinal.tables.case_labels import CaseLabels, check_labels

labels = st.lists(
    st.text(max_size=3) | st.integers(-3, 9) | st.dates(), unique_by=lambda one: (type(one), one)
)


@given(labels, st.data())
def test_labels_are_what_a_dict_of_them_would_be(names, data):
    made, expected = CaseLabels(range(len(names)), names), dict(enumerate(names))
    gone = data.draw(st.sets(st.integers(0, 12)))
    made.remove(gone)
    expected = {number: name for number, name in expected.items() if number not in gone}
    for number in range(13):
        assert made.of(number) == expected.get(number, number)
        assert made.label_of(number) == expected.get(number)
    for number, name in expected.items():
        assert made.number_of(name) == number
    assert len(made) == len(expected)
    numbers, kept = made.by_number()
    assert dict(zip(numbers.tolist(), kept, strict=True)) == expected


def test_text_has_a_number_sign_before_numbers_only():
    made = CaseLabels([0, 1], ["P-17", 1042])
    assert [made.text(number) for number in range(3)] == ["P-17", "#1042", "#2"]
    assert [made.plain(number) for number in range(3)] == ["P-17", "1042", "2"]


def test_control_characters_do_not_reach_the_terminal():
    assert "\x1b" not in CaseLabels([0], ["\x1b[31m"]).text(0)


def test_a_column_of_a_frame_has_one_type():
    numbers = np.array([2, 0, 1])
    assert CaseLabels().listed(numbers) is numbers
    assert CaseLabels([0, 1, 2], ["a", "b", "c"]).listed(numbers) == ["c", "a", "b"]
    assert CaseLabels([0, 1], ["a", "b"]).listed(numbers) == ["#2", "a", "b"]
    assert CaseLabels([0, 1, 2], ["a", 7, "c"]).listed(numbers) == ["c", "a", "#7"]


def test_results_keep_the_labels_of_their_cases_only():
    made = CaseLabels(range(4), "abcd")
    some = made.some([3, 1, 3, -1, 9])
    made.remove([3])
    assert (some.text(3), some.text(1), some.text(0)) == ("d", "b", "#0")


def test_other_numbers_have_the_labels_along():
    made = CaseLabels([0, 2, 5], "abc", kept=True)
    assert made.renumbered(np.array([5, 1, 0])).by_number()[1] == ["c", "a"]
    assert made.moved(np.array([9, 8, 7, 6, 5, 4])).of(4) == "c"


def test_an_unknown_label_is_an_error_with_a_suggestion():
    with pytest.raises(ParameterError, match=r"No case has the label 'P-71'.*Did you mean 'P-17'"):
        CaseLabels([0, 1], ["P-17", "Q-99"]).numbers_of(["P-71"])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", None], r"row 1 is missing in the index"),
        (["a", "b", "a"], r"'a' occurs twice in the index, in rows 0 and 2"),
        ([1, 1.0], r"1\.0 occurs twice"),
        (["x"], r"'x' is stored already"),
    ],
)
def test_labels_must_tell_cases_apart(names, message):
    with pytest.raises(TableError, match=message):
        check_labels(names, "the index", CaseLabels([0], ["x"]))


def test_labels_print_in_a_line():
    assert repr(CaseLabels([0, 1], ["P-1", "P-2"], "who")) == (
        "CaseLabels of column 'who': 'P-1', 'P-2'"
    )
    assert repr(CaseLabels()) == "CaseLabels: none"
