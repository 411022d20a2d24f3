"""Constants and copies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal import Model
from vicinal.schema.copies import find_copies, with_notes
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.schema import Schema

RNG = np.random.default_rng(0)
WIDTH = RNG.lognormal(size=80)
WORDS = np.array(["red", "green", "blue"])[RNG.integers(0, 3, 80)]
TABLE = {
    "width": WIDTH,
    "inch": WIDTH / 2.54,
    "measured": WIDTH * (1 + RNG.normal(size=80) * 1e-2),
    "height": RNG.lognormal(size=80),
    "color": WORDS,
    "Farbe": [{"red": "rot", "green": "grün", "blue": "blau"}[one] for one in WORDS],
    "planet": ["Earth"] * 80,
    "nothing": [None] * 80,
}


def notes_of(table):
    schema = infer_schema(table)
    return with_notes(schema, encode(table, schema))


def test_constants_copies_and_near_copies_have_a_note():
    schema = notes_of(TABLE)
    assert dict(schema.notes) == {
        "measured": "nearly proportional to 'inch'",
        "width": "one-to-one with 'inch'",
        "color": "one-to-one with 'Farbe'",
        "planet": "constant",
        "nothing": "all missing",
    }
    assert "float; one-to-one with 'inch'" in repr(schema)
    assert "1 category: Earth; constant" in schema._repr_html_()
    assert Schema.from_dict(schema.to_dict()) == schema


def test_copies_are_found_in_any_unit_direction_and_spelling():
    x = np.array([0.3, 0.1, 0.9, 0.1, np.nan])
    codes = np.array([0.0, 1.0, 1.0, 0.0, 2.0])
    table = np.column_stack([x, -7 * x + 2, x**3, codes, np.array([2, 0, 0, 2, 1.0]), codes[::-1]])
    nominal = np.array([False] * 3 + [True] * 3)
    assert find_copies(table, np.arange(6), nominal) == [(1, 0), (2, 0), (4, 3)]


def test_few_rows_are_alike_by_chance():
    assert dict(notes_of({"a": [1, 2, 4], "b": [0.5, 0.9, 7], "c": [3, 3, 3]}).notes) == {
        "c": "constant"
    }


def test_copies_are_compared_in_all_rows():
    x = np.concatenate([np.zeros(1500), np.arange(500.0)])
    y = np.concatenate([np.zeros(1500), np.arange(500.0)[::-1]])
    assert find_copies(np.column_stack([x, 3 * x, y]), np.arange(3), np.zeros(3, bool)) == [(1, 0)]


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_huge_and_tiny_numbers_are_compared(scale):
    table = {"a": WIDTH * scale, "b": TABLE["measured"] * scale}
    assert dict(notes_of(table).notes) == {"b": "nearly proportional to 'a'"}


@given(st.randoms(use_true_random=False))
def test_law_the_order_of_rows_and_columns_does_not_matter(random):
    rows = random.sample(range(80), 80)
    names = random.sample(list(TABLE), len(TABLE))
    mixed = notes_of({name: [TABLE[name][row] for row in rows] for name in names})
    assert dict(mixed.notes) == dict(notes_of(TABLE).notes)


def test_notes_are_those_of_the_cases_after_a_refresh():
    model = Model().fit({"a": [1.5, 2.5, 3.5], "b": [7.0, 7.0, 7.0]})
    assert dict(model.schema_.notes) == {"b": "constant"}
    model.add({"a": [1.5], "b": [8.0]})
    model.refresh()
    assert model.schema_.notes == ()
