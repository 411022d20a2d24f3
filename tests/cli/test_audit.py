"""``vicinal audit``."""

import json

from tests.cli.running import PENGUINS, done


def test_an_audit_tells_its_evidence(model):
    assert "Labels that are likely wrong" in done("audit", model, "-t", "species")
    assert "Labels that are likely wrong" in done("audit", model)  # it was fitted for one
    told = json.loads(done("audit", PENGUINS, "--test", PENGUINS, "--json"))
    assert {one["kind"] for one in told["findings"]} >= {"leak", "unusual"}
