"""Single values, for people."""

import datetime as dt

import pytest

from vicinal.formatting.values import format_apart, format_pair, truncate, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "?"), (float("nan"), "?"), (3750.0, "3750"), (7, "7"), ("", "(empty)")],
)
def test_values_are_shown_short(value, text):
    assert value_text(value) == text


def test_text_that_nobody_could_see_is_quoted():
    assert [value_text(one) for one in ("  ", "\t", " a ")] == ["'  '", "'\\t'", " a "]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3979.0, "-1:06:19"),
        (-0.25, "-0:00:00.25"),
        (-86400.0, "-(1 day, 0:00:00)"),
        (-180000.5, "-(2 days, 2:00:00.5)"),
        (10.0, "0:00:10"),
        (17891.5, "4:58:11.5"),
    ],
)
def test_durations_read_as_a_person_would_write_them(seconds, text):
    assert value_text(dt.timedelta(seconds=seconds)) == text


def test_the_longest_durations_have_a_text():
    assert value_text(dt.timedelta.min) == "-(999999999 days, 0:00:00)"
    assert value_text(dt.timedelta.max) == "999999999 days, 23:59:59.999999"


def test_truncation_counts_the_ellipsis():
    assert truncate("penguin", 7) == "penguin"
    assert truncate("penguin", 6) == "pengu…"


@pytest.mark.parametrize(
    ("one", "other", "texts"),
    [
        (-121.4559, -121.4788, ("-121.46", "-121.48")),
        (123455.4, 123454.6, ("123455.4", "123454.6")),
        (0.1, 0.1 + 1e-16, ("0.1", "0.1000000000000001")),
        (2.0, 2.0, ("2", "2")),
        (9999.96, 10000.04, ("9999.96", "10000")),
        (3e12, 3e12 + 1, ("3000000000000", "3000000000001")),
        (3.0, None, ("3", "?")),
        (float("nan"), float("nan"), ("?", "?")),
        ("Biscoe", "Dream", ("Biscoe", "Dream")),
    ],
)
def test_a_pair_has_as_many_digits_as_tell_its_numbers_apart(one, other, texts):
    assert format_pair(one, other) == texts
    assert format_pair(other, one) == texts[::-1]


def test_values_of_a_column_share_the_digits_that_tell_them_apart():
    texts = format_apart([38.5398, 38.5421, 38.5421, None, "far"])
    assert texts == ["38.54", "38.542", "38.542", "?", "far"]
    assert format_apart([38.5398, 38.53981], most=6) == ["38.5398", "38.5398"]
