"""``vicinal contributions``."""

import json

import pytest

import vicinal
from tests.cli.running import PENGUINS, done, rows_of
from vicinal.data import load_penguins


def test_contributions_are_those_of_the_model_and_its_own_target(model, tmp_path):
    out = tmp_path / "contributions.csv"
    said = done("contributions", model, PENGUINS, "--row", 7, "-o", out)
    assert said == f"1 row; wrote {out}.\n"
    row = {name: [values[7]] for name, values in load_penguins().items()}
    expected = vicinal.load(model).contributions(row, "species")
    found = rows_of(out)
    assert {row["row"] for row in found} == {"7"}
    actual = [float(row["contribution"]) for row in found]
    assert actual == pytest.approx(expected.values.ravel().tolist())


def test_the_overall_summary_lists_every_feature_once_per_class(model):
    text = done("contributions", model, PENGUINS, "--row", 0, "--row", 200, "--overall", "--json")
    found = json.loads(text)
    assert found["target"] == "species"
    assert len(found["contributions"]) == 7 * 3
    assert all(one["size"] >= abs(one["mean"]) - 1e-12 for one in found["contributions"])


def test_rows_and_cases_are_shown_by_their_names(model):
    assert "Row 7: " in done("contributions", model, PENGUINS, "--row", 7)
    assert "Case 7: " in done("contributions", model, "--case", 7)


def test_contributions_to_times_say_their_unit(tmp_path):
    lines = ["x,arrived", *(f"{n % 23},2024-01-{1 + n % 23:02}" for n in range(60))]
    path = tmp_path / "trips.csv"
    path.write_text("\n".join(lines))
    asked = ("contributions", path, "-t", "arrived", "--set", "x=3")
    assert "(contributions in days)" in done(*asked)
    [one] = json.loads(done(*asked, "--json"))["contributions"]
    assert one["unit"] == "days"
    assert -12 < one["contribution"] < -6
