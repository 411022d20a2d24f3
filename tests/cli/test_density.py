"""``vicinal density``."""

import json

import pytest

import vicinal
from tests.cli.running import PENGUINS, done, rows_of


def test_stored_cases_are_judged_by_the_others(model):
    found = json.loads(done("density", model, "--json"))
    expected = vicinal.load(model).density()
    assert [one["case"] for one in found["densities"]] == list(range(344))
    assert [one["log_density"] for one in found["densities"]] == expected.tolist()
    assert found["mean"] == pytest.approx(expected.mean())


def test_new_rows_count_from_0(model, tmp_path):
    out = tmp_path / "densities.csv"
    assert "Log density of 344 rows" in done("density", model, PENGUINS, "-o", out)
    assert [row["row"] for row in rows_of(out)] == [str(at) for at in range(344)]
