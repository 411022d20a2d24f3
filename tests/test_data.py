"""The tables that ship with the package, or are made by it."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.data import load_penguins
from vicinal.data.simulated import (
    make_apartments,
    make_loans,
    make_pump_log,
    make_transactions,
)


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


@pytest.mark.parametrize("make", [make_apartments, make_loans, make_pump_log, make_transactions])
def test_a_seed_makes_one_table_and_another_seed_another(make):
    assert str(make(60)) == str(make(60))
    assert str(make(60)) != str(make(60, random_state=1))


def test_errors_of_apartments_are_where_they_are_said_to_be_and_nowhere_else():
    sound, none = make_apartments(300, damaged=False)
    damaged, errors = make_apartments(300)
    changed = {
        row
        for name, values in damaged.items()
        for row, value in enumerate(values)
        if value != sound[name][row]
    }
    assert not none
    assert changed == {row for rows in errors.values() for row in rows}


def test_only_the_faulty_sensor_drifts_and_to_the_end_by_as_much_as_stated():
    sound, faulty = make_pump_log(50), make_pump_log(50, drift=0.1, faulty="flow")
    assert [name for name in sound if sound[name] != faulty[name]] == ["flow"]
    np.testing.assert_allclose(faulty["flow"][-1], 1.1 * sound["flow"][-1], rtol=1e-3)
    assert faulty["flow"][0] == sound["flow"][0]
