"""Single values, for people."""

import pytest

from vicinal.formatting.values import truncate, value_text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "?"), (float("nan"), "?"), (3750.0, "3750"), (7, "7"), ("", "")]
)
def test_values_are_shown_short(value, text):
    assert value_text(value) == text


def test_truncation_counts_the_ellipsis():
    assert truncate("penguin", 7) == "penguin"
    assert truncate("penguin", 6) == "pengu…"
