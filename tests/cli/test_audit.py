"""``vicinal audit``."""

import json

from tests.cli.running import PENGUINS, done, refused


def test_an_audit_tells_its_evidence(model):
    assert "Labels that are likely wrong" in done("audit", model, "-t", "species")
    assert "Labels that are likely wrong" in done("audit", model)  # it was fitted for one
    told = json.loads(done("audit", PENGUINS, "--test", PENGUINS, "--json"))
    assert {one["kind"] for one in told["findings"]} >= {"leak", "unusual"}


def test_an_audit_of_some_cases_says_so(model):
    assert "Audit of 50 cases (a sample of 344)" in done("audit", model, "--max-cases", "50")
    assert "Audit of 344 cases, " in done("audit", model, "--max-cases", "all")
    said = refused("audit", model, "--max-cases", "some", code=2)
    assert "expected auto, all, or a whole number" in said
