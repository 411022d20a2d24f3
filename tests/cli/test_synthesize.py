"""``vicinal synthesize``."""

import json

from tests.cli.running import PENGUINS, done, refused, rows_of


def test_rows_keep_what_was_asked_for(model, tmp_path):
    out = tmp_path / "synthetic.csv"
    arguments = ["--set", "species=Gentoo", "--range", "body_mass_g=5000..5500"]
    said = done("synthesize", model, "-n", 12, *arguments, "--allow", "sex=male", "-o", out)
    assert said.startswith("Sampled 12 rows, privacy ratio ")
    rows = rows_of(out)
    assert len(rows) == 12
    assert {(row["species"], row["sex"], row["island"]) for row in rows} == {
        ("Gentoo", "male", "Biscoe")
    }
    assert all(5000 <= float(row["body_mass_g"]) <= 5500 for row in rows)


def test_the_seed_is_that_of_the_sample(model):
    def drawn(seed):
        return json.loads(done("synthesize", model, "-n", 3, "--seed", seed, "--json"))["rows"]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_a_table_is_fitted_first_and_shown_on_the_screen():
    assert done("synthesize", PENGUINS, "-n", 2).startswith("Sampled 2 rows")


def test_no_rows_are_refused(model):
    refused("synthesize", model, "-n", 0, code=2)


def test_a_category_that_no_case_has_is_refused(model):
    message = refused("synthesize", model, "--set", "island=Dreem")
    assert "'island' has no category 'Dreem'. Did you mean 'Dream'?" in message
