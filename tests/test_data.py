"""The table that ships with the package."""

from __future__ import annotations

from vicinal.data import load_penguins


def test_the_penguins_are_the_published_ones():
    penguins = load_penguins()
    assert {len(values) for values in penguins.values()} == {344}
    missing = {name: values.count(None) for name, values in penguins.items()}
    assert missing == {
        "species": 0,
        "island": 0,
        "bill_length_mm": 2,
        "bill_depth_mm": 2,
        "flipper_length_mm": 2,
        "body_mass_g": 2,
        "sex": 11,
        "year": 0,
    }
    assert [penguins["species"].count(s) for s in ("Adelie", "Chinstrap", "Gentoo")] == [
        152,
        68,
        124,
    ]
    assert sum(mass for mass in penguins["body_mass_g"] if mass is not None) == 1_437_000


def test_numbers_are_numbers_and_each_call_gives_a_new_table():
    penguins = load_penguins()
    types = {name: {type(v) for v in values if v is not None} for name, values in penguins.items()}
    assert types["bill_length_mm"] == types["bill_depth_mm"] == {float}
    assert types["flipper_length_mm"] == types["body_mass_g"] == types["year"] == {int}
    assert types["species"] == types["island"] == types["sex"] == {str}
    penguins["sex"].clear()
    assert len(load_penguins()["sex"]) == 344
